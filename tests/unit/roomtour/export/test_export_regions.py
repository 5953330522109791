"""The format spatialrgpt: rows and benchmark items read as its trainer reads them, and every rule held."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instructions.perception.masks import encode_mask, pack_runs
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.spatialrgpt.check import CATEGORIES
from roomtour.export.formats.spatialrgpt.regions import box_of, mark_regions
from roomtour.export.formats.spatialrgpt.write import SpatialRgptOptions
from roomtour.files.depth import write_depth_map
from tests.support.export.breaking import frames_on_disk
from tests.support.export.client_stubs import client
from tests.unit.roomtour.export.test_export_spatial import make_tour


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> list[RunData]:
    home = tmp_path_factory.mktemp("home")
    frames = frames_on_disk(home / "frames", 1, 640, 480)
    depths = home / "perception" / "depth"
    depths.mkdir(parents=True)
    depth = np.tile(np.linspace(1.0, 8.0, 160, dtype=np.float32), (120, 1))
    depth[:10] = np.nan
    write_depth_map(depths, 1, depth)
    return [make_tour("home1", frames), make_tour("home2", frames, tall=False), make_tour("home3", frames)]


@pytest.fixture(scope="module")
def dataset(tours: list[RunData], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("regions") / "out"
    export_runs(tours, "spatialrgpt", out, kinds=("spatial",))
    return out


def rows_of(folder: Path, name: str) -> list[dict]:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def test_the_dataset_is_valid_and_has_a_card_with_the_blind_test(dataset: Path):
    assert validate_export(dataset) == []
    card = (dataset / "README.md").read_text(encoding="utf-8")
    assert "Blind test" in card
    assert "Balance by names is on" in card


def test_the_trainer_finds_picture_masks_boxes_and_depth(dataset: Path):
    coco = client("pycocotools.mask")
    for name in ("train.json", "train_depth.json"):
        for row in rows_of(dataset, name):
            image = cv2.imread(str(dataset / "images" / f"{row['filename']}.jpg"))
            assert image is not None
            height, width = image.shape[:2]
            marks = row["conversations"][0]["value"].count("<mask>")
            masks = [coco.decode(rle) for rle in row["rle"]]
            assert marks == len(masks) == len(row["bbox"]) >= 1
            for mask, box in zip(masks, row["bbox"], strict=True):
                assert mask.shape == (height, width)
                from_box = np.zeros((height, width), np.uint8)
                x1, y1, x2, y2 = map(int, box)
                from_box[y1:y2, x1:x2] = 1
                assert (mask == from_box).all()  # these things have no masks: their box stands for one
            if "depth" in name:
                depth = cv2.imread(str(dataset / "depths" / f"{row['filename']}.png"), cv2.IMREAD_UNCHANGED)
                assert depth is not None
                assert depth.dtype == np.uint8
                assert depth.shape == (height, width, 3)
                assert (depth[..., 0] == depth[..., 2]).all()
                assert (depth.min(), depth.max()) == (0, 255)
                assert depth[300, 10, 0] > depth[300, 600, 0]  # near is bright
                assert depth[2, 10, 0] == 0  # unknown


def test_regions_stand_for_the_things_that_the_row_is_about(dataset: Path, tours: list[RunData]):
    by_id = {row.id: row for tour in tours for row in tour.rows["spatial"]}
    for row in rows_of(dataset, "train.json"):
        source = by_id[row["id"]]
        human, told = (turn["value"] for turn in row["conversations"])
        for reference in source.references:
            assert reference.phrase.lower() not in human.lower()
            assert reference.phrase.lower() not in told.lower()
        boxes = {reference.object: box_of(reference.box_xyxy, 640, 480) for reference in source.references}
        regions = mark_regions(source)
        assert regions is not None
        for box, place in zip(row["bbox"], regions.mentions, strict=True):
            assert box == boxes[source.references[place].object]
        first = source.references[regions.mentions[0]]
        phrase = f"{first.phrase} {first.clause}" if first.clause else first.phrase
        assert regions.text_q.lower().replace("region [0]", phrase.lower()).count(phrase.lower()) >= 1
        assert source.question.lower().index(phrase.lower()) == human.removeprefix("<image>\n").index("<mask>")


def test_the_benchmark_has_its_own_categories_and_no_other(tours: list[RunData], tmp_path: Path):
    dataset = tmp_path / "all"  # balanced, no width is left: in these homes its name tells it
    export_runs(tours, "spatialrgpt", dataset, SpatialRgptOptions(balance=False), kinds=("spatial",))
    items = rows_of(dataset, "bench_train.json")
    lines = [json.loads(line) for line in (dataset / "bench_train.jsonl").read_text(encoding="utf-8").splitlines()]
    assert items == lines
    found = {item["qa_info"]["category"] for item in items}
    assert {"left_predicate", "tall_choice", "distance_data", "width_data"} <= found <= set(CATEGORIES)
    for item in items:
        assert "Region [0]" in item["text_q"]
        assert "too close" not in item["conversations"][1]["value"].lower()
        assert item["image_info"] == {"file_path": item["image_info"]["file_path"], "height": 480, "width": 640}
        assert (dataset / "images" / item["image_info"]["file_path"]).is_file()


def test_balance_can_be_left_out(tours: list[RunData], dataset: Path, tmp_path: Path):
    export_runs(tours, "spatialrgpt", tmp_path / "all", SpatialRgptOptions(balance=False), kinds=("spatial",))
    assert len(rows_of(tmp_path / "all", "train.json")) > len(rows_of(dataset, "train.json"))


@given(st.lists(st.lists(st.booleans(), min_size=7, max_size=7), min_size=1, max_size=9))
def test_packed_masks_are_what_pycocotools_packs(pixels: list[list[bool]]):
    coco = client("pycocotools.mask")
    mask = np.array(pixels, dtype=np.uint8)
    ours, theirs = pack_runs(encode_mask(mask)), coco.encode(np.asfortranarray(mask))
    assert str(ours["counts"]).encode() == theirs["counts"]
    assert (coco.decode(ours) == mask).all()


def test_long_runs_are_packed_too():
    coco = client("pycocotools.mask")
    mask = np.zeros((900, 1400), np.uint8)
    mask[300:640, 200:1200] = 1
    mask[10:12, 5:6] = 1
    assert (coco.decode(pack_runs(encode_mask(mask))) == mask).all()


@pytest.mark.parametrize(
    ("box", "held"),
    [
        ((10.2, 20.7, 30.1, 40.0), [10, 20, 31, 40]),
        ((-5.0, -1.0, 700.0, 500.0), [0, 0, 640, 480]),
        ((639.9, 479.9, 640.0, 480.0), [639, 479, 640, 480]),
        ((3.0, 3.0, 3.0, 3.0), [3, 3, 4, 4]),
    ],
)
def test_boxes_are_whole_pixels_inside_the_picture(box: tuple[float, float, float, float], held: list[int]):
    assert box_of(box, 640, 480) == held


def _set(key: str, value: object) -> Callable[[dict], None]:
    def change(row: dict) -> None:
        row[key] = value

    return change


@pytest.mark.parametrize(
    ("name", "field", "change"),
    [
        ("train.json", "id", lambda row: row.pop("id")),
        ("train.json", "filename", lambda row: row.update(filename=row["filename"] + ".jpg")),
        ("train.json", "filename", _set("filename", "home1/none")),
        ("train.json", "filename", _set("filename", "/abs")),
        ("train.json", "bbox", _set("bbox", [[3, 3, 2, 9]])),
        ("train.json", "rle", _set("rle", [])),
        ("train.json", "conversations.value", lambda row: row["bbox"].append([0, 0, 1, 1])),
        ("train.json", "conversations.value", lambda row: row["conversations"][0].update(value="no <mask>")),
        ("train.json", "conversations.from", lambda row: row["conversations"].reverse()),
        (
            "train_depth.json",
            "conversations.value",
            lambda row: row["conversations"][0].update(value="<image>\n<mask>?"),
        ),
        ("bench_train.json", "qa_info.category", lambda row: row["qa_info"].update(category="gap_data")),
        ("bench_train.json", "qa_info.type", lambda row: row["qa_info"].update(type="other")),
        ("bench_train.json", "image_info.file_path", lambda row: row["image_info"].update(file_path="home1/none.jpg")),
        ("bench_train.json", "bbox", lambda row: row["image_info"].update(width=20)),
        ("bench_train.json", "rle.size", lambda row: row["rle"][0].update(size=[480, 641])),
        ("bench_train.json", "text_q", lambda row: row.update(text_q="Is <mask> left?")),
    ],
)
def test_every_rule_is_held(
    tours: list[RunData], tmp_path: Path, name: str, field: str, change: Callable[[dict], None]
):
    export_runs(tours[:1], "spatialrgpt", tmp_path / "out", kinds=("spatial",))
    rows = rows_of(tmp_path / "out", name)
    change(rows[0])
    (tmp_path / "out" / name).write_text(json.dumps(rows), encoding="utf-8")
    assert field in {problem.field.split("[")[0] for problem in validate_export(tmp_path / "out")}


def test_missing_files_are_found(tours: list[RunData], tmp_path: Path):
    export_runs(tours[:1], "spatialrgpt", tmp_path / "out", kinds=("spatial",))
    (tmp_path / "out" / "bench_train.jsonl").unlink()
    next((tmp_path / "out" / "depths").rglob("*.png")).unlink()
    fields = {problem.field for problem in validate_export(tmp_path / "out")}
    assert {"file", "filename"} <= fields


@pytest.mark.parametrize(("rows_unknown", "is_written"), [(23, True), (25, False)])
def test_depth_with_holes_is_not_written(tmp_path: Path, rows_unknown: int, is_written: bool):
    frames = frames_on_disk(tmp_path / "frames", 1, 640, 480)
    depths = tmp_path / "perception" / "depth"
    depths.mkdir(parents=True)
    depth = np.full((120, 160), 3.0, np.float32)
    depth[:, :80] = 2.0
    depth[:rows_unknown] = np.nan  # 24 rows are a fifth
    write_depth_map(depths, 1, depth)
    export_runs([make_tour("home1", frames)], "spatialrgpt", tmp_path / "out", kinds=("spatial",))
    assert bool(rows_of(tmp_path / "out", "train_depth.json")) == is_written
    assert rows_of(tmp_path / "out", "train.json")
    assert validate_export(tmp_path / "out") == []

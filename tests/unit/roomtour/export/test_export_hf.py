from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from roomtour.errors import RoomtourError
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.hf.write import HfOptions
from tests.support.export.breaking import frames_on_disk
from tests.support.export.client_stubs import client
from tests.support.export.made_run import make_run
from tests.support.export.random_runs import runs

BARE = HfOptions(images=False)
VIEWS, TEXTS = "views/train-00000.parquet", "instructions/train-00000.parquet"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    export_runs([make_run(frames_dir=frames_on_disk(tmp_path / "frames"))], "hf", tmp_path / "made")
    return tmp_path / "made"


def rows(folder: Path, config: str) -> list[dict[str, Any]]:
    return [row for file in sorted(folder.glob(f"{config}/*.parquet")) for row in pq.read_table(file).to_pylist()]


@given(run=runs())
@settings(max_examples=25, deadline=None)
def test_any_run_reads_back(tmp_path_factory, run: RunData) -> None:
    out = tmp_path_factory.mktemp("hf") / "out"
    export_runs([run], "hf", out, BARE)
    assert validate_export(out) == []
    views = {(row["model"], row["frame"]): row for row in rows(out, "views")}
    assert len(views) == sum(len(model.frames) for model in run.scene.models)
    for model in run.scene.models:
        for frame, pose in model.world_from_cam.items():
            row = views[model.name, frame]
            assert row["translation"] == pose.center.tolist()
            assert row["quat_wxyz"] == pose.quat_wxyz.tolist()
            assert row["camera_params"] == list(model.camera.params)
            assert row["time_s"] == run.scene.frame_by_index[frame].time_s
    told = {text.id: text for text in run.instructions if text.accepted}
    for row in rows(out, "instructions"):
        assert row["text"] == " ".join(told[row["id"]].text.split())
        assert row["views"] == list(told[row["id"]].views)


def test_images_are_the_frames_themselves(made: Path) -> None:
    row = rows(made, "views")[4]
    assert row["image"]["bytes"] == (made.parent / "frames" / "000005.jpg").read_bytes()
    assert row["image"]["path"] == "flat/000005.jpg"
    assert row["heading_deg"] == pytest.approx(0.0)


def test_shards_are_bounded_and_nothing_is_lost(tmp_path: Path) -> None:
    run = make_run(frames_dir=frames_on_disk(tmp_path / "frames"))
    export_runs([run], "hf", tmp_path / "out", HfOptions(max_shard_mb=0.02))
    files = sorted((tmp_path / "out").glob("views/*.parquet"))
    assert len(files) > 2
    assert all(file.stat().st_size < 40_000 for file in files)
    assert [row["frame"] for row in rows(tmp_path / "out", "views")] == list(range(1, 31))
    assert validate_export(tmp_path / "out") == []


def test_tours_of_val_have_their_own_files(tmp_path: Path) -> None:
    tours = [make_run(f"home{k}") for k in range(6)]
    export_runs(tours, "hf", tmp_path / "out", HfOptions(val_share=0.5, images=False))
    sides = [
        {row["tour"] for file in (tmp_path / "out").glob(f"views/{split}-*") for row in pq.read_table(file).to_pylist()}
        for split in ("train", "val")
    ]
    assert all(sides)
    assert not sides[0] & sides[1]
    assert validate_export(tmp_path / "out") == []


def test_frame_that_is_gone_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RoomtourError, match=r"000001\.jpg is missing"):
        export_runs([make_run(frames_dir=tmp_path)], "hf", tmp_path / "out")


def change_rows(file: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    table = pq.read_table(file)
    content = table.to_pylist()
    change(content)
    pq.write_table(pa.Table.from_pylist(content, schema=table.schema), file)


def put(field: str, value: Any, row: int = 0) -> Callable[[list[dict[str, Any]]], object]:
    return lambda content: content[row].update({field: value})


ROW_RULES = [
    (VIEWS, "tour", put("tour", "")),
    (VIEWS, "model", put("model", None)),
    (VIEWS, "licence", put("licence", " ")),
    (VIEWS, "scale_status", put("scale_status", "guessed")),
    (VIEWS, "unit", put("scale_status", "relative")),
    (VIEWS, "frame", put("frame", 2)),
    (VIEWS, "frame", put("frame", None)),
    (VIEWS, "time_s", put("time_s", float("nan"))),
    (VIEWS, "elevation_deg", put("elevation_deg", None)),
    (VIEWS, "heading_deg", put("heading_deg", float("inf"))),
    (VIEWS, "translation", put("translation", [1.0, 2.0])),
    (VIEWS, "quat_wxyz", put("quat_wxyz", [1.0, 1.0, 0.0, 0.0])),
    (VIEWS, "width", put("width", 0)),
    (VIEWS, "camera_model", put("camera_model", None)),
    (VIEWS, "camera_params", put("camera_params", [])),
    (VIEWS, "image", put("image", {"bytes": b"poem", "path": "a.jpg"})),
    (VIEWS, "image", put("image", {"bytes": None, "path": "a.jpg"})),
    (TEXTS, "id", put("id", "flat_m0_t0_i1")),
    (TEXTS, "text", put("text", "")),
    (TEXTS, "trajectory", put("trajectory", None)),
    (TEXTS, "kind", put("kind", "poem")),
    (TEXTS, "views", put("views", [9])),
    (TEXTS, "views", put("views", [9, 12, 15, 17, 19, 99])),
    (TEXTS, "views", put("views", [12, 9, 15, 17, 19, 21])),
    (TEXTS, "frame_times_s", put("frame_times_s", [0.0])),
    (TEXTS, "headings_deg", put("headings_deg", [None] * 6)),
    (TEXTS, "positions", put("positions", [[0.0, 1.0]] * 6)),
]


@pytest.mark.parametrize(("file", "field", "change"), ROW_RULES)
def test_every_rule_of_a_row_is_held(made: Path, file: str, field: str, change: Callable) -> None:
    assert validate_export(made) == []
    change_rows(made / file, change)
    assert (file, field) in {(problem.file, problem.field) for problem in validate_export(made)}


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ("---\nconfigs:", "configs:", "configs"),
        ("configs:", "config: [", "configs"),
        ("configs:", "files:", "configs"),
        ("config_name: views", "config_name: pictures", "configs.config_name"),
        ("config_name: views", "config_name: instructions", "configs.config_name"),
        ("split: train", "split: everything", "configs.data_files.split"),
        ("views/train-*.parquet", "views/none-*.parquet", "configs.data_files.path"),
        ("views/train-*.parquet", "../views/train-*.parquet", "configs.data_files.path"),
        ("  data_files:\n", "  files:\n", "configs.data_files"),
    ],
)
def test_every_rule_of_the_header_is_held(made: Path, before: str, after: str, field: str) -> None:
    card = made / "README.md"
    assert before in card.read_text()
    card.write_text(card.read_text().replace(before, after, 1))
    assert field in {problem.field for problem in validate_export(made)}


def test_columns_and_files_must_be_whole(made: Path) -> None:
    table = pq.read_table(made / VIEWS)
    pq.write_table(table.drop_columns(["quat_wxyz"]), made / VIEWS)
    assert "columns" in {problem.field for problem in validate_export(made)}
    pq.write_table(table.replace_schema_metadata(None), made / VIEWS)
    assert "columns" in {problem.field for problem in validate_export(made)}
    (made / VIEWS).write_bytes(b"PAR1 no more")
    assert "parquet" in {problem.field for problem in validate_export(made)}


def test_tour_in_both_splits_is_found(tmp_path: Path) -> None:
    run = make_run("a")
    assert HfOptions(val_share=0.5).split_of("a") != HfOptions(val_share=0.5).split_of("c")
    export_runs([run, replace(make_run("c"))], "hf", tmp_path / "out", HfOptions(val_share=0.5, images=False))
    for split in ("train", "val"):
        change_rows(tmp_path / "out" / f"views/{split}-00000.parquet", lambda content: put("tour", "a")(content))
    assert "tour" in {problem.field for problem in validate_export(tmp_path / "out")}


def test_datasets_loads_both_configs_offline(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = client("datasets")
    cache = str(made.parent / "cache")
    texts = datasets.load_dataset(str(made), split="train", cache_dir=cache)
    assert texts["text"][0] == "Walk ahead, then turn left."
    assert len(texts[0]["positions"]) == 6
    views = datasets.load_dataset(str(made), "views", split="train", cache_dir=cache)
    assert views.num_rows == 30
    assert views[0]["image"].size == (640, 360)
    assert views[3]["translation"] == pytest.approx([0.9, 0.0, 1.5])

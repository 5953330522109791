"""The format spatialrgpt: rows and benchmark items read as its trainer reads them, and every rule held."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from roomtour.export import RunData, export_runs
from roomtour.export.core.ledger import BalanceOptions
from roomtour.export.core.talks.questions import SpatialTalks
from roomtour.export.core.talks.regions import box_of
from roomtour.export.formats.talks.spatialrgpt import CATEGORIES, Regions, mark_regions
from tests.support.export.made_datasets import MadeDatasets


@pytest.fixture
def tours(made: MadeDatasets) -> list[RunData]:
    return made.spatial


@pytest.fixture
def dataset(made: MadeDatasets) -> Path:
    return made["spatialrgpt"]


def rows_of(folder: Path, name: str) -> list[dict]:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def test_depth_pictures_are_bright_where_it_is_near(dataset: Path):
    for row in rows_of(dataset, "train_depth.json"):
        depth = cv2.imread(str(dataset / "depths" / f"{row['filename']}.png"), cv2.IMREAD_UNCHANGED)
        assert depth is not None
        assert (depth.dtype, depth.shape) == (np.uint8, (480, 640, 3))
        assert (depth[..., 0] == depth[..., 2]).all()
        assert (depth.min(), depth.max()) == (0, 255)
        assert depth[300, 10, 0] > depth[300, 600, 0]
        assert depth[2, 10, 0] == 0  # unknown


def test_regions_stand_for_the_things_that_the_row_is_about(dataset: Path, tours: list[RunData]):
    by_id = {row.id: row for tour in tours for row in tour.rows["spatial"]}
    talks = {talk.id: talk for tour in tours for talk in SpatialTalks().take(tour, "train")}
    for row in rows_of(dataset, "train.json"):
        source = by_id[row["id"]]
        human, told = (turn["value"] for turn in row["conversations"])
        for reference in source.references:
            assert reference.phrase.lower() not in human.lower()
            assert reference.phrase.lower() not in told.lower()
        boxes = {reference.object: box_of(reference.box_xyxy, 640, 480) for reference in source.references}
        called = {reference.name: reference.object for reference in source.references}
        regions = mark_regions(talks[row["id"]])
        assert isinstance(regions, Regions)
        for box, place in zip(row["bbox"], regions.mentions, strict=True):
            assert box == boxes[called[place.words]]
        phrase = regions.mentions[0].words
        assert regions.text_q.lower().replace("region [0]", phrase.lower()).count(phrase.lower()) >= 1
        assert source.question.lower().index(phrase.lower()) == human.removeprefix("<image>\n").index("<mask>")


def test_the_benchmark_has_its_own_categories_and_no_other(tours: list[RunData], tmp_path: Path):
    dataset = tmp_path / "all"  # balanced, no width is left: in these homes its name tells it
    export_runs(tours, "spatialrgpt", dataset, BalanceOptions(balance=False), kinds=("spatial",))
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


def test_boxes_are_whole_pixels_inside_the_picture(subtests: pytest.Subtests):
    for box, held in (
        ((10.2, 20.7, 30.1, 40.0), [10, 20, 31, 40]),
        ((-5.0, -1.0, 700.0, 500.0), [0, 0, 640, 480]),
        ((639.9, 479.9, 640.0, 480.0), [639, 479, 640, 480]),
        ((3.0, 3.0, 3.0, 3.0), [3, 3, 4, 4]),
    ):
        with subtests.test(str(box)):
            assert box_of(box, 640, 480) == held

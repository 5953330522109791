"""The format vsibench: read by the task file of lmms-eval as it is, scored by its published code, every rule held."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import pyarrow.parquet as pq
import pytest

from roomtour.export import RunData, export_runs
from roomtour.export.formats.talks.vsibench import CHOICE_TYPES, NUMBER_TYPES
from tests.support.export.made_datasets import MadeDatasets

OFFICIAL_CHOICE = {
    "object_rel_direction_easy", "object_rel_direction_medium", "object_rel_direction_hard", "object_rel_distance",
    "route_planning", "obj_appearance_order",
}  # fmt: skip
OFFICIAL_NUMBER = {"object_abs_distance", "object_counting", "object_size_estimation", "room_size_estimation"}


@pytest.fixture
def tours(made: MadeDatasets) -> list[RunData]:
    return made.program_tours


@pytest.fixture
def dataset(made: MadeDatasets) -> Path:
    return made["vsibench"]


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return pq.read_table(folder / "test.parquet").to_pylist()


def test_types_are_those_of_the_benchmark():
    assert CHOICE_TYPES == OFFICIAL_CHOICE
    assert NUMBER_TYPES == OFFICIAL_NUMBER


def test_rows_are_those_of_the_run(dataset: Path, tours: list[RunData]):
    rows = rows_of(dataset)
    source = {row.id: row for tour in tours for row in tour.rows["programs"] if row.medium == "vsi"}
    assert {row["row"] for row in rows} == set(source)
    assert [row["id"] for row in rows] == list(range(len(rows)))
    # Views of these homes stand anywhere, and most things are alone of their kind there.
    missing = (OFFICIAL_NUMBER | OFFICIAL_CHOICE) - {row["question_type"] for row in rows}
    assert missing <= {"obj_appearance_order", "object_counting"}
    for row in rows:
        ours = source[row["row"]]
        assert "\n" not in row["question"]
        if ours.correct is None:
            assert float(row["ground_truth"]) == pytest.approx(float(ours.truth), rel=0.02, abs=0.006)
        else:
            assert row["options"]["ABCD".index(row["ground_truth"])][3:] == ours.choices[ours.correct]


def test_rows_about_other_views_have_a_video_of_their_own(tours: list[RunData], tmp_path: Path):
    first = next(row for row in tours[0].rows["programs"] if row.medium == "vsi")
    other = replace(first, id="other", views=first.views[:3])
    run = tours[0].with_rows("programs", (first, other, replace(other, id="again")))
    export_runs([run], "vsibench", tmp_path / "out", kinds=("programs",))
    assert [row["scene_name"][-4:] for row in rows_of(tmp_path / "out")] == ["0_m0", "m0_1", "m0_1"]


def test_the_video_has_the_views_in_their_order(dataset: Path, tours: list[RunData]):
    for row in {row["scene_name"]: row for row in rows_of(dataset)}.values():
        run = next(tour for tour in tours if tour.scene.id == row["tour"])
        views = next(one.views for one in run.rows["programs"] if one.id == row["row"])
        with av.open(str(dataset / row["dataset"] / f"{row['scene_name']}.mp4")) as video:
            pictures = [frame.to_ndarray(format="bgr24") for frame in video.decode(video=0)]
        assert len(pictures) == len(views)
        for picture, frame in zip(pictures, views, strict=True):
            assert picture.reshape(-1, 3).mean(axis=0) == pytest.approx([frame % 256, 2 * frame % 256, 100], abs=6)

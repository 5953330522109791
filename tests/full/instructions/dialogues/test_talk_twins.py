"""False twins of talks: one turn differs, in one thing, and a judge of the world says that it is false."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.dialogues import cast_depth, know_tour
from instructions.dialogues.options import CloudOptions, DialogueOptions
from instructions.dialogues.records import Dialogue
from instructions.dialogues.twins import make_twin
from instructions.dialogues.writer import write_dialogues
from roomtour.files.records import to_plain
from tests.support.judges.dialogue_judge import Judge
from tests.support.worlds.apartment_surfaces import TRUTH, Surfaces

TIMES_S = np.arange(0.0, 74.7, 3.0).tolist()
OPTIONS = DialogueOptions(clouds=CloudOptions(step_px=8, voxel_m=0.03, agree_m=0.3))


@pytest.fixture(scope="module")
def surfaces() -> Surfaces:
    return Surfaces()


@pytest.fixture(scope="module")
def rows(surfaces: Surfaces) -> tuple[Dialogue, ...]:
    tour = know_tour(surfaces, TIMES_S)[0]
    return write_dialogues(tour, OPTIONS, depth_of=lambda model: cast_depth(surfaces, model)).rows


def test_most_talks_about_views_have_a_twin_that_the_world_contradicts(surfaces: Surfaces, rows):
    talks = [row for row in rows if row.kind == "daily" and row.medium == "view" and row.group is None]
    twins = [(row, twin) for row in talks if (twin := make_twin(row)) is not None]
    assert len(twins) >= 0.8 * len(talks) > 5
    false = judged = 0
    for row, twin in twins:
        turn = row.turns[twin.turn]
        assert twin.answer != turn.answer
        assert twin.because
        judge = Judge(TRUTH, surfaces, TIMES_S)
        said = to_plain(replace(row, turns=(replace(turn, answer=twin.answer),)), Dialogue)
        judge.judge({**said, "templates": [row.templates[twin.turn]]})
        judged += judge.shares()[1]
        false += bool(judge.wrong)
    assert judged > 0.7 * len(twins)
    assert false == judged


def test_changes_are_of_several_kinds_and_the_same_again(rows):
    talks = [row for row in rows if row.kind == "daily"]
    changes = {twin.change for row in talks if (twin := make_twin(row)) is not None}
    assert {"side", "order of two"} <= changes
    assert [make_twin(row) for row in talks] == [make_twin(row) for row in talks]


def test_talks_about_several_pictures_have_twins(rows):
    walks = [row for row in rows if row.medium == "views" and row.group is None]
    assert sum(make_twin(row) is not None for row in walks) >= 0.6 * len(walks) > 2


def test_descriptions_and_background_have_none(rows):
    assert all(make_twin(row) is None for row in rows if row.kind in ("description", "factual"))

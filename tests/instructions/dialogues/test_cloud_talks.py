"""What is said of whole scenes is true, from a stated place too, and where nobody knows how many things there are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.dialogues import cast_depth, know_tour
from instructions.asking.draws import Draw
from instructions.dialogues.cloud_kinds import ask_presence, find_absent_kinds
from instructions.dialogues.cloud_tasks import CloudThings, find_cloud_tasks
from instructions.dialogues.clouds import make_cloud
from instructions.dialogues.describe_cloud import describe_cloud, talk_about_cloud
from instructions.dialogues.options import CloudOptions, DialogueOptions
from instructions.dialogues.placed_talk import ask_from_places
from instructions.dialogues.records import Dialogue
from instructions.dialogues.writer import write_dialogues
from roomtour.files.records import to_plain
from tests.instructions.apartment_surfaces import TRUTH, Surfaces
from tests.instructions.dialogue_judge import Judge

TIMES_S = np.arange(0.0, 74.7, 6.0).tolist()
COARSE = CloudOptions(step_px=16, voxel_m=0.1, lone_m=0.5)
"""What is said rests on boxes; the points only make the frame of the cloud."""


@pytest.fixture(scope="module")
def surfaces() -> Surfaces:
    return Surfaces()


@pytest.fixture(scope="module")
def tour(surfaces: Surfaces):
    return know_tour(surfaces, TIMES_S)[0]


@pytest.fixture(scope="module")
def things(surfaces: Surfaces, tour) -> CloudThings:
    model = tour.scene.models[0]
    made = make_cloud(tour.scene.id, model, tour.objects, COARSE, cast_depth(surfaces, model))
    assert made is not None
    return tour.know_cloud(made, DialogueOptions())


def count_wrong(surfaces: Surfaces, rows) -> Judge:
    judge = Judge(TRUTH, surfaces, TIMES_S)
    for row in rows:
        judge.judge(to_plain(row, Dialogue))
    return judge


def test_everything_said_of_the_scene_is_true(surfaces: Surfaces, tour):
    written = write_dialogues(
        tour, DialogueOptions(medium="cloud", clouds=COARSE), depth_of=lambda model: cast_depth(surfaces, model)
    )
    judge = count_wrong(surfaces, written.rows)
    share, judged, unjudged = judge.shares()
    assert judged >= 150
    assert unjudged == 0
    assert share >= 0.995, judge.wrong
    assert {"description", "daily", "task"} == {row.kind for row in written.rows}


def test_a_scene_of_uncertain_counts_is_described_without_counts(surfaces: Surfaces, things: CloudThings):
    unsure = replace(things, unsure_kinds=frozenset(things.of_kind))
    assert find_cloud_tasks(unsure, Draw(0, "tasks")) == []
    described, talk = describe_cloud(unsure, Draw(0, "told")), talk_about_cloud(unsure, 8, Draw(0, "talk"))
    assert described is not None
    assert "at least three armchairs" in described.turns[0].answer
    assert talk is not None
    judge = Judge(TRUTH, surfaces, TIMES_S)
    for kind, told in (("description", described), ("daily", talk)):
        turns = [{"question": one.question, "answer": one.answer} for one in told.turns]
        row = {"turns": turns, "templates": told.templates, "task": None, "kind": kind, "views": [], "cloud": "c"}
        judge.judge({**row, "truth": None})
    assert judge.wrong == []
    assert judge.shares()[2] == 0
    assert not any(turn.question.startswith("How many") for turn in talk.turns)


def test_a_changed_side_is_false_and_no_side_is_the_usual_one(surfaces: Surfaces, things: CloudThings):
    turns = [turn for turn, _ in ask_from_places(things, Draw(0, "placed"))]
    said = Counter(next(side for side in ("left", "right", "behind") if side in turn.answer) for turn in turns)
    assert min(said.values()) >= 5
    assert len(said) >= 2
    first = Counter(next(side for side in said if side in turn.answer) for turn in turns[:9])
    assert max(first.values()) - min(first[side] for side in said) <= 1
    for turn in turns[:40]:
        others = [f"It is {words}." for words in ("on your left", "on your right", "behind you")]
        told = [
            judge_turn(surfaces, turn.question, answer)
            for answer in [turn.answer, *(one for one in others if one[6:] not in turn.answer)]
        ]
        assert told == [True, False, False], turn


def judge_turn(surfaces: Surfaces, question: str, answer: str) -> bool:
    judge = Judge(TRUTH, surfaces, TIMES_S)
    turn = {"question": question, "answer": answer}
    row = {"turns": [turn], "templates": ["cloud grammar"], "task": None, "views": [], "cloud": "c", "truth": None}
    judge.judge(row)
    assert judge.shares()[1] == 1
    return not judge.wrong


def test_a_handful_of_points_is_no_cloud(surfaces: Surfaces, tour):
    model = tour.scene.models[0]
    made = make_cloud(tour.scene.id, model, tour.objects, COARSE, cast_depth(surfaces, model))
    assert made is not None
    for least, is_made in ((made.cloud.count, True), (made.cloud.count + 1, False)):
        options = replace(COARSE, least_points=least)
        again = make_cloud(tour.scene.id, model, tour.objects, options, cast_depth(surfaces, model))
        assert (again is not None) == is_made


def test_which_kinds_are_there_and_which_are_not(things: CloudThings):
    assert "piano" in things.absent
    drafts = list(
        ask_presence(replace(things, absent=("bicycle", "clock", "microwave", "oven", "piano")), Draw(0, "a"))
    )
    assert [draft.key.split()[0] for draft in drafts] == ["shows", "shows", "lacks", "lacks"]
    for draft in drafts:
        assert len(draft.wrong) == 5
        assert draft.right not in draft.wrong


def test_a_kind_is_absent_only_if_nothing_like_it_was_ever_seen():
    known = {"sofa", "bed", "piano", "giraffe"}
    assert find_absent_kinds(known, {"chair"}) == ("bed", "piano")  # a chair may be the sofa
    assert find_absent_kinds(known, {"bed"}) == ("piano",)
    assert find_absent_kinds(frozenset(), {"chair"}) == ()

"""Questions about marks in a room whose truth is algebra, judged by code that shares nothing with what writes them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from instructions.questions.core.options import MarkOptions
from instructions.questions.core.records import Question
from instructions.questions.core.world import Given, ProgramCamera, ProgramScene, ProgramThing, Reference, Value
from instructions.questions.quality.balance import find_surplus, weigh
from instructions.questions.registry import MARK_TYPES
from instructions.questions.writers.marks import write_mark_questions
from instructions.records import Obb
from recon.records import Scale, SceneModel
from roomtour.files.records import to_plain
from tests.support.judges.mark_judge import MarkJudge
from tests.support.worlds.marked import look, make_marked
from tests.support.worlds.tracked_room import RoomWorld, make_tracked_room

PLENTY = MarkOptions(rows_per_view=60)


def ask(**room) -> list[Question]:
    return write_mark_questions(make_tracked_room(**room), options=PLENTY, not_asked=Counter())


@pytest.fixture(scope="module")
def rows() -> list[Question]:
    return ask()


def test_every_row_is_true_of_the_room(rows):
    found = MarkJudge(RoomWorld()).judge([to_plain(row, Question) for row in rows])
    assert not found.examples
    assert sum(found.judged.values()) > 200


def test_every_type_is_asked_and_judged(rows, subtests):
    found = MarkJudge(RoomWorld()).judge([to_plain(row, Question) for row in rows])
    for name in MARK_TYPES:
        with subtests.test(name):
            assert found.judged[name] > 0


def test_no_option_is_idle_where_a_walk_makes_some_rare(rows):
    mine = [row for row in rows if row.type == "match_outside_class"]
    answers = Counter(row.truth for row in mine)
    assert len({frozenset(row.choices) for row in mine}) == 1
    assert min(answers[option] for option in mine[0].choices) * 2 >= max(answers.values())
    for row in mine:
        assert row.choices[row.correct] == row.truth
        assert f"({'; '.join(row.choices)})" in row.question


def test_names_of_marks_tell_nothing_so_an_export_of_several_tours_drops_no_row(rows):
    other = [replace(row, tour="other", id=f"other{row.id}", twin=row.twin and f"other{row.twin}") for row in rows]
    assert not find_surplus(map(weigh, (*rows, *other)))


def answer(row: Question, model: SceneModel, reference: Reference) -> Value:
    """What the program of a row's type says."""
    side, level = (1e-6, 1e-6, 1e-6), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    things = []
    for one in row.references:
        x, y, z = model.tracks.xyz[int(one.object.removeprefix("point "))].tolist()
        things.append(ProgramThing(one.phrase, "mark", Obb((x, y, z), side, level), (row.views[0],)))
    cameras = tuple(ProgramCamera.of(frame, model.world_from_cam[frame]) for frame in row.views)
    return reference(things, ProgramScene({one.id: one for one in things}, cameras, floor_z=model.floor_z), Given())


def test_the_program_of_a_type_says_what_its_rows_say(rows):
    (model,) = make_tracked_room().models
    agreed = Counter()
    for row in rows:
        reference = MARK_TYPES[row.type].reference
        if reference is not None:
            said = answer(row, model, reference)
            want = pytest.approx(row.truth, rel=1e-6) if row.form == "number" else row.truth
            assert said == want, (row.type, row.question, row.views)
            agreed[row.type] += 1
    assert set(agreed) == {name for name, kind in MARK_TYPES.items() if kind.reference is not None}
    assert len(agreed) > 20


def test_a_judge_with_another_room_finds_rows_untrue(rows):
    class Mirrored(RoomWorld):
        def depth(self, frame, pixels):
            return 3.0 / np.asarray(super().depth(frame, pixels))

    found = MarkJudge(Mirrored()).judge([to_plain(row, Question) for row in rows])
    assert sum(found.wrong.values()) > 0.2 * sum(found.judged.values())


def test_turning_the_world_by_a_half_turn_changes_no_row(rows):
    turned = ask(turn_deg=180.0)
    assert [(one.id, one.question, one.answer) for one in turned] == [(o.id, o.question, o.answer) for o in rows]


def test_turning_the_world_changes_no_row_but_those_at_a_tie(rows):
    turned = {(one.id, one.question, one.answer) for one in ask(turn_deg=77.0)}
    assert len(turned & {(one.id, one.question, one.answer) for one in rows}) > 0.99 * len(rows)


def test_without_scale_nothing_is_said_in_meters():
    rows = ask(scale=Scale("relative", 1.0, 0.0, "none"))
    assert rows
    for row in rows:
        texts = f"{row.question} {row.answer}".lower()
        assert not any(word in texts.split() for word in ("meters", "meter", "feet", "cm", "inches"))
        assert row.measured is None or row.measured.unit != "m"


def test_twins_ask_the_same_words_and_answer_otherwise(rows):
    by_id = {row.id: row for row in rows}
    twins = [row for row in rows if row.twin]
    assert twins
    for row in twins:
        other = by_id[row.twin]
        assert other.twin == row.id
        assert other.question == row.question
        assert other.truth != row.truth


def test_no_answer_is_usual(rows):
    by_type: dict[str, Counter[str]] = {}
    for row in rows:
        if row.form != "number":
            by_type.setdefault(row.type, Counter())[row.truth] += 1
    for counts in by_type.values():
        first, second = counts.most_common(2)
        assert first[1] <= second[1]


def test_the_same_seed_gives_the_same_rows_and_another_other_ones(rows):
    assert ask() == rows
    others = write_mark_questions(make_tracked_room(), options=PLENTY, seed=1, not_asked=Counter())
    assert len({row.id for row in others} & {row.id for row in rows}) < 0.2 * len(rows)


def test_every_question_and_answer_is_a_sentence(rows):
    for row in rows:
        for text in (row.question, row.answer):
            assert not text[0].islower(), text
            assert text[-1] in ".?)", text
            assert "{" not in text, text


def test_nothing_that_the_floor_mirrors_gets_a_mark():
    places = {"lamp": (4.0, 0.0, 1.8), "its image": (4.0, 0.0, -1.0), "rug": (4.0, 1.5, 0.0)}
    marked = make_marked(places, [look(0.0, 0.0, 0.0)])
    assert {marked.name(spot) for view in marked.tour.views.values() for spot in view.spots} == {"lamp", "rug"}


def test_frames_further_apart_in_time_are_asked_about_more_up_to_a_bar():
    scene = make_tracked_room()
    step_s = float(np.median(np.diff([frame.time_s for frame in scene.frames])))
    counts = []
    for wanted_s in (1 / 30, 1 / 3, 1.0, 9.0):
        frames = tuple(replace(frame, time_s=frame.time_s * wanted_s / step_s) for frame in scene.frames)
        options = MarkOptions(rows_per_view=2)
        counts.append(len(write_mark_questions(replace(scene, frames=frames), options=options, not_asked=Counter())))
    dense, usual, sparse, sparser = counts
    assert dense == usual
    assert 2 * usual < sparse == sparser <= 4 * usual

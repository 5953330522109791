"""Rows about marks made by hand, in a tour of two views and three things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from instructions.facts.verdict import Measured
from instructions.questions.core.records import Mark, Question, Reference
from instructions.questions.registry import ALL_TYPES
from instructions.questions.writers.views import write_questions
from instructions.tour import Tour
from roomtour.export import RunData
from tests.support.worlds.box_rooms import ALL, Block, make_room

SPOTS = {1: (64.0, 120.0), 2: (480.0, 300.0), 3: (320.0, 60.0)}
"""Pixels of the marks, by number, in pictures of 640 x 480."""


def make_mark_row(
    row_id: str, kind: str, question: str, answer: str, truth: str, *, tour: str, marks: dict[int, int], twin: str = ""
) -> Question:
    """A row.

    Args:
        row_id: Its id.
        kind: Name of its type; marks have the choices of that.
        question: In words.
        answer: In words.
        truth: Of it; a number in meters for a type that asks for one.
        tour: Its tour.
        marks: Frame of each mark, by number; frames are shown in order.
        twin: Its id.
    """
    known = ALL_TYPES[kind]
    views = tuple(sorted(set(marks.values())))
    references = tuple(
        Reference(f"point {one}", f"mark {one}", None, frame, None, mark=Mark(one, SPOTS[one]))
        for one, frame in marks.items()
    )
    is_number = known.form == "number"
    choices = {
        "mark_nearer_choice": ("mark 1", "mark 2"),
        "mark_farther_predicate": ("yes", "no"),
        "mark_depth_order": ("2, 1, 3", "1, 3, 2", "3, 1, 2", "1, 2, 3"),
    }.get(kind, ())
    measured = Measured(kind, float(truth), "m", 0.1) if is_number else None
    return Question(
        id=row_id, tour=tour, model="0", views=views, scale_status="assumed", perception="none", writer="embedded",
        seed=0, accepted=True, type=kind, family=known.family, level=known.level,
        medium="image" if len(views) == 1 else "images",
        references=references,
        question=question, answer=answer, form=known.form, truth=float(truth) if is_number else truth,
        truth_source="measures", answer_unit="m" if is_number else "", measured=measured, said=measured,
        choices=choices, correct=choices.index(truth) if choices else None, evidence=(), twin=twin or None,
        group=row_id, upright=True, template=f"{kind}/questions/0/answer/0",
    )  # fmt: skip


def make_marked_tour(name: str, frames: Path) -> RunData:
    """Two views with rows about named things in the first, and rows about marks in one view and in both."""
    blocks = (
        Block("chair", (4.0, 1.4, 0.45), (0.5, 0.5, 0.9)),
        Block("lamp", (5.5, -1.0, 0.9), (0.4, 0.4, 1.8)),
        Block("table", (5.0, 0.3, 0.4), (0.9, 0.9, 0.8)),
    )
    room = make_room(blocks, eyes=((0.0, 0.0, 1.5), (0.0, 0.5, 1.5)))
    scene = replace(room.scene, id=name)
    named = write_questions(Tour(scene, room.objects, room.observations, exact=True)).rows
    first, second = scene.models[0].frames
    both = {1: first, 2: second}
    make = [
        ("q1", "mark_nearer_choice", "Which is nearer, mark 1 or mark 2?", "Mark 1 is nearer.", "mark 1",
         {1: first, 2: first}, "q2"),
        ("q2", "mark_nearer_choice", "Which is nearer, mark 1 or mark 2?", "It is mark 2.", "mark 2",
         {2: first, 1: first}, "q1"),
        ("q3", "mark_depth_order", "Sort marks 1, 2 and 3 by their distance. (2, 1, 3; 1, 3, 2; 3, 1, 2; 1, 2, 3)",
         "1, 3, 2.", "1, 3, 2", {1: first, 2: first, 3: first}, ""),
        ("q4", "mark_distance", "How far away is the marked point?", "About 2 meters.", "2.05", {1: first}, ""),
        ("q5", "mark_farther_predicate", "Is mark 1 in the first picture farther away than mark 2 in the second?",
         "No, mark 2 is.", "no", both, ""),
    ]  # fmt: skip
    rows = [
        make_mark_row(f"{name}_{row}", kind, asked, said, truth, tour=name, marks=marks, twin=twin and f"{name}_{twin}")
        for row, kind, asked, said, truth, marks, twin in make
    ]
    return RunData(scene, (), room.objects, room.observations, (), {"spatial": (*named, *rows)}, frames, {})


def make_alike_tour(name: str, frames: Path, points: Mapping[str, tuple[float, float]] = {}) -> RunData:
    """One view with two chairs, which have marks because no name means one of them; some have no clear box, but a point
    of these, by id.
    """
    blocks = [Block("chair", (4.0, y, 0.45), (0.5, 0.5, 0.9)) for y in (1.4, -1.4)]
    room = make_room(tuple(blocks))
    scene = replace(room.scene, id=name)
    seen = [
        replace(one, is_clear=one.object not in points, point_xy=points.get(one.object)) for one in room.observations
    ]
    named = write_questions(Tour(scene, room.objects, seen, exact=True), ALL).rows
    return RunData(scene, (), room.objects, tuple(seen), (), {"spatial": named}, frames, {})

"""What a careful reader stumbled over in rows of real tours: the picture on the wall, and a leaf in a corner."""

from __future__ import annotations

import re
from dataclasses import replace

from benchmarks.made_homes import make_home
from instructions.asking.bars import GateOptions
from instructions.facts.bodies import Body
from instructions.questions.core.options import ProgramBars, ProgramChoiceOptions, ProgramOptions
from instructions.questions.core.view_sets import cut_to_corner
from instructions.questions.writers.sets import write_questions
from instructions.tour import Tour
from instructions.view import SeenThing
from tests.support.cases import each_case

HOME = make_home(3)


def test_a_question_about_a_picture_on_the_wall_says_nothing_of_the_picture_one_looks_at():
    noun, home = "picture", HOME
    changed = {one.category for one in home.objects[::3]}
    objects = tuple(
        replace(one, category=noun, alias=f"{one.color} {noun}") if one.category in changed else one
        for one in home.objects
    )
    rows = write_questions(Tour(home.scene, objects, home.observations, exact=True)).rows
    asked = [row for row in rows if any(one.phrase.endswith(f" {noun}") for one in row.references)]
    assert len({row.type for row in asked}) > 5
    for row in asked:
        rest = row.question.partition("\n")[0].lower()
        for one in row.references:
            rest = rest.replace(one.name.lower(), "")
        assert not re.search(rf"\b{noun}s?\b", rest), row.question


def test_nobody_is_asked_for_the_length_or_width_of_a_plant():
    """Its leaves reach as far as they do; how tall it is, one may ask."""
    options = ProgramOptions(choice=ProgramChoiceOptions(rows_per_image=0, rows_per_video=0, rows_per_type=0))
    rows = write_questions(HOME.tour, options=options).rows
    sides: dict[bool, set[str]] = {True: set(), False: set()}
    for row in rows:
        if row.type in ("size_estimation", "size_comparison"):
            is_plant = any(one.category == "plant" for one in row.references)
            sides[is_plant].add(dict(row.given)["side"])
    assert "height" in sides[True]
    assert sides[True] <= {"height", "longest"}
    assert {"length", "width"} <= sides[False]


def make_seen(box: tuple[float, float, float, float]) -> SeenThing:
    thing, seen = HOME.objects[0], HOME.observations[0]
    return SeenThing(thing, Body.of_box(thing.obb), 0.1, seen=replace(seen, box_xyxy=box))


CUT = {
    "a leaf in a corner": ((0.0, 0.0, 73.0, 37.0), True),
    "the same in the other corner": ((467.0, 323.0, 540.0, 360.0), True),
    "a door cut by two borders": ((0.0, 59.0, 139.0, 360.0), False),
    "as small at one border": ((0.0, 100.0, 73.0, 137.0), False),
    "as small in the middle": ((200.0, 100.0, 273.0, 137.0), False),
    "just as large as it must be": ((0.0, 0.0, 108.0, 54.0), False),
}


@each_case("name", CUT)
def test_what_two_borders_cut_must_be_large(name: str):
    box, is_cut = CUT[name]
    assert cut_to_corner(make_seen(box), (540, 360), GateOptions(), ProgramBars().corner_area) is is_cut

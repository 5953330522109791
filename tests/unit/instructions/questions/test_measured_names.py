"""What pictures of real rooms showed to go wrong where a detector alone says what is there."""

from __future__ import annotations

from dataclasses import replace

from instructions.questions.core.options import SpatialOptions
from instructions.questions.writers.views import QuestionRows
from tests.support.cases import each_case
from tests.support.worlds.box_rooms import ALL, Block, Room, ask_about, make_room

FRIDGE = Block("refrigerator", (5.5, -1.0, 0.9), (0.4, 0.4, 1.8))
TOILET = Block("toilet", (4.0, 1.0, 0.45), (0.5, 0.6, 0.9))


def ask(room: Room, options: SpatialOptions = ALL) -> QuestionRows:
    """As of a real tour: the boxes were measured."""
    return ask_about(room, options, exact=False)


def count(written: QuestionRows, reason: str) -> int:
    return sum(count for (_, why), count in written.not_asked.items() if why == reason)


def paint(room: Room, color: str) -> Room:
    return replace(room, objects=tuple(replace(one, alias=f"{color} {one.category}") for one in room.objects))


def named(written: QuestionRows) -> set[str]:
    """What is called by its name alone."""
    return {str(one.category) for row in written.rows for one in row.references if one.mark is None}


def test_a_counter_here_that_is_a_stove_there_is_called_neither_in_any_frame():
    here, there = (0.0, 0.0, 1.5), (0.2, 0.3, 1.5)
    both = (Block("counter", (6.0, 1.5, 0.4), (0.9, 2.0, 0.8)), Block("stove", (6.05, 1.45, 0.4), (0.9, 1.9, 0.8)))
    room = make_room((FRIDGE, *both), eyes=(here, there))
    alone = {(1, "0_2"), (2, "0_1")}  # each frame has one name for it
    seen = tuple(one for one in room.observations if (one.frame, one.object) not in alone)
    written = ask(replace(room, observations=seen))
    assert named(written) == {"refrigerator"}
    assert count(written, "disputed") > 0
    assert "counter" in named(ask(make_room((FRIDGE, both[0]), eyes=(here, there))))


def test_what_rooms_have_several_of_is_not_named_whatever_its_color():
    """Where one was found there mostly is a second, and where two, a third, of the same color."""
    for kind in ("door", "window", "chair"):
        one = Block(kind, (6.0, 1.2, 1.0), (0.1, 0.9, 2.0))
        for blocks in ((one,), (one, replace(one, center=(6.0, 2.6, 1.0)))):
            for color in ("", "black"):
                room = make_room((FRIDGE, *blocks))
                assert named(ask(paint(room, color) if color else room)) == {"refrigerator"}


def test_what_reaches_from_border_to_border_has_no_middle_to_be_seen():
    room = make_room((FRIDGE, TOILET))

    def show(x1: float) -> QuestionRows:
        wide = {one: replace(one, box_xyxy=(0.0, 200.0, x1, 470.0)) for one in room.observations if one.object == "0_1"}
        return ask(replace(room, observations=tuple(wide.get(one, one) for one in room.observations)))

    assert named(show(640.0)) == {"refrigerator"}
    assert count(show(640.0), "spans_picture") > 0
    assert count(show(300.0), "spans_picture") == 0


def test_a_colour_is_not_said_where_nothing_needs_it():
    room = make_room((FRIDGE, TOILET))
    phrases = {one.phrase for row in ask(paint(room, "black")).rows for one in row.references}
    assert phrases == {"the refrigerator", "the toilet"}


@each_case(("support", "asked"), [(None, False), ("floor", False), ("wall", True), ("thing", True)])
def test_how_high_a_counter_begins_is_not_asked_where_its_legs_may_be_lost(support, asked: bool):
    room = make_room((FRIDGE, Block("counter", (4.0, 1.0, 1.0), (0.5, 0.9, 0.3))))
    things = tuple(replace(one, support=support) for one in room.objects)
    written = ask(replace(room, objects=things))
    types = {row.type for row in written.rows if row.references[0].category == "counter" and len(row.references) == 1}
    assert ("elevation" in types) == asked
    assert (written.not_asked["elevation", "foot_unseen"] > 0) == (not asked)


def test_half_a_counter_at_the_border_is_another_counter():
    one = Block("counter", (5.0, -0.5, 1.0), (0.1, 0.9, 2.0))
    cut = Block("counter", (5.0, 4.1, 1.0), (0.1, 0.9, 2.0))  # its middle is beyond the border
    room = make_room((FRIDGE, one, cut))
    unseen = tuple(seen for seen in room.observations if seen.object != "0_2")
    counters = [
        reference
        for row in ask(replace(room, observations=unseen)).rows
        for reference in row.references
        if reference.category == "counter"
    ]
    assert counters
    assert all(one.mark is not None for one in counters)


def test_what_a_view_from_about_here_shows_is_not_said_to_be_out_of_view():
    blocks = (TOILET, replace(FRIDGE, center=(5.5, -3.6, 0.9)))
    eyes = ((0.0, 0.0, 1.5), (0.0, 3.9, 1.5), (0.0, 2.9, 1.5))  # the second and third see the stool only
    options = replace(ALL, choice=replace(ALL.choice, unseen_share=1.0))
    room = make_room(blocks, eyes=eyes)
    assert (2,) in {row.views for row in ask(room, options).rows if row.type == "unseen"}
    fridge = next(one for one in room.observations if one.object == "0_1")
    also = replace(room, observations=(*room.observations, replace(fridge, frame=3)))
    assert (2,) not in {row.views for row in ask(also, options).rows if row.type == "unseen"}

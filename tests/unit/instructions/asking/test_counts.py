"""How much of a tour is asked about: each view and thing once, and the step that would add most."""

from __future__ import annotations

from instructions.asking.counts import STEPS, measure_reach
from instructions.asking.gates import REASONS
from tests.support.export.mark_rows import make_mark_row
from tests.support.worlds.box_rooms import Block, make_room


def test_views_and_things_count_once_however_many_rows_there_are():
    room = make_room((Block("chair", (4.0, 0.0, 0.5), (0.5, 0.5, 1.0)),), eyes=((0, 0, 1.5), (0, 0.2, 1.5)))
    row = make_mark_row("a", "mark_distance", "How far?", "2 m", "2.0", tour="room", marks={1: 1})
    few = measure_reach(room.scene, room.objects, [row], {})
    many = measure_reach(room.scene, room.objects, [row] * 50, {})
    assert few == many
    assert (few.views, few.all_views, few.things, few.all_things, few.step) == (1, 2, 0, 1, "")


def test_the_step_named_is_the_one_that_would_let_most_be_asked():
    room = make_room(())
    for step, reasons in STEPS.items():
        more = {("kind", reason): 100 for reason in reasons}
        others = {("kind", reason): 1 for other, reasons in STEPS.items() if other != step for reason in reasons}
        wanted = {("kind", "view_full"): 10_000, ("kind", "alike"): 10_000}  # no lack, but a choice and the world
        assert measure_reach(room.scene, (), (), {**others, **more, **wanted}).step == step


def test_every_reason_of_a_step_is_one():
    assert {reason for reasons in STEPS.values() for reason in reasons} <= set(REASONS)

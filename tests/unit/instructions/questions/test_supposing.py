"""What would be after a quarter turn or a step aside, against places worked out by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from instructions.asking.bars import GateOptions
from instructions.facts.pairs import PairTable
from instructions.questions.core.asker import Asker
from instructions.questions.core.view_sets import ViewSet
from instructions.questions.quality.evening import even_answers
from instructions.questions.things.comparisons import BEFORE_STEP
from recon.records import Scale
from tests.support.cases import each_case
from tests.support.worlds.box_rooms import Block, Room, ask_about, find_all_truths, make_room

CHAIR = Block("chair", (2.0, 0.4, 1.2), (0.3, 0.3, 0.6))
LAMP = Block("lamp", (6.0, 0.0, 1.2), (0.4, 0.4, 1.0))


def judge(room: Room) -> tuple[dict[str, str], Counter[tuple[str, str]]]:
    """By type, which of the chair (0_0) and the lamp (0_1) it is."""
    (view,) = room.views
    not_asked: Counter[tuple[str, str]] = Counter()
    asker = Asker(ViewSet.of_view(view), PairTable(view.model), GateOptions())
    found = find_all_truths(asker, not_asked)
    return {one.kind.name: str(one.value) for one in found if one.kind.supposes}, not_asked


def test_a_turn_brings_what_is_far_to_the_side_turned_from_and_a_step_moves_what_is_near():
    supposed, _ = judge(make_room((CHAIR, LAMP)))
    assert supposed == {
        "turn_right_choice": "0_1",  # the lamp is further ahead, so further to the left once one faces right
        "turn_left_choice": "0_1",
        "step_left_choice": "0_0",  # 0.6 m of 2 m to the right, the lamp 1 m of 6 m: they change places
        "step_right_choice": "0_0",  # 1.4 m of 2 m to the left
    }


def test_the_word_asked_for_names_the_right_one():
    rows = ask_about(make_room((CHAIR, LAMP))).rows
    winners = {row.type: row.truth for row in rows if row.type.startswith("turn_")}
    assert winners == {"turn_right_choice": "0_1", "turn_left_choice": "0_1"}  # left of the two, right of the two


@each_case(
    ("blocks", "reason"),
    [
        ((CHAIR, LAMP, Block("sofa", (0.0, 1.0, 1.5), (0.8, 0.8, 0.8))), None),  # behind: not in the view at all
        ((CHAIR, LAMP, Block("sofa", (1.0, 1.0, 1.5), (1.6, 0.6, 0.6))), "no_step"),
        ((replace(CHAIR, center=(2.0, 1.4, 1.2)), LAMP), "out_of_view"),
    ],
)
def test_nobody_steps_into_a_thing_or_loses_one(blocks: tuple[Block, ...], reason: str | None):
    _, not_asked = judge(make_room(blocks))
    refused = {why for (kind, why), count in not_asked.items() if kind.startswith("step_") and count}
    assert (reason in refused) if reason else not refused & {"no_step", "out_of_view"}


def test_without_a_scale_there_is_no_step_of_a_metre():
    supposed, not_asked = judge(make_room((CHAIR, LAMP), kind=Scale("relative", 1.0, 0.0, "made")))
    assert {"turn_left_choice", "turn_right_choice"} == set(supposed)
    assert not_asked["step_left_choice", "no_scale"] == 1


def test_steps_that_change_the_order_are_as_many_as_those_that_do_not():
    room = make_room((CHAIR, LAMP), eyes=[(0.0, 0.0, 1.5), (0.5, 0.1, 1.5), (-0.5, -0.1, 1.5), (-1.0, 0.0, 1.5)])
    rows = list(ask_about(room).rows)

    def changed(row) -> bool:
        told = {one.name: one.value for one in row.evidence}
        return (told[BEFORE_STEP] > 0) != (told["difference"] > 0)

    steps = [row for row in rows if row.type.startswith("step_") and row.truth != "too close"]
    assert Counter(map(changed, steps))[True] == Counter(map(changed, steps))[False] > 0
    same = [row for row in rows if row not in steps] + [row for row in steps if not changed(row)]
    not_asked: Counter[tuple[str, str]] = Counter()
    left = even_answers(same, not_asked)
    assert not any(row.type.startswith("step_") and row.truth != "too close" for row in left)
    assert sum(count for (_, why), count in not_asked.items() if why == "same_order") > 0

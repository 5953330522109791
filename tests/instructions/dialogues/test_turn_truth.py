"""A turn about a view is true, false, or says what nobody can read; made views know which."""

from __future__ import annotations

import pytest

from instructions.dialogues.records import Turn
from instructions.dialogues.turn_truth import check_view_turn
from instructions.truth.views import has_false
from tests.instructions.made_view import thing, view

VIEW = view(
    thing("a", (4.0, 1.5, 0.4), (0.4, 0.8, 0.4), category="sofa"),
    thing("b", (4.0, 0.0, 0.45), (0.25, 0.25, 0.45), category="chair"),  # 0.45 m from the sofa
    thing("c", (2.4, 0.0, 1.5), (0.1, 0.1, 0.8), category="lamp"),
    looked_for=frozenset({"sofa", "chair", "lamp", "clock"}),
)


def find_code(question: str, answer: str) -> str | None:
    """As a writer's turns are judged: what is false comes first."""
    verdicts, leftover = check_view_turn(Turn(question, answer, "visible"), VIEW)
    return "false_claim" if has_false(verdicts) else "unread" if leftover else None


@pytest.mark.parametrize(
    ("question", "answer", "code"),
    [
        # a gap is no distance from the camera
        ("What is next to the sofa?", "The chair, which is 0.45 metres from the sofa.", None),
        ("What is next to the sofa?", "The chair is 0.45 metres from the sofa.", None),
        ("What is next to the sofa?", "The chair is 2 metres from the sofa.", "false_claim"),
        # who denies one thing may say more
        ("Is there a clock?", "No, there is no clock.", None),
        ("Is there a clock?", "No, there is no clock, and the chair is next to the sofa.", None),
        ("Is there a clock?", "No, there is no clock, and the lamp is next to the sofa.", "false_claim"),
        ("Is there a clock?", "No, there is no clock, and the lamp is wider than the sofa.", "false_claim"),
        ("Is there a clock next to the sofa?", "No, there is no clock.", None),
        ("Is there a chair?", "No, there is no chair.", "false_claim"),
        # people round
        ("How far away is the lamp?", "It is about two metres away.", None),
        ("How far away is the lamp?", "It is about three metres away.", "false_claim"),
        # nobody knows of what
        ("What is there?", "Something is two metres away.", "unread"),
        ("And the chair?", "It is taller.", "unread"),
    ],
)
def test_a_turn_about_a_view_is_judged(question: str, answer: str, code: str | None):
    assert find_code(question, answer) == code


def test_the_made_lamp_is_where_rounding_matters():
    verdicts, _ = check_view_turn(Turn("How far away is the lamp?", "It is about two metres away.", "visible"), VIEW)
    measured = [one.measured for one in verdicts if one.claim.kind == "distance"]
    assert measured == [pytest.approx(2.4, abs=0.11)]

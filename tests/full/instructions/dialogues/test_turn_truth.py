"""A turn about a view is true, false, or says what nobody can read; made views know which."""

from instructions.dialogues.records import Turn
from instructions.dialogues.turn_truth import check_view_turn
from instructions.truth.views import has_false
from tests.support.cases import each_case
from tests.support.worlds.made_view import thing, view

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


@each_case(
    ("question", "answer", "code"),
    [
        # a gap is no distance from the camera
        ("What is next to the sofa?", "The chair, which is 0.45 metres from the sofa.", None),
        ("What is next to the sofa?", "The chair is 2 metres from the sofa.", "false_claim"),
        # who denies one thing may say more
        ("Is there a clock?", "No, there is no clock.", None),
        ("Is there a clock?", "No, there is no clock, and the lamp is next to the sofa.", "false_claim"),
        # people round
        ("How far away is the lamp?", "It is about three metres away.", "false_claim"),
        # bounds, floors and even measures
        ("How far away is the lamp?", "It is more than five metres away.", "false_claim"),
        ("How far away is the lamp?", "It is within arm's reach.", "false_claim"),
        ("What does the sofa stand on?", "It stands on the floor.", None),
        ("Which is taller, the lamp or the chair?", "They are of the same height.", "false_claim"),
        # what tells nothing of what was asked
        ("Which is taller, the lamp or the chair?", "That depends on whom you ask.", "unread"),
        # agreement with a denial, with a double one, and with a tag
        ("Is it true that no chair is to be seen?", "That is true.", "false_claim"),
        ("There's a chair, isn't there?", "There isn't.", "false_claim"),
        ("No clock around, is there?", "There is, actually.", "false_claim"),
        # numbers and measures told by the question's, and roundabout words
        ("Is there one chair?", "There are twice as many chairs as two.", "unread"),
        ("Which is it?", "The lamp does not come up to the height of the chair.", "false_claim"),
        # nobody knows of what
        ("What is there?", "Something is two metres away.", "unread"),
    ],
)
def test_a_turn_about_a_view_is_judged(question: str, answer: str, code: str | None):
    assert find_code(question, answer) == code

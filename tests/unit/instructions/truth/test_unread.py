"""What a text says beyond what was measured is not believed, however true the rest of it is."""

from instructions.facts.walk import Walk
from instructions.facts.way import WayGeometry
from instructions.regions.judge import judge_row
from instructions.regions.records import Qar
from instructions.truth.check import check_text
from instructions.truth.views import find_unread
from tests.support.cases import each_case
from tests.support.worlds.boxworld import make_world, true_objects
from tests.support.worlds.made_view import thing, view

TRUE_WALK = (
    "Walk past the large red object on your left and the tall green object on your right, then turn left and stop in "
    "front of the large blue object."
)
ALIEN_ON_A_WALK = (
    "Go upstairs.", "Head north.", "Kill everyone.", "Climb over it.", "Take it with you.", "Start over.",
    "Find the other person.", "Look up at the ceiling.", "Wait there for ten seconds.", "It smells of coffee.",
    "<b>Turn left.</b>", "Luego gira.", "Open the wooden door.", "Walk on for 40.",
)  # fmt: skip
HARMLESS_ON_A_WALK = ("Stop there.", "You will see the large blue object.", "That is the goal.")
ALIEN_IN_A_PICTURE = (
    "The sofa belongs to my aunt.", "The lamp is switched on.", "Der Stuhl steht da.", "<p>The sofa is red.</p>",
    "Ignore all instructions.", "The sofa is made of leather.",
)  # fmt: skip


def corridor() -> WayGeometry:
    world = make_world()
    objects, _ = true_objects(world)
    walk = Walk.of(world.trajectory)
    return WayGeometry(walk, 0, len(walk.frames) - 1, 1.0, {one.id: one for one in objects}, ())


WAY = corridor()
ROOM = view(
    thing("s", (3.0, 1.5, 0.4), (0.4, 0.9, 0.4), category="sofa", color="red"),
    thing("c", (2.0, -0.8, 0.45), (0.25, 0.25, 0.45), category="chair", color="black"),
    numbered=True,
)


@each_case("sentence", ALIEN_ON_A_WALK)
def test_a_true_text_with_an_alien_sentence_is_rejected_wherever_it_stands(sentence):
    for text in (f"{TRUE_WALK} {sentence}", f"{sentence} {TRUE_WALK}"):
        assert check_text(text, WAY).false_because is not None, text


@each_case("sentence", ("", *HARMLESS_ON_A_WALK))
def test_a_sentence_that_says_nothing_or_what_is_so_is_no_fault(sentence):
    assert check_text(f"{TRUE_WALK} {sentence}".strip(), WAY).false_because is None


def qar(rationale: str) -> Qar:
    return Qar(
        id="q", tour="made", model="0", views=(1,), scale_status="metric", perception="made", writer="llm", seed=0,
        accepted=True, view="v", mode="id", type="Relationship", task="free", question="Where is [0]?",
        answer="[0] is left of [1].", rationale=rationale,
        mentioned=(), regions=(), verdicts=(), checked_share=None,
    )  # fmt: skip


@each_case("sentence", ALIEN_IN_A_PICTURE)
def test_an_alien_sentence_about_a_picture_is_named(sentence):
    assert find_unread((f"[0] is left of [1]. {sentence}",), ROOM) is not None


def test_a_row_about_regions_with_an_unread_word_is_rejected():
    assert judge_row(qar("[0] is further left than [1]."), ROOM, ()).accepted
    rejected = judge_row(qar("[0] was bought for its warmth."), ROOM, ())
    assert (rejected.accepted, rejected.rejected_because) == (False, "unread")

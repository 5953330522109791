"""A view that is not taken back is a turn to one who follows; a glance and the steps within a turn are not told."""

from instructions.claims.words import ClaimWords
from instructions.navigation.language_writer import FREE, TELLING, list_told
from instructions.navigation.records import Instruction
from tests.support.cases import each_case
from tests.support.worlds.moved_walks import KINDS, Phase, look, stand
from tests.unit.instructions.navigation.test_motion import TOLD, events_of, mirror, write

LATE_FEET = (stand(2.0, 0.0), Phase(2.0, 0.8, 0.0, 90.0, off_view_deg=90.0), Phase(4.0, off_view_deg=0.0))
"""From facing a counter along it: the feet go left at once, the view turns meanwhile."""
U_TURN = (*LATE_FEET[:2], Phase(3.0, course_turn_deg=90.0, off_view_deg=0.0), Phase(3.0))
STAYS = (Phase(4.0), look(1.3, -95.0, 0.4), stand(1.0, 0.0), Phase(2.5, 0.6, 0.0, 0.0, off_view_deg=90.0))
"""Turns to the side while the last steps go on, stands, and goes on sideways: the view never came back."""
BEYOND = (Phase(4.0), look(1.0, 50.0), stand(3.0, -95.0), Phase(4.0, off_view_deg=0.0))
JITTER = (
    Phase(4.0),
    Phase(0.5, 1.5, 0.0, 10.0, off_view_deg=-90.0),
    stand(2.5, 80.0),
    Phase(4.0, off_view_deg=0.0),
)
"""One pose too far to the side, in the middle of a turn on the spot."""

GOES_ON = (Phase(4.0), look(3.0, -125.0, 0.8), Phase(0.3, 0.8, 0.0, -3.0), Phase(2.0, 0.6, 0.0, -75.0), Phase(2.0, 0.6))
"""Turns about to the right while the feet go straight on, in the end backwards."""


KEPT = {
    "feet that turn after the view": (LATE_FEET, ["left", "forward"]),
    "a turn that the feet go on with": (U_TURN, ["sharply left", "forward"]),
    "a glance to the other side first": (BEYOND, ["forward", "slightly right", "forward"]),
    "a step aside within a turn": (JITTER, ["forward", "left", "forward"]),
    "a view held aside while the feet go on, which is no turn": (STAYS, ["forward", "look right", "aside left"]),
    "what is walked while the view turns": (GOES_ON, ["forward", "sharply right", "back", "slightly right"]),
}


@each_case("name", KEPT)
def test_what_the_view_keeps_is_one_turn(name: str):
    phases, told = KEPT[name]
    row = write(phases)
    assert row.accepted, row.rejection
    assert events_of(row) == told, row.text
    assert events_of(write(phases, mirrored=True)) == mirror(told)


@each_case(
    ("back_deg", "told"), [(40.0, "make a right turn, keep turning right"), (50.0, "make a right turn, and look left.")]
)
def test_a_turn_without_a_walk_between_goes_on_and_a_look_back_is_told(back_deg: float, told: str):
    phases = (Phase(3.0), stand(2.0, -80.0), stand(2.0, 0.0), look(1.5, back_deg), stand(5.0, -130.0 - back_deg))
    row = write(phases)
    assert row.accepted, row.rejection
    assert told in row.text, row.text
    assert find_mismatch(row, row.text) is None
    other = row.text.replace("look left", "look right")
    assert other == row.text or find_mismatch(row, other) is not None


def find_mismatch(row: Instruction, text: str) -> str | None:
    """Why a text does not tell the claims of a row."""
    words = ClaimWords({}, TELLING, FREE)
    return words.find_mismatch(text, list_told([check.claim for check in row.claims], words))


@each_case("phases", [*(KINDS[kind] for kind in TOLD), LATE_FEET, U_TURN, BEYOND, JITTER])
def test_what_the_writer_tells_of_motion_is_what_it_claims(phases: tuple[Phase, ...]):
    row = write(phases)
    assert row.accepted, row.rejection
    assert find_mismatch(row, row.text) is None

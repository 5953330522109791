"""The check of motion on walks of every kind: what was done is true, and the faults of net values are caught."""

from instructions.claims.walk_claims import check_claims, judge_untold_turn
from instructions.records import Claim
from tests.support.cases import each_case
from tests.support.worlds.boxworld import FPS
from tests.support.worlds.moved_walks import KINDS, walk_of

# Of a kind of walk, between two times: a walk with its direction against the view, or a turn or look with its angle.
TRUE = [
    ("straight", "walk", 0.0, 0, 8),
    ("curve", "turn", 90.0, 2, 7),
    ("s-curve", "turn", 90.0, 2, 7),
    ("s-curve", "turn", -90.0, 7, 12),
    ("out and back", "turn", 180.0, 5, 8),
    ("out and backwards", "walk", 180.0, 5.4, 10),
    ("look, then turn", "look", 80.0, 4, 7.5),
    ("side step", "walk", 90.0, 4.3, 6.7),
    ("far glance", "walk", 0.0, 0, 14),
    ("curve with the head aside", "turn", 90.0, 1, 8),
]
FALSE = [
    ("curve", "walk", 90.0, 0, 9),  # a curve is no side step
    ("curve with the head aside", "walk", 90.0, 0, 9),  # nor where the view is held aside
    ("s-curve", "walk", 0.0, 0, 14),  # opposite turns that nobody tells
    ("s-curve", "turn", 90.0, 0, 14),
    ("out and back", "turn", 90.0, 5, 8),
    ("out and backwards", "walk", -90.0, 0, 10),  # "forward, slightly right"
    ("out and backwards", "turn", None, 0, 10),  # the view never turned
    ("stand and look", "turn", 80.0, 4, 9),
    ("look, then turn", "turn", -90.0, 4, 11.5),  # net of a look and a turn
    ("turn and turn on", "turn", -90.0, 4, 13),  # net of left and around
    ("side step", "walk", -90.0, 4.3, 6.7),
    ("short side step", "walk", 90.0, 0, 9),
    ("sharp turn", "turn", 45.0, 4, 7),
    ("glance", "turn", 75.0, 4.5, 8),  # the head, not the walk
]


def claim_of(kind: str, value: float | None, first_s: float, last_s: float, words: str = "words") -> Claim:
    first, last = round(first_s * FPS) + 1, round(last_s * FPS) + 1
    if kind == "walk":
        return Claim("walk", words, None, None, value, first, last)
    side = None if value is None else "left" if value > 0 else "right"
    is_around = kind == "turn" and (value is None or abs(value) == 180.0)
    return Claim(kind, words, None, None if is_around else side, 180.0 if is_around else value, first, last)  # type: ignore[arg-type]


def check(name: str, *claims: Claim, **how):
    world = walk_of(KINDS[name], **how)
    return check_claims(world.scene, world.trajectory, (), claims)


@each_case("told", TRUE, ids=str)
def test_motion_as_it_was_is_true(told):
    name, *claim = told
    for noise_m in (0.0, 0.01):
        (verdict,) = check(name, claim_of(*claim), noise_m=noise_m)
        assert verdict.true, verdict.reason


@each_case("told", FALSE, ids=str)
def test_faults_of_net_values_are_caught(told):
    name, *claim = told
    for noise_m in (0.0, 0.01):
        (verdict,) = check(name, claim_of(*claim), noise_m=noise_m)
        assert not verdict.true, verdict.reason


def test_a_walk_over_opposite_turns_is_true_with_its_turns():
    walk, left, right = claim_of("walk", 0.0, 0, 14), claim_of("turn", 90.0, 2, 7), claim_of("turn", -90.0, 7, 12)
    assert [one.true for one in check("s-curve", walk, left, right)] == [True, True, True]
    assert [one.true for one in check("s-curve", walk, left)] == [True, True]  # what is left turns to one side
    assert [one.true for one in check("s-curve", walk)] == [False]


@each_case("name", KINDS)
def test_turning_left_out_is_added_up_swing_by_swing(name):
    """Who only looked about went on as before; turns to both sides add up though the net is nothing."""
    kept = {"curve", "slow curve", "s-curve", "out and back", "look, then turn", "turn and turn on", "left twice"}
    kept |= {"turn on the spot", "sharp turn", "head held aside", "look aside and go on", "look round and go on"}
    kept |= {"turn with a sway", "curve with the head aside", "slow walker", "backwards, then turning"}
    walk = walk_of(KINDS[name]).trajectory
    assert (judge_untold_turn(walk, (), walk.frames[0], walk.frames[-1]) is not None) == (name in kept)


def test_a_turn_told_does_not_excuse_the_opposite_one():
    walk = walk_of(KINDS["s-curve"]).trajectory
    left, right = claim_of("turn", 90.0, 2, 7), claim_of("turn", -90.0, 7, 12)
    assert judge_untold_turn(walk, [left], walk.frames[0], walk.frames[-1]) is not None
    assert judge_untold_turn(walk, [left, right], walk.frames[0], walk.frames[-1]) is None

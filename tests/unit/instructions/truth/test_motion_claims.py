"""The check of motion on walks of every kind: what was done is true, and the faults of net values are caught."""

from __future__ import annotations

import pytest

from instructions.facts.walk import Walk
from instructions.facts.way import WayGeometry
from instructions.records import Claim
from instructions.truth.check import check_text
from instructions.truth.claims import check_claims, judge_untold_turn
from tests.support.cases import each_case
from tests.support.worlds.boxworld import FPS
from tests.support.worlds.moved_walks import KINDS, walk_of

# Of a kind of walk, between two times: a walk with its direction against the view, or a turn or look with its angle.
TRUE = [
    ("straight", "walk", 0.0, 0, 8),
    ("curve", "turn", 90.0, 2, 7),
    ("slow curve", "turn", 80.0, 2, 13),
    ("s-curve", "turn", 90.0, 2, 7),
    ("s-curve", "turn", -90.0, 7, 12),
    ("out and back", "turn", 180.0, 5, 8),
    ("out and backwards", "walk", 0.0, 0, 4.6),
    ("out and backwards", "walk", 180.0, 5.4, 10),
    ("stand and look", "look", 80.0, 5, 8),
    ("look, then turn", "look", 80.0, 4, 7.5),
    ("side step", "walk", 90.0, 4.3, 6.7),
    ("backwards", "walk", 180.0, 0, 5),
    ("turn on the spot", "turn", -90.0, 4, 7),
    ("glance", "walk", 0.0, 0, 12),
    ("far glance", "walk", 0.0, 0, 14),
    ("curve with the head aside", "walk", 0.0, 0, 9),
    ("curve with the head aside", "turn", 90.0, 1, 8),
]
FALSE = [
    ("curve", "walk", 90.0, 0, 9),  # a curve is no side step
    ("slow curve", "walk", 90.0, 0, 15),
    ("curve with the head aside", "walk", 90.0, 0, 9),  # nor where the view is held aside
    ("s-curve", "walk", 0.0, 0, 14),  # opposite turns that nobody tells
    ("s-curve", "walk", 90.0, 0, 14),
    ("s-curve", "turn", 90.0, 0, 14),
    ("s-curve", "turn", None, 0, 14),
    ("out and back", "walk", 90.0, 0, 13),
    ("out and back", "turn", 90.0, 5, 8),
    ("out and back", "turn", None, 0, 5),
    ("out and backwards", "walk", 0.0, 0, 10),  # half of it goes back
    ("out and backwards", "walk", -90.0, 0, 10),  # "forward, slightly right"
    ("out and backwards", "turn", None, 0, 10),  # the view never turned
    ("stand and look", "turn", 80.0, 4, 9),
    ("stand and look", "walk", 0.0, 3.5, 9),  # stands most of it
    ("look, then turn", "turn", -90.0, 4, 11.5),  # net of a look and a turn
    ("turn and turn on", "turn", -90.0, 4, 13),  # net of left and around
    ("side step", "walk", 0.0, 4.3, 6.7),
    ("side step", "walk", -90.0, 4.3, 6.7),
    ("side step", "walk", 90.0, 0, 11),
    ("short side step", "walk", 90.0, 0, 9),
    ("backwards", "walk", 0.0, 0, 5),
    ("turn on the spot", "walk", 0.0, 4, 7),
    ("turn on the spot", "turn", 90.0, 4, 7),
    ("sharp turn", "turn", 45.0, 4, 7),
    ("glance", "turn", 75.0, 4.5, 8),  # the head, not the walk
    ("glance", "walk", 90.0, 0, 12),
    ("far glance", "walk", -90.0, 0, 14),
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


@pytest.mark.parametrize(
    ("words", "name", "angle", "is_true"),
    [
        ("bear left", "slight turn", 45.0, True),
        ("bear left", "sharp turn", 135.0, False),
        ("turn slightly left", "sharp turn", 135.0, False),
        ("turn sharply left", "sharp turn", 135.0, True),
        ("turn sharply left", "slight turn", 45.0, False),
        ("turn left", "sharp turn", 135.0, True),
    ],
)
def test_words_of_a_turn_are_held_against_its_size(words, name, angle, is_true):
    (verdict,) = check(name, claim_of("turn", angle, 3.5, 7.5, words))
    assert verdict.true == is_true, verdict.reason


@each_case(
    ("name", "untold"),
    [
        ("straight", False),
        ("curve", True),
        ("s-curve", True),  # net nothing
        ("out and back", True),
        ("stand and look", False),  # looked about, went on as before
        ("glance", False),
        ("far glance", False),
        ("turn and turn on", True),
        ("side step", False),
        ("left twice", True),
        ("head held aside", True),
    ],
)
def test_turning_left_out_is_added_up_swing_by_swing(name, untold):
    walk = walk_of(KINDS[name]).trajectory
    assert (judge_untold_turn(walk, (), walk.frames[0], walk.frames[-1]) is not None) == untold


def test_a_turn_told_does_not_excuse_the_opposite_one():
    walk = walk_of(KINDS["s-curve"]).trajectory
    left, right = claim_of("turn", 90.0, 2, 7), claim_of("turn", -90.0, 7, 12)
    assert judge_untold_turn(walk, [left], walk.frames[0], walk.frames[-1]) is not None
    assert judge_untold_turn(walk, [left, right], walk.frames[0], walk.frames[-1]) is None


@each_case(
    ("name", "text", "is_true"),
    [
        ("curve", "Walk forward, turn left, and walk on.", True),
        ("curve", "Move sideways to the left.", False),
        ("curve", "Step to the left and turn left.", False),
        ("slow curve", "Walk forward and bend to the left.", True),
        ("s-curve", "Walk forward, turn left, then turn right and walk on.", True),
        ("s-curve", "Walk forward.", False),
        ("s-curve", "Walk forward and turn left.", False),
        ("s-curve", "Turn right, then turn left.", False),
        ("out and back", "Walk forward, turn around and walk on.", True),
        ("out and back", "Walk forward, slightly to the right.", False),
        ("out and backwards", "Walk forward, then walk backwards.", True),
        ("out and backwards", "Walk forward and turn around.", False),
        ("stand and look", "Walk forward.", True),
        ("look, then turn", "Walk forward, look left, then turn right and walk on.", True),
        ("look, then turn", "Walk forward, turn right and walk on.", False),  # the look is too far to be left out
        ("turn and turn on", "Walk forward, turn left, walk on, turn around and walk on.", True),
        ("turn and turn on", "Walk forward and turn right.", False),
        ("left twice", "Walk forward, turn left, walk on, turn left and walk on.", True),
        ("left twice", "Walk forward, turn left and walk on.", False),  # two turns, with a walk between them
        ("side step", "Walk forward, keep to the left, and walk on.", True),
        ("side step", "Walk forward, keep to the right, and walk on.", False),
        ("short side step", "Walk forward, keep to the right, and walk on.", False),
        ("backwards", "Walk backwards.", True),
        ("backwards", "Walk forward.", False),
        ("sharp turn", "Walk forward, turn sharply left, and walk on.", True),
        ("sharp turn", "Walk forward, bear left, and walk on.", False),
        ("slight turn", "Walk forward, bear left, and walk on.", True),
        ("glance", "Walk forward.", True),
        ("glance", "Walk forward and turn left.", False),
        ("far glance", "Walk forward and move sideways to the right.", False),
        ("turn on the spot", "Walk forward and turn right.", True),
        ("turn on the spot", "Turn right and walk forward.", False),
    ],
)
def test_free_texts_are_judged_from_moment_to_moment(name, text, is_true):
    walk = Walk.of(walk_of(KINDS[name]).trajectory)
    way = WayGeometry(walk, 0, len(walk.frames) - 1, 1.0, {}, ())
    assert (check_text(text, way).false_because is None) == is_true, check_text(text, way)

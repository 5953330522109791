"""Motion told as it was: the writer on walks of every kind, whose truth is known by construction."""

import re
from itertools import pairwise

import numpy as np

from instructions.facts.walk import Walk
from instructions.navigation.grammar_writer import WriterOptions, write_instructions
from instructions.navigation.moves.motion import find_motion
from instructions.navigation.records import Instruction
from instructions.navigation.way.ways import WayOptions
from instructions.tour import Tour
from tests.support.cases import each_case
from tests.support.worlds.moved_walks import KINDS, Phase, look, stand, walk_of

ONE_WAY = WriterOptions(nameless=True, ways=WayOptions(min_s=1.0, good_s=30.0, max_s=60.0, max_turns=9), wordings=1)
TOLD = {
    "straight": ["forward"],
    "curve": ["forward", "left", "forward"],
    "slow curve": ["forward", "left", "forward"],
    "s-curve": ["forward", "left", "forward", "right", "forward"],
    "out and back": ["forward", "around", "forward"],
    "out and backwards": ["forward", "back"],
    "stand and look": ["forward"],
    "look, then turn": ["forward", "look left", "right", "forward"],
    "turn and turn on": ["forward", "left", "forward", "around", "forward"],
    "left twice": ["forward", "left", "forward", "left", "forward"],
    "side step": ["forward", "aside left", "forward"],
    "short side step": ["forward"],
    "backwards": ["back"],
    "backwards, then turning": ["back", "left"],
    "turn on the spot": ["forward", "right"],
    "sharp turn": ["forward", "sharply left", "forward"],
    "slow turn that ends quickly": ["forward", "slightly right"],
    "slow walker": ["forward", "left", "forward"],
    "slight turn": ["forward", "slightly left", "forward"],
    "glance": ["forward"],
    "far glance": ["forward"],
    "head held aside": ["forward", "left", "forward"],
    "long glance": ["forward"],
    "glance at the end": ["forward"],
    "glances to both sides": ["forward"],
    "turn, wait, and turn back": ["forward", "left", "right", "forward"],
    "left, right, left": ["forward", "left", "sharply right", "left", "forward"],
    "look aside and go on": ["forward", "look right", "aside left"],
    "look round and go on": ["forward", "sharply right", "back"],  # no head turns so far against the body
    "swerve": ["forward"],
    "curve with the head aside": ["forward", "left", "forward"],
    "turn with a sway": ["forward", "left", "forward"],
}
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def write(phases, **how) -> Instruction:
    world = walk_of(phases, **how)
    rows = write_instructions(Tour(world.scene), [world.trajectory], ONE_WAY)
    return next(row for row in rows if row.kind == "instruction")


def events_of(row: Instruction) -> list[str]:
    """What a text tells, one word or two each; walks that go on the same way count once."""
    told: list[str] = []
    for check in row.claims:
        claim = check.claim
        angle = abs(claim.angle_deg or 0.0)
        if claim.kind == "length":
            continue
        if claim.kind == "walk":
            going = {0.0: "forward", 180.0: "back"}.get(
                angle, f"aside {'left' if claim.angle_deg == 90.0 else 'right'}"
            )
            told += [] if told and told[-1] == going else [going]
        elif claim.kind == "look":
            told.append(f"look {claim.side}")
        else:
            size = "slightly " if angle < 60.0 else "sharply " if angle > 120.0 else ""
            told.append("around" if claim.side is None else f"{size}{claim.side}")
    return told


def test_lengths_told_are_those_of_the_walks_they_follow():
    """By the phases of the walk alone: how far the feet go between the two frames of a claim."""
    told = 0
    for kind in TOLD:
        world = walk_of(KINDS[kind])
        at_m = {point.frame: np.array(point.position[:2]) for point in world.trajectory.points}
        rows = write_instructions(Tour(world.scene), [world.trajectory], ONE_WAY)
        for claim in (check.claim for row in rows for check in row.claims if check.claim.kind == "length"):
            gone_m = float(np.linalg.norm(at_m[claim.last_frame or 0] - at_m[claim.first_frame or 0]))
            words = re.search(r"(a few) steps|about (\w+) meters", claim.text)
            assert words is not None, claim.text
            if words.group(1):
                assert 1.0 <= gone_m <= 2.4, (kind, claim.text, gone_m)
            else:
                assert abs(NUMBERS.index(words.group(2)) - gone_m) <= 0.6, (kind, claim.text, gone_m)
            told += 1
    assert told >= 10


@each_case("kind", TOLD)
def test_each_kind_of_motion_is_told_as_it_was_and_mirrored_where_it_is_mirrored(kind):
    row = write(KINDS[kind])
    assert row.accepted, row.rejection
    assert not row.dropped
    assert events_of(row) == TOLD[kind], row.text
    assert events_of(write(KINDS[kind], mirrored=True)) == mirror(TOLD[kind])


def mirror(told: list[str]) -> list[str]:
    return [" ".join({"left": "right", "right": "left"}.get(word, word) for word in one.split()) for one in told]


def make_random_walk(seed: int) -> tuple[list[Phase], list[str]]:
    """Curves, turns on the spot, turns that are taken back after a while, and looks aside; with the sides turned to."""
    rng = np.random.default_rng(seed)
    phases, sides = [Phase(rng.uniform(3.0, 5.0))], []
    for kind in rng.choice(["curve", "spot", "back", "glance"], rng.integers(1, 4)):
        side, size = rng.choice([-1.0, 1.0]), rng.uniform(60.0, 100.0)
        told = ["left", "right"] if side > 0.0 else ["right", "left"]
        if kind == "curve":
            phases, sides = [*phases, Phase(size / 45.0, 0.8, side * size)], [*sides, told[0]]
        elif kind == "spot":
            phases, sides = [*phases, stand(size / 50.0, side * size)], [*sides, told[0]]
        elif kind == "back":
            rest = stand(rng.uniform(2.0, 4.0), 0.0)
            phases += [stand(size / 50.0, side * size), rest, stand(size / 50.0, -side * size)]
            sides += told
        else:
            rest = look(rng.uniform(0.0, 2.5), 0.0, 0.8)
            phases += [look(size / 50.0, side * size, 0.8), rest, look(size / 50.0, -side * size, 0.8)]
        phases.append(Phase(rng.uniform(3.0, 5.0)))
    return phases, sides


def test_turns_of_random_walks_are_told_in_their_order_and_looks_aside_are_not():
    for seed in range(20):
        phases, sides = make_random_walk(seed)
        row = write(phases, noise_m=0.01, seed=seed)
        assert row.accepted, (seed, row.rejection)
        told = [check.claim for check in row.claims if check.claim.kind in ("walk", "turn")]
        assert [one.side for one in told if one.kind == "turn"] == sides, (seed, row.text)
        assert all(one.angle_deg == 0.0 for one in told if one.kind == "walk"), (seed, row.text)


def test_words_of_a_turn_fit_its_size():
    for angle, word in ((45.0, "slightly|a little|bear"), (90.0, ""), (135.0, "sharp"), (180.0, "around|half turn")):
        text = write((Phase(4.0), stand(3.0, angle), Phase(4.0))).text
        assert any(one in text for one in word.split("|")), text
        assert word == "sharp" or "sharp" not in text
        assert angle == 45.0 or not any(one in text for one in ("slightly", "a little", "bear")), text


def test_a_way_that_stands_is_not_told_as_walking():
    row = write((stand(8.0, 0.0),))
    assert not row.accepted
    assert row.rejected_because == "no_movement"
    assert events_of(write((stand(6.0, 0.0), stand(3.0, 90.0)))) == ["left"]


def test_stretches_cover_a_walk_and_do_not_depend_on_its_unit():
    walk = Walk.of(walk_of(KINDS["side step"]).trajectory)
    small = Walk(walk.frames, walk.time_s, 0.2 * walk.xy, walk.heading_deg)
    last = len(walk.frames) - 1
    stretches = find_motion(walk, 1.0).find_stretches(0, last)
    assert find_motion(small, 0.2).find_stretches(0, last) == stretches
    assert [one.going for one in stretches] == ["forward", "left", "forward"]
    assert (stretches[0].first, stretches[-1].last) == (0, last)
    assert all(one.last == other.first for one, other in pairwise(stretches))

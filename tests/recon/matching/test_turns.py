"""Turns by bearings, and pairs of look-alikes that the frames between contradict."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from recon.geometry import Camera
from recon.matching.interfaces import Keypoints, PairMatch
from recon.matching.turns import BearingTurn, find_outvoted, fit_turn, without_outvoted

CAMERA = Camera("SIMPLE_PINHOLE", 640, 360, (400.0, 320.0, 180.0))


def turn_by(deg: float) -> np.ndarray:
    return Rotation.from_euler("y", deg, degrees=True).as_matrix()


def bearings(count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.uniform(-0.6, 0.6, count), rng.uniform(-0.4, 0.4, count), np.ones(count)])


@pytest.mark.parametrize("deg", [0.0, 3.0, -12.0, 25.0])
def test_a_turn_is_told_by_most_bearings(deg):
    first = bearings(200, seed=1)
    second = first @ turn_by(deg)
    second[:40] = bearings(40, seed=2)  # a fifth belongs to something else

    turn = fit_turn(first, second)

    assert turn is not None
    off = Rotation.from_matrix(turn.first_from_second.T @ turn_by(deg)).magnitude()
    assert np.degrees(off) < 0.3
    assert turn.matches == 200
    assert fit_turn(first[:14], second[:14]) is None


def chain(steps_deg: list[float], matches: int) -> dict[tuple[int, int], BearingTurn]:
    return {(k, k + 1): BearingTurn(turn_by(deg), matches) for k, deg in enumerate(steps_deg, 1)}


def test_a_pair_of_look_alikes_is_outvoted_and_a_right_one_is_not():
    turns = chain([10.0] * 6, 300)
    turns[1, 5] = BearingTurn(turn_by(-30.0), 65)
    turns[2, 6] = BearingTurn(turn_by(44.0), 65)
    assert find_outvoted(turns) == [(1, 5)]


def test_only_what_has_many_more_matches_outvotes():
    turns = chain([10.0] * 6, 300)
    turns[1, 5] = BearingTurn(turn_by(-30.0), 150)
    assert find_outvoted(turns) == []
    weak = chain([10.0, 10.0, 10.0], 300) | chain([10.0, 10.0, 10.0, 10.0], 90)
    weak[1, 5] = BearingTurn(turn_by(-30.0), 65)
    assert find_outvoted(weak) == []


def test_nothing_is_said_where_a_step_between_is_missing():
    turns = chain([10.0] * 6, 300)
    turns[1, 5] = BearingTurn(turn_by(-30.0), 65)
    del turns[3, 4]
    assert find_outvoted(turns) == []


def test_frames_that_a_clip_lacks_are_no_gap():
    turns = {(2 * first, 2 * last): turn for (first, last), turn in chain([10.0] * 6, 300).items()}
    turns[2, 10] = BearingTurn(turn_by(-30.0), 65)
    assert find_outvoted(turns) == [(2, 10)]


def see(directions: np.ndarray, heading_deg: float) -> np.ndarray:
    return CAMERA.project(directions @ turn_by(heading_deg)).astype(np.float32)


def test_the_matches_of_an_outvoted_pair_go_and_the_others_stay():
    wide = np.random.default_rng(0).uniform(-40, 90, 4000)
    heights = np.random.default_rng(1).uniform(-0.3, 0.3, 4000)
    directions = np.column_stack([np.sin(np.radians(wide)), heights, np.cos(np.radians(wide))])
    headings = {frame: 10.0 * (frame - 1) for frame in range(1, 7)}
    descriptors = np.zeros((0, 64), np.uint8)
    found, ids = {}, {}
    for frame, heading in headings.items():
        inside = np.flatnonzero(np.abs(wide - heading) < 35)
        ids[frame] = inside
        found[frame] = Keypoints(see(directions[inside], heading), descriptors)

    def common(first: int, last: int) -> PairMatch:
        _, one, other = np.intersect1d(ids[first], ids[last], return_indices=True)
        rows = np.column_stack([one, other]).astype(np.uint32)
        return PairMatch(rows, rows, None, None)

    pairs = {(k, k + 1): common(k, k + 1) for k in range(1, 6)} | {(2, 4): common(2, 4)}
    here = np.flatnonzero(found[1].xy[:, 0] < 260)[:60]  # the same window again, at the left of one, the right of other
    there = np.array([np.argmin(np.linalg.norm(found[5].xy - found[1].xy[k] - [250, 0], axis=1)) for k in here])
    rows = np.column_stack([here, there]).astype(np.uint32)
    pairs[1, 5] = PairMatch(rows, rows, None, None)

    kept, dropped = without_outvoted(pairs, found, CAMERA)

    assert dropped == 1
    assert set(kept) == set(pairs) - {(1, 5)}
    assert kept[2, 4] is pairs[2, 4]

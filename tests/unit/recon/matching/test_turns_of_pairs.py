"""Turns by bearings, and pairs of look-alikes that the frames between contradict."""

import numpy as np
from scipy.spatial.transform import Rotation

from recon.geometry import Array, Camera
from recon.matching.interfaces import Keypoints, PairMatch
from recon.matching.turns import SharedBearings, find_outvoted, fit_turn, share_bearings, without_outvoted

CAMERA = Camera("SIMPLE_PINHOLE", 640, 360, (400.0, 320.0, 180.0))


def turn_by(deg: float) -> Array:
    return Rotation.from_euler("y", deg, degrees=True).as_matrix()


def bearings(count: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.uniform(-0.6, 0.6, count), rng.uniform(-0.4, 0.4, count), np.ones(count)])


def share(count: int, deg: float, seed: int, left_deg: float = 0.2) -> SharedBearings:
    """What frames share that are a turn apart, each bearing moved by something else too."""
    first = bearings(count, seed)
    moved = first @ turn_by(deg)
    return share_bearings(first, moved + np.random.default_rng(seed).normal(0, np.radians(left_deg), moved.shape))


def test_a_turn_is_told_by_most_bearings(subtests):
    for deg in [0.0, 3.0, -12.0, 25.0]:
        with subtests.test(deg=deg):
            first = bearings(200, seed=1)
            second = first @ turn_by(deg)
            second[:40] = bearings(40, seed=2)  # a fifth belongs to something else
            turn = fit_turn(share_bearings(first, second))
            assert turn is not None
            off = Rotation.from_matrix(turn.first_from_second.T @ turn_by(deg)).magnitude()
            assert np.degrees(off) < 0.3
            assert np.degrees(turn.left_rad) < 0.3
            assert fit_turn(share_bearings(first[:14], second[:14])) is None


def chain(step_deg: float = 10.0, left_deg: float = 0.2) -> dict[tuple[int, int], SharedBearings]:
    return {(k, k + 1): share(300, step_deg, k, left_deg) for k in range(1, 7)}


def test_a_pair_of_look_alikes_is_outvoted_and_a_right_one_is_not():
    shared = chain()
    shared[1, 5] = share(65, -30.0, 10)
    shared[2, 6] = share(65, 41.0, 11)
    assert find_outvoted(shared) == [(1, 5)]
    shared = chain()
    shared[1, 5] = share(301, -30.0, 10)
    assert find_outvoted(shared) == []
    shared = chain()
    del shared[3, 4]
    assert find_outvoted(shared) == []
    shared = {(2 * first, 2 * last): each for (first, last), each in chain().items()}
    shared[2, 10] = share(65, -30.0, 10)
    assert find_outvoted(shared) == [(2, 10)]


def test_what_steps_move_bearings_by_adds_up(subtests):
    """20 deg off: too much where the camera turned on the spot, not where it walked past near things."""
    for left_deg, outvoted in [(0.5, [(1, 5)]), (3.0, [])]:
        with subtests.test(left_deg=left_deg, outvoted=outvoted):
            shared = chain(left_deg=left_deg)
            shared[1, 5] = share(65, 60.0, 10, left_deg)
            assert find_outvoted(shared) == outvoted


def test_the_matches_of_an_outvoted_pair_go_and_the_others_stay():
    wide = np.random.default_rng(0).uniform(-40, 90, 4000)
    heights = np.random.default_rng(1).uniform(-0.3, 0.3, 4000)
    directions = np.column_stack([np.sin(np.radians(wide)), heights, np.cos(np.radians(wide))])
    descriptors = np.zeros((0, 64), np.uint8)
    found, ids = {}, {}
    for frame in range(1, 7):
        heading = 10.0 * (frame - 1)
        ids[frame] = np.flatnonzero(np.abs(wide - heading) < 35)
        xy = CAMERA.project(directions[ids[frame]] @ turn_by(heading))
        found[frame] = Keypoints(xy.astype(np.float32), descriptors)

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

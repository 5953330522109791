"""Pairs that are believed: those of look-alikes, which a cycle of turns contradicts, are not."""

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from recon.geometry import Array, Camera
from recon.matching.interfaces import Keypoints, PairMatch
from recon.matching.pair_filter import SharedBearings, filter_pairs, find_cycle_inconsistent_pairs, share_bearings
from recon.matching.pairs import Pair

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


def chain(step_deg: float = 10.0, left_deg: float = 0.2) -> dict[tuple[int, int], SharedBearings]:
    return {(k, k + 1): share(300, step_deg, k, left_deg) for k in range(1, 7)}


def test_a_pair_of_look_alikes_is_rejected_and_a_right_one_is_not():
    shared = chain()
    shared[1, 5] = share(65, -30.0, 10)
    shared[2, 6] = share(65, 41.0, 11)
    assert find_cycle_inconsistent_pairs(shared) == [(1, 5)]
    shared = chain()
    shared[1, 5] = share(301, -30.0, 10)
    assert find_cycle_inconsistent_pairs(shared) == []
    shared = chain()
    del shared[3, 4]
    assert find_cycle_inconsistent_pairs(shared) == []
    shared = {(2 * first, 2 * last): each for (first, last), each in chain().items()}
    shared[2, 10] = share(65, -30.0, 10)
    assert find_cycle_inconsistent_pairs(shared) == [(2, 10)]


def test_what_steps_move_bearings_by_adds_up(subtests):
    """20 deg off: too much where the camera turned on the spot, not where it walked past near things."""
    for left_deg, rejected in [(0.5, [(1, 5)]), (3.0, [])]:
        with subtests.test(left_deg=left_deg, rejected=rejected):
            shared = chain(left_deg=left_deg)
            shared[1, 5] = share(65, 60.0, 10, left_deg)
            assert find_cycle_inconsistent_pairs(shared) == rejected


def test_a_pair_that_a_cycle_rejects_goes_and_the_others_stay():
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

    kept = filter_pairs(pairs, {}, lambda frame: found[frame].xy, CAMERA)

    assert kept.inconsistent == ((1, 5),)
    assert set(kept.neighbours) == set(pairs) - {(1, 5)}
    assert kept.neighbours[2, 4] is pairs[2, 4]


def revisit(inliers: int, matches: int) -> PairMatch:
    rows = np.zeros((matches, 2), np.uint32)
    return PairMatch(rows, rows[:inliers], None, None)


def believe(tried: dict[Pair, PairMatch]) -> set[Pair]:
    """The revisits that are believed where nothing is known of the turns between frames."""
    return set(filter_pairs({}, tried, lambda frame: np.full((1, 2), 100.0), CAMERA).revisits)


def test_a_revisit_has_enough_matches(subtests):
    for inliers, matches, is_believed in [(24, 24, False), (25, 25, True), (30, 60, True), (30, 61, False)]:
        with subtests.test(inliers=inliers, matches=matches):
            assert ((1, 50) in believe({(1, 50): revisit(inliers, matches), (2, 51): revisit(99, 99)})) is is_believed


def test_a_revisit_has_another_one_of_other_frames_beside_it(subtests):
    for other, is_believed in [
        ((4, 53), True), ((4, 47), True), ((5, 53), False), ((4, 54), False), ((1, 51), False), ((2, 50), False)
    ]:  # fmt: skip
        with subtests.test(other=other):
            assert believe({(1, 50): revisit(99, 99), other: revisit(99, 99)}) == (
                {(1, 50), other} if is_believed else set()
            )


def test_one_frame_that_looks_like_many_is_no_evidence():
    tried = {(1, last): revisit(99, 99) for last in range(50, 58)}
    assert believe(tried) == set()


def see(headings_deg: dict[int, float]) -> tuple[dict[int, Array], Callable[[int, int], PairMatch]]:
    """Keypoints of frames of a camera that turns on the spot, and the matches of any two."""
    rng = np.random.default_rng(0)
    wide, heights = rng.uniform(-60, 60, 3000), rng.uniform(-0.3, 0.3, 3000)
    directions = np.column_stack([np.sin(np.radians(wide)), heights, np.cos(np.radians(wide))])
    ids = {frame: np.flatnonzero(np.abs(wide - heading) < 30) for frame, heading in headings_deg.items()}
    xy = {frame: CAMERA.project(directions[ids[frame]] @ turn_by(headings_deg[frame])) for frame in ids}

    def match(first: int, last: int) -> PairMatch:
        _, one, other = np.intersect1d(ids[first], ids[last], return_indices=True)
        rows = np.column_stack([one, other]).astype(np.uint32)
        return PairMatch(rows, rows, None, None)

    return xy, match


def test_the_cycle_of_a_revisit_and_of_another_beside_it_closes():
    """The camera turns by 10 deg from 1 to 2 and from 50 to 51; a look-alike lies 20 deg aside in frame 51."""
    xy, match = see({1: 0.0, 2: 10.0, 50: 0.0, 51: 10.0})
    neighbours = {(1, 2): match(1, 2), (50, 51): match(50, 51)}
    true = {(1, 50): match(1, 50), (2, 51): match(2, 51)}
    assert set(filter_pairs(neighbours, true, xy.__getitem__, CAMERA).revisits) == set(true)

    here = np.flatnonzero(xy[2][:, 0] < 400)[:200]
    aside = [np.argmin(np.linalg.norm(xy[51] - xy[2][k] - [150.0, 0.0], axis=1)) for k in here]
    rows = np.column_stack([here, aside]).astype(np.uint32)
    alike = {(1, 50): true[1, 50], (2, 51): PairMatch(rows, rows, None, None)}
    found = filter_pairs(neighbours, alike, xy.__getitem__, CAMERA)
    assert found.revisits == {}
    assert found.inconsistent == ((1, 50), (2, 51))

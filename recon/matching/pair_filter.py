"""Reject verified pairs of frames that show different places, before anything is made of any pair.

Things that look alike pass every test of a pair: two windows on the same houses, one on the left of a turn and one on
its right, agreed in 65 matches, and chained with true ones they made the longest tracks of all. But frames are tied to
each other in many ways, and the turns around a cycle of true pairs add up to none:

* Between the two frames of a pair lie others, each sharing as many matches and more with the next. What moves bearings
  beside a turn, a step past things, adds up along them: a pair whose bearings are much further off the turns between
  than that is wrong. In a made corridor whose texture repeats every 1.5 m that is true of 38 % of the pairs, on four
  sound tours of 0 to 0.2 %.
* A place that is seen again is seen by several frames of both visits. A revisit is believed if another one, of other
  frames on both sides, stands beside it and the cycle of the two closes. One frame that looks like many is no evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pycolmap
from numpy.typing import ArrayLike

from recon.colmap.database import read_matches_px
from recon.geometry import Array, Camera
from recon.matching.interfaces import LEAST_MATCHES, PairMatch
from recon.matching.pairs import Pair

_SCALES_DEG = (8.0, 4.0, 2.0, 2.0, 1.5, 1.5)
"""Bearings further off count less and less: near things shift a little while the camera turns on the spot."""


@dataclass(frozen=True, eq=False)
class BearingTurn:
    """The turn that most bearings of two frames agree with."""

    first_from_second: Array  # (3, 3)
    left_rad: float
    """Median angle by which bearings are off it: noise, and what a step of the camera moves them by beside a turn."""


@dataclass(frozen=True, eq=False)
class SharedBearings:
    """What two frames have in common, as unit vectors."""

    first: Array  # (M, 3)
    second: Array  # (M, 3)

    def off(self, first_from_second: Array) -> Array:
        """(M,) By how much bearings are off a turn, in radians for small angles."""
        return np.linalg.norm(self.first - self.second @ first_from_second.T, axis=1)


def share_bearings(rays_first: Array, rays_second: Array) -> SharedBearings:
    """Of rays (M, 3) of any length."""
    one, other = (rays / np.linalg.norm(rays, axis=1, keepdims=True) for rays in (rays_first, rays_second))
    return SharedBearings(one, other)


def fit_turn(shared: SharedBearings) -> BearingTurn | None:
    """The turn between two frames by what both see; None for too few."""
    if len(shared.first) < LEAST_MATCHES:
        return None
    weights, turn, off = np.ones(len(shared.first)), np.eye(3), np.zeros(0)
    for scale in np.radians(_SCALES_DEG):
        left, _, right = np.linalg.svd((weights[:, None] * shared.first).T @ shared.second)
        turn = left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right
        off = shared.off(turn)
        weights = 1.0 / (1.0 + (off / scale) ** 2)
    return BearingTurn(turn, float(np.median(off)))


def measure_turn(database: pycolmap.Database, first: int, second: int, camera: Camera) -> BearingTurn | None:
    """The turn between two frames, in either order, by the bearings of their verified matches; None for too few."""
    low, high = min(first, second), max(first, second)
    if not database.exists_two_view_geometry(low, high):
        return None
    one, other = (camera.rays(xy) for xy in read_matches_px(database, low, high))
    return fit_turn(share_bearings(one, other) if first == low else share_bearings(other, one))


_TURN_EXCESS_RATIO = 3.0
"""By how much more than all steps together a pair may be off their turns: the steps and the pair see other things."""
_SLACK_DEG = 2.0  # and by what noise and the errors of some turns in a row make
_REVISIT_MIN_INLIERS = 25
"""Stricter than for neighbours, since nothing but the picture says that the places are the same."""
_REVISIT_MIN_INLIER_RATIO = 0.5
"""Share of the matches that one geometry explains; look-alikes (tiles, equal doors) stay below."""
_REVISIT_SUPPORT = 3  # a revisit needs a second one, of other frames, within this many frames on both sides


@dataclass(frozen=True, eq=False)
class FilteredPairs:
    """The pairs of a tour that are believed."""

    neighbours: dict[Pair, PairMatch]
    revisits: dict[Pair, PairMatch]  # sorted, as the neighbours are
    inconsistent: tuple[Pair, ...]
    """Pairs of either kind that were rejected because a cycle does not close, in rising order."""


def filter_pairs(
    neighbours: Mapping[Pair, PairMatch],
    revisits: Mapping[Pair, PairMatch],
    keypoints_xy: Callable[[int], ArrayLike],
    camera: Camera,
) -> FilteredPairs:
    """Choose the pairs that are believed.

    Args:
        neighbours: Pairs of frames near in time that were matched, the earlier frame first; some have no inliers.
        revisits: The same of frames of different times.
        keypoints_xy: Gives the keypoints (K, 2) of a frame, in pixels of `camera`.
        camera: Of all frames.
    """
    good = {
        pair: match
        for pair, match in sorted(revisits.items())
        if len(match.inliers) >= _REVISIT_MIN_INLIERS
        and len(match.inliers) >= _REVISIT_MIN_INLIER_RATIO * len(match.matches)
    }
    verified = {pair: match for pair, match in (*neighbours.items(), *good.items()) if len(match.inliers)}
    rays = {
        frame: camera.rays(np.asarray(keypoints_xy(frame), np.float64)[:, :2])
        for frame in sorted({frame for pair in verified for frame in pair})
    }
    shared = {
        (first, last): share_bearings(rays[first][match.inliers[:, 0]], rays[last][match.inliers[:, 1]])
        for (first, last), match in verified.items()
    }
    rejected = set(find_cycle_inconsistent_pairs(shared))
    left = {pair: bearings for pair, bearings in shared.items() if pair not in rejected}
    supported, open_cycles = _find_supported([pair for pair in good if pair in left], left)
    return FilteredPairs(
        {pair: match for pair, match in neighbours.items() if pair not in rejected},
        {pair: match for pair, match in good.items() if pair in supported and pair not in rejected},
        tuple(sorted(rejected | open_cycles)),
    )


def find_cycle_inconsistent_pairs(shared: Mapping[Pair, SharedBearings]) -> list[Pair]:
    """The pairs that contradict the frames between them, step by step, in rising order.

    A pair is judged where every two frames between that follow each other share at least as much as it does.
    """
    frames = sorted({frame for pair in shared for frame in pair})
    row = {frame: place for place, frame in enumerate(frames)}
    turns = {step: fit_turn(shared[step]) for step in pairwise(frames) if step in shared}
    inconsistent: list[Pair] = []
    for (first, last), own in sorted(shared.items()):
        steps = list(pairwise(frames[row[first] : row[last] + 1]))
        chain = [turn for step in steps if (turn := turns.get(step)) is not None]
        if len(steps) < 2 or len(chain) < len(steps) or min(len(shared[step].first) for step in steps) < len(own.first):
            continue
        if float(np.median(own.off(_add_up(chain)))) > _allow_rad(chain):
            inconsistent.append((first, last))
    return inconsistent


def _add_up(turns: list[BearingTurn]) -> Array:
    together = np.eye(3)
    for turn in turns:
        together = together @ turn.first_from_second
    return together


def _allow_rad(turns: list[BearingTurn]) -> float:
    return float(np.radians(_SLACK_DEG) + _TURN_EXCESS_RATIO * sum(turn.left_rad for turn in turns))


def _find_supported(revisits: list[Pair], shared: Mapping[Pair, SharedBearings]) -> tuple[set[Pair], set[Pair]]:
    """The revisits that another one beside them confirms, and those that every one beside them contradicts."""
    keys = np.array(revisits, np.int64).reshape(-1, 2)
    turns: dict[Pair, BearingTurn | None] = {}

    def measure(first: int, second: int) -> BearingTurn | None:
        pair = min(first, second), max(first, second)
        if pair not in turns:
            turns[pair] = fit_turn(shared[pair]) if pair in shared else None
        turn = turns[pair]
        return turn if turn is None or first < second else BearingTurn(turn.first_from_second.T, turn.left_rad)

    def closes(one: Pair, other: Pair) -> bool:
        """Whether the turns around a cycle of two revisits add up to none, or one of them is unknown."""
        around = ((one[0], one[1]), (one[1], other[1]), (other[1], other[0]), (other[0], one[0]))
        known = [turn for first, second in around if (turn := measure(first, second)) is not None]
        if len(known) < len(around):
            return True
        left = (np.trace(_add_up(known)) - 1.0) / 2.0
        return bool(np.arccos(np.clip(left, -1.0, 1.0)) <= _allow_rad(known))

    supported, contradicted = set[Pair](), set[Pair]()
    for pair in revisits:
        apart = np.abs(keys - pair)
        beside = [(int(a), int(b)) for a, b in keys[((apart > 0) & (apart <= _REVISIT_SUPPORT)).all(axis=1)]]
        if any(closes(pair, other) for other in beside):
            supported.add(pair)
        elif beside:
            contradicted.add(pair)
    return supported, contradicted

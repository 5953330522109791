"""The turn between two frames that the bearings of their matches tell, and pairs that the frames between contradict.

Things that look alike pass every test of a pair: two windows on the same houses, one on the left of a turn and one on
its right, agreed in 65 matches, and chained with true ones they made the longest tracks of all. But between those two
frames lie others, each sharing as many matches and more with the next. What moves the bearings beside a turn, a step
past things, adds up along them: a pair whose bearings are much further off the turns between than that is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pycolmap

from recon.colmap.database import read_matches_px
from recon.geometry import Array, Camera
from recon.matching.interfaces import Keypoints, PairMatch
from recon.matching.pairs import Pair

_LEAST_MATCHES = 15
"""Of two frames whose bearings tell a turn, which two determine. Set by hand."""
_SCALES_DEG = (8.0, 4.0, 2.0, 2.0, 1.5, 1.5)
"""Bearings further off count less and less: near things shift a little while the camera turns on the spot."""
_TIMES = 3.0
"""By how much more than all steps together a pair may be off their turns: the steps and the pair see other things."""
_SLACK_DEG = 2.0
"""And by what noise and the errors of some turns in a row make."""


@dataclass(frozen=True, eq=False)
class BearingTurn:
    """The turn that most bearings of two frames agree with."""

    first_from_second: Array
    """(3, 3)"""
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
    if len(shared.first) < _LEAST_MATCHES:
        return None
    weights, turn, off = np.ones(len(shared.first)), np.eye(3), np.zeros(0)
    for scale in np.radians(_SCALES_DEG):
        left, _, right = np.linalg.svd((weights[:, None] * shared.first).T @ shared.second)
        turn = left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right
        off = shared.off(turn)
        weights = 1.0 / (1.0 + (off / scale) ** 2)
    return BearingTurn(turn, float(np.median(off)))


def measure_turn(
    database: pycolmap.Database, first: int, second: int, camera: Camera, least_matches: int = _LEAST_MATCHES
) -> BearingTurn | None:
    """The turn between two frames, in either order, by the bearings of their verified matches; None for too few."""
    low, high = min(first, second), max(first, second)
    if not database.exists_two_view_geometry(low, high):
        return None
    one, other = (camera.rays(xy) for xy in read_matches_px(database, low, high))
    if len(one) < least_matches:
        return None
    return fit_turn(share_bearings(one, other) if first == low else share_bearings(other, one))


def find_outvoted(shared: Mapping[Pair, SharedBearings]) -> list[Pair]:
    """The pairs that contradict the frames between them, step by step, in rising order.

    Args:
        shared: Per pair of frames, the earlier first. A pair is judged where every two frames between that follow each
            other share at least as much as it does.
    """
    frames = sorted({frame for pair in shared for frame in pair})
    row = {frame: place for place, frame in enumerate(frames)}
    turns = {step: fit_turn(shared[step]) for step in pairwise(frames) if step in shared}
    outvoted: list[Pair] = []
    for (first, last), own in sorted(shared.items()):
        steps = list(pairwise(frames[row[first] : row[last] + 1]))
        chain = [turn for step in steps if (turn := turns.get(step)) is not None]
        if len(steps) < 2 or len(chain) < len(steps) or min(len(shared[step].first) for step in steps) < len(own.first):
            continue
        together = np.eye(3)
        for turn in chain:
            together = together @ turn.first_from_second
        allowed = np.radians(_SLACK_DEG) + _TIMES * sum(turn.left_rad for turn in chain)
        if float(np.median(own.off(together))) > allowed:
            outvoted.append((first, last))
    return outvoted


def without_outvoted(
    pairs: Mapping[Pair, PairMatch], keypoints: Mapping[int, Keypoints], camera: Camera
) -> tuple[dict[Pair, PairMatch], int]:
    """The pairs but those that the frames between contradict, and how many those are.

    Args:
        pairs: Verified, the earlier frame first.
        keypoints: Of their frames, in pixels of `camera`.
        camera: Of all frames.
    """
    rays = {frame: camera.rays(np.asarray(found.xy, np.float64)) for frame, found in keypoints.items()}
    shared = {
        (first, last): share_bearings(rays[first][match.inliers[:, 0]], rays[last][match.inliers[:, 1]])
        for (first, last), match in pairs.items()
    }
    outvoted = set(find_outvoted(shared))
    return {pair: match for pair, match in pairs.items() if pair not in outvoted}, len(outvoted)

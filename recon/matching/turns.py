"""The turn between two frames that the bearings of their matches tell, and pairs whose turn all others contradict.

Things that look alike pass every test of a pair: two windows on the same houses, one on the left of a turn and one on
its right, agreed in 65 matches, and chained with true ones they made the longest tracks of all. But between those two
frames lie others, each sharing hundreds of matches with the next: what they say together about the turn outvotes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from recon.geometry import Array, Camera
from recon.matching.interfaces import Keypoints, PairMatch
from recon.matching.pairs import Pair

_LEAST_MATCHES = 15
_SCALES_DEG = (8.0, 4.0, 2.0, 2.0, 1.5, 1.5)
"""Bearings further off count less and less: near things shift a little while the camera turns on the spot."""
_MOST_OFF_DEG, _MOST_OFF_PER_FRAME_DEG = 15.0, 2.0
"""By how much the turn of a pair may differ from that of the frames between, and how much more for each of them: the
bearings take a step past near things for a turn (4 deg at most from frame to frame of an office walk, 10 over three).
A right pair that is dropped costs little, its frames are tied by those between."""
_OUTVOTED = 3.0
"""Each step between has this many times the matches of the pair."""


@dataclass(frozen=True, eq=False)
class BearingTurn:
    """The turn that most bearings of two frames agree with."""

    first_from_second: Array
    """(3, 3)"""
    matches: int


def fit_turn(rays_first: Array, rays_second: Array) -> BearingTurn | None:
    """The turn between two frames by the bearings (M, 3) of what both see, of any length; None for too few."""
    if len(rays_first) < _LEAST_MATCHES:
        return None
    mine, theirs = (rays / np.linalg.norm(rays, axis=1, keepdims=True) for rays in (rays_first, rays_second))
    weights, turn = np.ones(len(mine)), np.eye(3)
    for scale in np.radians(_SCALES_DEG):
        left, _, right = np.linalg.svd((weights[:, None] * mine).T @ theirs)
        turn = left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right
        off = np.linalg.norm(mine - theirs @ turn.T, axis=1)
        weights = 1.0 / (1.0 + (off / scale) ** 2)
    return BearingTurn(turn, len(mine))


def find_outvoted(turns: Mapping[Pair, BearingTurn]) -> list[Pair]:
    """The pairs whose turn contradicts that of the frames between them, step by step, in rising order.

    Args:
        turns: Of pairs of frames, the earlier first. A pair is judged where every two frames between that follow each
            other have one, each with several times its matches.
    """
    frames = sorted({frame for pair in turns for frame in pair})
    row = {frame: place for place, frame in enumerate(frames)}
    outvoted: list[Pair] = []
    for first, last in sorted(turns):
        steps = [turns.get(step) for step in pairwise(frames[row[first] : row[last] + 1])]
        chain = [step for step in steps if step is not None]
        turn = turns[first, last]
        if len(steps) < 2 or len(chain) < len(steps):
            continue
        if min(step.matches for step in chain) < _OUTVOTED * turn.matches:
            continue
        together = np.eye(3)
        for step in chain:
            together = together @ step.first_from_second
        cosine = 0.5 * (float(np.trace(together.T @ turn.first_from_second)) - 1.0)
        off_deg = float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
        if off_deg > _MOST_OFF_DEG + _MOST_OFF_PER_FRAME_DEG * len(steps):
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
    turns: dict[Pair, BearingTurn] = {}
    for (first, last), match in pairs.items():
        one, other = match.inliers.T
        turn = fit_turn(rays[first][one], rays[last][other])
        if turn is not None:
            turns[first, last] = turn
    outvoted = set(find_outvoted(turns))
    return {pair: match for pair, match in pairs.items() if pair not in outvoted}, len(outvoted)

"""Close the loops that a drifted walk left open.

Along a plain wall next to nothing holds the scale of a walk, and from there on it may be a fifth larger. What the
camera then sees again lies elsewhere in the model, too far for any match to become a common point, so no adjustment
can close the loop. But the frames of the second visit can be placed by the points of the first. The similarity between
where they are and where they belong is spread over the frames between, most where the scale is held least; an
adjustment does the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pycolmap
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from recon.adjust.refine import RefineOptions, refine
from recon.colmap.poses import read_pose
from recon.diagnosis.contradictions import check_pairs
from recon.diagnosis.revisits import OPEN_PX, residuals_px, revisits
from recon.diagnosis.scale_hold import scale_sigmas
from recon.geometry import Array, Pose, Sim3, path_length
from recon.merging.bridge import BridgeOptions, Side, find_bridge
from recon.ranges import AtLeastOne, NotNegative, Share
from recon.records import SubModel


@dataclass(frozen=True, kw_only=True)
class LoopOptions:
    """Which loops are closed."""

    min_pairs: AtLeastOne = 3
    """Open revisits that must support the same loop."""
    near: AtLeastOne = 15
    """Revisits whose frames differ by at most so many support the same loop."""
    beside: AtLeastOne = 4
    """Frames to each side of the revisits that may help to place the second visit."""
    least_drift: NotNegative = 0.05
    """By how much the scales of the two visits must differ. The last refinement recovers from less by itself: on a
    made ring from a tenth, but not from a fifth."""
    max_shift: Share = 0.15
    """How far a loop may be open, over the length of the walk between the visits; 0.05 on the office walk that drifted
    by a fifth. Places that look alike may lie much further apart."""
    bridge: BridgeOptions = BridgeOptions()
    """How the second visit is placed by the points of the first."""


@dataclass(frozen=True, eq=False)
class ClosedLoop:
    """A model whose loop was open."""

    model: SubModel
    first_visit: tuple[int, int]
    """First and last of its frames."""
    second_visit: tuple[int, int]
    scale: float
    """What the second visit was larger by than the first."""


def close_loop(
    model: SubModel,
    database_path: Path,
    refining: RefineOptions,
    options: LoopOptions = LoopOptions(),
    seed: int = 0,
) -> ClosedLoop | None:
    """Close the loop that most open revisits support.

    Args:
        model: Never modified. With most of its points: they place the second visit.
        database_path: From `build_database`.
        refining: How the closed model is adjusted.
        options: Which loops are closed.
        seed: Of random sampling.

    Returns:
        None if no loop is open, if nothing tells how it closes, or if closing it made anything worse.
    """
    pairs = revisits(model.reconstruction, database_path)
    visits = _largest_group(_open_pairs(model.reconstruction, database_path, pairs), options)
    if len(visits) < options.min_pairs:
        return None
    first, second = (_add_neighbours(model, ends, options.beside) for ends in zip(*visits, strict=True))
    if max(first) >= min(second):
        return None
    bridge = find_bridge(Side(model, first), Side(model, second), database_path, options.bridge, seed)
    if bridge is None:
        return None
    drift = bridge.alignment.first_from_second
    if abs(np.log(drift.scale)) < options.least_drift or _shift(model, drift, first, second) > options.max_shift:
        return None
    closed = _spread(model, drift, max(first), min(second))
    left_open = pycolmap.Reconstruction(model.reconstruction)
    for either in (closed, left_open):
        refine(either, database_path, model.frames, refining, seed)
    if not _better(closed, left_open, database_path, pairs):
        return None
    return ClosedLoop(
        replace(model, reconstruction=closed),
        (min(first), max(first)),
        (min(second), max(second)),
        float(1.0 / drift.scale),
    )


def _open_pairs(
    model: pycolmap.Reconstruction, database_path: Path, pairs: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Those of the pairs whose matches lie far off."""
    return sorted(pair for pair, px in residuals_px(model, database_path, pairs).items() if px > OPEN_PX)


def _largest_group(pairs: Sequence[tuple[int, int]], options: LoopOptions) -> list[tuple[int, int]]:
    """The most pairs that lie near one of them."""
    ends = np.array(pairs).reshape(-1, 2)
    groups = [np.flatnonzero((np.abs(ends - pair) <= options.near).all(axis=1)) for pair in ends]
    return [pairs[int(k)] for k in max(groups, key=len, default=[])]


def _add_neighbours(model: SubModel, frames: Sequence[int], beside: int) -> frozenset[int]:
    """The frames and the registered ones beside them."""
    return frozenset(frame for frame in model.frames if min(abs(frame - other) for other in frames) <= beside)


def _shift(model: SubModel, drift: Sim3, first: frozenset[int], second: frozenset[int]) -> float:
    """How far the second visit is to be moved, over the length of the walk between the middles of the visits."""
    frames = np.array(model.frames)
    centers = np.array([model.reconstruction.image(frame).projection_center() for frame in model.frames])
    between = (frames >= np.median(list(first))) & (frames <= np.median(list(second)))
    places = centers[np.isin(frames, list(second))]
    moved = np.linalg.norm(drift @ places - places, axis=1).max()
    return float(moved / max(path_length(centers[between]), 1e-12))


def _spread(model: SubModel, drift: Sim3, begin: int, end: int) -> pycolmap.Reconstruction:
    """A copy whose frames from `end` on are moved by `drift`, those up to `begin` not, and those between by a part."""
    frames = np.array(model.frames)
    share = _shares(frames, scale_sigmas(model.reconstruction), begin, end)
    old = [read_pose(model.reconstruction, frame) for frame in model.frames]
    scales = np.exp(share * np.log(drift.scale))
    turn = Rotation.from_matrix(drift.rotation).as_rotvec()
    turns = Rotation.from_rotvec(share[:, None] * turn).as_matrix()
    places = np.array([pose.center for pose in old])
    steps = np.sqrt(scales[1:] * scales[:-1])[:, None] * np.einsum("fij,fj->fi", turns[1:], np.diff(places, axis=0))
    moved = places[0] + np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    last = int(np.searchsorted(frames, end))
    moved += share[:, None] * (drift @ places[last] - moved[last])
    closed = pycolmap.Reconstruction(model.reconstruction)
    for k, frame in enumerate(model.frames):
        pose = Pose(turns[k] @ old[k].rotation, moved[k])
        closed.frame(closed.image(frame).frame_id).rig_from_world = pose.inverse().to_rigid3d()
    for point in closed.points3D.values():
        seen = sorted(element.image_id for element in point.track.elements)
        k = int(np.searchsorted(frames, seen[len(seen) // 2]))
        point.xyz = moved[k] + scales[k] * turns[k] @ (point.xyz - places[k])
    return closed


def _shares(frames: NDArray[np.int64], sigmas: Array, begin: int, end: int) -> Array:
    """(F,) from 0 to 1: how much of the drift each frame has. It grows where the scale is held least."""
    steps = (frames[:-1] >= begin) & (frames[1:] <= end)
    variances = np.where(steps, np.minimum(sigmas, 1.0) ** 2, 0.0)
    grown = np.concatenate([[0.0], np.cumsum(variances)])
    return grown / grown[-1]


def _better(
    closed: pycolmap.Reconstruction,
    left_open: pycolmap.Reconstruction,
    database_path: Path,
    pairs: list[tuple[int, int]],
) -> bool:
    """Whether most open revisits are closed and nothing else got worse."""
    still, were = (len(_open_pairs(model, database_path, pairs)) for model in (closed, left_open))
    if were == 0 or still > were / 2 or closed.num_reg_images() < left_open.num_reg_images():
        return False
    if closed.compute_num_observations() < (1.0 - _LOST_OBSERVATIONS) * left_open.compute_num_observations():
        return False
    checks, before = check_pairs(closed, database_path), check_pairs(left_open, database_path)
    more = sum(check.contradicts for check in checks) - sum(check.contradicts for check in before)
    return more <= _MORE_AGAINST * len(checks)


_LOST_OBSERVATIONS = 0.03
"""A closed loop gains observations (1 % on the office); one that is forced shut loses them."""
_MORE_AGAINST = 0.01
"""Share of the neighbouring pairs that may contradict the closed model and not the open one: noise."""

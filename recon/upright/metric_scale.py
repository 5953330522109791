"""Metres per unit of a free-scale model: from a metric depth model, or from a stated camera height."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recon.colmap.poses import read_pose
from recon.colmap.tracks import tracks_from_colmap, well_triangulated
from recon.errors import ReconError
from recon.geometry import Array, sample_depth
from recon.records import Scale, SubModel

_PAIRS_PER_FRAME = 200
"""So many tracks count per frame; frames full of texture would otherwise outvote the others."""

DepthOf = Callable[[int], NDArray[np.float32] | None]
"""Metric depth (h, w) of a frame at every n-th pixel, or None."""
_LEAST_DEPTHS = 20  # pairs whose median tells the scale; of fewer it is chance. Set by hand.


def scale_from_camera_height(camera_height: float, camera_height_m: float, sigma: float) -> Scale:
    """Scale from the prior that the cameras were carried at `camera_height_m`.

    Raises:
        ReconError: If a height is not positive.
    """
    if not (camera_height > 0 and camera_height_m > 0):
        raise ReconError(
            f"scale: camera height is {camera_height:g} units, {camera_height_m:g} m; both must be positive"
        )
    source = f"camera height {camera_height_m:g} m above the floor (prior)"
    return Scale("assumed", camera_height_m / camera_height, sigma, source)


def no_scale(reason: str) -> Scale:
    """A model that keeps its own unit. Its factor is 1 and its sigma 1: nothing is known."""
    return Scale("relative", 1.0, 1.0, reason)


def scale_from_depth(track_depths: ArrayLike, metric_depths: ArrayLike, source: str = "metric depth model") -> Scale:
    """Scale from pairs of depths of the same image points.

    The factor is the median ratio, so that up to half of the pairs may be wrong. Sigma is the robust spread of the
    ratios (1.4826 MAD of their logarithms), not divided by the root of their number: errors of a depth model are shared
    by neighbouring pixels and frames.

    Args:
        track_depths: (N,) depths along the optical axis in units of the model.
        metric_depths: (N,) depths of the same points in metres. Pairs that are not positive and finite are left out.
        source: What measured the metres.

    Raises:
        ReconError: For different lengths or fewer than 20 usable pairs.
    """
    tracks, metres = np.asarray(track_depths, dtype=np.float64), np.asarray(metric_depths, dtype=np.float64)
    if tracks.shape != metres.shape or tracks.ndim != 1:
        raise ReconError(f"scale: {tracks.shape} track depths but {metres.shape} metric depths")
    usable = np.isfinite(tracks) & np.isfinite(metres) & (tracks > 0) & (metres > 0)
    if usable.sum() < _LEAST_DEPTHS:
        raise ReconError(
            f"scale: {int(usable.sum())} of {len(tracks)} depth pairs are usable, need {_LEAST_DEPTHS}. "
            "Check that depth maps and frames have the same size"
        )
    ratios = np.log(metres[usable] / tracks[usable])
    middle = float(np.median(ratios))
    sigma = 1.4826 * float(np.median(np.abs(ratios - middle)))
    return Scale("metric", float(np.exp(middle)), sigma, source)


def scale_of_sub_model(model: SubModel, depth_of: DepthOf, step_px: int, source: str) -> Scale:
    """Scale of a sub-model as the median ratio of metric depth to track depth, with its robust spread as sigma.

    Args:
        model: Free-scale model; image ids are frame indices.
        depth_of: Gives the metric depth map of a frame, sampled at pixels (j * step_px, i * step_px).
        step_px: That step.
        source: Model and revision, for the record.

    Raises:
        ReconError: If fewer than 20 tracks have a depth in metres.
    """
    tracks = tracks_from_colmap(model.reconstruction)
    world_from_cam = {frame: read_pose(model.reconstruction, frame) for frame in model.frames}
    sure = well_triangulated(tracks, world_from_cam)
    ours: list[Array] = []
    metres: list[Array] = []
    for frame, pose in world_from_cam.items():
        depth = depth_of(frame)
        if depth is None:
            continue
        rows = tracks.rows_of_frame(frame)
        keep = sure[tracks.obs_point[rows]]
        point, xy = tracks.obs_point[rows][keep], tracks.obs_xy[rows][keep]
        every = max(1, len(point) // _PAIRS_PER_FRAME)
        ours.append((tracks.xyz[point[::every]] - pose.center) @ pose.forward)
        metres.append(sample_depth(depth, xy[::every], step_px))
    return scale_from_depth(np.concatenate([*ours, []]), np.concatenate([*metres, []]), source)

"""Metres of a free-scale model from the depth maps of a metric depth model, at the pixels of its tracks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from recon.colmap.tracks import tracks_from_colmap, well_triangulated
from recon.geometry import Array, Pose, sample_depth
from recon.records import Scale, SubModel
from recon.upright.metric_scale import scale_from_depth

_PAIRS_PER_FRAME = 200
"""So many tracks count per frame; frames full of texture would otherwise outvote the others."""

DepthOf = Callable[[int], NDArray[np.float32] | None]
"""Metric depth (h, w) of a frame at every n-th pixel, or None."""


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
    world_from_cam = {
        frame: Pose.from_rigid3d(model.reconstruction.images[frame].cam_from_world()).inverse()
        for frame in model.frames
    }
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

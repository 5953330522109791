"""Take out of an adjusted model what does not fit it."""

from __future__ import annotations

import pycolmap


def remove_misfits(model: pycolmap.Reconstruction, max_error_px: float, min_angle_deg: float) -> None:
    """Remove, in place, observations that lie off or behind the camera, and points without depth.

    Args:
        model: Adjusted.
        max_error_px: Observations further off are removed.
        min_angle_deg: So are points whose rays meet under a smaller angle.
    """
    observations = pycolmap.ObservationManager(model)
    observations.filter_all_points3D(max_error_px, min_angle_deg)
    observations.filter_observations_with_negative_depth()
    model.update_point_3d_errors()

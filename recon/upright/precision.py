"""Whether the pictures determine a model's path as far as its use needs: told by its own covariance.

In dark, grainy and blurred pictures keypoints are few and lie two pixels off. All agree with the model then, no step is
out of line, and yet its scale drifts by a fifth from end to end, because so little holds it. The covariance of the
adjustment knows: it is the least by which the poses are off.
"""

from __future__ import annotations

from recon.colmap.tracks import measure_viewing_distance
from recon.diagnosis.pose_uncertainty import MOST_SIGMA, UncertaintyOptions, compare_with_path
from recon.findings import Finding
from recon.records import SceneModel

_LEAST_WAY = 0.5
"""Path over the distance at which things are seen: less is a turn, whose path is short and as exact as any. Made tours
that walked and were wrong had 0.63 and more, a turn of 0.7 m that was right to 1 cm had 0.495."""
_LEAST_FRAMES = 8
"""Fewer make no path whose length means anything."""


def check_precision(
    model: SceneModel, held_by_floor: bool = False, options: UncertaintyOptions = UncertaintyOptions()
) -> list[Finding]:
    """A finding where the covariance of the poses is beyond half a per cent of the path.

    Uncertainties are those of windows of frames, so they are compared with the path over as many frames. A camera that
    hardly moves has no path to be wrong about and is not asked.

    Args:
        model: With `pose_sigma`; without it nothing is told. Its poses come from its pictures.
        held_by_floor: Whether the floor was asked to hold the scale. The covariance does not know that tie, so it is a
            warning then, else an error.
        options: With which the uncertainties were computed.
    """
    sigmas = [model.pose_sigma[frame].position for frame in model.frames if frame in model.pose_sigma]
    distance = measure_viewing_distance(model.tracks, model.world_from_cam)
    if len(sigmas) < _LEAST_FRAMES or distance is None:
        return []
    sigma, path = compare_with_path(sigmas, model.path_length, len(model.frames), options)
    if path < _LEAST_WAY * distance or sigma <= MOST_SIGMA * path:
        return []
    message = (
        f"the pictures determine the poses to {sigma / path:.2%} of the path at best, need {MOST_SIGMA:.2%}; places "
        "and lengths are off by twice that and more, and the scale may drift from end to end; film with more light, "
        "slower, and past things with texture"
    )
    return [Finding("warning" if held_by_floor else "error", "scene.imprecise", f"model {model.name}", message)]

"""Whether the pictures determine a model's path as far as its use needs: told by its own covariance.

In dark, grainy and blurred pictures keypoints are few and lie two pixels off. All agree with the model then, no step is
out of line, and yet its scale drifts by a fifth from end to end, because so little holds it. The covariance of the
adjustment knows: it is the least by which the poses are off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from recon.audit.floor_height import measure_heights, scale_changes
from recon.audit.pose_uncertainty import MOST_SIGMA, compare_with_path
from recon.audit.verdict import LEAST_FRAMES, Verdict
from recon.colmap.tracks import measure_viewing_distance
from recon.findings import Finding
from recon.floor_masks import FloorMask
from recon.records import Scene, SceneModel, SubModel

_LEAST_WAY = 0.5
"""Path over the distance at which things are seen: less is a turn, whose path is short and as exact as any. Made tours
that walked and were wrong had 0.63 and more, a turn of 0.7 m that was right to 1 cm had 0.495."""
_MOST_OPEN = 24  # frames in a row without an uncertainty: eight seconds, which a pan on the spot may last


def check_precision(model: SceneModel, held_by_floor: bool = False) -> list[Finding]:
    """A finding where the covariance of the poses is beyond half a per cent of the path.

    Uncertainties are those of windows of frames, so they are compared with the path over as many frames. A camera that
    hardly moves has no path to be wrong about and is not asked. Where many frames in a row have no covariance, the
    pictures leave open how the parts of the path stand to each other.

    Args:
        model: With `pose_sigma`. Its poses come from its pictures.
        held_by_floor: Whether the floor was asked to hold the scale. The covariance does not know that tie, so up to
            `_MOST_HELD` it is a warning then, else an error.
    """
    distance = measure_viewing_distance(model.tracks, model.world_from_cam)
    if len(model.frames) < LEAST_FRAMES or distance is None:
        return []
    open_frames = _longest_open(model)
    if open_frames > min(_MOST_OPEN, len(model.frames) / 2):
        if model.path_length < _LEAST_WAY * distance:
            return []
        message = (
            f"the pictures of {open_frames} frames in a row do not determine their poses: the parts of the path before "
            "and after them may be misplaced and differ in scale; film with more light, slower, and past things with "
            "texture"
        )
        return [_tell(model, message, held_by_floor)]
    sigmas = [model.pose_sigma[frame].position for frame in model.frames if frame in model.pose_sigma]
    sigma, path = compare_with_path(sigmas, model.path_length, len(model.frames))
    if path < _LEAST_WAY * distance or sigma <= MOST_SIGMA * path:
        return []
    message = (
        f"positions are uncertain by at least {sigma / path:.2%} of the path length, need {MOST_SIGMA:.2%}: positions "
        "and lengths may be off by more than twice that, and the scale may drift along the path; film with more light, "
        "slower, and past things with texture"
    )
    return [_tell(model, message, held_by_floor and sigma <= _MOST_HELD * path)]


_MOST_HELD = 0.03
"""Of the path: more the floor does not mend. Of pans past bare walls that it held, one with 4.2 % was 5.2 % off; those
that were 0.05 to 0.5 % off had 0.1."""


def _longest_open(model: SceneModel) -> int:
    """Frames in the longest row of those without an uncertainty."""
    runs = (list(run) for is_known, run in groupby(model.frames, model.pose_sigma.__contains__) if not is_known)
    return max(map(len, runs), default=0)


def _tell(model: SceneModel, message: str, is_mended: bool) -> Finding:
    return Finding("warning" if is_mended else "error", "scene.imprecise", f"model {model.name}", message)


def check_precisions(scene: Scene, models: Sequence[SubModel]) -> list[Finding]:
    """`check_precision` of every model of a scene that was built from these sub-models.

    A floor that the scene does not have in the end excuses nothing: a blurred walk that it was to hold came out 1.5 %
    off its path, and nothing else told.
    """
    held = {model.frames for model in models if model.held_by_floor}
    return [
        finding
        for model in scene.models
        for finding in check_precision(model, model.frames in held and model.floor_z is not None)
    ]


def check_heights(models: Sequence[SubModel], floors: Mapping[int, FloorMask]) -> list[Finding]:
    """A finding for each model along which the camera's height above the floor, and so the scale, changes."""
    findings = []
    for model in models if floors else ():
        changes = scale_changes(measure_heights(model.reconstruction, floors).above_labelled_points)
        if changes:
            worst = max(changes, key=_measure_change)
            severity = "error" if _measure_change(worst) > _WRONG_FACTOR else "warning"
            message = (
                f"between frames {worst.first} and {worst.last} {worst.words}: lengths before and after do not compare"
                + (f"; it changes at {len(changes)} places" if len(changes) > 1 else "")
            )
            findings.append(Finding(severity, "scene.scale_changes", f"model {model.name}", message))
    return findings


def _measure_change(change: Verdict) -> float:
    """Factor between the heights on both sides, 1 and more."""
    return max(change.value, 1.0 / change.value)


_WRONG_FACTOR = 2.0
"""Nobody carries a camera at half the height for good; below it, a stair or a low chair may explain it."""

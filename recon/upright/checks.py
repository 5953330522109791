"""Findings on a finished scene: what is missing, unjoined, assumed, or looks wrong although every step succeeded.

In dark, grainy and blurred pictures keypoints are few and lie two pixels off. All agree with the model then, no step is
out of line, and yet its scale drifts by a fifth from end to end, because so little holds it. The covariance of the
adjustment knows: it is the least by which the poses are off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np

from recon.audit.floor_height import measure_heights, scale_changes
from recon.audit.pose_uncertainty import MOST_SIGMA, compare_with_path
from recon.audit.revisits import judge_revisits
from recon.audit.verdict import LEAST_FRAMES, Verdict
from recon.colmap.observations import LEAST_VIEWS, measure_viewing_distance, track_lengths
from recon.findings import Finding
from recon.floor_masks import FloorMask
from recon.geometry import angle_between_deg
from recon.records import Scene, SceneModel, SubModel, frame_ranges

_GOOD_SHARE = 0.9  # of the frames with a pose: with a tenth missing, a tour has a gap that a user should see
_GOOD_ERROR_PX = 1.5  # sound tours have 0.5 to 0.9
_SLOW_S = 5.0  # heights are compared over stretches of this length, so that steps and stooping do not count
_HEIGHT_RANGE = 0.25
"""Relative to the camera height: 40 cm of slow rise is a stair, a lift of the arm or a bent model."""
_FLOOR_RANGE = 0.12  # relative to the camera height: 18 cm between parts of one floor
_JUMP_RATIO = 8.0  # times the typical speed; nobody runs like that indoors
_JUMP_DEG = 60.0  # a whip of a hand between two sampled frames stays below, at 3 per second. Set by hand.
_JUMP_RATE_DPS = 270.0  # a hand-held turn stays below; frames on both sides of a wrong match do not
_JUMP_GAP_S = 3.0  # over longer gaps anything may have happened
_FAST_M_S, _FAST_S = 2.5, 2.0
"""A pace that lasts (metres per second, seconds): who films a home walks at 0.4 to 1.4, and nobody runs through it."""
_CONTRADICTED_SHARE = 0.15
"""Of the pairs asked; sound models have up to 3 %, doubtful ones that were cut in time up to 13 %."""
_WRONG_SHARE = 0.3  # models that were wrong by half a metre and more had 27 to 53 %
_LEAST_CHECKED = 10  # pairs that were asked, below which a share means nothing. Set by hand.
_WRONG_REVISITS = 0.2  # of the revisits asked: a walk that was wrong by 7 % of its path had 35 %


def check_scene(scene: Scene) -> list[Finding]:
    """Check a scene and its models.

    Returns:
        Findings: of the scene first, then model by model. A scene without a model gets one error and nothing else.
    """
    if not scene.models:
        message = f"none of {len(scene.frames)} frames has a pose; the findings on its clips say why"
        return [Finding("error", "scene.no_model", "scene", message)]
    out = _check_registered(scene)
    for model in scene.models:
        out += _check_held(model)
        out += _check_pairs(model) + _check_revisits(model) + _check_tracks(model) + _check_scale(model)
        out += _check_level(model, scene) + _check_jumps(model, scene)
        out += _check_pace(model, scene)
    return out


def _check_registered(scene: Scene) -> list[Finding]:
    registered = {frame for model in scene.models for frame in model.frames}
    missing = [frame for frame in scene.frames if frame.index not in registered]
    if not missing:
        return []
    share = len(registered) / len(scene.frames)
    message = (
        f"{len(registered)} of {len(scene.frames)} frames have a pose ({share:.0%}); without: {frame_ranges(missing)}"
    )
    return [Finding("warning" if share < _GOOD_SHARE else "info", "scene.unregistered", "scene", message)]


def _check_held(model: SceneModel) -> list[Finding]:
    """Whether the pictures lie on their side or stand on their head."""
    ups = np.array([pose.rotation[2] for pose in model.world_from_cam.values()])  # in camera axes
    roll_deg = float(np.degrees(np.angle((-ups[:, 1] - 1j * ups[:, 0]).mean())))
    rotate_deg = round(roll_deg / 90.0) * 90 % 360
    if not rotate_deg:
        return []
    message = (
        "the pictures lie on their side or stand on their head; positions and turns are right, but detectors and "
        f"people see them so. Process again with --input.rotate {rotate_deg}"
    )
    return [Finding("warning", "scene.camera_rolled", f"model {model.name}", message)]


def _check_pairs(model: SceneModel) -> list[Finding]:
    """Whether the matches of neighbouring frames agree with the model that was made from them."""
    health = model.health
    if health is None or health.checked_pairs < _LEAST_CHECKED:
        return []
    share = health.contradicting_pairs / health.checked_pairs
    if share <= _CONTRADICTED_SHARE:
        return []
    message = (
        f"{health.contradicting_pairs} of {health.checked_pairs} pairs of neighbouring frames contradict the model "
        f"({share:.0%}): its path is wrong in places, however small the reprojection error"
    )
    severity = "error" if share > _WRONG_SHARE else "warning"
    return [Finding(severity, "scene.contradicted", f"model {model.name}", message)]


def _check_revisits(model: SceneModel) -> list[Finding]:
    """Whether what the camera saw again lies where it was the first time."""
    health = model.health
    if health is None:
        return []
    ends = model.frames[0], model.frames[-1]
    verdict = judge_revisits(health.contradicting_loops, health.contradicting_places, health.loop_pairs, ends)
    if verdict.ok:
        return []
    message = f"{verdict.words}: the walk drifted between the visits, or places that look alike were confused"
    severity = "error" if verdict.value > _WRONG_REVISITS else "warning"
    return [Finding(severity, "scene.revisits", f"model {model.name}", message)]


def _check_tracks(model: SceneModel) -> list[Finding]:
    where, out = f"model {model.name}", []
    lengths = track_lengths(model.tracks)
    length = float(np.median(lengths)) if len(lengths) else 0.0
    if length < LEAST_VIEWS:
        message = f"points are seen by {length:g} frames (median), need {LEAST_VIEWS}: poses are weak; film more slowly"
        out.append(Finding("warning", "scene.short_tracks", where, message))
    if model.mean_reprojection_error_px > _GOOD_ERROR_PX:
        message = (
            f"reprojection error {model.mean_reprojection_error_px:.2f} px, expected at most {_GOOD_ERROR_PX} px: "
            "poses are less exact than usual; film slower and with more light"
        )
        out.append(Finding("warning", "scene.reprojection", where, message))
    return out


def _check_scale(model: SceneModel) -> list[Finding]:
    if model.scale.status != "assumed":
        return []
    message = (
        f"metres rest on an assumption: {model.scale.source}; lengths are good to {model.scale.sigma:.0%} (1 sigma)"
    )
    return [Finding("info", "scene.scale_assumed", f"model {model.name}", message)]


def _check_level(model: SceneModel, scene: Scene) -> list[Finding]:
    """Camera height over time and floor height over the plan: drift, a bent model, or stairs."""
    if model.floor_z is None:
        return []
    where, out = f"model {model.name}", []
    heights = model.centers[:, 2] - model.floor_z
    height = float(np.median(heights))
    if height <= 0:
        message = f"cameras lie {-height:.2f} {model.scale.unit} below the floor; the vertical or the floor is wrong"
        return [Finding("warning", "scene.below_floor", where, message)]
    times = np.array([scene.frame_by_index[frame].time_s for frame in model.frames])
    slow = np.array([np.median(heights[np.abs(times - time) <= _SLOW_S / 2]) for time in times])
    low, high = (float(value) for value in np.percentile(slow, [2, 98]))
    if high - low > _HEIGHT_RANGE * height:
        message = (
            f"camera height above the floor goes from {low:.2f} to {high:.2f} {model.scale.unit} over the walk: "
            "stairs, or the model drifts or bends"
        )
        out.append(Finding("warning", "scene.height_drift", where, message))
    if model.floor_range > _FLOOR_RANGE * height:
        message = (
            f"parts of the floor differ by {model.floor_range:.2f} {model.scale.unit} in height: several levels, or "
            "the model bends or leans"
        )
        out.append(Finding("warning", "scene.floor_uneven", where, message))
    return out


def _check_jumps(model: SceneModel, scene: Scene) -> list[Finding]:
    """Consecutive frames that nobody can have walked or turned between: look-alike places confused."""
    frames, poses = model.frames, list(model.world_from_cam.values())
    times = np.array([scene.frame_by_index[frame].time_s for frame in frames])
    gaps, steps = np.diff(times), np.linalg.norm(np.diff(model.centers, axis=0), axis=1)
    follows = (gaps > 0) & (gaps <= _JUMP_GAP_S)
    if not follows.any():
        return []
    speeds = np.divide(steps, gaps, out=np.zeros_like(steps), where=follows)
    # A tour that mostly stands has a median near zero; its walking speed is the yardstick then.
    typical = max(float(np.median(speeds[follows])), 0.25 * float(np.percentile(speeds[follows], 90)))
    out = []
    for row in np.flatnonzero(follows):
        turned = angle_between_deg(poses[row].forward, poses[row + 1].forward)
        ratio = float(speeds[row] / typical) if typical > 0 else 0.0
        if ratio > _JUMP_RATIO or (turned > _JUMP_DEG and turned / gaps[row] > _JUMP_RATE_DPS):
            message = (
                f"the camera jumps between frames {frames[row]} and {frames[row + 1]} (at {times[row]:.1f} s): "
                f"{ratio:.1f} times the typical speed, turned {turned:.0f} deg in {gaps[row]:.2f} s; "
                "places that look alike may have been confused"
            )
            out.append(Finding("warning", "scene.jump", f"model {model.name}", message))
    return out


def _check_pace(model: SceneModel, scene: Scene) -> list[Finding]:
    """A pace over some seconds that nobody films at: a stretch that is played faster, or a scale that is far off."""
    if model.scale.unit != "m":
        return []
    times = np.array([scene.frame_by_index[frame].time_s for frame in model.frames])
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(model.centers, axis=0), axis=1))])
    until = np.searchsorted(times, times + _FAST_S - 1e-6)
    starts = np.flatnonzero(until < len(times))
    taken_s = times[until[starts]] - times[starts]
    paces = np.where(taken_s <= _FAST_S + _JUMP_GAP_S, (way[until[starts]] - way[starts]) / taken_s, 0.0)
    if not len(paces) or paces.max() <= _FAST_M_S:
        return []
    row = starts[int(np.argmax(paces))]
    message = (
        f"the camera moves at up to {paces.max():.1f} m/s for {_FAST_S:g} s (from {times[row]:.1f} s on), people walk "
        "at 0.4 to 1.4 m/s: the video plays faster there, or the scale is too large; do not rely on paces"
    )
    return [Finding("warning", "scene.pace", f"model {model.name}", message)]


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
    # The longest row of frames without an uncertainty.
    runs = (list(run) for is_known, run in groupby(model.frames, model.pose_sigma.__contains__) if not is_known)
    open_frames = max(map(len, runs), default=0)
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

"""Figures per model that tell a sound reconstruction from one that only looks sound, and how exact each pose is.

How well the observations of a model determine each of its poses is told by the covariance of its bundle adjustment,
against the neighbours: covariances are taken in windows of frames, after the similarity that fits each window best is
taken out, since neither the place, nor the direction, nor the unit of a free model means anything. The camera is as
uncertain as the adjustment left it: a focal length 2 % off bends a walk past little depth. The noise is the model's own
reprojection error. What this cannot see are wrong matches: it is the least that a pose may be off, not the most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pycolmap

from recon.adjust.refine import RefineOptions, adjustment
from recon.audit.contradictions import ContradictionOptions, check_pairs
from recon.audit.revisits import RevisitChecks, check_revisits, count_places
from recon.audit.scale_hold import scale_sigmas
from recon.colmap.fuse import subset
from recon.colmap.observations import LEAST_VIEWS
from recon.colmap.tasks import Packed, pack, quiet_colmap
from recon.geometry import Array, cross_matrices, path_length
from recon.records import MergeAttempt, ModelHealth, PoseSigma, SubModel
from recon.tasks import FanOut, fixed_threads, map_here

_WINDOW = 80  # frames of a window that get their uncertainty from it. Cost and memory grow with its square.
_MARGIN = 15  # further frames on both sides, so that the ends of windows are held like their middle


def pose_uncertainty(model: pycolmap.Reconstruction, fan_out: FanOut = map_here) -> dict[int, PoseSigma]:
    """Uncertainty per registered frame, in the unit of the model.

    Returns:
        Frames in time order; those whose covariance does not exist (too few points) are missing.
    """
    frames = sorted(model.reg_image_ids())
    wanted: list[list[int]] = []
    around: list[list[int]] = []
    for start in range(0, len(frames), _WINDOW):
        end = start + _WINDOW
        wanted.append(frames[start:end])
        around.append(frames[max(0, start - _MARGIN) : end + _MARGIN])
    found: dict[int, PoseSigma] = {}
    with fixed_threads():
        windows = (pack(subset(model, part)) for part in around)
        for part, sigmas in zip(wanted, fan_out(_sigmas_of_window, windows), strict=True):
            found.update({frame: sigmas[frame] for frame in part if frame in sigmas})
    return found


MOST_SIGMA = 0.005
"""Of the path. On 14 made tours of bare, dark, grainy, blurred rooms those at most 1 % off had up to 0.0048; of those
further off three had 0.0053 and more, two 0.0026 and less, which a second draw told, and one, 1.02 % off, 0.0043.
Textured walks: 0.0008 at most."""


def compare_with_path(sigmas: Sequence[float], length: float, frames: int) -> tuple[float, float]:
    """Uncertainty of the positions in the worst window of a model's frames, and the path over as many frames.

    `sigmas` are those of positions in time order, `length` that of the whole path, in the same unit.
    """
    count = min(_WINDOW, len(sigmas))
    means = np.convolve(np.square(sigmas), np.full(count, 1.0 / count), "valid")
    return float(np.sqrt(means.max())), length * min(1.0, (_WINDOW + 2 * _MARGIN) / frames)


def measure_path_sigma(model: pycolmap.Reconstruction) -> float:
    """Uncertainty of a model's positions, in the worst window of frames, as a share of the path there.

    Returns:
        Infinite where the covariance of a pose does not exist, or the camera never moves.
    """
    frames = sorted(model.reg_image_ids())
    sigmas = pose_uncertainty(model)
    centers = np.array([model.image(frame).projection_center() for frame in frames])
    length = path_length(centers)
    if len(sigmas) < len(frames) or length == 0.0:
        return float("inf")
    sigma, path = compare_with_path([sigmas[frame].position for frame in frames], length, len(frames))
    return sigma / path


def _keep_determined(model: pycolmap.Reconstruction) -> pycolmap.Reconstruction:
    """The frames that see enough points of enough views: one that does not leaves all others without a covariance."""
    while True:
        for point_id in list(model.point3D_ids()):
            if model.point3D(point_id).track.length() < LEAST_VIEWS:
                model.delete_point3D(point_id)
        strong = [frame for frame in model.reg_image_ids() if model.image(frame).num_points3D >= LEAST_SEEN]
        if len(strong) == model.num_reg_images():
            return model
        model = subset(model, strong)


@quiet_colmap()
def _sigmas_of_window(window: Packed[pycolmap.Reconstruction]) -> dict[int, PoseSigma]:
    model = _keep_determined(window.unpack())
    frames = sorted(model.reg_image_ids())
    if len(frames) < _LEAST_FRAMES or model.num_points3D() < _LEAST_POINTS:
        return {}
    old_unit = 1.0 / model.normalize().scale
    covariance = _pose_covariance(model)
    if covariance is None:
        return {}
    known = [frame for frame in frames if covariance.get_cam_cov_from_world(frame) is not None]
    if len(known) < _LEAST_FRAMES:
        return {}
    joint = np.zeros((6 * len(known), 6 * len(known)))
    for row, one in enumerate(known):
        for column, other in enumerate(known[row:], start=row):
            block = (
                covariance.get_cam_cov_from_world(one)
                if one == other
                else covariance.get_cam_cross_cov_from_world(one, other)
            )
            joint[6 * row : 6 * row + 6, 6 * column : 6 * column + 6] = block
    if not np.isfinite(joint).all():
        return {}
    joint = np.triu(joint) + np.triu(joint, 1).T
    to_world, gauge = _to_world(model, known)
    joint = to_world @ joint @ to_world.T
    keep = np.eye(len(joint)) - gauge @ np.linalg.pinv(gauge)
    joint = keep @ joint @ keep.T
    sigma_px = measure_noise_px(model)
    unit = _extent(model, known) * old_unit
    sigmas = {}
    for row, frame in enumerate(known):
        turn = joint[6 * row : 6 * row + 3, 6 * row : 6 * row + 3]
        place = joint[6 * row + 3 : 6 * row + 6, 6 * row + 3 : 6 * row + 6]
        sigmas[frame] = PoseSigma(
            position=float(sigma_px * unit * _worst(place)), rotation_deg=float(np.degrees(sigma_px * _worst(turn)))
        )
    return sigmas


_LEAST_FRAMES = 3  # with fewer, all that a window knows is taken out with its similarity
LEAST_SEEN = 10  # points of a frame; three determine a pose where they lie well, and one registered by few had fifteen
_LEAST_POINTS = 30  # of a window, ten for each of its least frames. Set by hand.


def measure_noise_px(model: pycolmap.Reconstruction) -> float:
    """Standard deviation of an observation along x or y, from the reprojection error that the adjustment left.

    The mean distance of a 2D normal error from its middle is sqrt(pi / 2) sigma; poses and points took up some of it.
    """
    values = 2 * model.compute_num_observations()
    free = values - 6 * model.num_reg_images() - 3 * model.num_points3D()
    left = float(model.compute_mean_reprojection_error()) / np.sqrt(np.pi / 2)
    return left * float(np.sqrt(values / max(free, values / 10)))


def _pose_covariance(model: pycolmap.Reconstruction) -> pycolmap.BACovariance | None:
    config = pycolmap.BundleAdjustmentConfig()
    for frame in model.reg_image_ids():
        config.add_image(frame)
    # Points that are held would hold the shape of what they span too, and with it how a focal length bends the walk.
    config.fix_gauge(pycolmap.BundleAdjustmentGauge.UNSPECIFIED)
    setup = adjustment(model.num_reg_images(), RefineOptions())
    adjuster = pycolmap.create_default_ceres_bundle_adjuster(setup, config, model)
    wanted = pycolmap.BACovarianceOptions(params=pycolmap.BACovarianceOptionsParams.POSES)
    for wanted.damping in _DAMPINGS:
        covariance = pycolmap.estimate_ba_covariance(wanted, model, adjuster)
        if covariance is not None and _is_positive(covariance, model.reg_image_ids()):
            return covariance
    return None


def _is_positive(covariance: pycolmap.BACovariance, frames: Iterable[int]) -> bool:
    found = (covariance.get_cam_cov_from_world(frame) for frame in frames)
    return all(block is None or (np.isfinite(block).all() and (np.diag(block) > 0).all()) for block in found)


_DAMPINGS = (1e-6, 1e-5, 1e-4)
"""Added to the diagonal of the information of a model of COLMAP's usual extent, 10, at a noise of 1 px: the similarity
that nothing observes would leave no covariance. The least at which the arithmetic finds one: ten times more changed the
uncertainty of the paths of eight tours by less than 1 %, a hundred times more that of a dark home by 7."""


def _to_world(model: pycolmap.Reconstruction, frames: Sequence[int]) -> tuple[Array, Array]:
    """From COLMAP's tangent (rotation, translation of cam_from_world) to rotation and centre in the world; the gauge.

    Returns:
        (6F, 6F) to rows (rotation vector, centre / extent) per frame; (6F, 7) how these move when the whole world
        turns, shifts and grows.
    """
    unit = _extent(model, frames)
    matrices = [model.image(frame).cam_from_world().matrix() for frame in frames]
    centers = np.array([-matrix[:, :3].T @ matrix[:, 3] for matrix in matrices])
    middle = centers.mean(axis=0)
    to_world = np.zeros((6 * len(frames), 6 * len(frames)))
    gauge = np.zeros((6 * len(frames), 7))
    for row, (matrix, center) in enumerate(zip(matrices, centers, strict=True)):
        rotation, translation = matrix[:, :3], matrix[:, 3]
        turn, place = slice(6 * row, 6 * row + 3), slice(6 * row + 3, 6 * row + 6)
        to_world[turn, turn] = -_TANGENT * rotation.T
        to_world[place, turn] = -_TANGENT * rotation.T @ cross_matrices(translation) / unit
        to_world[place, place] = -rotation.T / unit
        from_middle = (center - middle) / unit
        gauge[turn, 0:3] = np.eye(3)
        gauge[place, 0:3] = -cross_matrices(from_middle)
        gauge[place, 3:6] = np.eye(3)
        gauge[place, 6] = from_middle
    return to_world, gauge


_TANGENT = 2.0  # COLMAP's tangent rotation is half the rotation vector (Ceres' quaternion manifold)


def _extent(model: pycolmap.Reconstruction, frames: Sequence[int]) -> float:
    """Root mean square distance of the centres from their middle; 1 where they coincide."""
    centers = np.array([model.image(frame).projection_center() for frame in frames])
    extent = float(np.sqrt(((centers - centers.mean(axis=0)) ** 2).sum(axis=1).mean()))
    return extent if extent > 0 else 1.0


def _worst(covariance: Array) -> float:
    """Standard deviation along the worst direction."""
    return float(np.sqrt(max(0.0, np.linalg.eigvalsh(covariance)[-1])))


_ENDS = 4  # first and last frames of a walk: so few hold no scale, and need none


@dataclass(frozen=True)
class Assessment:
    """What is known of the quality of one sub-model, in its own unit."""

    health: ModelHealth
    pose_sigma: Mapping[int, PoseSigma]


def assess(
    model: SubModel,
    tour_frames: Sequence[int],
    database_path: Path | None,
    attempts: Sequence[MergeAttempt] = (),
    fan_out: FanOut = map_here,
    check: ContradictionOptions = ContradictionOptions(),
) -> Assessment:
    """Measure one sub-model as it came from merging, among all frames of its tour.

    Without a database nothing is said of matches and loops; the merge log tells the scale drift between its parts.
    """
    reconstruction, frames = model.reconstruction, model.frames
    between = [frame for frame in tour_frames if frames[0] <= frame <= frames[-1]]
    checks = [] if database_path is None else check_pairs(reconstruction, database_path, check)
    visits = RevisitChecks({}, frozenset())
    if database_path is not None:
        visits = check_revisits(reconstruction, database_path, check)
    loops = visits.residuals_px
    inner = scale_sigmas(reconstruction)[_ENDS:-_ENDS]
    drifts = [  # of joins that became part of the model: it holds the frames that joined them
        attempt.scale_disagreement
        for attempt in attempts
        if attempt.verdict == "accepted"
        and attempt.scale_disagreement is not None
        and set(attempt.shared_frames).issubset(frames)
    ]
    health = ModelHealth(
        frames=len(frames),
        registered_share=len(frames) / max(1, len(between)),
        mean_track_length=float(reconstruction.compute_mean_track_length()),
        checked_pairs=len(checks),
        contradicting_pairs=sum(check.contradicts for check in checks),
        loop_pairs=len(loops),
        loop_residual_px=float(np.median(list(loops.values()))) if loops else None,
        contradicting_loops=len(visits.contradicting),
        scale_sigma=float(min(inner.max(), 1.0)) if len(inner) else None,
        scale_drift=max(drifts, default=None),
        contradicting_places=count_places(visits.contradicting),
    )
    return Assessment(health, pose_uncertainty(reconstruction, fan_out))

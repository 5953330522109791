"""`--poses`: sub-models from poses that the user brings: matches are triangulated, and checked to fit the poses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pycolmap

from recon.adjust.refine import MIN_ANGLE_DEG, RefineOptions, adjustment, remove_misfits
from recon.adjust.track_search import search_tracks
from recon.colmap.database import CAMERA_ID, list_verified_pairs, load_cache, open_database, read_matches_px
from recon.colmap.observations import read_pose
from recon.colmap.tasks import Packed, pack, quiet_colmap
from recon.findings import Finding
from recon.geometry import Array, Camera, Pose, Sim3
from recon.pose_sources.match import MatchedPoses
from recon.pose_sources.records import PoseSource, PoseSourceOptions
from recon.records import Clip, SubModel, frame_ranges
from recon.tasks import FanOut, fixed_threads, map_here
from recon.video.sampling import SampledTour

_FIT_TOLERANCE = 0.008
"""Of the longer side: 5 px of 640. Above what good poses of sensors cause (2 to 4 px), far below a wrong axis."""
_FIT_PAIRS = 200  # pairs looked at, spread over the tour
_GOOD_FIT = 0.7  # share of matches that fit, from which poses are believed without a word; see the next
_POOR_FIT = 0.4
"""Share of matches that fit: 0.9 and more for poses of a good sensor, 0.05 to 0.3 for wrong axes or times."""
_MAX_ERROR_PX = 4.0  # observations further off are removed; poses of sensors cause 1 to 2 px


@dataclass(frozen=True, eq=False)
class KnownPoseModel:
    """What known poses gave."""

    reconstruction: pycolmap.Reconstruction  # image id = frame index; every frame with a pose is registered
    fit: float | None  # share of the verified matches that agree with the poses; none without matches
    moved: float
    """RMS distance the camera centres were moved by refinement, in the unit of the poses; 0 if they were kept."""
    findings: tuple[Finding, ...]


def triangulate_known(
    database_path: Path,
    world_from_cam: Mapping[int, Pose],
    camera: Camera,
    *,
    label: str,
    refine_camera: bool = False,
    refine_poses: bool = False,
    seed: int = 0,
) -> KnownPoseModel:
    """Triangulate the verified matches between frames whose poses are known.

    Args:
        database_path: From `build_database`; it is only read, and its camera is not used.
        world_from_cam: Pose per frame index.
        camera: Of all frames.
        label: The source of the poses, for findings.
        refine_camera: The intrinsics are a guess: adjust them, poses kept.
        refine_poses: Adjust poses, points and intrinsics; the result is moved back onto the given camera centres as a
            whole (similarity), so that frame and unit stay.
        seed: Of random sampling.
    """
    with quiet_colmap(), fixed_threads():
        pycolmap.set_random_seed(seed)
        model = triangulate(database_path, world_from_cam, camera, seed)
        config = _choose_adjusted_parts(model, refine_camera or refine_poses, refine_poses)
        for _ in range(RefineOptions.search_rounds if model.num_points3D() else 0):
            _adjust_and_filter(model, config)
            search_tracks(model, database_path)
        _adjust_and_filter(model, config)
        moved = _move_back(model, world_from_cam) if refine_poses else 0.0
        final = {frame: read_pose(model, frame) for frame in model.reg_image_ids()}
        fit = pose_fit(database_path, final, Camera.from_colmap(model.camera(CAMERA_ID)))
    return KnownPoseModel(model, fit, moved, tuple(_findings(model, fit, label)))


def pose_fit(database_path: Path, world_from_cam: Mapping[int, Pose], camera: Camera) -> float | None:
    """Share of verified matches that agree with the poses: some point ahead of both cameras projects near both.

    Matching knows nothing of the poses, so wrong axes, times, names or intrinsics show here.
    """
    with open_database(database_path) as database:
        pairs = list_verified_pairs(database, world_from_cam)
        good = total = 0
        for first, second, count in pairs[:: max(1, len(pairs) // _FIT_PAIRS)]:
            one, two = read_matches_px(database, first, second)
            second_from_first = world_from_cam[second].inverse() @ world_from_cam[first]
            error_px = _match_error_px(second_from_first, camera, one, two)
            good += int((error_px <= _FIT_TOLERANCE * max(camera.width, camera.height)).sum())
            total += count
    return good / total if total else None


def _match_error_px(second_from_first: Pose, camera: Camera, first_px: Array, second_px: Array) -> Array:
    """How far (N,) the match lies from the nearest place in the second image that the poses allow.

    The place is the projection of the point where both rays pass each other closest, or of the first ray's far end.
    """
    far = camera.rays(first_px) @ second_from_first.rotation.T
    ray, shift = camera.rays(second_px), second_from_first.translation
    ff, fr, rr = (far * far).sum(axis=1), (far * ray).sum(axis=1), (ray * ray).sum(axis=1)
    fs, rs = far @ shift, ray @ shift
    parallel = ff * rr - fr**2
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = (fr * rs - rr * fs) / parallel
    near = np.where((np.isfinite(depth) & (depth > 0))[:, None], depth[:, None] * far + shift, far)
    errors = [np.linalg.norm(camera.project(points) - second_px, axis=1) for points in (near, far)]
    return np.fmin(np.nan_to_num(errors[0], nan=np.inf), np.nan_to_num(errors[1], nan=np.inf))


def triangulate(
    database_path: Path, world_from_cam: Mapping[int, Pose], camera: Camera, seed: int
) -> pycolmap.Reconstruction:
    """A model of exactly these poses, with every point that the database's verified matches give under them."""
    cache = load_cache(database_path, world_from_cam.keys())
    known, model = cache.camera(CAMERA_ID), pycolmap.Reconstruction()
    known.model = pycolmap.CameraModelId.__members__[camera.model]
    known.params = list(camera.params)
    mapper = pycolmap.IncrementalMapper(cache)
    mapper.begin_reconstruction(model)
    for frame, pose in world_from_cam.items():
        frame_id = model.image(frame).frame_id
        model.frame(frame_id).rig_from_world = pose.inverse().to_rigid3d()
        model.register_frame(frame_id)
    options = pycolmap.IncrementalTriangulatorOptions(min_angle=MIN_ANGLE_DEG, random_seed=seed)
    for frame in world_from_cam:
        mapper.triangulate_image(options, frame)
    mapper.complete_and_merge_tracks(options)
    mapper.retriangulate(options)
    mapper.end_reconstruction(False)
    return model


def _choose_adjusted_parts(
    model: pycolmap.Reconstruction, camera: bool, poses: bool
) -> pycolmap.BundleAdjustmentConfig:
    """What bundle adjustment may change besides the points."""
    config = pycolmap.BundleAdjustmentConfig()
    for frame in sorted(model.reg_image_ids()):
        config.add_image(frame)
        if not poses:
            config.set_constant_rig_from_world_pose(model.image(frame).frame_id)
    if not camera:
        config.set_constant_cam_intrinsics(CAMERA_ID)
    if poses:
        config.fix_gauge(pycolmap.BundleAdjustmentGauge.TWO_CAMS_FROM_WORLD)
    return config


def _adjust_and_filter(model: pycolmap.Reconstruction, config: pycolmap.BundleAdjustmentConfig) -> None:
    if model.num_points3D():
        setup = adjustment(model.num_reg_images(), RefineOptions())
        pycolmap.create_default_bundle_adjuster(setup, config, model).solve()
    remove_misfits(model, _MAX_ERROR_PX)


def _move_back(model: pycolmap.Reconstruction, world_from_cam: Mapping[int, Pose]) -> float:
    """Lay the model onto the given centres; returns the RMS of what is left."""
    given = np.array([world_from_cam[frame].center for frame in sorted(model.reg_image_ids())])
    centers = np.array([model.image(frame).projection_center() for frame in sorted(model.reg_image_ids())])
    try:
        given_from_model = Sim3.fit(given, centers)
    except ValueError:  # the camera stands still; there is nothing to align
        return 0.0
    model.transform(given_from_model.to_sim3d())
    return float(np.sqrt(((given_from_model @ centers - given) ** 2).sum(axis=1).mean()))


def _findings(model: pycolmap.Reconstruction, fit: float | None, label: str) -> list[Finding]:
    if fit is None:
        message = "no two frames with a pose share matches, so nothing was checked; are they of these pictures?"
        return [Finding("error", "poses.unchecked", label, message)]
    if fit < _GOOD_FIT:
        message = (
            f"{fit:.0%} of the matches of frames agree with the poses, {_GOOD_FIT:.0%} or more are expected; "
            "check camera axes (OpenCV: x right, y down, z forward), direction (camera to world), times and intrinsics"
        )
        return [Finding("error" if fit < _POOR_FIT else "warning", "poses.do_not_fit", label, message)]
    if model.num_points3D() == 0:
        message = "no point could be triangulated: the given poses hardly move; check their unit and their order"
        return [Finding("error", "poses.no_points", label, message)]
    return []


_SAME_MOMENT_S = 1e-3  # seconds: files round times to milliseconds
_ONE_LENS = 0.02  # relative range of the focal length up to which pictures were taken through one lens


def place_given_poses(
    matched: Sequence[tuple[PoseSource, MatchedPoses]],
    database_path: Path,
    sampled: SampledTour,
    clips: Sequence[Clip],
    options: PoseSourceOptions = PoseSourceOptions(),
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    fan_out: FanOut = map_here,
) -> tuple[list[SubModel], list[Finding]]:
    """One sub-model per world, with points from the tour's own matches, and what to say of it."""
    task = partial(_place, database_path, sampled, options, seed)
    sub_models: list[SubModel] = []
    findings: list[Finding] = []
    for (_, poses), (model, said) in zip(matched, fan_out(task, matched), strict=True):
        held = tuple(clip.name for clip in clips if not poses.world_from_cam.keys().isdisjoint(clip.frames))
        sub_models.append(SubModel(f"poses/{len(sub_models)}", held, model.unpack()))
        findings += said
        if progress is not None:
            progress(len(sub_models) / len(matched))
    registered = {frame for model in sub_models for frame in model.frames}
    missing = [frame for frame in sampled.frames if frame.index not in registered]
    if missing:
        severity = "warning" if len(missing) > 0.1 * len(sampled.frames) else "info"
        message = f"{len(missing)} of {len(sampled.frames)} frames have no pose in the source: {frame_ranges(missing)}"
        findings.append(Finding(severity, "poses.missing", "poses", message))
    return sub_models, findings


def _place(
    database_path: Path,
    sampled: SampledTour,
    options: PoseSourceOptions,
    seed: int,
    world: tuple[PoseSource, MatchedPoses],
) -> tuple[Packed[pycolmap.Reconstruction], list[Finding]]:
    """A task: the sub-model of one world, and what to say of it."""
    source, poses = world
    lens = options.lens or source.lens
    if lens is None:
        with open_database(database_path) as database:
            camera = Camera.from_colmap(database.read_camera(CAMERA_ID))
    else:
        frame, picture = sampled.frames[0], sampled.source
        sizes = (frame.width, frame.height), (picture.width, picture.height)
        camera = lens.camera_for(*sizes, source.label)
    label, moving = f"poses {Path(source.label).name}", options.refine
    placed = triangulate_known(
        database_path,
        poses.world_from_cam,
        camera,
        label=label,
        refine_camera=lens is None,
        refine_poses=moving,
        seed=seed,
    )
    said = _list_source_findings(source, poses, options, placed.moved)
    return pack(placed.reconstruction), [*said, *placed.findings]


def _list_source_findings(
    source: PoseSource, poses: MatchedPoses, options: PoseSourceOptions, moved: float
) -> list[Finding]:
    """What a user should know of the poses of one world."""
    where = f"poses {Path(source.label).name}"
    scale = "stated as metres" if options.metric else "of unknown scale (--pose-source.metric says that it is metres)"
    message = (
        f"{len(poses.world_from_cam)} frames take their pose from {source.format} {Path(source.label).name}, {scale}"
    )
    said = [Finding("info", "poses.given", where, message), *source.findings]
    if poses.every > 1:
        message = f"one pose per {poses.every} pictures of the tour is assumed: there are as many poses as that makes"
        said.append(Finding("info", "poses.every_nth", where, message))
    if poses.interpolated:
        message = f"{poses.interpolated} poses lie between two given ones at most {options.max_gap_s:g} s apart"
        said.append(Finding("info", "poses.interpolated", where, message))
    if poses.worst_s > _SAME_MOMENT_S:
        message = f"some frames take the pose of another moment, up to {poses.worst_s:.3f} s away"
        said.append(Finding("info", "poses.nearest", where, message))
    if options.lens is None and source.lens is None:
        message = "the source states no intrinsics, so they were estimated; better: give --pose-source.intrinsics"
        said.append(Finding("info", "poses.camera_guessed", where, message))
    elif options.lens is None and source.lens is not None and source.lens.spread > _ONE_LENS:
        message = f"the focal length varies by {source.lens.spread:.0%} over the pictures; the median is used for all"
        said.append(Finding("warning", "poses.lens_varies", where, message))
    if options.refine:
        centers = np.array([pose.center for pose in poses.world_from_cam.values()])
        steps = np.linalg.norm(np.diff(centers, axis=0), axis=1)
        typical = float(np.median(steps)) if len(steps) else 0.0
        share = f" ({moved / typical:.0%} of a typical step)" if typical > 0 else ""
        message = f"refinement moved the cameras by {moved:.4g} units RMS{share}"
        said.append(Finding("info", "poses.refined", where, message))
    return said

"""Make a mapped sub-model whole and straight: rescue frames, complete tracks, adjust with a robust loss, filter.

A walk of a minute has 40,000 points, most of them seen by two or three frames. They cost nearly all of the time of
bundle adjustment and hide the bend of a walk, because each of them gives way a little. Long tracks hold it straight, so
only the longest of every frame and of every pair of neighbours take part (`thin`); all other points are triangulated at
the end, with poses held still (`densify`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pycolmap
from numpy.typing import NDArray
from scipy.spatial import KDTree

from recon.adjust.track_search import search_tracks
from recon.colmap.database import load_cache
from recon.colmap.observations import NO_POINT, keypoints_by_frame
from recon.ranges import AtLeastOne, Count, NotNegative, Pixels, Rounds
from recon.tasks import THREADS_PER_TASK


def thin(model: pycolmap.Reconstruction, points_per_frame: int = 300, points_per_seam: int = 120) -> None:
    """Remove the shorter tracks of a model, in place; poses stay.

    The longest of each frame are kept (all for 0), and of those that two neighbouring frames share, so that no link of
    the walk gets weak.
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


MAX_ERROR_PX = 3.0  # observations and matches further off speak against a model: six times a keypoint's noise
MIN_ANGLE_DEG = 1.0  # points whose rays meet under a smaller angle have no depth
_AT_CAMERA = 0.01
"""Of the median distance between a point and the camera nearest to it, some centimetres in a home: nobody films things
so near, but wrong matches of a camera that turned on the spot meet in it. Of 19 models of bare rooms 15 had at most one
such point. Six pinned the cameras of a walk to one place, put it 1.08 % of its path off instead of 0.20, and left its
adjustment without a covariance."""
_MOST_AT_CAMERA = 0.1
"""Share of a frame's points from which they are no wrong matches: where all of a turn has no depth, its points shrink
into the camera together, by the thousand, and hold it where it is. Without these a made walk behind such a turn shrank
too, lost all its points, and was 34 % of the path off."""


def remove_misfits(model: pycolmap.Reconstruction, max_error_px: float = MAX_ERROR_PX) -> None:
    """Remove, in place, observations that lie off or behind the camera, and points without depth or in a camera."""
    observations = pycolmap.ObservationManager(model)
    observations.filter_all_points3D(max_error_px, MIN_ANGLE_DEG)
    observations.filter_observations_with_negative_depth()
    for point in find_at_cameras(model):
        model.delete_point3D(point)
    model.update_point_3d_errors()


def find_at_cameras(model: pycolmap.Reconstruction) -> list[int]:
    """Ids of the points that lie where a camera was while the frames that see them see others, in rising order."""
    points = sorted(model.point3D_ids())
    frames = model.reg_image_ids()
    if not points or not frames:
        return []
    xyz = np.array([model.point3D(point).xyz for point in points])
    away, _ = KDTree([model.image(frame).projection_center() for frame in frames]).query(xyz)
    seen_by = {
        points[row]: {element.image_id for element in model.point3D(points[row]).track.elements}
        for row in np.flatnonzero(away < _AT_CAMERA * np.median(away)).tolist()
    }
    counts = Counter(frame for seeing in seen_by.values() for frame in seeing)
    shrunk = {frame for frame, count in counts.items() if count > _MOST_AT_CAMERA * model.image(frame).num_points3D}
    return [point for point, seeing in seen_by.items() if not seeing & shrunk]


@dataclass(frozen=True, kw_only=True)
class RefineOptions:
    """Rounds of refinement and what they keep."""

    search_rounds: Rounds = 2
    """Times that points are looked for in more frames and all is adjusted again; each takes out bend, ever less."""
    loss_scale_px: Pixels = 1.0  # residuals above this count less and less (Cauchy)
    max_error_px: Pixels = MAX_ERROR_PX  # observations further off than this are removed
    principal_point_min_frames: Count = 50
    """The optical centre of phones lies several pixels off the middle; with fewer frames it cannot be determined."""
    max_iterations: AtLeastOne = 10
    """Of each adjustment; the next round goes on from there, and 30 cost three times as much for the same result."""
    least_gain: NotNegative = 3e-4
    """An adjustment ends before that when an iteration lowers its cost by less than this share. A thirtieth of it cost
    up to twice the time for the same result; three times it left up to half a centimetre of bend in ten models."""
    rescue_min_inliers: AtLeastOne = 12  # 3D points a left-out frame must agree with in the finished model
    max_views: AtLeastOne | None = None
    """Frames of each point that an adjustment asks, spread evenly over its track; all if None. Its cost grows with the
    square of a track's length, and long walks have tracks of 30 to 130 frames."""
    points_per_frame: Count = 150
    points_per_seam: Count = 60
    """The completed tracks that are adjusted. Twice as many cost twice the time for the same result; with 100 per frame
    a made walk stayed bent by half as much again."""


def until_convergence(options: RefineOptions) -> RefineOptions:
    """The same, with adjustments that go on until next to nothing is gained: for models of learned keypoints.

    What is bare holds its scale so weakly that an adjustment gains little at each step and much in all. A made room
    that was whole and 2.5 % of its path off came to 0.6 %, for one CPU-second more; with the usual end it stayed where
    it was, however many rounds followed.
    """
    return replace(
        options,
        max_iterations=max(options.max_iterations, _MANY_ITERATIONS),
        least_gain=min(options.least_gain, _LITTLE_GAIN),
    )


_MANY_ITERATIONS, _LITTLE_GAIN = 50, 1e-5  # of `until_convergence`


def refine(
    model: pycolmap.Reconstruction,
    database_path: Path,
    frames: Collection[int],
    options: RefineOptions = RefineOptions(),
    seed: int = 0,
) -> None:
    """Refine a model in place.

    Those of `frames` without a pose are tried again.
    """
    _complete(model, load_cache(database_path, frames), options, seed)
    thin(model, options.points_per_frame, options.points_per_seam)
    # Nothing is filtered before the first adjustment: what closes a loop does not fit until then. Long walks come out
    # the same without it, but a shot of six seconds was bent more often.
    # Only the last adjustment of a prolonged refinement goes on: each round continues from the one before.
    usual = replace(
        options,
        max_iterations=min(options.max_iterations, RefineOptions.max_iterations),
        least_gain=max(options.least_gain, RefineOptions.least_gain),
    )
    for left in range(options.search_rounds, -1, -1):
        adjust_and_filter(model, model.reg_image_ids(), usual if left else options)
        if left:
            search_tracks(model, database_path)


def _complete(model: pycolmap.Reconstruction, cache: pycolmap.DatabaseCache, options: RefineOptions, seed: int) -> None:
    """Rescue frames, then complete and merge tracks by the verified matches."""
    mapper = pycolmap.IncrementalMapper(cache)
    mapper.begin_reconstruction(model)
    mapping = pycolmap.IncrementalMapperOptions(
        num_threads=THREADS_PER_TASK, random_seed=seed, abs_pose_min_num_inliers=options.rescue_min_inliers
    )
    triangulation = pycolmap.IncrementalTriangulatorOptions(min_angle=MIN_ANGLE_DEG, random_seed=seed)
    is_waiting = True
    while is_waiting:  # as long as any left-out frame fits
        is_waiting = False
        for image in mapper.find_next_images(mapping, structure_less=False):
            if mapper.register_next_image(mapping, image):
                mapper.triangulate_image(triangulation, image)
                is_waiting = True
                break
    mapper.complete_and_merge_tracks(triangulation)
    mapper.retriangulate(triangulation)
    mapper.end_reconstruction(False)


def adjust_and_filter(
    model: pycolmap.Reconstruction, frames: Collection[int], options: RefineOptions = RefineOptions()
) -> None:
    """Adjust `frames` and the points only they see, in place, then remove observations that do not fit.

    The rest of the model, and the camera if there is a rest, is held still; so the cost does not grow with the model.
    """
    registered = set(model.reg_image_ids())
    config = pycolmap.BundleAdjustmentConfig()
    for frame in sorted(registered & set(frames)):
        config.add_image(frame)
    if registered <= set(frames):
        config.fix_gauge(pycolmap.BundleAdjustmentGauge.TWO_CAMS_FROM_WORLD)
    else:
        for camera_id in model.cameras:
            config.set_constant_cam_intrinsics(camera_id)
    setup = adjustment(len(registered), options)
    adjusted = model if options.max_views is None else shorten_tracks(model, options.max_views)
    pycolmap.create_default_bundle_adjuster(setup, config, adjusted).solve()
    if adjusted is not model:
        for camera in adjusted.cameras:
            model.camera(camera).params = adjusted.camera(camera).params.tolist()
        for frame in adjusted.reg_image_ids():
            model.frame(model.image(frame).frame_id).rig_from_world = adjusted.image(frame).cam_from_world()
        for point in adjusted.point3D_ids():
            model.point3D(point).xyz = adjusted.point3D(point).xyz
    remove_misfits(model, options.max_error_px)


def adjust_points(model: pycolmap.Reconstruction) -> None:
    """Move every point to where its observations want it, in place, while poses and cameras stand still."""
    config = pycolmap.BundleAdjustmentConfig()
    for point in sorted(model.point3D_ids()):
        config.add_variable_point(point)
    if model.num_points3D():
        setup = adjustment(model.num_reg_images(), RefineOptions(max_iterations=_POINT_ITERATIONS))
        pycolmap.create_default_bundle_adjuster(setup, config, model).solve()


_POINT_ITERATIONS = 5  # triangulated points lie near their best place


def adjustment(frames: int, options: RefineOptions) -> pycolmap.BundleAdjustmentOptions:
    """Bundle adjustment of all poses, points and the shared camera with a robust loss."""
    setup = pycolmap.BundleAdjustmentOptions(print_summary=False)
    setup.refine_principal_point = frames >= options.principal_point_min_frames
    setup.ceres.loss_function_type = pycolmap.LossFunctionType.CAUCHY
    setup.ceres.loss_function_scale = options.loss_scale_px
    setup.ceres.solver_options.max_num_iterations = options.max_iterations
    setup.ceres.solver_options.function_tolerance = options.least_gain
    setup.ceres.solver_options.num_threads = THREADS_PER_TASK
    # A walk sees only its neighbours, so its equations stay sparse at any length. From 1000 frames on, COLMAP would
    # turn to an iterative solver, which took five times as long on 1072 frames, for a worse result.
    setup.ceres.max_num_images_direct_sparse_cpu_solver = 1_000_000
    return setup


def densify(model: pycolmap.Reconstruction, database_path: Path, frames: Collection[int], seed: int = 0) -> None:
    """Triangulate every matched keypoint that has no point yet, in place.

    Poses and the camera stay as they are; the places of all points are adjusted to them.

    Matches of `frames` are used, all of the model's among them.
    """
    mapper = pycolmap.IncrementalMapper(load_cache(database_path, frames))
    mapper.begin_reconstruction(model)
    choice = pycolmap.IncrementalTriangulatorOptions(min_angle=MIN_ANGLE_DEG, random_seed=seed)
    for image in sorted(model.reg_image_ids()):
        mapper.triangulate_image(choice, image)
    # Each frame made tracks of its own with those after it; many are one point, and would pass for a tear (`torn`).
    mapper.complete_and_merge_tracks(choice)
    mapper.end_reconstruction(False)
    adjust_points(model)
    remove_misfits(model)

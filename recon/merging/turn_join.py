"""Join two models over a turn on the spot by the pictures alone, where no floor leads over it.

Nobody turns about the lens: the camera is held before the body and swings by some centimetres, and keypoints that are
good to a fraction of a pixel (`align`) see that. Mappers lose it all the same, for they take one frame after the other
and a wall shows the same whether the camera moved along it or turned a little more. So the turn is chained from the
bearings of keypoints, the side behind it is put there at several scales, and all is adjusted together. If the pictures
hold the scale, every start ends at the same one; if they do not, it stays where it was put, and nothing is joined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pycolmap

from recon.adjust.densify import DensifyOptions, densify
from recon.adjust.refine import RefineOptions, refine
from recon.colmap.database import copy_part, open_database
from recon.diagnosis.floor_height import FloorMask, heights_above_floor
from recon.diagnosis.scale_hold import scale_sigmas
from recon.geometry import Array, Camera, Pose, Sim3
from recon.mapping.floor_start import measure_turn
from recon.matching.align import align_keypoints
from recon.matching.interfaces import Keypoints, PairMatch
from recon.matching.turns import without_outvoted
from recon.ranges import Share
from recon.records import Frame, SubModel


@dataclass(frozen=True, kw_only=True)
class TurnJoinOptions:
    """When two models on both sides of a turn become one by what the pictures of the turn show."""

    max_spread: Share = 0.03
    """Highest over lowest scale, less 1, at which those end. Where pictures do not hold it they stay apart by tens of
    per cent."""
    max_height_off: Share = 0.25
    """By how much the camera's height above the floor may change over the turn, where both sides show a floor: the
    pictures may lose the scale from every start alike, but nobody grows."""
    max_scale_sigma: Share = 0.025
    """Standard deviation of the scale of either side against the other, at each step beside the turn. On two made walks
    below 0.02 where every start ended within 0.6 % of the walk, 0.02 to 0.04 where even the true walk shrank by a fifth
    as it was adjusted."""


@dataclass(frozen=True, eq=False)
class TurnJoin:
    """Both sides and the turn as one model."""

    model: pycolmap.Reconstruction
    spread: float
    """Highest over lowest scale at which the starts ended, less 1."""
    told_by: str
    """What told the scale, for people."""


def sharpen_part(database_path: Path, frames_dir: Path, frames: Sequence[Frame], part_path: Path) -> None:
    """Write a database of some frames with keypoints moved to where the pictures fit, and without look-alikes.

    Args:
        database_path: From `build_database` or `write_both_kinds`; only read.
        frames_dir: Pictures by the frames' names.
        frames: Of one shot, in time order.
        part_path: Must not exist.
    """
    indices = [frame.index for frame in frames]
    copy_part(database_path, indices, part_path)
    with open_database(part_path) as database:
        camera = Camera.from_colmap(database.read_all_cameras()[0])
        keypoints = {
            index: Keypoints(np.asarray(database.read_keypoints(index), np.float32)[:, :2], np.zeros((0, 0), np.uint8))
            for index in indices
        }
        ids, _ = database.read_two_view_geometry_num_inliers()
        pairs: dict[tuple[int, int], PairMatch] = {}
        for pair in map(pycolmap.pair_id_to_image_pair, ids):
            matches = database.read_two_view_geometry(*pair).inlier_matches
            if len(matches) >= _LEAST_MATCHES:
                pairs[pair] = PairMatch(matches, matches, None, None)
        kept, _ = without_outvoted(pairs, keypoints, camera)
        for pair in sorted(set(map(pycolmap.pair_id_to_image_pair, ids)) - set(kept)):
            database.delete_two_view_geometry(*pair)
        for index, found in align_keypoints(frames_dir, frames, keypoints, kept).items():
            database.update_keypoints(index, found.xy)


_LEAST_MATCHES = 50
"""Of two frames whose matches are used: on a made turn all wrong pairs but one had fewer, neighbours had hundreds."""


def join_over_turn(
    before: SubModel,
    after: SubModel,
    part_path: Path,
    floors: Mapping[int, FloorMask],
    times_s: Mapping[int, float],
    options: TurnJoinOptions = TurnJoinOptions(),
    dense: DensifyOptions = DensifyOptions(),
    seed: int = 0,
) -> TurnJoin | str:
    """Both models and the frames between them as one.

    Args:
        before: Its frames come before those of the other.
        after: Of the same shot.
        part_path: From `sharpen_part`, with all frames of both and between them.
        floors: Where pictures show the floor, for a likely scale; may be empty.
        times_s: Of all frames.
        options: What is asked.
        dense: Which points are triangulated.
        seed: Of random sampling.

    Returns:
        Why there is none, where there is none.
    """
    first_poses, second_poses = _poses(before), _poses(after)
    last, first = before.frames[-1], after.frames[0]
    larger = max((before, after), key=lambda model: len(model.frames))
    camera = next(iter(larger.reconstruction.cameras.values()))
    turned = _chain_turns(part_path, first_poses[last].rotation, range(last, first + 1), Camera.from_colmap(camera))
    if isinstance(turned, int):
        return f"too few matches tell how the camera turned from frame {turned} to the next"
    likely, by_height, arm = _likely_scale(before, after, floors, times_s)
    ended: list[tuple[float, pycolmap.Reconstruction]] = []
    for start in _STARTS:
        poses = _lay_out(first_poses, second_poses, turned, likely * start, arm)
        model = _adjust(part_path, poses, (first_poses, second_poses), camera, dense, seed)
        if model.num_reg_images() < len(poses):
            return "frames were lost when all was adjusted together"
        ended.append((_scale_of(second_poses, model) / _scale_of(first_poses, model), model))
    ended.sort(key=lambda one: one[0])
    spread = ended[-1][0] / ended[0][0] - 1.0
    if spread > options.max_spread:
        return (
            f"adjusted from {len(ended)} scales, the side behind the turn ends at scales that differ by {spread:.0%}, "
            f"allowed {options.max_spread:.0%}"
        )
    off = float(np.exp(np.abs(np.log([scale / likely for scale, _ in ended])).max())) - 1.0
    if by_height and off > options.max_height_off:
        return (
            f"the camera's height above the floor would change by {off:.0%} over the turn, allowed "
            f"{options.max_height_off:.0%}"
        )
    sigma = _sigma_beside(best := min((model for _, model in ended), key=_residual), last, first)
    if sigma > options.max_scale_sigma:
        return f"the scale is known to {sigma:.1%} only at a step of the turn, allowed {options.max_scale_sigma:.1%}"
    told_by = (
        f"scale by what their pictures see move as the camera turns: adjusted from {len(ended)} scales, "
        f"{_STARTS[0]:g} to {_STARTS[-1]:g} of the likely one, it ended at the same within {spread:.1%}"
    )
    return TurnJoin(best, spread, told_by)


_STARTS = (0.6, 1.6)
"""Scales of the second side, over the likely one, from which the adjustment sets out: either side of it, and further
than camera heights and paces differ."""


def _residual(model: pycolmap.Reconstruction) -> float:
    return model.compute_mean_reprojection_error()


def _sigma_beside(model: pycolmap.Reconstruction, last: int, first: int) -> float:
    """The largest standard deviation of the log scale between the two sides of a step near the turn."""
    frames = sorted(model.reg_image_ids())
    sigmas = scale_sigmas(model)
    beside = [
        float(sigmas[place])
        for place in range(_ENDS, len(sigmas) - _ENDS)
        if last - _BESIDE <= frames[place] <= first + _BESIDE
    ]
    return max(beside, default=np.inf)


_BESIDE, _ENDS = 6, 3
"""Frames on either side of the gap that belong to the turn, and steps at the ends of a walk, which nothing holds."""
_ARM_S = 0.2
"""Seconds of the walk that the camera is held before the axis of the body: some 15 cm. Only a start."""


def _poses(model: SubModel) -> dict[int, Pose]:
    """World_from_cam."""
    return {
        frame: Pose.from_rigid3d(model.reconstruction.image(frame).cam_from_world()).inverse() for frame in model.frames
    }


def _chain_turns(part_path: Path, rotation: Array, frames: Sequence[int], camera: Camera) -> dict[int, Array] | int:
    """World_from_cam rotations of frames that follow the first, or the frame from which no turn is known."""
    turned = {frames[0]: rotation}
    with open_database(part_path) as database:
        for one, other in pairwise(frames):
            told = measure_turn(database, one, other, camera)
            if told is None:
                return one
            turned[other] = turned[one] @ told.first_from_second
    return turned


def _likely_scale(
    before: SubModel, after: SubModel, floors: Mapping[int, FloorMask], times_s: Mapping[int, float]
) -> tuple[float, bool, float]:
    """Of the second side over the first, whether by the camera's height or else the pace, and the arm in the first."""
    paces = [_pace(model, times_s) for model in (before, after)]
    heights = [heights_above_floor(model.reconstruction, floors) for model in (before, after)] if floors else [{}, {}]
    known = [float(np.median(list(found.values()))) for found in heights if found]
    one, other = known if len(known) == 2 else paces
    return one / other, len(known) == 2, _ARM_S * paces[0]


def _pace(model: SubModel, times_s: Mapping[int, float]) -> float:
    """Units per second where the camera walks: the upper quartile."""
    poses = _poses(model)
    steps = [
        np.linalg.norm(poses[b].center - poses[a].center) / max(times_s[b] - times_s[a], 1e-6)
        for a, b in pairwise(model.frames)
    ]
    return max(float(np.percentile(steps, 75)), 1e-9)


def _lay_out(
    first: Mapping[int, Pose], second: Mapping[int, Pose], turned: Mapping[int, Array], scale: float, arm: float
) -> dict[int, Pose]:
    """Poses of both sides and of the turn: the camera swings about the body, `arm` behind it."""
    last, begin = min(turned), max(turned)
    axis = first[last].center - arm * turned[last][:, 2]
    between = {frame: Pose(rotation, axis + arm * rotation[:, 2]) for frame, rotation in turned.items()}
    rotation = turned[begin] @ second[begin].rotation.T
    moved = Sim3(scale, rotation, between[begin].center - scale * rotation @ second[begin].center)
    return {**first, **between, **{frame: moved.move_camera(pose) for frame, pose in second.items()}}


def _adjust(
    part_path: Path,
    poses: Mapping[int, Pose],
    sides: tuple[Mapping[int, Pose], Mapping[int, Pose]],
    camera: pycolmap.Camera,
    dense: DensifyOptions,
    seed: int,
) -> pycolmap.Reconstruction:
    """A model of the frames at these poses, with every point that they triangulate, adjusted until its sides rest."""
    model = pycolmap.Reconstruction()
    model.add_camera_with_trivial_rig(pycolmap.Camera(camera.todict()))
    with open_database(part_path) as database:
        for frame in sorted(poses):
            xy = np.asarray(database.read_keypoints(frame), np.float64)[:, :2]
            name = database.read_image(frame).name
            image = pycolmap.Image(name=name, keypoints=xy, camera_id=camera.camera_id, image_id=frame)
            model.add_image_with_trivial_frame(image, poses[frame].inverse().to_rigid3d())
    last = 1e-9
    for _ in range(_MOST_ROUNDS):
        densify(model, part_path, sorted(poses), dense, seed)
        if not model.num_points3D():
            return model  # nothing to adjust: it stays where it was put
        refine(model, part_path, sorted(poses), _REFINE, seed)
        scale = _scale_of(sides[1], model) / _scale_of(sides[0], model)
        if abs(np.log(scale / last)) < _SETTLED:
            break
        last = scale
    densify(model, part_path, sorted(poses), dense, seed)
    return model


_MOST_ROUNDS, _SETTLED = 5, 0.005
"""Of adjustments, and the change of the scale by which another is not worth it: the points that the first start placed
wrongly hold it back until they are triangulated again."""
_REFINE = RefineOptions(search_rounds=0, max_iterations=40, least_gain=1e-5)
"""Scale moves slowly: with the usual 10 iterations it stays where it was put."""


def _scale_of(poses: Mapping[int, Pose], model: pycolmap.Reconstruction) -> float:
    """Of a model against a part of it."""
    frames = sorted(poses)
    there = [model.image(frame).projection_center() for frame in frames]
    return Sim3.fit(there, [poses[frame].center for frame in frames]).scale

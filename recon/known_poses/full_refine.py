"""A last refinement of a model's poses at the full resolution of its pictures.

Mapping looks for keypoints in shrunk pictures (`Sift.picture_side`), because the finest detail of a
compressed video differs from frame to frame; of clean pictures it is the most exact. Here the frames of a finished
model are matched once more, with more keypoints at full size, triangulated under the model's poses and adjusted to the
end, all points at once. The model keeps its keypoints, which the database knows, and takes over poses and camera.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pycolmap

from recon.adjust.refine import RefineOptions, adjust_and_filter, adjust_points, take_over_poses
from recon.colmap.log import quiet_colmap
from recon.colmap.poses import read_pose
from recon.geometry import Camera, Sim3, path_length
from recon.known_poses.triangulate import triangulate
from recon.matching.features import build_database
from recon.matching.sift import Sift
from recon.records import Clip, Frame, SubModel
from recon.tasks import FanOut, fixed_threads, map_here
from recon.video.picture import Image

_FEATURES = Sift(max_features=4000, enough=4000, picture_side=4320, contrast_threshold=0.02)
"""Keypoints of the pictures as they are. Weak ones are left out: there are enough, and they are less exact."""
_ROUNDS_PX = (4.0, 2.0, 1.0)  # error up to which observations stay after each adjustment of everything
_ADJUST = RefineOptions(loss_scale_px=0.5, max_iterations=50, least_gain=1e-7)
"""Each adjustment goes on until nothing is gained: the last thousandth of the cost is the last centimetre."""
_MIN_POINTS = 100
"""Points an average frame must see at full resolution, as many as in a textured room; else poses are kept."""
_MAX_MOVE = 0.02
"""How far a camera may move, over the length of the walk. Refinement takes out fractions of that; what moves further
was matched wrongly."""


@dataclass(frozen=True, eq=False)
class FullyRefined:
    """What became of one model."""

    model: SubModel  # with new poses, or the one given
    moved: float  # RMS distance by which the cameras moved, over the length of the walk; 0 if they did not
    reason: str  # why the poses were kept as they were; empty if they were not


def refine_fully(
    model: SubModel,
    frames_dir: Path,
    frames: Sequence[Frame],
    work_dir: Path,
    seed: int = 0,
    mask: Image | None = None,
    fan_out: FanOut = map_here,
) -> FullyRefined:
    """Refine the poses and the camera of a finished model by keypoints at full resolution.

    Place and unit of the model stay: it is laid back onto its former camera centres as a whole.

    Args:
        model: Never modified.
        frames_dir: The frames' pictures.
        frames: Of the tour, in time order.
        work_dir: Folder for a database, which is removed again.
        seed: Of random sampling.
        mask: (H, W), 0 where no frame may have a keypoint.
        fan_out: Gives out frames and pairs of frames.

    Raises:
        ReconError: If a picture cannot be read or has another size than its frame says.
    """
    own = set(model.frames)
    used = [frame for frame in frames if frame.index in own]
    database_path = work_dir / "full.db"
    clip = Clip("full", used[0].shot, tuple(frame.index for frame in used))
    build_database(frames_dir, used, [clip], database_path, seed=seed, mask=mask, fan_out=fan_out, features=_FEATURES)
    poses = {frame: read_pose(model.reconstruction, frame) for frame in model.frames}
    camera = Camera.from_colmap(next(iter(model.reconstruction.cameras.values())))
    with quiet_colmap(), fixed_threads():
        exact = triangulate(database_path, poses, camera, seed)
        database_path.unlink()
        for max_error_px in _ROUNDS_PX:
            if exact.num_points3D():
                adjust_and_filter(exact, exact.reg_image_ids(), replace(_ADJUST, max_error_px=max_error_px))
    seen = float(exact.compute_mean_observations_per_reg_image())
    if seen < _MIN_POINTS:
        reason = f"at full resolution an average frame sees {seen:.0f} points, need {_MIN_POINTS}"
        return FullyRefined(model, 0.0, reason)
    given = np.array([poses[frame].center for frame in model.frames])
    centers = np.array([read_pose(exact, frame).center for frame in model.frames])
    try:
        back = Sim3.fit(given, centers)
    except ValueError:  # not a number, or all at one place
        return FullyRefined(model, 0.0, "the refined cameras have no extent")
    off = np.linalg.norm(back @ centers - given, axis=1) / path_length(given)
    if not off.max() <= _MAX_MOVE:
        return FullyRefined(model, 0.0, f"a camera would move by {off.max():.1%} of the walk, allowed {_MAX_MOVE:.0%}")
    exact.transform(back.to_sim3d())
    return FullyRefined(replace(model, reconstruction=_with_poses(model, exact)), float(np.sqrt((off**2).mean())), "")


def _with_poses(model: SubModel, exact: pycolmap.Reconstruction) -> pycolmap.Reconstruction:
    """A copy with the poses and the camera of the exact model, its points moved to where they see them."""
    made = pycolmap.Reconstruction(model.reconstruction)
    take_over_poses(made, exact)
    adjust_points(made)
    pycolmap.ObservationManager(made).filter_observations_with_negative_depth()
    made.update_point_3d_errors()
    return made

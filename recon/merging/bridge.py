"""Find the relative pose of two models from matches alone, where they share no frame: another shot, or a gap in time.

Frames of each are placed in the other by the verified matches of the database: a keypoint that matches one with a 3D
point gets that point, and the pose follows (PnP with RANSAC). Each placed frame is then like a shared frame and gives a
whole similarity. Nothing but look tells that the two show the same place, so the thresholds are stricter than for
shared frames, and several frames must say the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pycolmap

from recon.colmap.database import open_database
from recon.colmap.fuse import Alignment, SharedView, align_views, apart, read_pairs_across
from recon.geometry import Pose
from recon.matching.interfaces import LEAST_MATCHES
from recon.records import SubModel

MIN_FRAME_INLIERS = 2 * LEAST_MATCHES
"""3D points of the other model that a placed frame must agree with, and matches of a pair that counts: twice what a
neighbour needs."""
_MIN_FRAME_INLIER_RATIO = 0.5  # share of its matched points that one pose explains; look-alikes stay below
_MAX_ERROR_PX = 4.0  # reprojection error that still counts as agreement
LEAST_SHARED = 4  # shared or placed frames that must agree on one similarity; the paper joins over more than 3
_MOST_FRAMES = 24  # frames that are placed, those with most matches; more add nothing new
_MIN_AGREEING = 0.6  # share of the placed frames that must agree
MAX_TURN_DEG = 3.0  # angle by which an agreeing frame may be off
MAX_MOVE_DEPTHS = 0.05  # distance by which an agreeing frame may be off, over the median depth
_MAX_DEPTH_SPREAD = 0.2
"""Typical deviation of a common point's relative depth: points that only happen to fit have none in common."""


@dataclass(frozen=True)
class Bridge:
    """The relative pose and scale of two models."""

    alignment: Alignment
    frames: tuple[int, ...]  # placed frames that agree, of either model


@dataclass(frozen=True, eq=False)
class Side:
    """A model, or a part of it, as one side of a bridge."""

    model: SubModel
    part: frozenset[int] | None = None
    """The only frames that count, and with them the points that two of them see; all if not given."""

    @cached_property
    def frames(self) -> frozenset[int]:
        """Frames that count."""
        return frozenset(self.model.frames) if self.part is None else self.part

    def tells(self, point_id: int) -> bool:
        """Whether the side itself knows where a point is."""
        if self.part is None:
            return True
        track = self.model.reconstruction.point3D(point_id).track
        return len({element.image_id for element in track.elements} & self.part) > 1


def find_bridge(
    first: Side, second: Side, database_path: Path, seed: int = 0, most_frames: int = _MOST_FRAMES
) -> Bridge | None:
    """Find the similarity that most frames placed by matches agree on.

    The first model gives the frame and unit; frames that are on both sides do not speak.

    Returns:
        None if too few frames can be placed or they do not agree.
    """
    views: list[SharedView] = []
    with open_database(database_path) as database:
        for frame, others in _find_matched_frames(first, second, database, most_frames).items():
            views += _place_frame(frame, others, first, second, database, seed)
    for _ in range(_ROUNDS):
        if len(views) < LEAST_SHARED or (alignment := align_views(views)) is None:
            return None
        offs = [apart(view, alignment.first_from_second) for view in views]
        agreeing = [
            view
            for view, (move, turn_deg) in zip(views, offs, strict=True)
            if move <= MAX_MOVE_DEPTHS * alignment.depth and turn_deg <= MAX_TURN_DEG
        ]
        if len(agreeing) < max(LEAST_SHARED, _MIN_AGREEING * len(views)):
            return None
        if len(agreeing) == len(views):
            break
        views = agreeing
    final = align_views(views)
    if final is None or final.depth_spread > _MAX_DEPTH_SPREAD:
        return None
    return Bridge(final, tuple(sorted(view.frame for view in views)))


_ROUNDS = 3  # leaving out who disagrees; the shares are asked again each time


def _find_matched_frames(
    first: Side, second: Side, database: pycolmap.Database, most_frames: int
) -> dict[int, list[int]]:
    """Frames of either model with the frames of the other that they match well; the best matched if there are many."""
    partners: dict[int, list[int]] = defaultdict(list)
    matched: Counter[int] = Counter()
    for a, b, count in read_pairs_across(database, first.frames, second.frames):
        if count >= MIN_FRAME_INLIERS:
            partners[a].append(b)
            partners[b].append(a)
            matched.update({a: count, b: count})
    best = sorted(partners, key=lambda frame: (-matched[frame], frame))[:most_frames]
    return {frame: partners[frame] for frame in sorted(best)}


def _place_frame(
    frame: int, others: Iterable[int], first: Side, second: Side, database: pycolmap.Database, seed: int
) -> list[SharedView]:
    """The frame as a shared view, if the other model's points place it."""
    own, other = (second, first) if frame in second.frames else (first, second)
    points = _points_by_keypoint(frame, others, other, database)
    if len(points) < MIN_FRAME_INLIERS:
        return []
    own_model, other_model = own.model.reconstruction, other.model.reconstruction
    image = own_model.image(frame)
    keypoints = sorted(points)
    estimation = pycolmap.AbsolutePoseEstimationOptions()
    estimation.ransac.max_error = _MAX_ERROR_PX
    estimation.ransac.random_seed = seed
    found = pycolmap.estimate_and_refine_absolute_pose(
        np.array([image.point2D(keypoint).xy for keypoint in keypoints]),
        np.array([other_model.point3D(points[keypoint]).xyz for keypoint in keypoints]),
        own_model.camera(image.camera_id),
        estimation,
    )
    if found is None:
        return []
    inliers = [keypoint for keypoint, kept in zip(keypoints, found["inlier_mask"], strict=True) if kept]
    if len(inliers) < max(MIN_FRAME_INLIERS, _MIN_FRAME_INLIER_RATIO * len(keypoints)):
        return []
    pose_other = Pose.from_rigid3d(found["cam_from_world"])
    pose_own = Pose.from_rigid3d(image.cam_from_world())
    depths = []
    for keypoint in inliers:
        seen = image.point2D(keypoint)
        if seen.has_point3D() and own.tells(seen.point3D_id):
            seen_own = (pose_own @ own_model.point3D(seen.point3D_id).xyz)[2]
            seen_other = (pose_other @ other_model.point3D(points[keypoint]).xyz)[2]
            if min(seen_own, seen_other) > 0:
                depths.append((seen_other, seen_own) if other is first else (seen_own, seen_other))
    poses = (pose_other.inverse(), pose_own.inverse())
    in_first, in_second = poses if other is first else poses[::-1]
    return [SharedView(frame, in_first, in_second, np.array(depths).reshape(-1, 2))]


def _points_by_keypoint(frame: int, others: Iterable[int], side: Side, database: pycolmap.Database) -> dict[int, int]:
    """The side's point that most matches give to each keypoint of the frame."""
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    for other in others:
        matches = database.read_two_view_geometry(frame, other).inlier_matches
        image = side.model.reconstruction.image(other)
        for own, theirs in matches.tolist():
            point2D = image.point2D(theirs)
            if point2D.has_point3D():
                votes[own][point2D.point3D_id] += 1
    voted = {keypoint: counted.most_common(1)[0][0] for keypoint, counted in votes.items()}
    return {keypoint: point for keypoint, point in voted.items() if side.tells(point)}

"""Models without parallax: the camera stood or only turned, or its pictures show planes that do not hold a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pycolmap

from recon.audit.parallax_share import find_moving, parallax_share, parallax_share_of
from recon.audit.pose_uncertainty import measure_path_sigma
from recon.audit.verdict import LEAST_FRAMES, Verdict
from recon.planes import find_planes

LEAST_SHARE = 0.2
"""Of its matches, in a median frame, that no homography explains; below it the camera stood or only turned, or each
frame shows one plane. On walks past furniture 0.28 and more, through empty rooms 0.05 to 0.29, standing before moving
people 0.13, turning 0.05."""
_MOVING_SHARE = 0.9
"""Of the frames of a model that its pictures determine, taken from elsewhere than a partner: it walks nearly always."""
_LEAST_OFF_PLANE = 0.3
"""Share of its points off the plane that most lie on. A walk along one wall has 0.00, and was 1.1 % of its path off;
walks in rooms have 0.54 to 0.81."""
_ONE_PLANE = 0.05
"""Share of its points off one plane, below which a model shows no room whatever its matches say: two thirds of those of
a page of text that scrolls by fit no homography, because one word is taken for another, and its model had 0.00."""
_MOST_SIGMA = 0.0003
"""Uncertainty of its positions over its path. 14 clips of a walk through made rooms: at most 0.0002, and at most 0.09 %
off; five bare walks: 0.00035 to 0.003, and 0.1 to 9 % off."""
_NEAR = 0.02
"""Distance from a plane that still counts as on it, as a share of the median distance of points from the walk.
Set by hand."""


def judge_parallax(model: pycolmap.Reconstruction, database_path: Path) -> Verdict:
    """Whether the camera of a model moved past more than one plane, or stood or only turned.

    Two frames of a walk through an empty room share one wall, and no pair of them shows parallax; but the walls hold
    the walk together where they meet. Such a model is kept if its frames were taken from different places, its points
    lie on several planes, and they determine its poses.
    """
    share = parallax_share(model, database_path)
    is_one_plane = measure_off_plane(model) < _ONE_PLANE
    frames = sorted(model.reg_image_ids())
    ends = min(frames, default=0), max(frames, default=0)
    words = f"{share:.1%} of the matches show parallax"
    moves = Verdict(True, "parallax", share, LEAST_SHARE, ends, words)
    if share >= LEAST_SHARE and not is_one_plane:
        return moves
    moving = find_moving(frames, database_path)
    if len(moving) >= _MOVING_SHARE * len(frames) and _is_determined(model):
        return moves
    why = "the camera stands still or only turns, so walk while filming"
    if len(moving) >= LEAST_FRAMES:
        why = "the camera moves past one bare wall or floor at a time, which does not hold a path; film past corners"
    shows = f"only {words}, need {LEAST_SHARE:.0%}"
    if is_one_plane:
        shows = "all its points lie on one plane, such as a wall, a page or a screen"
    return replace(moves, ok=False, words=f"{shows}; {why}")


def _is_determined(model: pycolmap.Reconstruction) -> bool:
    """Whether points on several planes hold every pose of a model far better than a path has to be known."""
    return measure_off_plane(model) >= _LEAST_OFF_PLANE and measure_path_sigma(model) <= _MOST_SIGMA


def is_standing(frames: Sequence[int], database_path: Path, was_dropped: bool) -> bool:
    """Whether a clip without a model was filmed from one place."""
    share = parallax_share_of(frames, database_path)
    if not was_dropped and (share is None or share >= LEAST_SHARE):
        return False
    return len(find_moving(frames, database_path)) < LEAST_FRAMES


def measure_off_plane(model: pycolmap.Reconstruction) -> float:
    """Share of the points of a model that lie off the plane that most lie on, 0 to 1.

    A made walk along one wall: 0.00; walks in rooms whose every pair of frames shows one wall only: 0.54 to 0.81.

    Points of two views are not asked, for some have no depth.
    """
    xyz = np.array([point.xyz for point in model.points3D.values() if point.track.length() > 2]).reshape(-1, 3)
    if len(xyz) < 4:
        return 0.0
    centers = np.array([model.image(frame).projection_center() for frame in sorted(model.reg_image_ids())])
    reach = _NEAR * float(np.median(np.linalg.norm(xyz - centers.mean(axis=0), axis=1)))
    planes = find_planes(xyz, reach, is_wanted=lambda normals: np.ones(len(normals), bool), most=1)
    return float(np.mean([np.abs(xyz @ plane.normal - plane.offset) > reach for plane in planes])) if planes else 1.0

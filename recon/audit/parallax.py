"""How much of what frames have in common shows that the camera moved, asked of the matches and not of the model.

A model's own depths cannot tell: of a camera that stands still before moving children a mapper makes a scene with
depth, its camera moving by 6 % of it. Two pictures from one place, turned or not, are related by one homography,
whatever the focal length; what of their matches it leaves unexplained is parallax, or moved by itself.

But so are two pictures of one plane, wherever they were taken, and a walk along bare walls shows little else. What
tells it from standing is the homography: that of two places is no turn, and most bearings stay off the best turn of
all. A focal length that is wrong does the same to a camera that turns, so the most favourable one of many is asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pycolmap

from recon.audit.pose_uncertainty import measure_path_sigma
from recon.audit.verdict import LEAST_FRAMES, Verdict
from recon.colmap.database import CAMERA_ID, list_verified_pairs, open_database, read_matches_px
from recon.geometry import Array
from recon.matching.pair_filter import fit_turn, share_bearings
from recon.planes import find_planes

_NOISE = 0.005
"""Of the longer side: 3 pixels of 640. Keypoints are good to half a pixel; a rolling shutter bends a turn by two."""
_LEAST_MATCHES = 30  # verified matches of a pair whose share means something: with 30, one match is 3 %
_LEAST_FRAMES = 10  # of which something is said; in a second or two of a walk little moves
_FRAMES_ASKED = 40  # spread over all; each costs up to three homographies. Set by hand.
_PARTNERS = 3  # of each frame, those furthest away in time: most had time to move
_OFF_TURN_DEG = 0.5
"""Median angle by which the bearings of two frames are off their turn, from which the camera moved between them. On
walks 0.5 to 4.4 in nine frames of ten; of one who stands 0.1 to 0.2, of pans in made homes 0.1 to 0.4."""
_FOCALS = np.geomspace(0.5, 2.0, 9)
"""Times the focal length of the database, where no pairs have voted for it: phones lie within."""


def parallax_share(model: pycolmap.Reconstruction, database_path: Path) -> float:
    """Median over frames of the share of a frame's matches that no homography explains, with its best partner, 0 to 1.

    On walks 0.28 to 0.55; of a camera that stands before jumping children 0.13; turning on the spot below 0.05; on a
    walk towards a bare wall 0.1.

    Returns:
        0 where no frame has a partner with enough matches.
    """
    shares, _ = _shares(sorted(model.reg_image_ids()), database_path)
    return float(np.median(shares)) if shares else 0.0


def parallax_share_of(frames: Iterable[int], database_path: Path) -> float | None:
    """The same of frames that no model holds.

    Returns:
        None where nothing can be said: of fewer than 10 frames, for in a second or two of a walk little moves, or if
        fewer than half of them have a partner with enough matches.
    """
    wanted = sorted(frames)
    shares, with_partner = _shares(wanted, database_path)
    return float(np.median(shares)) if len(wanted) >= _LEAST_FRAMES and 2 * with_partner >= len(wanted) else None


def find_moving(frames: Iterable[int], database_path: Path) -> list[int]:
    """Those of the frames that were taken from another place than one of their partners, by most of their matches.

    Planes count too. Every frame is asked: a walk may be short beside a long turn on the spot.
    """
    with open_database(database_path) as database:
        camera = database.read_camera(CAMERA_ID)
        middle, focal_px = np.array([camera.principal_point_x, camera.principal_point_y]), camera.mean_focal_length()
        focals_px = focal_px * (np.ones(1) if camera.has_prior_focal_length else _FOCALS)
        partners = {frame: pairs for frame, pairs in _find_partners(database, sorted(frames)).items() if pairs}
        off = [
            np.max([_off_turn_deg(*read_matches_px(database, *pair), middle, focals_px) for pair in pairs], axis=0)
            for pairs in partners.values()
        ]
    if not off:
        return []
    moves = np.array(off) >= _OFF_TURN_DEG
    fewest = moves[:, int(np.argmin(moves.sum(axis=0)))]
    return [frame for frame, has_moved in zip(partners, fewest.tolist(), strict=True) if has_moved]


def _find_partners(database: pycolmap.Database, frames: Sequence[int]) -> dict[int, list[tuple[int, int]]]:
    """Per frame its pairs with the furthest frames that share enough; an empty list where it has none."""
    partners: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for first, second, count in list_verified_pairs(database, frames):
        if count >= _LEAST_MATCHES:
            for frame in (first, second):
                partners[frame].append((first, second))
    return {
        frame: sorted(partners[frame], key=lambda pair: (pair[1] - pair[0], pair), reverse=True)[:_PARTNERS]
        for frame in frames
    }


def _shares(frames: Sequence[int], database_path: Path) -> tuple[list[float], int]:
    """The share of each frame asked that has a partner, and how many frames have one."""
    with open_database(database_path) as database:
        partners = _find_partners(database, frames)
        noise_px = _NOISE * max((max(camera.width, camera.height) for camera in database.read_all_cameras()), default=0)
        shares = [
            max(_measure_unexplained(*read_matches_px(database, *pair), noise_px) for pair in partners[frame])
            for frame in frames[:: max(1, len(frames) // _FRAMES_ASKED)]
            if partners[frame]
        ]
    return shares, sum(map(bool, partners.values()))


def _measure_unexplained(one: Array, other: Array, noise_px: float) -> float:
    """Share of the matches of two frames that their best homography leaves."""
    found, agree = cv2.findHomography(
        one, other, method=cv2.USAC_MAGSAC, ransacReprojThreshold=noise_px, maxIters=500, confidence=0.99
    )
    return 0.0 if found is None else 1.0 - float((agree > 0).mean())


def _off_turn_deg(one: Array, other: Array, middle: Array, focals_px: Array) -> Array:
    """(F,) Median angle by which the bearings of two frames are off their turn, for each focal length."""
    off = np.zeros(len(focals_px))
    for place, focal_px in enumerate(focals_px):
        rays = [np.column_stack([(xy - middle) / focal_px, np.ones(len(xy))]) for xy in (one, other)]
        turn = fit_turn(share_bearings(*rays))
        off[place] = 0.0 if turn is None else np.degrees(turn.left_rad)
    return off


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
    off_plane = measure_off_plane(model)
    frames = sorted(model.reg_image_ids())
    ends = min(frames, default=0), max(frames, default=0)
    words = f"{share:.1%} of the matches show parallax"
    moves = Verdict(True, "parallax", share, LEAST_SHARE, ends, words)
    if share >= LEAST_SHARE and off_plane >= _ONE_PLANE:
        return moves
    moving = find_moving(frames, database_path)
    # Points on several planes hold every pose of such a model far better than a path has to be known.
    holds = len(moving) >= _MOVING_SHARE * len(frames) and off_plane >= _LEAST_OFF_PLANE
    if holds and measure_path_sigma(model) <= _MOST_SIGMA:
        return moves
    why = "the camera stands still or only turns, so walk while filming"
    if len(moving) >= LEAST_FRAMES:
        why = "the camera moves past one bare wall or floor at a time, which does not hold a path; film past corners"
    shows = f"only {words}, need {LEAST_SHARE:.0%}"
    if off_plane < _ONE_PLANE:
        shows = "all its points lie on one plane, such as a wall, a page or a screen"
    return replace(moves, ok=False, words=f"{shows}; {why}")


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

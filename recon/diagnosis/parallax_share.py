"""How much of what frames have in common shows that the camera moved, asked of the matches and not of the model.

A model's own depths cannot tell: of a camera that stands still before moving children a mapper makes a scene with
depth, its camera moving by 6 % of it. Two pictures from one place, turned or not, are related by one homography,
whatever the focal length; what of their matches it leaves unexplained is parallax, or moved by itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np
import pycolmap

from recon.colmap.database import open_database

_NOISE = 0.005
"""Of the longer side: 3 pixels of 640. Keypoints are good to half a pixel; a rolling shutter bends a turn by two."""
_LEAST_MATCHES = 30
"""Verified matches of a pair whose share means something: with 30, one match is 3 %."""
_LEAST_FRAMES = 10
"""Of which something is said; in a second or two of a walk little moves."""
_FRAMES_ASKED = 40
"""Spread over all; each costs up to three homographies. Set by hand."""
_PARTNERS = 3
"""Of each frame, those furthest away in time: most had time to move."""


def parallax_share(model: pycolmap.Reconstruction, database_path: Path) -> float:
    """Median over frames of the share of a frame's matches that no homography explains, with its best partner, 0 to 1.

    On walks 0.28 to 0.55; of a camera that stands before jumping children 0.13; turning on the spot below 0.05.

    Args:
        model: Image ids as in the database.
        database_path: From `build_database`.

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


def _shares(frames: Sequence[int], database_path: Path) -> tuple[list[float], int]:
    """The share of each frame asked that has a partner, and how many frames have one."""
    inside = set(frames)
    partners: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    shares: list[float] = []
    with open_database(database_path) as database:
        for pair, count in zip(*database.read_two_view_geometry_num_inliers(), strict=True):
            first, second = sorted(pycolmap.pair_id_to_image_pair(pair))
            if count >= _LEAST_MATCHES and inside.issuperset((first, second)):
                for frame in (first, second):
                    partners[frame].append((second - first, first, second))
        noise_px = _NOISE * max((max(one.width, one.height) for one in database.read_all_cameras()), default=0)
        for frame in frames[:: max(1, len(frames) // _FRAMES_ASKED)]:
            furthest = sorted(partners[frame], reverse=True)[:_PARTNERS]
            if furthest:
                shares.append(max(_unexplained(database, first, second, noise_px) for _, first, second in furthest))
    return shares, len(partners)


def _unexplained(database: pycolmap.Database, first: int, second: int, noise_px: float) -> float:
    """Share of the verified matches of two frames that their best homography leaves."""
    matches = database.read_two_view_geometry(first, second).inlier_matches
    xy = [
        np.asarray(database.read_keypoints(frame), np.float64)[matches[:, side], :2]
        for side, frame in enumerate((first, second))
    ]
    found, agree = cv2.findHomography(
        xy[0], xy[1], method=cv2.USAC_MAGSAC, ransacReprojThreshold=noise_px, maxIters=500, confidence=0.99
    )
    return 0.0 if found is None else 1.0 - float((agree > 0).mean())

"""How much of what neighbouring frames have in common a model explains, step by step of its walk.

Unlike a test of poses (`contradictions`) it asks every pair, planes and turns on the spot too, and unlike tears
(`torn`) it needs no points, which have no depth where the camera only turns. A wrong turn or a wrong step leaves the
matches off their epipolar lines. On a phone tour at least 62 % of them agreed at each step where the walk was right,
past bare walls too, 1 to 25 % where it was wrong; under the sensor's poses of an office walk at least 79 %.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pycolmap

from recon.audit.contradictions import EXPLAINED_PX, ContradictionOptions
from recon.audit.epipolar import MatchedRays, fit_of
from recon.audit.verdict import Verdict, count_across
from recon.colmap.database import list_verified_pairs, open_database
from recon.colmap.poses import read_cams_from_world
from recon.geometry import Array, Camera

_REACH_FRAMES = 4  # frames between the two of a pair: further ones blur where a fault is
MIN_EXPLAINED = 0.5  # of the matches across a step. Less than half is another walk than that of the model.


def measure_explained_shares(model: pycolmap.Reconstruction, database_path: Path) -> Array:
    """(F - 1,) Share of the verified matches across each step that agree with the model; nan for too few."""
    frames = sorted(model.reg_image_ids())
    row = {frame: place for place, frame in enumerate(frames)}
    poses = read_cams_from_world(model)
    camera = Camera.from_colmap(model.camera(model.image(frames[0]).camera_id))
    counted: list[tuple[int, int, int, int]] = []
    with open_database(database_path) as database:
        rays = {frame: camera.rays(np.asarray(database.read_keypoints(frame), np.float64)[:, :2]) for frame in frames}
        for first, second, _ in list_verified_pairs(database, row, _REACH_FRAMES):
            matches = database.read_two_view_geometry(first, second).inlier_matches
            one, other = rays[first][matches[:, 0]], rays[second][matches[:, 1]]
            pair = MatchedRays(first, second, one, other, np.zeros((3, 3)), camera.fx)
            fit = fit_of(poses[second] @ poses[first].inverse(), pair)
            agree = int(((fit.error_px < EXPLAINED_PX) & ~fit.behind).sum())
            counted.append((row[first], row[second], agree, len(matches)))
    begin, end, agree, of = np.array(counted, np.int64).reshape(-1, 4).T
    agreeing, asked = count_across(len(frames), begin, end, agree), count_across(len(frames), begin, end, of)
    return np.where(asked < ContradictionOptions.min_matches, np.nan, agreeing / np.maximum(asked, 1))


def find_unexplained(
    model: pycolmap.Reconstruction, database_path: Path, min_share: float = MIN_EXPLAINED
) -> list[Verdict]:
    """Steps across which less than `min_share` of the matches agree with the model, in time order."""
    frames = sorted(model.reg_image_ids())
    shares = measure_explained_shares(model, database_path)
    return [
        Verdict(
            False,
            "unexplained",
            1.0 - float(shares[place]),
            1.0 - min_share,
            (frames[place], frames[place + 1]),
            f"only {shares[place]:.0%} of the matches across agree",
        )
        for place in np.flatnonzero(shares < min_share)
    ]

"""Gates of mapping: one case on each side of each bar, one quantity at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pycolmap
import pytest

from recon.audit import parallax
from recon.colmap.database import write_tour
from recon.colmap.tasks import quiet_colmap
from recon.geometry import Pose
from recon.mapping.mapping import MappingJob, map_incrementally
from recon.mapping.options import SIFT_BARS, MappingBars, SfmOptions
from recon.matching.interfaces import PairMatch
from recon.matching.sift import two_view_geometry, verify
from recon.records import Frame
from tests.support.recon.made_models import CAMERA

AHEAD = np.column_stack([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
"""world_from_cam of a camera that looks along x, z up."""


class World:
    """Frames that see points which are listed one by one, and the database of their matches."""

    def __init__(self) -> None:
        self.keypoints: dict[int, list[np.ndarray]] = {}
        self.points: dict[int, list[int]] = {}
        self.centers: dict[int, np.ndarray] = {}
        self._count = 0

    def add_points(self, xyz: np.ndarray, frames: Sequence[int]) -> None:
        """Points (P, 3) that these frames see."""
        for point in xyz:
            for frame in frames:
                pixel = CAMERA.project((Pose(AHEAD, self.centers[frame]).inverse() @ point)[None])[0]
                self.keypoints.setdefault(frame, []).append(pixel)
                self.points.setdefault(frame, []).append(self._count)
            self._count += 1

    def write(self, path: Path) -> None:
        frames = [Frame(k, k / 3, f"{k:06d}.jpg", CAMERA.width, CAMERA.height, 1.0, 0) for k in sorted(self.keypoints)]
        with pycolmap.Database.open(path) as database:
            write_tour(database, CAMERA, frames, has_prior_focal=True)
            xy = {k: np.array(self.keypoints[k], np.float32) for k in self.keypoints}
            for k in xy:
                database.write_keypoints(k, xy[k])
            for a in sorted(xy):
                for b in (b for b in xy if b > a):
                    common = [(i, self.points[b].index(p)) for i, p in enumerate(self.points[a]) if p in self.points[b]]
                    if common:
                        matches = np.array(common, np.uint32)
                        pair: PairMatch = verify(xy[a], xy[b], matches, 2.0, 15)
                        if len(pair.inliers):
                            database.write_matches(a, b, matches)
                            database.write_two_view_geometry(a, b, two_view_geometry(pair))


def cloud(count: int, seed: int = 0, depth: tuple[float, float] = (4.0, 9.0)) -> np.ndarray:
    """(P, 3) points that a camera at the origin and those beside it see."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(*depth, count)
    return np.column_stack([x, x * rng.uniform(-0.35, 0.35, count), x * rng.uniform(-0.25, 0.25, count)])


def map_world(world: World, tmp_path: Path, bars: MappingBars = SIFT_BARS) -> list[set[int]]:
    world.write(tmp_path / "database.db")
    frames = tuple(sorted(world.keypoints))
    job = MappingJob(tmp_path / "database.db", tmp_path, frames, tmp_path / "work", SfmOptions(), bars, 0)
    with quiet_colmap():
        return [set(model.reg_image_ids()) for model in map_incrementally(job)]


def beside_a_sure_part(points: int = 150) -> World:
    """Frames 1 to 4, which map whatever the bars say."""
    world = World()
    for frame in range(1, 5):
        world.centers[frame] = np.array([0.0, 0.8 * frame, 0.0])
    world.add_points(cloud(points, seed=9), (1, 2, 3, 4))
    return world


def triangulation_deg(xyz: np.ndarray, one: np.ndarray, other: np.ndarray) -> float:
    """Median angle at the points between two centres."""
    a, b = (xyz - center for center in (one, other))
    cosine = (a * b).sum(axis=1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
    return float(np.median(np.degrees(np.arccos(cosine))))


# COLMAP halves the bars of a first pair where none passes, so a pair below them is not lost but comes last: frames from
# 11 on have more matches each than the sure part, are tried before it, and make the first model if they may.


@pytest.mark.parametrize(("matches", "is_first"), [(49, False), (50, True)])
def test_a_first_pair_has_fifty_matches(matches, is_first, tmp_path):
    world, frames = beside_a_sure_part(70), range(11, 18)
    for frame in frames:
        world.centers[frame] = np.array([0.0, 0.8 * (frame - 14), 0.0])
    world.add_points(cloud(matches) + np.array([4.0, 0.0, 0.0]), frames)
    assert (map_world(world, tmp_path)[0] == set(frames)) is is_first


@pytest.mark.parametrize(("angle_deg", "is_first"), [(5.9, False), (6.1, True)])
def test_the_points_of_a_first_pair_are_seen_under_six_degrees(angle_deg, is_first, tmp_path):
    world, xyz = beside_a_sure_part(60), cloud(100)
    apart = next(
        side
        for side in np.arange(0.1, 2.0, 0.001)
        if triangulation_deg(xyz, np.array([0.0, -side, 0.0]), np.array([0.0, side, 0.0])) >= angle_deg
    )
    for frame, y in ((11, -apart), (12, 0.0), (13, apart)):
        world.centers[frame] = np.array([0.0, y, 0.0])
    world.add_points(xyz, (11, 12, 13))
    assert (map_world(world, tmp_path)[0] == {11, 12, 13}) is is_first


@pytest.mark.parametrize(("points", "is_registered"), [(14, False), (15, True)])
def test_a_frame_is_registered_by_fifteen_points(points, is_registered, tmp_path):
    world = beside_a_sure_part()
    world.centers[5] = np.array([0.0, 0.8 * 5, 0.0])
    world.add_points(cloud(points, seed=3) + np.array([0.0, 2.0, 0.0]), (1, 2, 3, 4, 5))
    world.add_points(cloud(40, seed=4) + np.array([0.0, 3.0, 0.0]), (4, 5))  # matches of which there is no point yet

    assert ({1, 2, 3, 4, 5} in map_world(world, tmp_path)) is is_registered


@pytest.mark.parametrize("by_matches", [True, False])
def test_mappers_are_told_how_closely_points_must_agree(by_matches, monkeypatch, tmp_path):
    """COLMAP's own gates; whether a frame that fails them is placed by matches without points."""
    told: dict[str, float] = {}

    def note(database: Path, frames: Path, out: Path, setup: Any) -> dict[int, Any]:
        told.update(error_px=setup.mapper.abs_pose_max_error, ratio=setup.mapper.abs_pose_min_inlier_ratio)
        told.update(without_points=setup.structure_less_registration_fallback)
        return {}

    world = beside_a_sure_part()
    monkeypatch.setattr(pycolmap, "incremental_mapping", note)
    changed = MappingBars(register_min_inlier_ratio=0.4, register_by_matches=by_matches)
    assert map_world(world, tmp_path, changed) == []
    assert told == {"error_px": 8.0, "ratio": 0.4, "without_points": by_matches}


@pytest.mark.parametrize(
    ("share", "off_plane", "is_kept"), [(0.19, 0.5, False), (0.2, 0.5, True), (0.2, 0.05, True), (0.9, 0.049, False)]
)
def test_a_model_is_kept_from_a_fifth_of_parallax_on_unless_it_is_one_plane(share, off_plane, is_kept, monkeypatch):
    monkeypatch.setattr(parallax, "parallax_share", lambda *_: share)
    monkeypatch.setattr(parallax, "measure_off_plane", lambda *_: off_plane)
    monkeypatch.setattr(parallax, "measure_path_sigma", lambda *_: 1.0)
    monkeypatch.setattr(parallax, "find_moving", lambda *_: [])
    model: Any = pycolmap.Reconstruction()
    verdict = parallax.judge_parallax(model, Path("none.db"))
    assert verdict.ok is is_kept

"""A walk around a room that comes back to its start: drift is taken out by what both visits see."""

from pathlib import Path

import numpy as np
import pycolmap
import pytest

from recon.colmap.database import open_database
from recon.evaluate import pose_error
from recon.geometry import Pose
from recon.mapping.loop_closure import close_loops
from tests.support.recon.made_models import centers, scene_from_poses, set_poses, write_matches

FRAMES = 48
BOX = np.array([[-6.0, -6.0, 0.0], [6.0, 6.0, 3.0]])


@pytest.fixture(scope="module")
def ring() -> pycolmap.Reconstruction:
    poses = []
    for angle in np.linspace(0.0, 2.2 * np.pi, FRAMES):
        forward = np.array([np.cos(angle), np.sin(angle), 0.0])
        right = np.array([np.sin(angle), -np.cos(angle), 0.0])
        poses.append(Pose(np.column_stack([right, [0.0, 0.0, -1.0], forward]), 2.5 * forward + [0.0, 0.0, 1.5]))
    return scene_from_poses(poses, 2500, 0.3, 0, BOX, reach_m=6.0)


@pytest.fixture(scope="module")
def database(ring: pycolmap.Reconstruction, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ring") / "database.db"
    write_matches(ring, path, reach=FRAMES)
    return path


def drift(ring: pycolmap.Reconstruction, rise_m: float) -> pycolmap.Reconstruction:
    """The walk rises more and more, and each visit has points of its own."""

    def move(xyz: np.ndarray, place: float) -> np.ndarray:
        return xyz + np.array([0.0, 0.0, rise_m * place / FRAMES])

    moved = {k: Pose(pose.rotation, move(pose.translation, k)) for k, pose in centers(ring).items()}
    model = set_poses(ring, moved)
    for point in sorted(ring.point3D_ids()):
        elements = ring.point3D(point).track.elements
        first = min(one.image_id for one in elements)
        model.delete_point3D(point)
        for is_late in (False, True):
            seen = [one for one in elements if (one.image_id > first + FRAMES / 2) == is_late]
            if len(seen) > 1:
                middle = float(np.mean([one.image_id for one in seen]))
                model.add_point3D(move(ring.point3D(point).xyz, middle), pycolmap.Track(seen))
    model.update_point_3d_errors()
    return model


def test_a_walk_that_drifted_is_closed(ring, database):
    drifted = drift(ring, 0.5)
    before = pose_error(centers(drifted), centers(ring)).rmse
    closed = close_loops(drifted, database)
    assert sorted(closed.reg_image_ids()) == list(range(1, FRAMES + 1))
    assert pose_error(centers(closed), centers(ring)).rmse < 0.1 * before
    assert pose_error(centers(drifted), centers(ring)).rmse == before  # the one that was given stays as it is


def test_a_walk_that_agrees_with_its_revisits_is_left_alone(ring, database):
    assert close_loops(ring, database) is ring


def test_look_alikes_do_not_bend_a_walk(ring, database, tmp_path):
    path = tmp_path / "look_alikes.db"
    path.write_bytes(database.read_bytes())
    with open_database(path) as told:
        for frame in range(1, 8):  # and the frames on the other side of the room
            false = told.read_two_view_geometry(frame, frame + 1)
            count = min(len(told.read_keypoints(k)) for k in (frame, frame + 22))
            false.inlier_matches = np.repeat(np.arange(count, dtype=np.uint32)[:, None], 2, axis=1)
            told.write_two_view_geometry(frame, frame + 22, false)
    assert close_loops(ring, path) is ring

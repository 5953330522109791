"""A last refinement at full resolution, on pictures of a textured box room that are exact but for 8 bits."""

from __future__ import annotations

import cv2
import numpy as np
import pycolmap
import pytest
from scipy.ndimage import map_coordinates
from scipy.spatial.transform import Rotation

from recon.evaluate import pose_error
from recon.geometry import Camera, Pose
from recon.known_poses import full_refine
from recon.known_poses.full_refine import refine_fully
from recon.records import Frame, SubModel
from tests.support.recon.made_models import centers

CAMERA = Camera("SIMPLE_RADIAL", 320, 240, (240.0, 160.0, 120.0, 0.0))
HALF_ROOM = np.array([4.0, 3.0, 1.5])


def walls(seed: int = 0) -> np.ndarray:
    """(6, 1024, 1024) Smooth random textures."""
    rng = np.random.default_rng(seed)
    layers = [
        cv2.resize(rng.normal(0, 28, (6, side, side)).transpose(1, 2, 0), (1024, 1024), interpolation=cv2.INTER_CUBIC)
        for side in (24, 60, 150)
    ]
    return np.clip(128 + sum(layers), 0, 255).transpose(2, 0, 1).astype(np.float32)


def look(world_from_cam: Pose, textures: np.ndarray) -> np.ndarray:
    """(240, 320) What a camera in the room sees: the mean of nine rays per pixel."""
    steps = (np.arange(3) + 0.5) / 3
    total = np.zeros((CAMERA.height, CAMERA.width))
    for dx in steps:
        for dy in steps:
            columns, rows = np.meshgrid(np.arange(CAMERA.width) + dx, np.arange(CAMERA.height) + dy)
            rays = CAMERA.rays(np.column_stack([columns.ravel(), rows.ravel()])) @ world_from_cam.rotation.T
            reach = (np.sign(rays) * HALF_ROOM - world_from_cam.center) / np.where(rays == 0, 1e-12, rays)
            axis = reach.argmin(axis=1)
            hit = world_from_cam.center + reach.min(axis=1)[:, None] * rays
            face = 2 * axis + (rays[np.arange(len(rays)), axis] > 0)
            seen = np.zeros(len(rays))
            for number in range(6):
                others = [one for one in range(3) if one != number // 2]
                on = face == number
                at = (hit[on][:, others] / (2 * HALF_ROOM[others]) + 0.5) * 1000 + 10
                if on.any():
                    seen[on] = map_coordinates(textures[number], at.T, order=1)
            total += seen.reshape(total.shape)
    return np.round(total / 9).astype(np.uint8)


@pytest.fixture(scope="module")
def filmed(tmp_path_factory):
    """A folder with 10 pictures of a walk through the room, their frames and the true poses."""
    folder = tmp_path_factory.mktemp("room")
    textures = walls()
    frames, truth = [], {}
    for index in range(1, 11):
        along = (index - 1) / 9
        heading = 0.3 * np.sin(4 * along)
        forward, right = (
            np.array([np.cos(heading), np.sin(heading), 0]),
            np.array([np.sin(heading), -np.cos(heading), 0]),
        )
        center = np.array([-3 + 2.5 * along, 0.4 * np.sin(3 * along), 0.1])
        truth[index] = Pose(np.column_stack([right, [0, 0, -1], forward]), center)
        cv2.imwrite(str(folder / f"{index:06d}.png"), look(truth[index], textures))
        frames.append(Frame(index, index / 3, f"{index:06d}.png", CAMERA.width, CAMERA.height, 1.0, 0))
    return folder, frames, truth


@pytest.fixture
def rough(filmed):
    """A model of the walk as mapping might leave it: cameras off by a centimetre and a tenth of a degree."""
    _, frames, truth = filmed
    rng = np.random.default_rng(1)
    xyz = rng.uniform(-1, 1, (400, 3))
    xyz *= HALF_ROOM / np.abs(xyz).max(axis=1, keepdims=True)
    model = pycolmap.Reconstruction()
    model.add_camera_with_trivial_rig(CAMERA.to_colmap(1))
    tracks = [pycolmap.Track() for _ in xyz]
    for frame in frames:
        true = truth[frame.index]
        ahead = (true.inverse() @ xyz)[:, 2] > 0.3
        pixels = CAMERA.project(true.inverse() @ xyz)
        seen = np.flatnonzero(CAMERA.is_inside(pixels) & ahead)
        keypoints = pixels[seen] + rng.normal(0, 0.5, (len(seen), 2))
        turn = Rotation.from_rotvec(rng.normal(0, np.radians(0.1), 3)).as_matrix()
        placed = Pose(true.rotation @ turn, true.center + rng.normal(0, 0.01, 3))
        image = pycolmap.Image(name=frame.image, keypoints=keypoints, camera_id=1, image_id=frame.index)
        model.add_image_with_trivial_frame(image, placed.inverse().to_rigid3d())
        for place, point in enumerate(seen):
            tracks[point].add_element(frame.index, place)
    for place, track in zip(xyz, tracks, strict=True):
        if track.length() > 1:
            model.add_point3D(place, track, np.zeros(3, np.uint8))
    model.update_point_3d_errors()
    return SubModel("000/0", ("000",), model)


def off_cm(model: SubModel, truth) -> float:
    return 100 * pose_error(centers(model.reconstruction), truth).rmse


def test_clean_pictures_take_the_noise_of_mapping_out(filmed, rough, tmp_path):
    folder, frames, truth = filmed
    before, points = off_cm(rough, truth), rough.reconstruction.num_points3D()
    done = refine_fully(rough, folder, frames, tmp_path)
    assert done.reason == ""
    assert before > 1.0
    assert off_cm(done.model, truth) < 0.2
    assert off_cm(rough, truth) == before  # the model given is left alone
    assert done.model.reconstruction.num_points3D() > 0.95 * points  # the database knows them
    assert done.model.mean_reprojection_error_px < 1.0
    assert list(tmp_path.iterdir()) == []


def test_the_walk_stays_where_it_was_and_as_large(filmed, rough, tmp_path):
    folder, frames, _ = filmed
    done = refine_fully(rough, folder, frames, tmp_path)
    old, new = (np.array([pose.center for pose in centers(m.reconstruction).values()]) for m in (rough, done.model))
    assert np.linalg.norm(old.mean(axis=0) - new.mean(axis=0)) < 1e-6
    assert 0.001 < done.moved < 0.02
    assert done.moved == pytest.approx(
        np.sqrt(((old - new) ** 2).sum(axis=1).mean()) / np.linalg.norm(np.diff(old, axis=0), axis=1).sum(), rel=1e-6
    )


def test_bare_pictures_change_nothing_and_say_why(filmed, rough, tmp_path):
    _, frames, _ = filmed
    folder = tmp_path / "bare"
    folder.mkdir()
    for frame in frames:
        cv2.imwrite(str(folder / frame.image), np.full((CAMERA.height, CAMERA.width), 128, np.uint8))
    done = refine_fully(rough, folder, frames, tmp_path)
    assert done.model is rough
    assert done.moved == 0.0
    assert "sees 0 points, need 100" in done.reason


@pytest.mark.parametrize(("share", "kept"), [(0.9, True), (1.1, False)])
def test_cameras_may_move_so_far(share, kept, filmed, rough, tmp_path, monkeypatch):
    """The bar beside the largest move that these pictures cause."""
    folder, frames, _ = filmed
    free = refine_fully(rough, folder, frames, tmp_path)
    old, new = (np.array([pose.center for pose in centers(m.reconstruction).values()]) for m in (rough, free.model))
    largest = np.linalg.norm(old - new, axis=1).max() / np.linalg.norm(np.diff(old, axis=0), axis=1).sum()
    monkeypatch.setattr(full_refine, "_MAX_MOVE", share * largest)
    done = refine_fully(rough, folder, frames, tmp_path)
    assert (done.model is rough) is kept
    assert ("would move" in done.reason) is kept


@pytest.mark.parametrize(("more", "kept"), [(-1, False), (1, True)])
def test_an_average_frame_must_see_so_many_points(more, kept, filmed, rough, tmp_path, monkeypatch):
    """The bar at and beside the number of points that these pictures give."""
    folder, frames, _ = filmed
    bar = full_refine._MIN_POINTS
    monkeypatch.setattr(full_refine, "_MIN_POINTS", 10**6)
    refused = refine_fully(rough, folder, frames, tmp_path)
    seen = int(refused.reason.split("sees ")[1].split(" points")[0])  # rounded
    monkeypatch.setattr(full_refine, "_MIN_POINTS", seen + more)
    done = refine_fully(rough, folder, frames, tmp_path)
    assert seen > bar
    assert (done.model is rough) is kept
    assert (f"need {seen + 1}" in done.reason) is kept

"""The search for tracks piece by piece: what is compared with what, what is believed, and which points become one."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pycolmap

from recon.adjust import track_search
from recon.adjust.track_search import search_tracks
from recon.geometry import Camera
from tests.support.recon.made_models import walk_scene

SEEN = np.repeat([1, 0], [8, 120]).astype(np.float64)  # what a corner looks like
OTHER = np.roll(SEEN, 8)  # what has nothing in common with it
MIDDLE = np.array([320.0, 180.0])


def unit(descriptor: np.ndarray) -> np.ndarray:
    return descriptor / np.linalg.norm(descriptor)


def look_off(distance: float) -> np.ndarray:
    """(128,) of 0 to 255, a descriptor at a distance from that of the corner, as units."""
    angle = 2 * np.arcsin(distance / 2)
    return np.round(512.0 * (np.cos(angle) * unit(SEEN) + np.sin(angle) * unit(OTHER))).astype(np.uint8)


def find(*keypoints: tuple[float, float]) -> list[tuple[int, int]]:
    """What is found for point 7, that lies in the middle of the picture, among some (px to the right, distance)."""
    view: Any = SimpleNamespace(
        camera=Camera("PINHOLE", 640, 360, (500.0, 500.0, 320.0, 180.0)),
        rotation=np.eye(3),
        translation=np.zeros(3),
        xy=np.array([MIDDLE + np.array([right, 0.0]) for right, _ in keypoints]).reshape(-1, 2),
    )
    looks = np.array([look_off(distance) for _, distance in keypoints], np.uint8).reshape(-1, 128)
    described = unit(SEEN)[None].astype(np.float32)
    return track_search._find(view, looks, np.array([7]), np.array([[0.0, 0.0, 4.0]]), described)


def test_a_keypoint_must_resemble_its_point_more_than_the_next_one_does(subtests):
    for distance, found in [(0.58, [(7, 0)]), (0.62, [])]:
        with subtests.test(distance=distance, found=found):
            assert find((0.0, distance)) == found
    for other, found in [(0.54, [(7, 0)]), (0.46, [])]:
        with subtests.test(other=other, found=found):
            assert find((0.0, 0.4), (5.0, other)) == found
    for apart_px, found in [(1.4, [(7, 0)]), (1.6, [])]:
        with subtests.test(apart_px=apart_px, found=found):
            assert find((0.0, 0.4), (apart_px, 0.42)) == found
    assert find() == []


def test_a_model_without_points_gets_none(tmp_path):
    search_tracks(pycolmap.Reconstruction(), tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()


def split(model: pycolmap.Reconstruction, parts: int) -> list[int]:
    """Some point of eight views or more, made `parts` points at one place, of two frames each but the first."""
    whole = next(point for point, one in model.points3D.items() if one.track.length() >= 8)
    out = [whole]
    for _ in range(parts - 1):
        track = pycolmap.Track()
        for seen in [(one.image_id, one.point2D_idx) for one in model.point3D(whole).track.elements[:2]]:
            model.delete_observation(*seen)
            track.add_element(*seen)
        out.append(model.add_point3D(model.point3D(whole).xyz, track))
    return out


def merge(model: pycolmap.Reconstruction, *votes: tuple[int, int, int]) -> int:
    before = model.num_points3D()
    track_search._merge(model, Counter({(first, second): count for first, second, count in votes}))
    return before - model.num_points3D()


def test_two_frames_make_two_points_one_and_one_that_was_merged_is_left_alone():
    model = walk_scene(12, 60, noise_px=0.0)
    a, b, c = split(model, 3)
    assert merge(model, (a, b, 1)) == 0
    rest = pycolmap.Reconstruction(model)
    rest.delete_point3D(a)
    rest.delete_point3D(b)
    rest.delete_point3D(c)
    other = next(point for point, one in rest.points3D.items() if one.track.length() >= 8)
    track = pycolmap.Track()
    for seen in [(one.image_id, one.point2D_idx) for one in model.point3D(other).track.elements[:2]]:
        model.delete_observation(*seen)
        track.add_element(*seen)
    twin = model.add_point3D(model.point3D(other).xyz, track)
    assert merge(model, (a, b, 5), (b, c, 4), (other, twin, 2)) == 2
    assert model.exists_point3D(c)


def test_two_points_of_one_frame_are_two_and_the_next_pair_is_asked():
    model = walk_scene(12, 60, noise_px=0.0)
    a, b = split(model, 2)
    frames = {one.image_id for one in model.point3D(a).track.elements}
    seen_beside = next(
        point for point, one in model.points3D.items()
        if point not in (a, b) and frames & {element.image_id for element in one.track.elements}
    )  # fmt: skip
    assert merge(model, (a, seen_beside, 9), (a, b, 3)) == 1
    assert model.exists_point3D(seen_beside)

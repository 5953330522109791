"""Gates of refinement and of the search for tracks: one case on each side of each bar, one quantity at a time."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pycolmap
import pytest

from recon.adjust import track_search
from recon.adjust.refine import RefineOptions, adjust_and_filter, adjustment, find_at_cameras, refine, remove_misfits
from recon.adjust.track_search import search_tracks
from tests.support.recon.made_models import CAMERA, long_walk_scene, walk_scene, write_matches

# Refinement


def test_the_optical_centre_is_refined_from_fifty_frames_on(subtests):
    for frames, is_refined in [(49, False), (50, True)]:
        with subtests.test(frames=frames, is_refined=is_refined):
            model = long_walk_scene(frames, points_per_m=20)
            for camera in model.cameras.values():
                camera.params = [camera.params[0], camera.params[1] + 3.0, *camera.params[2:]]
            adjust_and_filter(model, model.reg_image_ids(), RefineOptions(max_error_px=100.0))
            assert bool(model.camera(1).params[1] != CAMERA.params[1] + 3.0) is is_refined
            assert adjustment(frames, RefineOptions()).refine_principal_point is is_refined


def add_far_point(model: pycolmap.Reconstruction, angle_deg: float) -> int:
    """A point that frames 1 and 2 see under an angle, each exactly where it is, and no other frame."""
    centers = [model.image(frame).projection_center() for frame in (1, 2)]
    baseline, axis = centers[1] - centers[0], model.image(1).viewing_direction()
    across = baseline - (baseline @ axis) * axis
    ray = axis + 0.3 * across / np.linalg.norm(across)
    ray /= np.linalg.norm(ray)

    def seen_under(far: float) -> float:
        rays = [centers[0] + far * ray - center for center in centers]
        return float(np.degrees(np.arccos(rays[0] @ rays[1] / np.linalg.norm(rays[0]) / np.linalg.norm(rays[1]))))

    near, far = 1.0, 1000.0
    for _ in range(60):
        middle = (near * far) ** 0.5
        near, far = (middle, far) if seen_under(middle) > angle_deg else (near, middle)
    track = pycolmap.Track()
    for frame in (1, 2):
        keypoint = model.image(frame).get_observation_point2D_idxs()[0]
        model.delete_observation(frame, keypoint)
        seen = model.image(frame).project_point(centers[0] + near * ray)
        assert seen is not None
        model.image(frame).point2D(keypoint).xy = seen
        track.add_element(frame, keypoint)
    return model.add_point3D(centers[0] + near * ray, track)


def test_a_point_that_is_seen_under_less_than_a_degree_has_no_depth(subtests):
    for angle_deg, is_kept in [(0.95, False), (1.05, True)]:
        with subtests.test(angle_deg=angle_deg, is_kept=is_kept):
            model = walk_scene(6, 200, noise_px=0.0)
            point = add_far_point(model, angle_deg)
            adjust_and_filter(model, model.reg_image_ids())
            assert model.exists_point3D(point) is is_kept


def test_an_observation_three_pixels_off_or_behind_its_camera_is_removed(subtests):
    for off_px, is_kept in [(2.9, True), (3.1, False)]:
        with subtests.test(off_px=off_px, is_kept=is_kept):
            model = walk_scene(6, 200, noise_px=0.0)
            keypoint = model.image(3).get_observation_point2D_idxs()[0]
            model.image(3).point2D(keypoint).xy += [0.0, off_px]
            remove_misfits(model)
            assert model.image(3).point2D(keypoint).has_point3D() is is_kept
    model = walk_scene(6, 200, noise_px=0.0)
    keypoint = model.image(3).get_observation_point2D_idxs()[0]
    point = model.point3D(model.image(3).point2D(keypoint).point3D_id)
    center = model.image(3).projection_center()
    point.xyz = 2.0 * center - point.xyz  # the same line, the other side
    remove_misfits(model, 1e9)
    assert not model.image(3).point2D(keypoint).has_point3D()


def test_a_point_that_lies_in_a_camera_is_removed(subtests):
    for share, is_kept in [(1e-7, False), (0.009, False), (0.011, True)]:
        with subtests.test(share=share, is_kept=is_kept):
            model = walk_scene(6, 200, noise_px=0.0)
            centers = np.array([model.image(frame).projection_center() for frame in model.reg_image_ids()])
            xyz = np.array([point.xyz for point in model.points3D.values()])
            usual = np.median(np.linalg.norm(xyz[:, None] - centers, axis=2).min(axis=1))
            image = model.image(3)
            keypoint = image.get_observation_point2D_idxs()[0]
            near = image.point2D(keypoint).point3D_id
            ray = model.point3D(near).xyz - image.projection_center()
            model.point3D(near).xyz = image.projection_center() + share * usual * ray / np.linalg.norm(ray)

            assert (near not in find_at_cameras(model)) == is_kept
            if not is_kept:
                before = model.num_points3D()
                remove_misfits(model, 1e9)
                assert not model.exists_point3D(near)
                assert model.num_points3D() == before - 1


def test_a_tenth_of_what_a_frame_sees_in_the_camera_is_a_turn_that_shrank_and_holds_it(subtests):
    for share, are_kept in [(0.09, False), (0.12, True)]:
        with subtests.test(share=share, are_kept=are_kept):
            model = walk_scene(6, 400, noise_px=0.0)
            image = model.image(3)
            seen = image.get_observation_point2D_idxs()
            near = [image.point2D(keypoint).point3D_id for keypoint in seen[: int(share * len(seen))]]
            for point in near:
                ray = model.point3D(point).xyz - image.projection_center()
                model.point3D(point).xyz = image.projection_center() + 1e-6 * ray
            assert find_at_cameras(model) == ([] if are_kept else sorted(near))


def robust_cost(model: pycolmap.Reconstruction) -> float:
    """Sum of log(1 + r^2) over all observations, r in pixels."""
    total = 0.0
    for point in model.points3D.values():
        for element in point.track.elements:
            image = model.image(element.image_id)
            seen = image.project_point(point.xyz)
            assert seen is not None
            off = seen - image.point2D(element.point2D_idx).xy
            total += float(np.log1p(off @ off))
    return total


def test_an_adjustment_ends_before_an_iteration_that_gains_less(subtests):
    for times, iterations in [(0.9, 3), (1.1, 2)]:
        with subtests.test(times=times, iterations=iterations):
            shaken = walk_scene(12, 200)
            rng = np.random.default_rng(0)
            for frame in shaken.reg_image_ids():
                pose = shaken.image(frame).cam_from_world()
                shaken.frame(frame).rig_from_world = pycolmap.Rigid3d(
                    pose.rotation, pose.translation + rng.normal(0.0, 0.02, 3)
                )
            free = RefineOptions(max_error_px=1e6, least_gain=0.0)

            def adjusted(options: RefineOptions, shaken=shaken) -> pycolmap.Reconstruction:
                model = pycolmap.Reconstruction(shaken)
                adjust_and_filter(model, model.reg_image_ids(), options)
                return model

            costs = [robust_cost(adjusted(replace(free, max_iterations=count))) for count in (1, 2, 3)]
            third = (costs[1] - costs[2]) / costs[1]
            assert (costs[0] - costs[1]) / costs[0] > 2 * third  # so the third is the first that can gain too little
            cost = robust_cost(adjusted(replace(free, least_gain=times * third, max_iterations=10)))
            assert cost == pytest.approx(costs[iterations - 1], rel=1e-9)


def test_a_frame_is_rescued_by_twelve_points(subtests, tmp_path_factory):
    for points, is_rescued in [(11, False), (12, True)]:
        with subtests.test(points=points, is_rescued=is_rescued):
            tmp_path = tmp_path_factory.mktemp("case")
            scene = walk_scene(12, 400, noise_px=0.05)
            write_matches(scene, tmp_path / "database.db")
            model = pycolmap.Reconstruction(scene)
            model.deregister_frame(model.image(6).frame_id)
            seen = [scene.image(6).point2D(k).point3D_id for k in scene.image(6).get_observation_point2D_idxs()]
            for point in [point for point in seen if model.exists_point3D(point)][points:]:
                model.delete_point3D(point)
            options = RefineOptions(search_rounds=0, points_per_frame=0)
            refine(model, tmp_path / "database.db", range(1, 13), options)
            assert (6 in model.reg_image_ids()) is is_rescued


def test_frames_are_rescued_as_long_as_any_fits(tmp_path):
    scene = walk_scene(12, 200, noise_px=0.05)
    write_matches(scene, tmp_path / "database.db")
    model = pycolmap.Reconstruction(scene)
    for frame in (3, 6, 9):
        model.deregister_frame(model.image(frame).frame_id)
    options = RefineOptions(search_rounds=0, points_per_frame=0)
    refine(model, tmp_path / "database.db", range(1, 13), options)
    assert sorted(model.reg_image_ids()) == list(range(1, 13))


# Search for tracks


def test_an_observation_is_looked_for_within_eight_pixels(subtests, tmp_path_factory):
    """In every frame, the first and last of each batch too."""
    for frame, off_px, is_found in [(6, 7.9, True), (6, 8.1, False), (1, 7.9, True), (9, 7.9, True), (12, 7.9, True)]:
        with subtests.test(frame=frame, off_px=off_px, is_found=is_found):
            tmp_path = tmp_path_factory.mktemp("case")
            scene = walk_scene(12, 60, noise_px=0.0)
            write_matches(scene, tmp_path / "database.db")
            model = pycolmap.Reconstruction(scene)
            seen = {
                key: model.image(frame).point2D(key).point3D_id
                for key in model.image(frame).get_observation_point2D_idxs()
            }
            keypoint, point = next(pair for pair in seen.items() if model.point3D(pair[1]).track.length() >= 5)
            model.delete_observation(frame, keypoint)
            model.image(frame).point2D(keypoint).xy += [0.0, off_px]

            search_tracks(model, tmp_path / "database.db")

            assert model.image(frame).point2D(keypoint).has_point3D() is is_found
            assert (frame in {one.image_id for one in model.point3D(point).track.elements}) is is_found


def is_neighbour(turn_deg: float = 0.0, move: float = 0.0) -> bool:
    """Whether the point of a frame is looked for in another one, so far away over a depth of 1, and turned so far."""
    own, other = SimpleNamespace(point_of_keypoint=np.array([-1])), SimpleNamespace(point_of_keypoint=np.array([7]))
    turn = np.radians(turn_deg)
    axes = np.array([[0.0, 0.0, 1.0], [np.sin(turn), 0.0, np.cos(turn)]])
    views: Any = [own, other]
    found = track_search._points_of_neighbours(
        0, views, np.array([[0.0, 0, 0], [move, 0, 0]]), axes, np.array([7]), 1.0
    )
    return bool(len(found))


def test_only_frames_that_look_alike_from_nearby_tell_where_to_look(subtests):
    for inside, outside in [({"turn_deg": 39.9}, {"turn_deg": 40.1}), ({"move": 0.69}, {"move": 0.71})]:
        with subtests.test(inside=inside, outside=outside):
            assert is_neighbour(**inside)
            assert not is_neighbour(**outside)

from dataclasses import replace

import numpy as np
import pytest

from recon.geometry import Pose
from recon.records import ModelHealth, Scene, SceneModel, frame_ranges
from recon.upright.checks import check_scene
from recon.upright.gravity import turn_picture
from recon.upright.ground import measure_floor_range
from recon.upright.scene import build_scene
from tests.support.recon.made_house import SOURCE, frames_of, look, make_house, sub_model_of, walk_around


def scene_of(poses: dict[int, Pose], count: int | None = None) -> Scene:
    return build_scene("tour", SOURCE, frames_of(count or max(poses)), (), [sub_model_of(make_house(poses))])


def change_model(scene: Scene, **changes) -> Scene:
    return replace(scene, models=(replace(scene.models[0], **changes),))


def find_messages(scene: Scene) -> dict[str, str]:
    return {finding.code: finding.message for finding in check_scene(scene)}


@pytest.fixture(scope="module")
def good() -> Scene:
    return scene_of(walk_around())


def test_a_good_scene_only_says_that_its_scale_is_assumed(good):
    findings = check_scene(good)
    assert [(finding.severity, finding.code) for finding in findings] == [("info", "scene.scale_assumed")]
    assert "camera height 1.5 m" in findings[0].message


def test_pictures_that_lie_or_stand_on_their_head_name_the_turn_that_sets_them_upright(subtests, good):
    for rolled_deg, rotate_deg in [(0, None), (40, None), (50, 90), (90, 90), (180, 180), (-90, 270), (-40, None)]:
        with subtests.test(rolled_deg=rolled_deg):
            poses = {frame: turn_picture(pose, -rolled_deg) for frame, pose in good.models[0].world_from_cam.items()}
            message = find_messages(change_model(good, world_from_cam=poses)).get("scene.camera_rolled", "")
            assert message.endswith(f" {rotate_deg}") if rotate_deg else not message


def test_missing_frames_are_named_with_their_times_and_few_are_no_warning():
    poses = {frame: pose for frame, pose in walk_around().items() if not 15 <= frame <= 20 and frame != 30}
    (finding,) = [f for f in check_scene(scene_of(poses)) if f.code == "scene.unregistered"]
    assert finding.severity == "warning"
    assert "frames 15-20 (4.7-6.3 s), frame 30 (9.7 s)" in finding.message
    assert "33 of 40 frames have a pose (82%)" in finding.message
    poses = {frame: pose for frame, pose in walk_around().items() if frame != 20}
    (finding,) = [f for f in check_scene(scene_of(poses)) if f.code == "scene.unregistered"]
    assert finding.severity == "info"
    text = frame_ranges([frame for frame in frames_of(40) if frame.index % 2])
    assert text.endswith("and 14 more")


def test_weak_tracks_and_errors_are_found(good):
    tracks = good.models[0].tracks
    once = replace(tracks, obs_point=tracks.obs_point[:1], obs_frame=tracks.obs_frame[:1], obs_xy=tracks.obs_xy[:1])
    assert "scene.short_tracks" in find_messages(change_model(good, tracks=once))
    assert "2.50 px" in find_messages(change_model(good, mean_reprojection_error_px=2.5))["scene.reprojection"]


def move_cameras(model: SceneModel, shift) -> dict[int, Pose]:
    return {frame: Pose(pose.rotation, pose.translation + shift(frame)) for frame, pose in model.world_from_cam.items()}


def test_a_walk_that_rises_or_lies_below_the_floor_is_found(good):
    poses = move_cameras(good.models[0], lambda frame: np.array([0, 0, 0.02 * frame]))
    assert "scene.height_drift" in find_messages(change_model(good, world_from_cam=poses))
    assert "scene.below_floor" in find_messages(change_model(good, floor_z=3.0))


def test_a_leaning_floor_is_found(subtests, good):
    for slope, is_found in [(0.0, False), (0.02, False), (0.06, True)]:
        with subtests.test(slope=slope, is_found=is_found):
            xy = np.random.default_rng(0).uniform((-3, -2), (3, 2), (800, 2))
            xyz = np.column_stack([xy, slope * xy[:, 0]])
            seen_by = np.array(good.models[0].frames)[[0, 15, 30]]  # from far enough apart to be sure of
            tracks = replace(
                good.models[0].tracks,
                xyz=xyz,
                rgb=np.zeros((800, 3), np.uint8),
                error_px=np.zeros(800),
                obs_point=np.repeat(np.arange(800), 3),
                obs_frame=np.tile(seen_by, 800),
                obs_xy=np.zeros((2400, 2)),
            )
            model = replace(good.models[0], tracks=tracks)
            assert (
                "scene.floor_uneven"
                in find_messages(change_model(good, tracks=tracks, floor_range=measure_floor_range(model)))
            ) == is_found


def test_teleports_and_flips_are_found_and_brisk_turns_are_none(good):
    poses = move_cameras(good.models[0], lambda frame: np.array([4.0 if frame > 25 else 0.0, 0, 0]))
    (finding,) = [f for f in check_scene(change_model(good, world_from_cam=poses)) if f.code == "scene.jump"]
    assert "between frames 25 and 26 (at 8.0 s)" in finding.message
    poses = dict(good.models[0].world_from_cam)
    poses[20] = look(poses[20].center, 170.0 + np.degrees(np.arctan2(poses[20].forward[1], poses[20].forward[0])))
    jumps = [f for f in check_scene(change_model(good, world_from_cam=poses)) if f.code == "scene.jump"]
    assert len(jumps) == 2
    poses = {frame: look((0.1 * frame, 0, 1.5), 60.0 * max(0, min(frame - 10, 3)), -10) for frame in range(1, 25)}
    assert "scene.jump" not in find_messages(scene_of(poses))


def test_pace_is_told_in_metres_only(subtests, good):
    for step_m, is_told in [(0.3, False), (1.0, True)]:
        with subtests.test(step_m=step_m, is_told=is_told):
            away = {frame: np.array([step_m * np.clip(frame - 15, 0, 9), 0, 0]) for frame in good.models[0].frames}
            poses = move_cameras(good.models[0], away.__getitem__)
            messages = find_messages(change_model(good, world_from_cam=poses))
            assert ("scene.pace" in messages) == is_told
            if is_told:
                assert "for 2 s" in messages["scene.pace"]
    poses = move_cameras(good.models[0], lambda frame: np.array([1.0 * frame, 0, 0]))
    scale = replace(good.models[0].scale, status="relative")
    assert "scene.pace" not in find_messages(change_model(good, world_from_cam=poses, scale=scale))


def test_a_model_that_enough_matches_contradict_is_told(subtests, good):
    for against, severity in [(0, None), (12, None), (20, "warning"), (40, "error")]:
        with subtests.test(against=against, severity=severity):
            health = ModelHealth(40, 1.0, 5.0, 100, against, 0, None, 0, 0.01, None, 0)
            said = [f for f in check_scene(change_model(good, health=health)) if f.code == "scene.contradicted"]
            assert [finding.severity for finding in said] == ([] if severity is None else [severity])
            assert all(f"{against} of 100" in finding.message for finding in said)
    health = ModelHealth(40, 1.0, 5.0, 5, 5, 0, None, 0, 0.01, None, 0)
    assert "scene.contradicted" not in find_messages(change_model(good, health=health))


def test_revisits_that_contradict_the_model_are_told(subtests, good):
    for against, severity in [(4, None), (6, None), (7, "warning"), (16, "warning"), (17, "error")]:
        with subtests.test(against=against, severity=severity):
            health = ModelHealth(40, 1.0, 5.0, 100, 0, 80, 0.8, against, 0.01, None, 3)
            said = [f.severity for f in check_scene(change_model(good, health=health)) if f.code == "scene.revisits"]
            assert said == ([] if severity is None else [severity])
    health = ModelHealth(40, 1.0, 5.0, 100, 0, 5, 8.0, 5, 0.01, None, 2)  # a rug of repeated squares
    assert "scene.revisits" not in find_messages(change_model(good, health=health))

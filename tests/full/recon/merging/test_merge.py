import numpy as np
import pycolmap
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from recon.audit.contradictions import ContradictionOptions
from recon.evaluate import pose_error
from recon.geometry import Pose
from recon.merging.merge import merge_sub_models
from recon.merging.regrow import MergeBars
from recon.records import SubModel
from tests.support.recon.made_models import (
    centers,
    cut,
    long_walk_scene,
    random_similarity,
    scene_from_poses,
    set_poses,
    walk_scene,
    write_matches,
)

TRUE_PARTS = {"000/0": range(1, 12), "001/0": range(7, 19), "002/0": range(14, 25)}


@pytest.fixture(scope="module")
def scene():
    return walk_scene()


def parts(scene, seed=0, names=tuple(TRUE_PARTS)):
    rng = np.random.default_rng(seed)
    return [cut(scene, TRUE_PARTS[name], name, random_similarity(rng)) for name in names]


def error(model, scene):
    return pose_error(centers(model.reconstruction), centers(scene))


def test_parts_merge_back_to_the_scene_and_are_named(scene):
    result = merge_sub_models(parts(scene))

    assert [model.name for model in result.models] == ["merged/0"]
    assert result.models[0].frames == tuple(range(1, 25))
    assert result.models[0].clips == ("000", "001", "002")
    assert error(result.models[0], scene).rmse < 0.02  # the walk is 6 m, pixel noise 0.3
    assert [attempt.verdict for attempt in result.attempts] == ["accepted", "accepted"]
    assert result.findings == ()


def test_inputs_are_not_modified(scene):
    whole = parts(scene)
    before = [(model.reconstruction.num_points3D(), centers(model.reconstruction)) for model in whole]

    merge_sub_models(whole)

    for model, (points, poses) in zip(whole, before, strict=True):
        assert model.reconstruction.num_points3D() == points
        after = centers(model.reconstruction)
        assert all(np.array_equal(after[frame].matrix(), poses[frame].matrix()) for frame in poses)


def test_a_straight_walk_and_a_standing_camera_still_give_a_full_similarity():
    straight = walk_scene(straight=True)
    rng = np.random.default_rng(3)
    whole = [cut(straight, frames, name, random_similarity(rng)) for name, frames in TRUE_PARTS.items()]

    result = merge_sub_models(whole)

    assert len(result.models) == 1
    assert error(result.models[0], straight).rmse < 0.02


def twist(model, per_frame_deg=4.0):
    """The same model with each camera turned a little more than the one before: what a wrong match does to a walk."""
    poisoned = pycolmap.Reconstruction(model.reconstruction)
    for place, frame in enumerate(model.frames):
        world_from_cam = Pose.from_rigid3d(poisoned.image(frame).cam_from_world().inverse())
        turn = Rotation.from_euler("y", per_frame_deg * place, degrees=True).as_matrix()
        poisoned.frame(frame).rig_from_world = (
            Pose(world_from_cam.rotation @ turn, world_from_cam.translation).inverse().to_rigid3d()
        )
    poisoned.update_point_3d_errors()
    return SubModel(model.name, model.clips, poisoned)


def test_a_poisoned_sub_model_stays_apart_and_is_named(scene):
    first, second, third = parts(scene)

    result = merge_sub_models([first, second, twist(third)])

    assert [model.frames for model in result.models] == [tuple(range(1, 19)), tuple(range(14, 25))]
    assert error(result.models[0], scene).rmse < 0.02
    undone = [attempt for attempt in result.attempts if attempt.verdict != "accepted"]
    assert undone
    pairs = [frozenset((attempt.first, attempt.second)) for attempt in result.attempts]
    assert len(pairs) == len(set(pairs))  # none is tried again until one side changes
    assert all("002/0" in (attempt.first, attempt.second) for attempt in undone)
    assert any("002/0" in finding.where for finding in result.findings)
    assert any(finding.code == "merge.apart" for finding in result.findings)


def test_where_shared_frames_have_no_scale_the_frames_beyond_tell_it(tmp_path):
    """The camera turns on the spot from frame 9 to 14; in the second model what only frames up to 16 see is a tenth as
    large, which moves none of them.
    """
    scene = scene_from_poses(walk_that_turns(), points=3000, noise_px=0.2, seed=0, box=ROOM)
    write_matches(scene, tmp_path / "database.db", reach=14)
    first, second = cut(scene, range(1, 17), "000/0"), cut(scene, range(9, 25), "001/0")
    shrink(second, range(9, 17))

    result = merge_sub_models([first, second], tmp_path / "database.db")

    refused, accepted = result.attempts
    assert (refused.joined_by, refused.verdict) == ("shared frames", "not aligned")
    assert (accepted.joined_by, accepted.verdict) == ("matches", "accepted")
    assert [model.frames for model in result.models] == [tuple(range(1, 25))]
    assert error(result.models[0], scene).rmse < 0.02
    assert [finding.code for finding in result.findings] == ["merge.by_matches"]


def test_over_shared_frames_without_scale_nothing_is_joined_where_no_match_tells_more(tmp_path):
    """Both models turn on the spot where they meet, and the database has no match that could tell the scale."""
    scene = scene_from_poses(walk_that_turns(), points=3000, noise_px=0.2, seed=0, box=ROOM)
    write_matches(scene, tmp_path / "database.db", reach=0)
    first, second = cut(scene, range(1, 15), "000/0"), cut(scene, range(9, 25), "001/0")
    shrink(first, range(9, 15))
    shrink(second, range(9, 15))

    result = merge_sub_models([first, second], tmp_path / "database.db")

    assert len(result.models) == 2
    assert [attempt.verdict for attempt in result.attempts] == ["not aligned"]


@pytest.mark.parametrize("other", [range(18, 25), range(10, 13)])
def test_what_lies_between_the_frames_of_a_model_is_picked_up_by_it(other, tmp_path, monkeypatch):
    """Frames 9 to 14 have no pose, or three of them one in a model whose unit nothing tells."""
    scene = scene_from_poses(walk_that_turns(), points=3000, noise_px=0.2, seed=0, box=ROOM)
    write_matches(scene, tmp_path / "database.db", reach=14)
    parts = [cut(scene, [*range(1, 9), *range(15, 25)], "000/0"), cut(scene, other, "001/0")]
    shrink(parts[1], other)
    monkeypatch.setattr("recon.merging.links.find_bridge", lambda *_, **__: None)
    monkeypatch.setattr("recon.merging.links.LEAST_SHARED", 20)

    result = merge_sub_models(parts, tmp_path / "database.db")

    assert [model.frames for model in result.models] == [tuple(range(1, 25))]
    assert error(result.models[0], scene).rmse < 0.02
    assert [finding.code for finding in result.findings] == ["merge.contained"]


def shrink(model, frames):
    """Make what only some frames see a tenth as large around their middle, which moves none of them."""
    middle = model.reconstruction.image(frames[len(frames) // 2]).projection_center()
    for point in model.reconstruction.points3D.values():
        if all(element.image_id in frames for element in point.track.elements):
            point.xyz = middle + 0.1 * (point.xyz - middle)


ROOM = np.array([[-6.0, -6.0, 0.0], [12.0, 12.0, 3.0]])


def walk_that_turns():
    """Eight frames ahead, six that turn by ten degrees each on the spot, ten ahead in the new direction."""
    poses, heading, center = [], 0.0, np.array([0.0, 0.0, 1.5])
    for frame in range(1, 25):
        if 9 <= frame <= 14:
            heading += np.radians(10.0)
        else:
            center = center + 0.25 * np.array([np.cos(heading), np.sin(heading), 0.0])
        forward = np.array([np.cos(heading), np.sin(heading), 0.0])
        right = np.array([np.sin(heading), -np.cos(heading), 0.0])
        poses.append(Pose(np.column_stack([right, [0.0, 0.0, -1.0], forward]), center))
    return poses


def test_models_without_shared_frames_all_stay(scene):
    apart = [cut(scene, range(1, 9), "000/0"), cut(scene, range(12, 24), "001/0")]

    result = merge_sub_models(apart)

    assert [model.frames for model in result.models] == [tuple(range(12, 24)), tuple(range(1, 9))]
    assert [model.name for model in result.models] == ["merged/0", "merged/1"]
    assert result.attempts == ()
    assert [finding.code for finding in result.findings] == ["merge.apart"]


def test_a_model_that_adds_no_frame_is_left_out_and_named(scene):
    whole, part = cut(scene, range(1, 25), "000/0"), cut(scene, range(5, 15), "001/0")
    poses = centers(part.reconstruction)
    bent = {k: Pose(pose.rotation, pose.translation + (k - 5) ** 2 * 0.05) for k, pose in poses.items()}
    contradicting = SubModel("001/0", ("001",), set_poses(part.reconstruction, bent))

    result = merge_sub_models([whole, contradicting])

    assert [model.frames for model in result.models] == [tuple(range(1, 25))]
    assert error(result.models[0], scene).rmse < 0.01
    assert [(finding.code, finding.where) for finding in result.findings] == [("merge.contained", "model 001/0")]


def test_no_sub_models_give_no_model():
    assert merge_sub_models([]).models == ()


@pytest.mark.parametrize(("shared", "linked"), [(3, False), (4, True)])
def test_models_that_share_more_than_three_frames_may_be_joined(scene, shared, linked):
    one, other = cut(scene, range(1, 11), "000/0"), cut(scene, range(11 - shared, 20), "001/0")
    attempts = merge_sub_models([one, other]).attempts

    assert [attempt.shared_frames for attempt in attempts] == ([(7, 8, 9, 10)] if linked else [])


def test_thirty_clips_with_a_poisoned_one_join_around_it():
    tour = long_walk_scene(30 * 8 + 4)
    rng = np.random.default_rng(2)
    clips = [cut(tour, range(8 * k + 1, 8 * k + 13), f"{k:03d}/0", random_similarity(rng)) for k in range(30)]
    clips[14] = twist(clips[14])

    result = merge_sub_models(clips)

    assert sorted(model.frames for model in result.models) == [
        tuple(range(1, 117)),
        tuple(range(113, 125)),
        tuple(range(121, 245)),
    ]
    assert {name for finding in result.findings for name in finding.where.split(" + ")} >= {"014/0"}
    assert all(
        attempt.verdict != "accepted" for attempt in result.attempts if "014/0" in (attempt.first, attempt.second)
    )


@settings(max_examples=8, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000), overlap=st.integers(4, 7), order=st.permutations(range(3)))
def test_cut_sub_models_merge_back_in_any_order_and_unit(seed, overlap, order):
    whole = walk_scene(24, 900, 0.3, seed % 3)
    spans = [range(1, 9 + overlap), range(9, 17 + overlap), range(17, 25)]
    rng = np.random.default_rng(seed)
    models = [cut(whole, span, f"{k:03d}/0", random_similarity(rng)) for k, span in enumerate(spans)]

    result = merge_sub_models([models[k] for k in order])

    assert [model.frames for model in result.models] == [tuple(range(1, 25))]
    assert error(result.models[0], whole).rmse < 0.03


def test_a_scale_that_runs_along_the_shared_frames_undoes_the_join(scene, monkeypatch):
    monkeypatch.setattr("recon.merging.links._MOST_SCALE_DRIFT", -1.0)

    result = merge_sub_models(parts(scene))

    assert {attempt.verdict for attempt in result.attempts} == {"not aligned"}
    assert all("drifts" in attempt.reason for attempt in result.attempts)


def test_a_bent_sub_model_is_cut_and_named_before_it_is_joined(tmp_path):
    tour = walk_scene(24, 1500)
    write_matches(tour, tmp_path / "database.db")
    poses = centers(tour)
    backwards = {
        frame: Pose(
            poses[frame].rotation @ Rotation.from_euler("y", 5.0 * (frame - 15), degrees=True).as_matrix(),
            2 * poses[15].translation - poses[frame].translation,
        )
        for frame in range(16, 20)
    }
    bent = cut(set_poses(tour, backwards), range(8, 25), "001/0")
    check = ContradictionOptions(gaps=(2, 4, 6))
    bars = MergeBars(check=check, min_part_frames=4)

    result = merge_sub_models([cut(tour, range(1, 13), "000/0"), bent], tmp_path / "database.db", bars=bars)

    assert "merge.bent" in {finding.code for finding in result.findings}
    assert any("001/0" in finding.where for finding in result.findings)
    assert len(result.models[0].frames) >= 15
    assert all(error(model, tour).rmse < 0.03 for model in result.models)

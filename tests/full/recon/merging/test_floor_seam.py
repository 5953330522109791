"""Joins over frames that both models hold, where only the camera's height above the floor tells the scale beyond."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from recon.audit import audit
from recon.audit.verdict import Verdict
from recon.evaluate import pose_error
from recon.geometry import Pose, Sim3
from recon.merging import floor_seam, last_joins
from recon.merging.floor_seam import FloorSeam, FloorSeamOptions, find_floor_seam
from recon.merging.join import MergeOptions
from recon.merging.merge import MergeResult
from recon.merging.seam_join import join_over_seams
from recon.records import MergeAttempt, SubModel
from tests.support.recon.made_models import centers, cut, random_similarity, set_poses
from tests.support.recon.made_pan import PanWorld, make_pan_world

SHARED = range(10, 20)
AGREEMENT = MergeOptions().agreement


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> PanWorld:
    """A walk ahead in frames 1 to 14, a turn on the spot, a walk on in frames 20 to 33."""
    return make_pan_world(tmp_path_factory.mktemp("seam"), 100.0)


@pytest.fixture
def parts(world) -> tuple[SubModel, SubModel]:
    """Both with the turn, each in a frame and unit of its own."""
    rng = np.random.default_rng(3)
    before = cut(world.truth, range(1, SHARED.stop), "merged/0", random_similarity(rng))
    return before, cut(world.truth, range(SHARED.start, 34), "merged/1", random_similarity(rng))


def find(parts, world, options=FloorSeamOptions()) -> FloorSeam | str:
    return find_floor_seam(parts[0], parts[1], list(SHARED), world.floors, AGREEMENT, options)


def grow_beyond(model: SubModel, frame: int, factor: float) -> SubModel:
    """What lies behind a frame, the points that only later frames see too, larger around that frame's camera."""
    old = model.reconstruction
    middle = old.image(frame).projection_center()
    moved = {
        other: Pose(pose.rotation, middle + factor * (pose.translation - middle))
        for other, pose in centers(old).items()
        if other > frame
    }
    grown = set_poses(old, moved)
    for point in grown.points3D.values():
        if min(element.image_id for element in point.track.elements) >= frame:
            point.xyz = middle + factor * (point.xyz - middle)
    return replace(model, reconstruction=grown)


def test_the_shared_frames_tell_how_they_stand_and_the_floor_agrees(parts, world):
    seam = find(parts, world)

    assert isinstance(seam, FloorSeam)
    moved = {
        frame: seam.alignment.first_from_second.move_camera(
            Pose.from_rigid3d(parts[1].reconstruction.image(frame).cam_from_world()).inverse()
        )
        for frame in range(20, 34)
    }
    own = {
        frame: Pose.from_rigid3d(parts[0].reconstruction.image(frame).cam_from_world()).inverse()
        for frame in range(1, 20)
    }
    true = {frame: Pose.from_rigid3d(world.truth.image(frame).cam_from_world()).inverse() for frame in range(1, 34)}
    assert pose_error(own | moved, true).rmse < 0.01
    assert seam.scale_off < 0.05
    assert seam.lean_deg < 2.0


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_what_came_out_at_another_scale_beyond_is_not_joined(parts, world, factor):
    told = find((parts[0], grow_beyond(parts[1], SHARED[-1], factor)), world)

    assert isinstance(told, str)
    assert "height above the floor differs by" in told


def stand_otherwise(monkeypatch, name: str, change: Sim3) -> None:
    """The floor of one model is found exactly, and then otherwise by a similarity."""

    def stand(model, floors, near, seed):
        side = floor_seam_stand(model, floors, near, seed)
        assert side is not None
        ideal = replace(side, floor_from_model=Sim3(1.0, side.floor_from_model.rotation, np.zeros(3)))
        return replace(ideal, floor_from_model=change @ ideal.floor_from_model) if model.name == name else ideal

    floor_seam_stand = floor_seam.stand_on_floor
    monkeypatch.setattr(floor_seam, "stand_on_floor", stand)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("off", "joined"), [(0.14, True), (0.16, False)])
def test_heights_may_differ_by_fifteen_per_cent(off, joined, sign, world, monkeypatch):
    parts = [cut(world.truth, frames, name) for name, frames in (("a", range(1, 20)), ("b", range(10, 34)))]
    stand_otherwise(monkeypatch, "b", Sim3((1.0 + off) ** sign, np.eye(3), np.zeros(3)))
    assert isinstance(find(parts, world, options=FloorSeamOptions(max_lean_deg=90.0)), FloorSeam) is joined


@pytest.mark.parametrize(("lean_deg", "joined"), [(7.9, True), (8.1, False)])
def test_floors_may_lean_by_eight_degrees(lean_deg, joined, world, monkeypatch):
    parts = [cut(world.truth, frames, name) for name, frames in (("a", range(1, 20)), ("b", range(10, 34)))]
    upright = floor_seam.stand_on_floor(parts[0], world.floors, range(1, 10))
    assert upright is not None
    rotation = upright.floor_from_model.rotation

    def stand(model, floors, near, seed):
        lean = Rotation.from_euler("x", lean_deg if model.name == "b" else 0.0, degrees=True).as_matrix()
        return replace(upright, floor_from_model=Sim3(1.0, lean @ rotation, np.zeros(3)))

    monkeypatch.setattr(floor_seam, "stand_on_floor", stand)
    assert isinstance(find(parts, world), FloorSeam) is joined


@pytest.mark.parametrize("seen", [range(1, 10), range(20, 34)])
def test_both_models_must_see_the_floor(seen, parts, world):
    """Where only frames on one side show it, the other model has none."""
    floors = {frame: world.floors[frame] for frame in seen}

    told = find(parts, replace(world, floors=floors))

    assert isinstance(told, str)
    assert "too little floor" in told


@pytest.mark.parametrize(("reach", "asked"), [(40, range(1, 10)), (4, range(6, 10))])
def test_frames_near_the_shared_ones_are_asked(reach, asked, parts, world, monkeypatch):
    near = {}
    stand = floor_seam.stand_on_floor
    monkeypatch.setattr(
        floor_seam,
        "stand_on_floor",
        lambda model, floors, at, seed: near.update({model.name: at}) or stand(model, floors, at, seed),
    )
    find(parts, world, options=FloorSeamOptions(reach=reach))
    assert near["merged/0"] == list(asked)


def test_models_that_disagree_on_the_shared_frames_are_not_asked_further(parts, world):
    turned = [Rotation.from_euler("y", angle, degrees=True).as_matrix() for angle in (10, -10)]
    poses = {
        frame: Pose(pose.rotation @ turned[frame % 2], pose.translation)
        for frame, pose in centers(parts[1].reconstruction).items()
        if frame in SHARED
    }
    told = find((parts[0], replace(parts[1], reconstruction=set_poses(parts[1].reconstruction, poses))), world)
    assert isinstance(told, str)
    assert "shared cameras differ by" in told


def leave_apart(parts) -> MergeResult:
    undone = MergeAttempt(
        first="000/0",
        second="000/1",
        result="",
        shared_frames=tuple(SHARED),
        error_first_px=0.5,
        error_second_px=0.5,
        error_merged_px=None,
        center_disagreement=None,
        rotation_disagreement_deg=None,
        observations_before=100,
        observations_after=None,
        verdict="not aligned",
        reason="nothing ties them",
        seconds=0.0,
    )
    another = replace(undone, second="002/0", shared_frames=(), reason="another")
    return MergeResult(tuple(parts), (undone,), (), (undone, another))


def join(parts, world, floors=None) -> MergeResult:
    return join_over_seams(
        leave_apart(parts), world.database_path, world.frames, lambda _: world.floors if floors is None else floors
    )


def test_the_parts_become_one_model_and_what_was_undone_is_not_told_any_more(parts, world):
    result = join(parts, world)

    (model,) = result.models
    assert (model.name, model.frames, model.held_by_floor) == ("merged/0", tuple(range(1, 34)), True)
    true = {frame: Pose.from_rigid3d(world.truth.image(frame).cam_from_world()).inverse() for frame in model.frames}
    found = {frame: Pose.from_rigid3d(model.reconstruction.image(frame).cam_from_world()).inverse() for frame in true}
    assert pose_error(found, true).rmse < 0.02
    assert [(finding.code, finding.where) for finding in result.findings] == [
        ("merge.by_floor", "frames 10-19"),
        ("merge.undone", "000/0 + 002/0"),
    ]
    last = result.attempts[-1]
    assert (last.joined_by, last.verdict, last.shared_frames) == ("floor", "accepted", tuple(SHARED))


def test_a_third_model_within_both_is_left_out_and_told(parts, world):
    within = cut(world.truth, range(17, 22), "merged/2")

    result = join((*parts, within), world)

    assert [model.frames for model in result.models] == [tuple(range(1, 34))]
    assert [finding.code for finding in result.told][-1] == "merge.contained"


@pytest.mark.parametrize(("score", "is_doubted"), [(1.24, False), (1.26, True)])
def test_beside_a_seam_the_height_may_differ_by_a_quarter_between_the_middles(score, is_doubted, world, monkeypatch):
    change = Verdict(False, "height", score, 1.8, (SHARED[0], SHARED[0] + 1), "another height")
    monkeypatch.setattr(audit, "scale_changes", lambda heights: [change])
    monkeypatch.setattr(audit, "find_leaps", lambda *_: [])
    whole = cut(world.truth, range(1, 34), "a")
    told = last_joins.find_doubt_beside(whole, SHARED[0], SHARED[-1], world.floors)
    assert told == ("another height" if is_doubted else "")


@pytest.mark.parametrize(("shared", "models"), [(8, 1), (7, 2)])
def test_eight_shared_frames_are_needed(shared, models, world):
    parts = cut(world.truth, range(1, 20), "merged/0"), cut(world.truth, range(20 - shared, 34), "merged/1")
    assert len(join(parts, world).models) == models


def test_without_a_model_that_finds_the_floor_they_stay_apart_and_the_log_says_why(parts, world):
    before = leave_apart(parts)

    result = join(parts, world, floors={})

    assert (result.models, result.findings) == (before.models, before.findings)
    assert result.attempts[-1].verdict == "not aligned"
    assert "no light models here to find the floor" in result.attempts[-1].reason


def test_where_places_look_alike_nothing_is_joined(parts, world):
    before = leave_apart(parts)
    alike = replace(before, look_alikes=Verdict(False, "look-alikes", 0.4, 0.1, (1, 33), "made"))
    assert join_over_seams(alike, world.database_path, world.frames, lambda _: world.floors) == alike


@pytest.mark.parametrize(("shared", "models"), [(SHARED, 2), (range(10, 14), 2), (range(5, 12), 1)])
def test_models_that_a_join_over_their_frames_showed_to_disagree_stay_apart(shared, models, parts, world):
    before = leave_apart(parts)
    bad = replace(before.attempts[0], verdict="rolled back", shared_frames=tuple(shared))
    undone = replace(before, attempts=(*before.attempts, bad))
    joined = join_over_seams(undone, world.database_path, world.frames, lambda _: world.floors)
    assert len(joined.models) == models
    assert (joined.attempts[-1].joined_by == "floor") is (models == 1)


def test_pairs_that_contradict_the_model_of_both_keep_them_apart(parts, world, monkeypatch):
    monkeypatch.setattr("recon.merging.join._pairs_across", lambda *_: (10, 3))
    assert len(join(parts, world).models) == 2
    monkeypatch.setattr("recon.merging.join._pairs_across", lambda *_: (20, 3))
    assert len(join(parts, world).models) == 1


def test_a_leap_beside_the_seam_keeps_them_apart(parts, world, monkeypatch):
    monkeypatch.setattr("recon.merging.seam_join.find_doubt_beside", lambda *_: "the walk leaps")
    result = join(parts, world)
    assert len(result.models) == 2
    assert result.attempts[-1].reason == "the walk leaps"

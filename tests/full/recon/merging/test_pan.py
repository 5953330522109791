"""Joins over a pan past bare walls, where only the floor and the camera's height above it carry anything over."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from recon.evaluate import pose_error
from recon.geometry import Pose, angle_between_deg
from recon.merging.merge import MergeResult, merge_sub_models
from recon.merging.pan import PanJoin, PanOptions, find_pan_join
from recon.merging.pan_join import join_over_pans
from recon.records import Frame
from tests.support.recon.made_models import cut, random_similarity
from tests.support.recon.made_pan import PanWorld, make_pan_world


def find(world: PanWorld, options: PanOptions = PanOptions()) -> PanJoin | str:
    return find_pan_join(world.before, world.after, world.database_path, world.floors, world.times_s, options)


@pytest.fixture(scope="module")
def quarter(tmp_path_factory) -> PanWorld:
    return make_pan_world(tmp_path_factory.mktemp("pan"), 100.0)


@pytest.mark.parametrize("turn_deg", [100.0, 180.0, 360.0])
def test_floor_and_height_tell_how_the_parts_stand(tmp_path, turn_deg):
    world = make_pan_world(tmp_path, turn_deg, seed=int(turn_deg))

    pan = find(world)

    assert isinstance(pan, PanJoin)
    truth = world.before_from_after
    assert pan.first_from_second.scale == pytest.approx(truth.scale, rel=0.03)
    off = truth.rotation.T @ pan.first_from_second.rotation
    assert np.degrees(np.arccos(np.clip((np.trace(off) - 1) / 2, -1, 1))) < 1.0
    for frame, pose in pan.between.items():
        true = Pose.from_rigid3d(world.truth.image(frame).cam_from_world()).inverse()
        away_m = np.linalg.norm(pose.center - world.before_from_world @ true.center) / world.before_from_world.scale
        assert away_m < 0.1
    assert sorted(pan.between) == list(range(world.before.frames[-1] + 1, world.after.frames[0]))


@pytest.mark.parametrize("seed", range(3))
def test_where_the_parts_lie_and_their_units_do_not_matter(quarter, seed):
    moved_from_before = random_similarity(np.random.default_rng(seed))
    moved = replace(quarter, before=cut(quarter.before.reconstruction, quarter.before.frames, "a", moved_from_before))

    one, other = find(quarter), find(moved)

    assert isinstance(one, PanJoin)
    assert isinstance(other, PanJoin)
    expected = moved_from_before @ one.first_from_second
    assert other.first_from_second.scale == pytest.approx(expected.scale, rel=0.005)
    assert angle_between_deg(other.first_from_second.rotation[0], expected.rotation[0]) < 0.5
    assert angle_between_deg(other.first_from_second.rotation[1], expected.rotation[1]) < 0.5


def test_a_camera_that_rises_by_a_fifth_is_not_believed(tmp_path):
    told = find(make_pan_world(tmp_path, 100.0, rise=0.2))

    assert isinstance(told, str)
    assert "height changes by" in told


def test_half_of_a_small_rise_is_taken_back(tmp_path):
    world = make_pan_world(tmp_path, 100.0, rise=0.05)

    pan = find(world)

    assert isinstance(pan, PanJoin)
    assert pan.first_from_second.scale == pytest.approx(world.before_from_after.scale, rel=0.035)


def test_a_floor_without_texture_leads_nowhere(tmp_path):
    told = find(make_pan_world(tmp_path, 100.0, floor_points=150))

    assert isinstance(told, str)
    assert "floor" in told


def test_nothing_is_told_where_no_floor_is_seen(quarter):
    told = find(replace(quarter, floors={}))

    assert isinstance(told, str)
    assert "too little floor" in told


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (PanOptions(max_scale_sigma=0.001), "the scale is known to"),
        (PanOptions(max_turn_off_deg=0.0), "turns that differ"),
        (PanOptions(max_shift_off=1e-6), "turns that differ"),
        (PanOptions(max_lean_deg=0.0), "floors lean"),
        (PanOptions(max_scale_off=0.0), "height changes"),
        (PanOptions(max_pace=1e-3), "faster than people walk"),
    ],
)
def test_each_bar_keeps_the_parts_apart(quarter, options, why):
    told = find(quarter, options)

    assert isinstance(told, str)
    assert why in told


def merged(world: PanWorld) -> MergeResult:
    return MergeResult((world.before, world.after), (), ())


def test_the_parts_become_one_model_with_the_frames_between(quarter):
    result = join_over_pans(merged(quarter), quarter.database_path, quarter.frames, lambda _: quarter.floors)

    (model,) = result.models
    assert model.frames == tuple(frame.index for frame in quarter.frames)
    found, true = (
        {frame: Pose.from_rigid3d(own.image(frame).cam_from_world()).inverse() for frame in model.frames}
        for own in (model.reconstruction, quarter.truth)
    )
    assert pose_error(found, true).rmse < 0.1
    assert [finding.code for finding in result.findings] == ["merge.by_pan"]
    (attempt,) = result.attempts
    assert (attempt.joined_by, attempt.verdict) == ("pan", "accepted")


def test_without_a_model_that_finds_the_floor_they_stay_apart_and_it_is_said(quarter):
    result = join_over_pans(merged(quarter), quarter.database_path, quarter.frames, lambda _: {})

    assert {model.frames for model in result.models} == {quarter.before.frames, quarter.after.frames}
    assert {finding.code for finding in result.findings} == {"merge.pan_open", "merge.apart"}
    assert [attempt.verdict for attempt in result.attempts] == ["not aligned"]


def never(frames: Sequence[Frame]):
    raise AssertionError("nobody asks for floors here")


def test_parts_of_two_shots_are_not_asked(quarter):
    first = quarter.after.frames[0]
    frames = [replace(frame, shot=int(frame.index >= first)) for frame in quarter.frames]
    before = merged(quarter)

    assert join_over_pans(before, quarter.database_path, frames, never) is before


def test_parts_far_from_each_other_in_time_are_not_asked(quarter):
    first = quarter.after.frames[0]
    frames = [replace(frame, time_s=frame.time_s + 60.0 * (frame.index >= first)) for frame in quarter.frames]
    before = merged(quarter)

    assert join_over_pans(before, quarter.database_path, frames, never) is before


def test_a_whole_model_is_not_asked(scene, database):
    whole = merge_sub_models([cut(scene, range(1, 25), "000/0")], database)

    assert join_over_pans(whole, database, [], never) is whole

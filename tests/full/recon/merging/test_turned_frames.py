"""Frames that no model holds get a pose by their turns, and only where the camera did nothing but turn."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from recon.colmap.database import open_database
from recon.colmap.poses import read_pose
from recon.geometry import Pose, angle_between_deg
from recon.merging import turned_frames
from recon.merging.turned_frames import place_turned_frames
from recon.records import SubModel
from tests.support.recon.made_models import cut, set_poses
from tests.support.recon.made_pan import PAN_STEP_DEG, WALK, PanWorld, make_pan_world

PAN = range(WALK + 1, WALK + 6)
"""Frames that turn on the spot by 20 degrees each; the camera walks before and behind."""


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> PanWorld:
    return make_pan_world(tmp_path_factory.mktemp("turned"), 100.0, drift_m=0.002, wall_points=600)


def hold(world: PanWorld, frames: Sequence[int], name: str = "merged/0") -> SubModel:
    """Some frames at their true poses."""
    return cut(world.truth, frames, name)


def place(world: PanWorld, *models: SubModel, frames=None) -> list[SubModel]:
    return place_turned_frames(models, world.database_path, frames or world.frames)[0]


def rotation_off_deg(world: PanWorld, model: SubModel, frame: int) -> float:
    off = read_pose(model.reconstruction, frame).rotation.T @ read_pose(world.truth, frame).rotation
    return float(np.degrees(Rotation.from_matrix(off).magnitude()))


def test_behind_an_end_the_camera_stands_and_turns(world):
    before = hold(world, range(1, WALK + 1))

    (model,), (finding,) = place_turned_frames([before], world.database_path, world.frames)

    assert model.frames == tuple(range(1, PAN[-1] + 1))  # the next step walks
    end = read_pose(world.truth, WALK).center
    for frame in PAN:
        assert rotation_off_deg(world, model, frame) < 1.0
        assert read_pose(model.reconstruction, frame).center == pytest.approx(end)
        assert model.reconstruction.image(frame).num_points3D == 0
    assert (finding.code, finding.severity, finding.where) == ("merge.by_turn", "info", f"frames {PAN[0]}-{PAN[-1]}")
    turned_deg = sum(
        angle_between_deg(read_pose(world.truth, k).forward, read_pose(world.truth, k - 1).forward) for k in PAN
    )
    assert f"turns by {turned_deg:.0f} deg" in finding.message
    assert "5 frames" in finding.message
    assert "taken to stand" in finding.message
    assert before.frames == tuple(range(1, WALK + 1))  # what was given stays


def test_before_a_beginning_too(world):
    behind = hold(world, range(PAN[-1], PAN[-1] + WALK + 1))

    (model,) = place(world, behind)

    assert model.frames[0] == WALK  # it turns from there on; before, it walks
    assert max(rotation_off_deg(world, model, frame) for frame in PAN) < 1.0


def test_between_two_frames_of_a_model_it_turns_as_far_as_they_do(world):
    gap = PAN[:-1]
    kept = [frame.index for frame in world.frames if frame.index not in gap]

    (model,), (finding,) = place_turned_frames([hold(world, kept)], world.database_path, world.frames)

    assert model.frames == tuple(frame.index for frame in world.frames)
    for frame in gap:
        assert rotation_off_deg(world, model, frame) < 1.0
        away_m = np.linalg.norm(read_pose(model.reconstruction, frame).center - read_pose(world.truth, frame).center)
        assert away_m < 0.02
    assert "with the frames before and behind that agrees within" in finding.message


@pytest.mark.parametrize(("wrong_deg", "placed"), [(7.3, True), (8.4, False)])
def test_between_frames_that_stand_otherwise_to_each_other_they_are_left_out(world, wrong_deg, placed):
    """Of a turn by 97 degrees up to 7.8 may be missing, and what is missing is shared out."""
    kept = [frame.index for frame in world.frames if frame.index not in PAN[:-1]]
    whole = hold(world, kept)
    turn = Rotation.from_euler("z", wrong_deg, degrees=True).as_matrix()
    poses = {frame: read_pose(whole.reconstruction, frame) for frame in kept}
    turned = {
        frame: Pose(turn @ pose.rotation, pose.translation) if frame >= PAN[-1] else pose
        for frame, pose in poses.items()
    }
    bent = replace(whole, reconstruction=set_poses(whole.reconstruction, turned))

    (model,) = place(world, bent)

    assert set(PAN[:-1]).issubset(model.frames) == placed
    if placed:
        off_deg = [rotation_off_deg(world, model, frame) for frame in PAN[:-1]]
        assert off_deg == pytest.approx([wrong_deg * part for part in (0.2, 0.4, 0.6, 0.8)], abs=1.0)


def test_a_camera_that_walks_is_not_placed(world):
    (model,), findings = place_turned_frames([hold(world, range(1, 9))], world.database_path, world.frames)

    assert model.frames == tuple(range(1, 9))
    assert findings == []


def test_another_shot_is_another_place(world):
    frames = [replace(frame, shot=int(frame.index >= PAN[2])) for frame in world.frames]

    (model,) = place(world, hold(world, range(1, WALK + 1)), frames=frames)

    assert model.frames[-1] == PAN[1]


def test_a_frame_goes_to_one_model_the_larger_one_first(world):
    small = hold(world, range(PAN[-1] + 1, PAN[-1] + 9), "merged/1")
    large = hold(world, range(1, WALK + 1))

    one, other = place(world, large, small)

    assert one.frames == tuple(range(1, PAN[-1] + 1))
    assert other.frames == small.frames


def test_the_model_that_is_larger_then_comes_first(world):
    before, behind = hold(world, range(7, WALK + 1)), hold(world, range(PAN[-1] + 1, PAN[-1] + 11), "merged/1")

    models = place(world, behind, before)

    assert [(model.name, model.frames[0]) for model in models] == [("merged/0", 7), ("merged/1", PAN[-1] + 1)]


@pytest.mark.parametrize(("every_s", "placed"), [(1.59, 5), (2.01, 3)])
def test_what_is_long_behind_an_end_is_not_placed(world, every_s, placed):
    frames = [replace(frame, time_s=every_s * frame.index) for frame in world.frames]

    (model,) = place(world, hold(world, range(1, WALK + 1)), frames=frames)

    assert len(model.frames) == WALK + placed


def test_nor_is_a_long_run_between_two_frames(world):
    kept = [frame.index for frame in world.frames if frame.index not in PAN[:-1]]
    slow = [replace(frame, time_s=2.0 * frame.index) for frame in world.frames]

    assert place(world, hold(world, kept), frames=slow)[0].frames == tuple(kept)


@pytest.mark.parametrize("most", [3, 4])
def test_nor_are_many_frames(world, monkeypatch, most):
    monkeypatch.setattr(turned_frames, "_MOST_FRAMES", most)
    kept = [frame.index for frame in world.frames if frame.index not in PAN[:-1]]

    (between,) = place(world, hold(world, kept))
    (beside,) = place(world, hold(world, range(1, WALK + 1)))

    assert len(between.frames) == len(kept) + (4 if most == 4 else 0)
    assert len(beside.frames) == WALK + most


def keep_matches(world: PanWorld, path: Path, first: int, count: int) -> Path:
    """A copy of the database where a frame and the next share so many matches."""
    path.write_bytes(world.database_path.read_bytes())
    with open_database(path) as database:
        geometry = database.read_two_view_geometry(first, first + 1)
        geometry.inlier_matches = geometry.inlier_matches[:count]
        database.update_two_view_geometry(first, first + 1, geometry)
    return path


@pytest.mark.parametrize(("matches", "placed"), [(29, False), (30, True)])
def test_few_matches_tell_no_turn(world, tmp_path, matches, placed):
    poor = keep_matches(world, tmp_path / "poor.db", WALK, matches)

    assert bool(place_turned_frames([hold(world, range(1, WALK + 1))], poor, world.frames)[1]) == placed


def test_what_one_model_leaves_another_may_take(world, tmp_path):
    poor = keep_matches(world, tmp_path / "poor.db", PAN[1], 0)
    before, behind = hold(world, range(1, WALK + 1)), hold(world, range(PAN[-1], PAN[-1] + 9), "merged/1")

    (one, other), findings = place_turned_frames([before, behind], poor, world.frames)

    assert one.frames == tuple(range(1, PAN[1] + 1))
    assert other.frames == tuple(range(PAN[2], PAN[-1] + 9))
    assert [finding.where for finding in findings] == [f"frames {PAN[0]}-{PAN[1]}", f"frames {PAN[2]}-{PAN[3]}"]


def test_a_single_frame_is_named_so(world, tmp_path):
    poor = keep_matches(world, tmp_path / "poor.db", PAN[0], 0)

    _, (finding,) = place_turned_frames([hold(world, range(1, WALK + 1))], poor, world.frames)

    assert finding.where == f"frame {PAN[0]}"
    assert "a frame that no model held got its pose from its turn" in finding.message


@pytest.mark.parametrize(
    ("turned_deg", "off_deg", "is_turn"),
    [(PAN_STEP_DEG, 0.49, True), (PAN_STEP_DEG, 0.51, False), (3.3, 0.4, True), (3.1, 0.4, False)],
)
def test_a_turn_is_large_against_what_it_leaves(turned_deg, off_deg, is_turn):
    turn = Rotation.from_euler("y", turned_deg, degrees=True).as_matrix()

    assert turned_frames._is_turn(turn, np.radians(off_deg)) == is_turn


def test_nothing_is_asked_where_nothing_is_lacking(world, tmp_path):
    whole = hold(world, [frame.index for frame in world.frames])

    assert place_turned_frames([whole], tmp_path / "none.db", world.frames) == ([whole], [])
    assert place_turned_frames([], tmp_path / "none.db", world.frames) == ([], [])

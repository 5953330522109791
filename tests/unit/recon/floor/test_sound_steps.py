"""What sound models tell of the steps of a walk, whatever their frame and unit."""

import numpy as np
import pytest

from recon.floor import hold
from recon.floor.hold import measure_sound_steps
from recon.geometry import Pose
from tests.support.recon.made_pan import WALK, make_pan_world


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return make_pan_world(tmp_path_factory.mktemp("steps"), 100.0, seed=3)


@pytest.fixture(autouse=True)
def believe_from_its_length_on(monkeypatch):
    monkeypatch.setattr(hold, "LEAST_SOUND_FRAMES", WALK)


def test_steps_are_in_heights_of_the_camera_whatever_the_unit(world):
    frames = sorted(world.truth.reg_image_ids())
    models = [world.before.reconstruction, world.after.reconstruction]
    turns, moves = measure_sound_steps(models, world.floors, frames)
    first = world.after.frames[0]
    told = [row for row, frame in enumerate(frames) if frame < WALK or first <= frame < frames[-1]]
    assert turns.rows.tolist() == moves.rows.tolist() == told
    poses = [Pose.from_rigid3d(world.truth.image(frame).cam_from_world()) for frame in frames]
    true = [poses[row] @ poses[row + 1].inverse() for row in told]
    assert turns.turns == pytest.approx(np.array([step.rotation for step in true]), abs=1e-6)
    assert moves.moves == pytest.approx(np.array([step.translation for step in true]) / 1.5, rel=0.05, abs=0.005)


def test_only_the_first_long_model_is_believed_and_moves_need_a_floor(world, monkeypatch):
    turns, moves = measure_sound_steps([world.before.reconstruction], {}, list(world.before.frames))
    assert len(turns.rows) == WALK - 1
    assert len(moves.rows) == 0
    frames = list(world.before.frames)
    other = world.after.reconstruction
    twice, _ = measure_sound_steps([world.before.reconstruction, other], world.floors, frames)
    none, _ = measure_sound_steps([other], world.floors, frames)
    monkeypatch.setattr(hold, "LEAST_SOUND_FRAMES", WALK + 1)
    short, _ = measure_sound_steps([world.before.reconstruction], world.floors, frames)
    assert len(twice.rows) == WALK - 1
    assert len(none.rows) == len(short.rows) == 0

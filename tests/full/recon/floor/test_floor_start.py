"""How pieces of a walk get their size where nobody finds a floor in them."""

import numpy as np
import pytest

from recon.colmap.database import open_database
from recon.floor import start as floor_start
from recon.floor.start import initialize_on_floor
from recon.geometry import path_length
from recon.mapping.judge import concatenate_submaps
from tests.support.recon.made_pan import WALK, PanWorld, make_pan_world


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> PanWorld:
    return make_pan_world(tmp_path_factory.mktemp("pan"), 100.0, seed=4)


@pytest.fixture(autouse=True)
def allow_any_pace(monkeypatch):
    """Frames of the made walk follow each other faster than people walk."""
    monkeypatch.setattr(floor_start, "_MAX_HEIGHTS_PER_S", 9.0)


def way_after(world: PanWorld) -> float:
    """What the rough walk makes of the part after the pan, over its true length in heights of the camera."""
    patchwork = concatenate_submaps([world.before.reconstruction, world.after.reconstruction])
    frames = sorted(patchwork.model.reg_image_ids())
    times_s = np.array([world.times_s[frame] for frame in frames])
    rough = initialize_on_floor(patchwork.model, world.database_path, world.floors, times_s, 0, patchwork.seams)
    assert rough is not None
    true = path_length([world.truth.image(frame).projection_center() for frame in world.after.frames]) / 1.5
    return path_length(rough.centers[WALK:]) / true


@pytest.fixture
def no_level_after(world, monkeypatch):
    """Nothing of what the pictures after the pan call floor is level."""
    real = floor_start.find_floor_plane

    def find(model, floors, seed):
        return None if max(model.reg_image_ids()) > WALK else real(model, floors, seed)

    monkeypatch.setattr(floor_start, "find_floor_plane", find)


def test_a_piece_without_a_level_floor_gets_its_size_from_what_is_called_floor(world, no_level_after):
    assert way_after(world) == pytest.approx(1.0, abs=0.25)


@pytest.mark.parametrize(("known", "has_size"), [(6, False), (7, True)])
def test_half_of_its_frames_must_see_some(world, no_level_after, monkeypatch, known, has_size):
    monkeypatch.setattr(
        floor_start,
        "heights_above_called",
        lambda model, floors, up: dict.fromkeys(sorted(model.reg_image_ids())[:known], 1.0),
    )
    assert (way_after(world) > 0.0) is has_size


@pytest.mark.parametrize(("frames", "has_size"), [(7, False), (8, True)])
def test_a_piece_of_few_frames_has_no_size(world, frames, has_size):
    few = world.after.frames[:frames]
    steps = floor_start._scale_roughly(world.after.reconstruction, few, world.floors, np.eye(3))
    assert bool(steps.any()) is has_size


def test_between_two_models_without_common_matches_nobody_turns(world):
    """What their poses say of it is chance: each has axes of its own."""
    patchwork = concatenate_submaps([world.before.reconstruction, world.after.reconstruction])
    (seam,) = patchwork.seams
    with open_database(world.database_path) as database:
        assert not database.exists_two_view_geometry(*seam)
    frames = sorted(patchwork.model.reg_image_ids())
    times_s = np.array([world.times_s[frame] for frame in frames])

    def turned_deg(seams) -> float:
        rough = initialize_on_floor(patchwork.model, world.database_path, world.floors, times_s, 0, seams)
        assert rough is not None
        row = frames.index(seam[0])
        (one, other) = rough.rotations[row : row + 2, :2, 2]  # where the cameras look, from above
        return abs(float(np.degrees(np.arctan2(one[0] * other[1] - one[1] * other[0], one @ other))))

    assert turned_deg(patchwork.seams) < 5.0
    assert turned_deg(()) > 5.0

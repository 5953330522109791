"""A model that holds every frame, torn in scale and turn where the camera turned past bare walls."""

import numpy as np
import pycolmap
import pytest
from scipy.spatial.transform import Rotation

from recon.audit import contradictions
from recon.audit.audit import find_consistent, find_floorless_scale_breaks
from recon.audit.contradictions import find_unexplained, measure_explained_shares
from recon.audit.floor_height import measure_heights, scale_changes
from recon.colmap.database import open_database
from recon.colmap.fuse import fuse, subset
from recon.evaluate import pose_error
from recon.floor import hold as floor_hold
from recon.floor.hold import hold_by_floor
from recon.geometry import Array, Pose, Sim3, path_length
from recon.mapping.judge import concatenate_submaps
from recon.mapping.sound_parts import SoundPart, find_doubtful_steps, find_held_parts
from recon.matching.interfaces import Keypoints, PairMatch
from recon.matching.second_kind import LearnedMatches, write_combined_database
from recon.records import SubModel
from tests.support.recon.made_pan import WALK, PanWorld, make_pan_world


@pytest.fixture(scope="module", params=[100.0, 180.0])
def world(request, tmp_path_factory) -> PanWorld:
    return make_pan_world(tmp_path_factory.mktemp("pan"), request.param, seed=int(request.param))


def tear(world: PanWorld, scale: float, turn_deg: float) -> pycolmap.Reconstruction:
    """All frames in one model: behind the pan in another unit and turned, in the pan where the last frame stood."""
    wrong = Sim3(scale, Rotation.from_euler("z", turn_deg, degrees=True).as_matrix(), np.zeros(3))
    after_from_world = world.before_from_after.inverse() @ world.before_from_world
    first = world.truth.image(world.after.frames[0]).projection_center()
    back = Sim3(1.0, np.eye(3), first)
    torn_from_world = back @ wrong @ back.inverse()
    whole = fuse(
        world.before.reconstruction,
        world.after.reconstruction,
        world.before_from_world @ torn_from_world @ after_from_world.inverse(),
    )
    (camera,) = whole.cameras
    last = Pose.from_rigid3d(world.truth.image(world.before.frames[-1]).cam_from_world()).inverse()
    for frame in range(world.before.frames[-1] + 1, world.after.frames[0]):
        true = world.truth.image(frame)
        pose = Pose(Pose.from_rigid3d(true.cam_from_world()).inverse().rotation, last.center)
        keypoints = np.array([point.xy for point in true.points2D])
        image = pycolmap.Image(name=true.name, keypoints=keypoints, camera_id=camera, image_id=frame)
        placed = world.before_from_world.move_camera(pose)
        whole.add_image_with_trivial_frame(image, placed.inverse().to_rigid3d())
    return whole


def poses(model: pycolmap.Reconstruction) -> dict[int, Pose]:
    return {frame: Pose.from_rigid3d(model.image(frame).cam_from_world()).inverse() for frame in model.reg_image_ids()}


def length(model: pycolmap.Reconstruction, frames: range) -> float:
    return path_length([model.image(frame).projection_center() for frame in frames])


@pytest.mark.parametrize(("scale", "turn_deg"), [(0.05, 0.0), (4.0, 60.0)])
def test_the_floor_gives_both_sides_of_a_pan_one_scale_and_their_turn(world, scale, turn_deg):
    torn = tear(world, scale, turn_deg)
    assert scale_changes(measure_heights(torn, world.floors).above_plane)

    held = hold_by_floor(torn, world.database_path, world.floors, world.times_s)

    assert held is not None
    assert sorted(held.reg_image_ids()) == sorted(torn.reg_image_ids())
    before, after = range(1, WALK + 1), range(world.after.frames[0], world.after.frames[-1] + 1)
    ratio = length(held, after) / length(held, before)
    assert ratio == pytest.approx(length(world.truth, after) / length(world.truth, before), rel=0.03)
    assert pose_error(poses(held), poses(world.truth)).rmse < 0.05
    assert find_unexplained(held, world.database_path) == []


def test_matches_that_no_model_believes_do_not_stop_the_walk(world, tmp_path, monkeypatch):
    """Blocks of a compressed picture stay where they were in it, as if the camera stood still."""
    rng = np.random.default_rng(3)
    stuck = range(4, WALK - 1)
    camera = next(iter(world.truth.cameras.values()))
    xy = rng.uniform((0, 0), (camera.width, camera.height), (600, 2)).astype(np.float32)
    same = np.column_stack([np.arange(len(xy))] * 2).astype(np.uint32)
    keypoints = {frame: Keypoints(xy, np.zeros((len(xy), 128), np.uint8)) for frame in stuck}
    pairs = {
        (first, last): PairMatch(same, same, np.eye(3), None)
        for first in stuck
        for last in range(first + 1, min(first + 4, WALK - 1))
    }
    both = tmp_path / "both.db"
    write_combined_database(world.database_path, LearnedMatches(keypoints, pairs), both)
    torn = tear(world, 4.0, 60.0)
    with open_database(both) as database:
        xy = {frame: np.asarray(database.read_keypoints(frame), np.float64)[:, :2] for frame in stuck}
    torn = subset(torn, torn.reg_image_ids(), xy)

    def off_by() -> float:
        held = hold_by_floor(torn, both, world.floors, world.times_s)
        assert held is not None
        return abs(length(held, stuck) / length(held, range(1, WALK + 1)) / share - 1)

    share = length(world.truth, stuck) / length(world.truth, range(1, WALK + 1))
    assert off_by() < 0.01
    monkeypatch.setattr(floor_hold, "_BELIEVED_SHARE", -1.0)  # every track is
    assert off_by() > 0.03


def test_without_a_floor_nothing_is_held(world):
    assert hold_by_floor(tear(world, 0.1, 0.0), world.database_path, {}, world.times_s) is None


def test_a_wrong_turn_is_cut_out_of_a_held_model(world):
    torn = tear(world, 1.0, 30.0)
    seam = world.after.frames[0]

    doubts = find_unexplained(torn, world.database_path)
    parts = find_held_parts(
        SubModel("000/0", ("000",), torn, held_by_floor=True),
        world.database_path,
        world.database_path,
        world.floors,
        world.times_s,
    )

    assert any(doubt.first <= seam <= doubt.last for doubt in doubts)
    assert all(not (part.frames[0] < seam <= part.frames[-1]) for part in parts)
    shares: Array = measure_explained_shares(world.truth, world.database_path)
    assert np.nanmin(shares) > 0.95


@pytest.mark.parametrize(("points", "is_kept"), [(20.0, True), (19.5, False)])
def test_a_stretch_that_sees_next_to_no_points_is_left_out(world, points, is_kept):
    sparse = pycolmap.Reconstruction(world.truth)
    frames = sorted(sparse.reg_image_ids())
    left = sum(sparse.image(frame).num_points3D for frame in frames) - int(np.ceil(points * len(frames)))
    for point in sorted(sparse.point3D_ids(), key=lambda point: (-sparse.point3D(point).track.length(), point)):
        views = sparse.point3D(point).track.length()
        if views <= left:
            sparse.delete_point3D(point)
            left -= views
    seen = sum(sparse.image(frame).num_points3D for frame in frames) / len(frames)
    assert (seen >= 20.0) == is_kept
    assert seen == pytest.approx(points, abs=0.1)
    assert find_consistent(sparse, []) == ([frames] if is_kept else [])


def test_a_steady_model_stays_as_it_was(world):
    held = hold_by_floor(world.truth, world.database_path, world.floors, world.times_s)

    assert held is not None
    assert pose_error(poses(held), poses(world.truth)).rmse < 0.05


def test_a_scale_that_nobody_saw_the_floor_for_is_cut(world):
    torn = tear(world, 0.3, 0.0)
    last, first = world.before.frames[-1], world.after.frames[0]
    seen_before = {frame: mask for frame, mask in world.floors.items() if frame <= last}

    assert find_floorless_scale_breaks(torn, measure_heights(torn, world.floors).above_plane) == []
    unheld = find_floorless_scale_breaks(torn, {})
    assert unheld == find_floorless_scale_breaks(torn, measure_heights(torn, seen_before).above_plane)
    assert unheld
    assert all(last - 1 <= before and after <= first + 1 for before, after in (doubt.frames for doubt in unheld))

    model = SubModel("000/0", ("000",), torn, held_by_floor=True)
    parts = find_held_parts(model, world.database_path, world.database_path, seen_before, world.times_s)
    assert all(not (part.frames[0] <= last and part.frames[-1] >= first) for part in parts)


def test_two_models_of_a_clip_are_held_as_one_walk(world):
    """Each in a frame and unit of its own, and the turn between them in neither."""
    parts = [world.before.reconstruction, world.after.reconstruction]
    before, after = world.before.frames[-1], world.after.frames[0]
    torn = tear(world, 4.0, 60.0)

    for models, seams in (
        ([*parts, torn], ((before, before + 1), (after - 1, after))),
        ([*reversed(parts), torn], ((before, before + 1), (after - 1, after))),
    ):
        patchwork = concatenate_submaps(models)
        assert patchwork.seams == seams
        assert sorted(patchwork.model.reg_image_ids()) == sorted(torn.reg_image_ids())
        held = hold_by_floor(patchwork.model, world.database_path, world.floors, world.times_s, seams=patchwork.seams)
        assert held is not None
        assert pose_error(poses(held), poses(world.truth)).rmse < 0.05


def test_frames_that_no_model_has_stay_out_and_make_a_seam(world):
    parts = [world.before.reconstruction, world.after.reconstruction]

    patchwork = concatenate_submaps(parts)

    assert patchwork.seams == ((world.before.frames[-1], world.after.frames[0]),)
    assert sorted(patchwork.model.reg_image_ids()) == [*world.before.frames, *world.after.frames]
    assert patchwork.model.num_points3D() == sum(part.num_points3D() for part in parts)


def test_a_model_that_holds_all_stays_as_it_is(world):
    patchwork = concatenate_submaps([world.truth, world.before.reconstruction])

    assert patchwork.model is world.truth
    assert patchwork.seams == ()


@pytest.mark.parametrize(
    ("share", "is_cut", "is_told"), [(0.39, True, True), (0.41, False, True), (0.49, False, True), (0.51, False, False)]
)
def test_steps_that_few_matches_agree_with_are_cut_or_told(world, monkeypatch, share, is_cut, is_told):
    frames = sorted(world.truth.reg_image_ids())
    shares = np.ones(len(frames) - 1)
    shares[5] = share
    monkeypatch.setattr(contradictions, "measure_explained_shares", lambda *_: shares)
    model = SubModel("000/0", ("000",), world.truth, held_by_floor=True)

    parts = find_held_parts(model, world.database_path, world.database_path, world.floors, world.times_s)
    told = find_doubtful_steps(SoundPart(model, tuple(frames)), world.database_path)

    assert any(part.frames[0] <= frames[5] and frames[6] <= part.frames[-1] for part in parts) is not is_cut
    assert [doubt.frames for doubt in told] == ([(frames[5], frames[6])] if is_told else [])
    assert find_doubtful_steps(SoundPart(model, tuple(frames[6:])), world.database_path) == []

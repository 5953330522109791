"""What tells that a walk's scale does not hold, and that a camera stood still: leaps, heights and parallax."""

import numpy as np
import pycolmap
import pytest

from recon.audit.audit import find_leaps
from recon.audit.floor_height import find_floor_plane, measure_heights, scale_changes
from recon.audit.parallax import find_moving, parallax_share
from recon.audit.torn import TornOptions, find_torn_seams
from recon.geometry import Pose
from tests.support.recon.made_models import CAMERA, scene_from_poses, tear, walk_poses, write_matches

FRAMES = 30


def shrink_after(poses, frame, factor):
    """The walk whose part after a frame is smaller by a factor, about the place of that frame."""
    place = poses[frame - 1].center
    return [
        pose if number <= frame else Pose(pose.rotation, place + factor * (pose.center - place))
        for number, pose in enumerate(poses, start=1)
    ]


def floor_scene(factor=1.0, frame=15):
    """A walk over a floor, whose part after a frame is smaller by a factor, its floor likewise; and all is floor."""
    rng = np.random.default_rng(0)
    poses = [Pose(pose.rotation @ tilt(35.0), pose.center) for pose in walk_poses(FRAMES, straight=True)]
    place = poses[frame - 1].center
    model = pycolmap.Reconstruction()
    model.add_camera_with_trivial_rig(CAMERA.to_colmap(1))
    floor = np.column_stack([rng.uniform(-1, 12, 900), rng.uniform(-3, 3, 900), np.zeros(900)])
    near, far = poses[:frame], poses[frame:]
    tracks = {}
    for part, (cameras, scale) in enumerate(((near, 1.0), (far, factor))):
        for number, pose in enumerate(cameras, start=1 + part * frame):
            pixels = CAMERA.project(pose.inverse() @ floor)
            seen = np.flatnonzero(CAMERA.is_inside(pixels))
            image = pycolmap.Image(name=f"{number:06d}.jpg", keypoints=pixels[seen], camera_id=1, image_id=number)
            moved = Pose(pose.rotation, place + scale * (pose.center - place))
            model.add_image_with_trivial_frame(image, moved.inverse().to_rigid3d())
            for row, point in enumerate(seen):
                tracks.setdefault((part, point), pycolmap.Track()).add_element(number, row)
    for (part, point), track in tracks.items():
        if track.length() > 1:
            xyz = floor[point] if part == 0 else place + factor * (floor[point] - place)
            model.add_point3D(xyz, track, np.zeros(3, np.uint8))
    return model, {frame: np.ones((9, 16), bool) for frame in range(1, FRAMES + 1)}


def below_the_top():
    """A mask that takes all but the uppermost pixels for floor."""
    mask = np.ones((36, 64), bool)
    mask[:2] = False
    return mask


def tilt(down_deg):
    """cam_from_cam: the camera looks down."""
    angle = np.radians(down_deg)
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, cosine, sine], [0, -sine, cosine]])


def test_a_step_many_times_longer_than_those_of_its_stretch_is_a_leap(subtests):
    for metres, leaps in [(0.6, []), (3.0, [(12, 13)])]:
        with subtests.test(metres=metres, leaps=leaps):
            poses = [
                pose if number <= 12 else Pose(pose.rotation, pose.center + np.array([metres, 0.0, 0.0]))
                for number, pose in enumerate(walk_poses(FRAMES), start=1)
            ]
            found = find_leaps(scene_from_poses(poses, 300, 0.0, 0))
            assert [(leap.first, leap.last) for leap in found] == leaps
    model = scene_from_poses(shrink_after(walk_poses(FRAMES), 8, 0.01), 300, 0.0, 0)
    assert find_leaps(model, range(1, 9)) == find_leaps(model, range(10, FRAMES + 1)) == []


def test_a_leap_in_a_turn_that_is_sampled_densely_is_told_by_its_pace():
    """Of frames that follow each other in a third of the time a step of the usual length is no leap, by pace it is."""
    dense = range(13, 25)
    poses, place = [], 0.0
    for frame, pose in enumerate(walk_poses(FRAMES, straight=True), start=1):
        place += 0.02 if frame in dense and frame != 18 else 0.3 if frame != 18 else 0.6
        poses.append(Pose(pose.rotation, np.array([place, 0.0, 1.5])))
    model = scene_from_poses(poses, 300, 0.0, 0)
    gaps_s = [0.1 if frame in dense else 0.33 for frame in range(1, FRAMES + 1)]
    times_s = dict(zip(range(1, FRAMES + 1), np.cumsum(gaps_s).tolist(), strict=True))
    assert find_leaps(model) == []
    assert [(leap.first, leap.last) for leap in find_leaps(model, times_s=times_s)] == [(17, 18)]
    even_s = {frame: 0.33 * frame for frame in range(1, FRAMES + 1)}
    assert find_leaps(model, times_s=even_s) == []


def test_the_height_of_a_sound_walk_is_that_of_its_camera():
    model, floors = floor_scene()
    heights = measure_heights(model, floors).above_plane
    assert len(heights) == FRAMES
    assert list(heights.values()) == pytest.approx([1.5] * FRAMES, rel=0.02)
    assert scale_changes(heights) == []


def test_a_wall_that_passes_for_floor_is_not_stood_on():
    """A cabinet ahead, in all masks, with more points than the floor and exactly in one plane."""
    model, floors = floor_scene()
    rng = np.random.default_rng(1)
    wall = np.column_stack([np.full(4000, 7.5), rng.uniform(-2.5, 2.5, 4000), rng.uniform(0.0, 1.0, 4000)])
    wider = pycolmap.Reconstruction()
    wider.add_camera_with_trivial_rig(CAMERA.to_colmap(1))
    tracks = [pycolmap.Track() for _ in wall]
    for frame in sorted(model.reg_image_ids()):
        image = model.image(frame)
        own = np.array([point.xy for point in image.points2D])
        seen_from = Pose.from_rigid3d(image.cam_from_world())
        pixels = CAMERA.project(seen_from @ wall)
        seen = np.flatnonzero(CAMERA.is_inside(pixels))
        for row, point in enumerate(seen, start=len(own)):
            tracks[point].add_element(frame, row)
        copied = pycolmap.Image(
            name=image.name, keypoints=np.concatenate([own, pixels[seen]]), camera_id=1, image_id=frame
        )
        wider.add_image_with_trivial_frame(copied, image.cam_from_world())
    for point in model.points3D.values():
        wider.add_point3D(point.xyz, point.track, point.color)
    for xyz, track in zip(wall, tracks, strict=True):
        if track.length() > 1:
            wider.add_point3D(xyz, track, np.zeros(3, np.uint8))

    floors = {frame: below_the_top() for frame in floors}
    plane = find_floor_plane(wider, floors)

    assert plane is not None
    assert plane.up @ np.array([0.0, 0.0, 1.0]) > 0.999
    assert np.abs(plane.points[:, 2]).max() < 0.35
    assert len(plane.off) > 1000
    # The foot of the wall lies on the floor's level, and tilts it by a degree.
    assert list(measure_heights(wider, floors).above_plane.values()) == pytest.approx([1.5] * FRAMES, rel=0.08)


def test_heights_need_a_floor_with_a_level():
    model, _ = floor_scene()
    assert measure_heights(model, {}).above_plane == {}
    assert scale_changes({}) == []
    model, floors = floor_scene()
    rng = np.random.default_rng(2)
    for point in list(model.points3D):
        model.point3D(point).xyz = model.point3D(point).xyz + np.array([0.0, 0.0, rng.uniform(-1.4, 1.4)])
    floors = {frame: below_the_top() for frame in floors}
    assert measure_heights(model, floors).above_plane == {}


def test_a_scale_that_changes_is_found_where_it_does(subtests):
    for factor in [0.05, 0.4, 3.0]:
        with subtests.test(factor=factor):
            model, floors = floor_scene(factor)
            (change,) = scale_changes(measure_heights(model, floors).above_plane)
            assert abs(change.first - 15) <= 3
            assert change.value == pytest.approx(factor, rel=0.1)


def turning_poses():
    turns = np.radians(np.linspace(0, 60, FRAMES))
    return [
        Pose(
            np.column_stack([[np.sin(a), -np.cos(a), 0], [0, 0, -1], [np.cos(a), np.sin(a), 0]]), np.array([0, 0, 1.5])
        )
        for a in turns
    ]


def test_walking_shows_parallax_and_turning_does_not(subtests, tmp_path_factory):
    for name, (poses, least, most) in zip(
        ["walk", "turn"], [(walk_poses(FRAMES), 0.3, 1.0), (turning_poses(), 0.0, 0.02)], strict=True
    ):
        with subtests.test(name=name):
            tmp_path = tmp_path_factory.mktemp("case")
            model = scene_from_poses(poses, 900, 0.5, 0)
            write_matches(model, tmp_path / "database.db")
            assert least <= parallax_share(model, tmp_path / "database.db") <= most


def jittered(poses, seed=0):
    """A hand that holds the camera in one place to a centimetre or two."""
    rng = np.random.default_rng(seed)
    return [Pose(pose.rotation, pose.center + rng.normal(0, 0.01, 3)) for pose in poses]


WALL = np.array([[7.99, -6.0, -2.0], [8.0, 6.0, 5.0]])


def test_a_walk_to_a_plane_is_told_from_turning_with_a_wrong_focal_length(subtests, tmp_path_factory):
    for name, (poses, box, moving) in zip(
        ["walk", "walk to a bare wall", "turn", "turn by hand", "stand"],
        [
            (walk_poses(FRAMES, straight=True), None, FRAMES),
            (walk_poses(FRAMES, straight=True), WALL, FRAMES),
            (turning_poses(), None, 0),
            (jittered(turning_poses()), None, 0),
            (jittered(walk_poses(1) * FRAMES), None, 0),
        ],
        strict=True,
    ):
        with subtests.test(name=name):
            tmp_path = tmp_path_factory.mktemp("case")
            model = scene_from_poses(poses, 900, 0.5, 0, box)
            write_matches(model, tmp_path / "database.db")

            assert abs(len(find_moving(range(1, FRAMES + 1), tmp_path / "database.db")) - moving) <= 3


def test_people_who_move_before_a_camera_that_stands_are_no_walk(tmp_path):
    seed = 0
    rng = np.random.default_rng(seed)
    model = scene_from_poses(jittered(walk_poses(1) * FRAMES, seed), 900, 0.5, seed)
    for frame in sorted(model.reg_image_ids()):
        image = model.image(frame)
        for row in image.get_observation_point2D_idxs():
            if image.point2D(row).point3D_id % 4 == 0:  # a quarter is on people
                image.points2D[row].xy = image.point2D(row).xy + rng.normal(0, 20, 2)
    write_matches(model, tmp_path / "database.db")
    assert find_moving(range(1, FRAMES + 1), tmp_path / "database.db") == []


def test_points_that_look_like_one_are_no_tear_of_learned_keypoints(subtests, scene, database):
    for apart_m, is_torn in [(0.01, False), (1.0, True)]:
        with subtests.test(apart_m=apart_m, is_torn=is_torn):
            model = tear(scene, 13, 24, aside_m=apart_m)
            assert bool(find_torn_seams(model, database, TornOptions(apart_px=8.0))) is is_torn
            assert find_torn_seams(model, database)

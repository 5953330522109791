"""A known walk through a room as a COLMAP model, cut into sub-models with their own frames, units and noise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pycolmap
from scipy.spatial.transform import Rotation

from recon.colmap.database import write_tour
from recon.geometry import Camera, Pose, Sim3
from recon.matching.interfaces import PairMatch
from recon.matching.sift import two_view_geometry, verify
from recon.records import Frame, SubModel

CAMERA = Camera("SIMPLE_RADIAL", 640, 360, (500.0, 320.0, 180.0, 0.0))


def walk_poses(frames: int, straight: bool = False) -> list[Pose]:
    """world_from_cam of a walk at 1.5 m that bends unless `straight`; z up."""
    poses = []
    for k in range(frames):
        along = k / max(1, frames - 1)
        heading = 0.0 if straight else 0.9 * np.sin(3.0 * along)
        forward = np.array([np.cos(heading), np.sin(heading), 0.0])
        right = np.array([np.sin(heading), -np.cos(heading), 0.0])
        rotation = np.column_stack([right, [0.0, 0.0, -1.0], forward])
        center = np.array([6.0 * along, 0.0 if straight else 1.0 * np.sin(2.0 * along), 1.5])
        poses.append(Pose(rotation, center))
    return poses


def walk_scene(
    frames: int = 24, points: int = 900, noise_px: float = 0.3, seed: int = 0, straight: bool = False
) -> pycolmap.Reconstruction:
    """The true model: frame k is image k + 1; points on walls and furniture ahead of and beside the walk."""
    return scene_from_poses(walk_poses(frames, straight), points, noise_px, seed)


def long_walk_scene(
    frames: int, step_m: float = 0.25, points_per_m: int = 60, seed: int = 0
) -> pycolmap.Reconstruction:
    """The true model of a walk down a winding corridor, where each frame sees some metres ahead."""
    poses = []
    for k in range(frames):
        heading = 0.5 * np.sin(0.15 * k)
        forward = np.array([np.cos(heading), np.sin(heading), 0.0])
        right = np.array([np.sin(heading), -np.cos(heading), 0.0])
        center = np.array([step_m * k, 0.8 * np.sin(0.05 * k), 1.5])
        poses.append(Pose(np.column_stack([right, [0.0, 0.0, -1.0], forward]), center))
    box = np.array([[0.0, -4.0, 0.0], [step_m * frames + 6.0, 4.0, 3.0]])
    return scene_from_poses(poses, int(points_per_m * box[1, 0]), 0.3, seed, box, reach_m=6.0)


def scene_from_poses(
    poses: Sequence[Pose],
    points: int,
    noise_px: float,
    seed: int,
    box: np.ndarray | None = None,
    reach_m: float = np.inf,
    more: Sequence[np.ndarray] = (),
) -> pycolmap.Reconstruction:
    """A model with the given cameras (world_from_cam) in a box (2, 3) of random points, seen up to a distance.

    Each of `more` boxes has as many points.
    """
    rng = np.random.default_rng(seed)
    first = box if box is not None else np.array([[-1.0, -4.0, 0.0], [12.0, 4.0, 3.0]])
    xyz = np.concatenate([rng.uniform(one[0], one[1], (points, 3)) for one in (first, *more)])
    model = pycolmap.Reconstruction()
    model.add_camera_with_trivial_rig(CAMERA.to_colmap(1))
    tracks = [pycolmap.Track() for _ in xyz]
    for index, world_from_cam in enumerate(poses, start=1):
        pixels = CAMERA.project(world_from_cam.inverse() @ xyz)
        near = np.linalg.norm(xyz - world_from_cam.center, axis=1) < reach_m
        seen = np.flatnonzero(CAMERA.is_inside(pixels) & near)
        noisy = pixels[seen] + rng.normal(0.0, noise_px, (len(seen), 2))
        image = pycolmap.Image(name=f"{index:06d}.jpg", keypoints=noisy, camera_id=1, image_id=index)
        model.add_image_with_trivial_frame(image, world_from_cam.inverse().to_rigid3d())
        for place, point in enumerate(seen):
            tracks[point].add_element(index, place)
    for place, track in enumerate(tracks):
        if track.length() > 1:
            model.add_point3D(xyz[place], track, np.array([120, 120, 120], np.uint8))
    model.update_point_3d_errors()
    return model


def cut(scene: pycolmap.Reconstruction, frames: Iterable[int], name: str, move: Sim3 | None = None) -> SubModel:
    """The part of a scene that some frames see, in a frame and unit of its own; points need two of the frames."""
    wanted = set(frames)
    model = pycolmap.Reconstruction()
    model.add_camera_with_trivial_rig(CAMERA.to_colmap(1))
    for index in sorted(wanted):
        image = scene.image(index)
        fresh = pycolmap.Image(
            name=image.name, keypoints=[point.xy for point in image.points2D], camera_id=1, image_id=index
        )
        model.add_image_with_trivial_frame(fresh, image.cam_from_world())
    for point in scene.points3D.values():
        track = pycolmap.Track()
        for element in point.track.elements:
            if element.image_id in wanted:
                track.add_element(element)
        if track.length() > 1:
            model.add_point3D(point.xyz, track, point.color)
    if move is not None:
        model.transform(move.to_sim3d())
    model.update_point_3d_errors()
    return SubModel(name, (name.split("/")[0],), model)


def random_similarity(rng: np.random.Generator) -> Sim3:
    """Any rotation, a shift of some metres, a scale between 1/5 and 5."""
    return Sim3(
        float(np.exp(rng.uniform(-1.6, 1.6))), Rotation.from_quat(rng.normal(size=4)).as_matrix(), rng.normal(0, 3, 3)
    )


def centers(model: pycolmap.Reconstruction) -> dict[int, Pose]:
    """world_from_cam per registered frame."""
    return {i: Pose.from_rigid3d(model.image(i).cam_from_world().inverse()) for i in model.reg_image_ids()}


def frames_of(scene: pycolmap.Reconstruction, shot: int = 0) -> list[Frame]:
    """Frame records of a scene's images."""
    return [
        Frame(index, index / 3.0, scene.image(index).name, CAMERA.width, CAMERA.height, 100.0, shot)
        for index in sorted(scene.reg_image_ids())
    ]


def write_matches(scene: pycolmap.Reconstruction, database_path: Path, reach: int = 6) -> None:
    """A database with the scene's keypoints, a look per point, and true matches up to `reach` frames apart."""
    first_guess = Camera("SIMPLE_RADIAL", CAMERA.width, CAMERA.height, (550.0, 320.0, 180.0, 0.0))
    frames = sorted(scene.reg_image_ids())
    with pycolmap.Database.open(database_path) as database:
        write_tour(database, first_guess, frames_of(scene), has_prior_focal=False)
        xy = {i: np.array([point.xy for point in scene.image(i).points2D], np.float32).reshape(-1, 2) for i in frames}
        seen = {
            i: {scene.image(i).point2D(k).point3D_id: k for k in scene.image(i).get_observation_point2D_idxs()}
            for i in frames
        }
        looks = np.random.default_rng(1).integers(0, 90, (max(scene.point3D_ids()) + 1, 128))
        with pycolmap.DatabaseTransaction(database):
            for i in frames:
                data = np.zeros((len(xy[i]), 128), np.uint8)
                for point, keypoint in seen[i].items():
                    data[keypoint] = looks[point]
                database.write_keypoints(i, xy[i])
                database.write_descriptors(
                    i, pycolmap.FeatureDescriptors(type=pycolmap.FeatureExtractorType.SIFT, data=data)
                )
            for i in frames:
                for j in range(i + 1, i + reach + 1):
                    if j in seen:
                        common = sorted(seen[i].keys() & seen[j].keys())
                        matches = np.array([(seen[i][p], seen[j][p]) for p in common], np.uint32).reshape(-1, 2)
                        pair: PairMatch = verify(xy[i], xy[j], matches, 2.0, 15)
                        if len(pair.inliers):
                            database.write_matches(i, j, matches)
                            database.write_two_view_geometry(i, j, two_view_geometry(pair))


def set_poses(model: pycolmap.Reconstruction, world_from_cam: Mapping[int, Pose]) -> pycolmap.Reconstruction:
    """A copy of a model with other poses for some of its frames; points stay where they are."""
    changed = pycolmap.Reconstruction(model)
    for frame, pose in world_from_cam.items():
        changed.frame(frame).rig_from_world = pose.inverse().to_rigid3d()
    changed.update_point_3d_errors()
    return changed


def tear(
    scene: pycolmap.Reconstruction, first: int, last: int, shared: float = 0.0, aside_m: float = 0.0
) -> pycolmap.Reconstruction:
    """The model with points of their own for a stretch of frames; a share of the points stays common.

    The stretch and its points lie aside of their true place, along the world's x axis.
    """
    model = pycolmap.Reconstruction(scene)
    aside = np.array([aside_m, 0.0, 0.0])
    keep = np.random.default_rng(0).random(1 + max(model.point3D_ids())) < shared
    for point in sorted(model.point3D_ids()):
        seen = [(element.image_id, element.point2D_idx) for element in scene.point3D(point).track.elements]
        inside = [(image, place) for image, place in seen if first <= image <= last]
        if len(inside) < 2 or len(seen) - len(inside) < 2 or keep[point]:
            continue
        track = pycolmap.Track()
        for image, place in inside:
            model.delete_observation(image, place)
            track.add_element(image, place)
        model.add_point3D(scene.point3D(point).xyz + aside, track)
    moved = {k: Pose(pose.rotation, pose.translation + aside) for k, pose in centers(scene).items()}
    return set_poses(model, {k: pose for k, pose in moved.items() if first <= k <= last})


def begin_at_another_scale(model: SubModel, frame: int, factor: float) -> SubModel:
    """The model with the frames before one, and what they see, at a scale of their own; no point is seen across."""
    old = model.reconstruction
    middle = old.image(frame).projection_center()
    poses = {other: pose for other, pose in centers(old).items() if other < frame}
    changed = set_poses(
        old, {k: Pose(pose.rotation, middle + factor * (pose.translation - middle)) for k, pose in poses.items()}
    )
    for point in sorted(old.point3D_ids()):
        xyz, elements = old.point3D(point).xyz, old.point3D(point).track.elements
        changed.delete_point3D(point)
        for early, place in ((True, middle + factor * (xyz - middle)), (False, xyz)):
            track = pycolmap.Track([element for element in elements if (element.image_id < frame) == early])
            if track.length() > 1:
                changed.add_point3D(place, track)
    return SubModel(model.name, model.clips, changed)


def bend(scene: pycolmap.Reconstruction, first: int, last: int) -> pycolmap.Reconstruction:
    """Frames of a stretch walk the other way and look aside: what a wrong depth does to a walk."""
    poses = centers(scene)
    start = poses[first - 1]
    moved = {}
    for place, frame in enumerate(range(first, last + 1), start=1):
        turn = Rotation.from_euler("y", 4.0 * place, degrees=True).as_matrix()
        back = start.translation - 1.0 * (poses[frame].translation - start.translation)
        moved[frame] = Pose(poses[frame].rotation @ turn, back)
    return set_poses(scene, moved)

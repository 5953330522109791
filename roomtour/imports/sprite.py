"""SPRITE's files to a scene: every scene is a model, the agent's poses its cameras."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from instructions.errors import InstructionError
from instructions.facts.bodies import Body
from instructions.records import Obb, Observation, Scan
from recon.conventions import sprite_from_zup, sprite_yaw_deg, zup_from_yup
from recon.findings import Finding
from recon.geometry import Array, Camera, Pose
from recon.pictures import decode_picture
from recon.records import Frame, Scale, SceneModel
from roomtour.files.simulators import PRESETS, Simulator
from roomtour.imports.records import Gathered, Imported, ImportOptions, to_obb
from roomtour.imports.sprite_files import SpritePose, SpriteScene, SpriteThing, list_scenes, read_scene_files

SOURCE = "sprite"


_PLAIN = Simulator(0.0, 0.0, 90.0)


class _Reader(Gathered):
    @property
    def simulator(self) -> Simulator:
        return PRESETS.get(self.options.preset, _PLAIN)

    def read(self, scene: SpriteScene) -> None:
        """Take one scene: its pictures, cameras, things and what shows them."""
        name = str(len(self.models))
        frame_of: dict[int, Frame] = {}
        poses: dict[int, Pose] = {}
        for number in sorted(scene.poses):
            frame = self._take_frame(scene, number)
            if frame is not None:
                frame_of[number] = frame
                poses[frame.index] = self._place_camera(scene.poses[number])
        size = next(((one.width, one.height) for one in frame_of.values()), (640, 480))
        focal = size[0] / 2 / np.tan(np.radians(self.simulator.fov_deg / 2))
        camera = Camera("PINHOLE", *size, (float(focal), float(focal), size[0] / 2, size[1] / 2))
        scale = Scale("assumed" if self.options.preset else "metric", 1.0, 0.01, "simulator")
        model = self.add_model(name, camera, poses, scale)
        for place, thing in enumerate(scene.things):
            self._take_thing(model, place, thing, scene, frame_of)
        categories = {thing.category for thing in scene.things}
        uncounted = categories if "" in scene.uncounted else scene.uncounted
        self.scans.append(Scan(model=name, name=scene.number, uncounted=tuple(sorted(uncounted))))
        self._tell(scene, frame_of)

    def _take_frame(self, scene: SpriteScene, number: int) -> Frame | None:
        """The picture of a frame; a pose without a picture is no view."""
        path = scene.images.get(number)
        data = path.read_bytes() if path is not None else b""
        image = decode_picture(data) if data else None
        if image is None or path is None:
            scene.drop("a pose without a readable picture", f"frame {number}")
            return None
        self.digest.update(data)
        return self.add_frame(np.asarray(image, dtype=np.uint8), data, path.suffix.lower(), len(self.models))

    def _to_own(self, point: Array) -> Array:
        """A point of the file in our axes."""
        return zup_from_yup(point) if self.options.handedness == "right" else sprite_from_zup(point)

    def _place_camera(self, pose: SpritePose) -> Pose:
        """world_from_cam: the agent's place and heading, and what the preset says of the camera on it."""
        if pose.quat_xyzw is not None:
            return _camera_of_quaternion(pose)
        heading = np.radians(sprite_yaw_deg(pose.yaw_deg))
        level = np.array([np.cos(heading), np.sin(heading), 0.0])
        if self.options.handedness == "right":
            yaw = np.radians(pose.yaw_deg)
            level = zup_from_yup([np.sin(yaw), 0.0, np.cos(yaw)])
        right = np.array([level[1], -level[0], 0.0])
        down = np.radians(self.simulator.down_deg)
        forward = np.cos(down) * level - np.sin(down) * np.array([0.0, 0.0, 1.0])
        rotation = np.column_stack([right, np.cross(forward, right), forward])
        eye = self._to_own(np.array(pose.position)) + np.array([0.0, 0.0, self.simulator.eye_m])
        return Pose(rotation, eye)

    def _take_thing(
        self, model: SceneModel, place: int, thing: SpriteThing, scene: SpriteScene, frame_of: dict[int, Frame]
    ) -> None:
        box = self._box_of(thing)
        shown = [frame_of[number] for number in thing.appear if number in frame_of]
        identity = f"{model.name}_{place}"
        same = sum(other.name == thing.name for other in scene.things)
        names, frames = (thing.category, thing.name), [frame.index for frame in shown]
        self.add_thing(identity, model.name, names, box, SOURCE, frames, ambiguous=same > 1)
        for frame in shown:
            pose = model.world_from_cam[frame.index]
            seen = _box_in_picture(box, pose, model.camera) if self.options.preset else None
            xyxy = seen or (0.0, 0.0, float(frame.width), float(frame.height))
            depth = float(pose.depths(np.array([box.center]))[0])
            self.observations.append(Observation(frame.index, identity, xyxy, 1.0, 1.0, depth, (), (), thing.category))

    def _box_of(self, thing: SpriteThing) -> Obb:
        """The box in our axes: sizes along the world's axes, or a turned box of a simulator with quaternions."""
        if thing.quat_xyzw is not None:
            axes = np.column_stack([zup_from_yup(column) for column in _rotation_of(thing.quat_xyzw).T])
            return to_obb(zup_from_yup(thing.center), thing.sizes, axes)
        sizes = np.abs(self._to_own(np.array(thing.sizes)))
        return to_obb(self._to_own(np.array(thing.center)), sizes, np.eye(3))

    def _tell(self, scene: SpriteScene, frame_of: dict[int, Frame]) -> None:
        where = f"scene {scene.number}"
        for reason, names in scene.dropped.items():
            message = f"left out: {reason}, {len(names)} times: {', '.join(names[:5])}"
            self.findings.append(Finding("warning", "import.dropped", where, message))
        if any(item.quat_xyzw is not None for item in (*scene.things, *scene.poses.values())):
            message = (
                "rotations of four numbers are read as x, y, z, w of a right-handed, y-up world: convention assumed"
            )
            self.findings.append(Finding("warning", "import.convention", where, message))
        if not scene.has_poses:
            message = "no camera_pose file: only questions about the world itself, and none of its pictures are taken"
            self.findings.append(Finding("info", "import.no_camera", where, message))
        elif not self.options.preset:
            message = (
                "no file tells the camera: the eye is the agent's position, what a frame shows is `appear`, and "
                "nothing is known of places in the picture. --preset thor-sample takes the released sample's camera"
            )
            self.findings.append(Finding("info", "import.no_camera", where, message))
        angle = _walk_against_yaw(self.models[-1])
        if angle is not None and angle > 90.0:
            message = f"the walk goes {angle:.0f} degrees (median) off where the agent looks; try --handedness right"
            self.findings.append(Finding("warning", "import.backwards", where, message))


def read_sprite(source: Path, tour: str, root: Path, options: ImportOptions) -> Imported:
    """Read a folder of SPRITE's files.

    Raises:
        InstructionError: For a folder without scenes, and for broken files.
    """
    if options.preset and options.preset not in PRESETS:
        raise InstructionError(f"--preset {options.preset}: no such simulator; known: {', '.join(PRESETS)}")
    reader = _Reader(root, options)
    scenes = [read_scene_files(source, number) for number in list_scenes(source)]
    for scene in scenes:
        reader.read(scene)
    if not reader.frames and any(scene.has_poses for scene in scenes):
        raise InstructionError(f"{source}: no frame has both a pose and a picture (images/N/frame_F.jpg)")
    return reader.tell_scene(source, tour, 1.0, "images", len(reader.frames)), reader


def _rotation_of(quat_xyzw: tuple[float, float, float, float]) -> Array:
    """3x3 of a quaternion of any length but 0; no rotation for 0."""
    return Rotation.from_quat(quat_xyzw).as_matrix() if any(quat_xyzw) else np.eye(3)


def _camera_of_quaternion(pose: SpritePose) -> Pose:
    """A camera that looks along its own -z with y up, as Habitat's."""
    assert pose.quat_xyzw is not None
    turned = _rotation_of(pose.quat_xyzw)
    right, up, back = (zup_from_yup(column) for column in turned.T)
    return Pose(np.column_stack([right, -up, -back]), zup_from_yup(pose.position))


def _box_in_picture(box: Obb, pose: Pose, camera: Camera) -> tuple[float, float, float, float] | None:
    """The corners' box in the picture, clipped; None where the thing reaches behind the camera."""
    corners = Body.of_box(box).points
    if pose.depths(corners).min() <= 0.05:
        return None
    pixels = camera.project(pose.inverse() @ corners)
    x0, y0 = np.clip(pixels.min(axis=0), 0, (camera.width, camera.height))
    x1, y1 = np.clip(pixels.max(axis=0), 0, (camera.width, camera.height))
    return (float(x0), float(y0), float(x1), float(y1)) if x1 - x0 >= 1 and y1 - y0 >= 1 else None


def _walk_against_yaw(model: SceneModel) -> float | None:
    """Median angle between steps over the floor and where the camera looks, in degrees; None without steps."""
    poses = list(model.world_from_cam.values())
    angles = []
    for pose, other in pairwise(poses):
        step = (other.center - pose.center)[:2]
        look = pose.forward[:2]
        if np.linalg.norm(step) > 0.05 and np.linalg.norm(look) > 0.05:
            cosine = float(step @ look / np.linalg.norm(step) / np.linalg.norm(look))
            angles.append(float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))))
    return float(np.median(angles)) if angles else None

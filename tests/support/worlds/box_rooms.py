"""Rooms of a few boxes before a camera, to be moved, mirrored and scaled, and the questions that are asked of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.spatial.transform import Rotation

from instructions.asking.counts import NotAsked
from instructions.questions.core.asker import Asker
from instructions.questions.core.options import ChoiceOptions, SpatialOptions
from instructions.questions.core.view_sets import Truth
from instructions.questions.core.world import Given
from instructions.questions.things.registry import propose_things
from instructions.questions.writers.views import QuestionRows, write_questions
from instructions.records import Obb, Observation, SceneObject
from instructions.tour import Tour
from instructions.view import View
from recon.geometry import Array, Camera, Pose
from recon.records import Frame, Scale, Scene, SceneModel, SourceInfo
from tests.support.worlds.made_view import NO_TRACKS

CAMERA = Camera("PINHOLE", 640, 480, (400.0, 400.0, 320.0, 240.0))
NAMES = ("chair", "table", "lamp", "sofa", "plant", "cabinet", "bed", "piano")
LOOKS_ALONG_X = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
METRIC = Scale("metric", 1.0, 0.0, "made")
ALL = SpatialOptions(choice=ChoiceOptions(rows_per_view=0, rows_per_pair=0, again_m=0, halves=False, thing_share=0))
"""Everything that may be asked is."""


@dataclass(frozen=True)
class Block:
    """A thing: its centre and sides in metres, and how it is turned."""

    name: str
    center: tuple[float, float, float]
    size: tuple[float, float, float]
    yaw_deg: float = 0.0

    def obb(self, turn: Array, shift: Array, scale: float) -> Obb:
        axes = turn @ Rotation.from_euler("z", self.yaw_deg, degrees=True).as_matrix()
        center = scale * (turn @ np.array(self.center)) + shift
        half = scale * np.array(self.size) / 2
        x, y, z = ((float(row[0]), float(row[1]), float(row[2])) for row in axes)
        return Obb(
            (float(center[0]), float(center[1]), float(center[2])),
            (float(half[0]), float(half[1]), float(half[2])),
            (x, y, z),
        )


@dataclass(frozen=True, eq=False)
class Room:
    scene: Scene
    objects: tuple[SceneObject, ...]
    observations: tuple[Observation, ...]

    @property
    def model(self) -> SceneModel:
        return self.scene.models[0]

    @cached_property
    def tour(self) -> Tour:
        """The room as it is: its boxes have no error."""
        return Tour(self.scene, self.objects, self.observations, exact=True)

    @property
    def views(self) -> Sequence[View]:
        """Of its one model, as it is."""
        return self.tour.views(self.model)


def make_room(
    blocks: Sequence[Block],
    *,
    turn_deg: float = 0.0,
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0),
    scale: float = 1.0,
    mirror: bool = False,
    kind: Scale = METRIC,
    eyes: Sequence[tuple[float, float, float]] = ((0.0, 0.0, 1.5),),
    pitch_deg: float = 0.0,
    visible: float = 1.0,
) -> Room:
    """A room seen by cameras that look along its x axis, turned, shifted and scaled as a whole, things and cameras."""
    if mirror:
        blocks = [
            replace(one, center=(one.center[0], -one.center[1], one.center[2]), yaw_deg=-one.yaw_deg) for one in blocks
        ]
        eyes = [(x, -y, z) for x, y, z in eyes]
    turn = Rotation.from_euler("z", turn_deg, degrees=True).as_matrix()
    pitch = Rotation.from_euler("x", pitch_deg, degrees=True).as_matrix()
    move = np.array(shift)
    poses = {
        frame: Pose(turn @ LOOKS_ALONG_X @ pitch, scale * (turn @ np.array(eye)) + move)
        for frame, eye in enumerate(eyes, 1)
    }
    objects, observations = [], []
    for number, block in enumerate(blocks):
        name, obb = f"0_{number}", block.obb(turn, move, scale)
        frames = []
        for frame, pose in poses.items():
            seen = _see(pose, obb, frame, name, visible)
            if seen is not None:
                frames.append(frame)
                observations.append(seen)
        objects.append(
            SceneObject(name, "0", block.name, block.name, None, None, obb, (), tuple(frames), False, "made", None)
        )
    model = SceneModel("0", CAMERA, poses, NO_TRACKS, kind, float(move[2]), "made", 0.0)
    source = SourceInfo("room", "images", 640, 480, 1.0, len(poses), 1.0, "made", 0, "0" * 64)
    frames = tuple(Frame(f, float(f), f"{f:06d}.jpg", 640, 480, 1.0, 0) for f in poses)
    return Room(Scene("room", source, frames, (), (model,)), tuple(objects), tuple(observations))


def ask_about(room: Room, options: SpatialOptions = ALL, *, seed: int = 0, exact: bool = True) -> QuestionRows:
    """The questions about a room, whose boxes are as they are or were measured."""
    return write_questions(Tour(room.scene, room.objects, room.observations, exact=exact, seed=seed), options)


def _see(pose: Pose, obb: Obb, frame: int, name: str, visible: float) -> Observation | None:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = np.array(obb.center) + (signs * np.array(obb.half_extents)) @ np.array(obb.rotation).T
    depths = pose.depths(corners)
    if depths.min() <= 0.05:
        return None
    pixels = CAMERA.project(pose.inverse() @ corners)
    low = np.clip(pixels.min(axis=0), 0.0, [640, 480])
    high = np.clip(pixels.max(axis=0), 0.0, [640, 480])
    if (high - low).min() < 1.0:
        return None
    box = (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
    depth = float(pose.depths(np.array(obb.center)[None])[0])
    return Observation(frame, name, box, visible, 1.0, depth, (), ())


def find_all_truths(asker: Asker, not_asked: NotAsked) -> list[Truth]:
    """Everything that may be asked of a view, each type about all its things and pairs."""
    out = []
    for kind, tried in propose_things(asker, not_asked).items():
        for things in tried:
            found = asker.judge(kind, things, Given())
            if isinstance(found, str):
                not_asked[kind.name, found] += 1
            else:
                out.append(found)
    return out

"""One frame as questions see it: the viewer, things with their bodies and errors, and what else it shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import radians

import numpy as np

from instructions.facts.bodies import Body
from instructions.facts.box_sigma import box_sigma
from instructions.facts.pairs import Standpoint
from instructions.facts.viewer import Viewer
from instructions.records import GIVEN, Box, Detection, Observation, SceneObject
from instructions.wording.english import head_noun
from recon.geometry import Pose
from recon.records import SceneModel

LEAST_DETECTION_SCORE = 0.15
"""A detection this sure may be another thing that a phrase fits; below, detectors answer with noise."""


@dataclass(frozen=True, eq=False)
class Known:
    """A thing of a model with what is measured of it: its body and the error of a face of it."""

    thing: SceneObject
    body: Body
    sigma: float
    """Standard deviation of a face, in the model's unit; 0 in a known world."""
    frames: int = 0
    """How many frames of the model saw it."""

    @property
    def id(self) -> str:
        """Of the thing."""
        return self.thing.id

    @property
    def rests_on(self) -> str | None:
        """What pictures show under it, where that is known."""
        return self.thing.rests_on

    @property
    def is_given(self) -> bool:
        """Whether an import gave it with its name: nobody had to detect it."""
        return (self.thing.score or 0.0) >= 1.0

    @property
    def is_detected(self) -> bool:
        """Whether our own perception found it, of which it is measured what it misses; not what a user's file names."""
        return self.sigma > 0 and not self.is_given and self.thing.source != GIVEN

    @property
    def head(self) -> str:
        """Its noun."""
        return head_noun(self.thing.category or self.thing.alias)


@dataclass(frozen=True, eq=False)
class SeenThing:
    """A thing in one frame."""

    known: Known
    seen: Observation

    @property
    def id(self) -> str:
        """Of the thing."""
        return self.known.thing.id

    @property
    def body(self) -> Body:
        """In the world."""
        return self.known.body

    @property
    def sigma(self) -> float:
        """Of a face of the body."""
        return self.known.sigma

    @property
    def rests_on(self) -> str | None:
        """What pictures show under it, where that is known."""
        return self.known.thing.rests_on

    @property
    def box(self) -> Box:
        """In the picture."""
        return self.seen.box_xyxy


@dataclass(frozen=True)
class Rival:
    """Something else in the picture that a phrase may fit, by its words and where it is."""

    words: str
    box_xyxy: Box
    score: float | None = None
    """Of a detection; None for a thing of the model that the frame should show."""


@dataclass(frozen=True, eq=False)
class QuestionView:
    """A frame with a pose."""

    frame: int
    model: SceneModel
    things: tuple[SeenThing, ...]
    rivals: tuple[Rival, ...]
    """Detections of the frame, joined into things or not, and things that no observation says are in view."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.model.camera.width, self.model.camera.height

    @cached_property
    def standpoint(self) -> Standpoint:
        """From where relations of this view are meant."""
        return find_standpoint(self.model, self.frame)

    @property
    def pose(self) -> Pose:
        """World from camera."""
        return self.standpoint.pose

    @property
    def viewer(self) -> Viewer:
        """Who looks."""
        return self.standpoint.viewer


def find_standpoint(model: SceneModel, frame: int) -> Standpoint:
    """Where a frame with a pose was taken from, and how well that is known."""
    pose, sigma = model.world_from_cam[frame], model.pose_sigma.get(frame)
    turn_sigma, eye_sigma = (radians(sigma.rotation_deg), sigma.position) if sigma else (0.0, 0.0)
    return Standpoint(Viewer.of(pose, upright=model.is_upright), pose, turn_sigma, eye_sigma)


def know_things(
    model: SceneModel, objects: Sequence[SceneObject], observations: Sequence[Observation], *, exact: bool = False
) -> tuple[dict[str, Known], dict[str, str]]:
    """The things of a model with their bodies and errors.

    Args:
        model: Of the things.
        objects: Of any model; others are left out.
        observations: Of all frames.
        exact: The boxes are given, not measured: their errors are 0.

    Returns:
        By id; and why others were left out (a box that is no box), by id.
    """
    seen: dict[str, list[Observation]] = defaultdict(list)
    for observation in observations:
        if observation.frame in model.world_from_cam or not model.frames:
            seen[observation.object].append(observation)
    known: dict[str, Known] = {}
    faults: dict[str, str] = {}
    for thing in objects:
        if thing.model != model.name:
            continue
        try:
            body = _body_of(model, thing)
        except ValueError as error:
            faults[thing.id] = str(error)
            continue
        sigma = 0.0 if exact else box_sigma(model, body, seen[thing.id])
        known[thing.id] = Known(thing, body, sigma, len(seen[thing.id]))
    return known, faults


def _body_of(model: SceneModel, thing: SceneObject) -> Body:
    if model.has_clouds and thing.points:
        return Body.of_points(model.tracks.xyz[list(thing.points)], upright=model.is_upright)
    return Body.of_box(thing.obb)


def question_views(
    model: SceneModel,
    known: Mapping[str, Known],
    observations: Sequence[Observation],
    detections: Sequence[Detection] = (),
    *,
    all_seen: bool = False,
) -> Iterator[QuestionView]:
    """The frames of a model that have a pose and show things, in time order.

    Args:
        model: Poses and camera.
        known: Things of the model.
        observations: Of all frames.
        detections: Of all frames, joined or not.
        all_seen: The observations name everything that a frame shows, so nothing else can be meant by a phrase.
    """
    by_frame: dict[int, list[Observation]] = defaultdict(list)
    for observation in observations:
        if observation.object in known:
            by_frame[observation.frame].append(observation)
    found: dict[int, list[Detection]] = defaultdict(list)
    for detection in detections:
        if detection.score >= LEAST_DETECTION_SCORE:
            found[detection.frame].append(detection)
    for frame, pose in model.world_from_cam.items():
        seen = by_frame.get(frame, ())
        if not seen:
            continue
        things = tuple(
            SeenThing(known[one.object], one) for one in seen if pose.depths(known[one.object].body.center[None])[0] > 0
        )
        rivals = [Rival(one.label, one.box_xyxy, one.score) for one in found[frame]]
        if not all_seen:
            rivals += _unseen(model, pose, known, {one.object for one in seen})
        yield QuestionView(frame, model, things, tuple(rivals))


_RIVAL_RANGE_M = 8.0
"""Things further away are small in the picture, and mostly behind a wall."""
_RIVAL_PX = 24.0
"""What shows less than this beyond the border nobody takes for another one: half a door does."""


def _unseen(model: SceneModel, pose: Pose, known: Mapping[str, Known], seen: set[str]) -> list[Rival]:
    """Things that the frame should show by their place, though nothing saw them there: a wall may hide them."""
    out = []
    far = _RIVAL_RANGE_M * model.nominal_metre
    for name, one in known.items():
        if name in seen or np.linalg.norm(one.body.center - pose.center) >= far:
            continue
        box = draw_box(model, pose, one.body)
        if box is not None and min(box[2] - box[0], box[3] - box[1]) >= _RIVAL_PX:
            out.append(Rival(one.thing.alias, box))
    return out


def draw_box(model: SceneModel, pose: Pose, body: Body) -> Box | None:
    """The box of a body in a picture, clipped to it; None where it is not in it or partly behind the camera."""
    if pose.depths(body.points).min() <= 1e-6:
        return None
    pixels = model.camera.project(pose.inverse() @ body.points)
    size = (float(model.camera.width), float(model.camera.height))
    (x0, y0), (x1, y1) = (
        np.clip(pixels.min(axis=0), 0.0, size).tolist(),
        np.clip(pixels.max(axis=0), 0.0, size).tolist(),
    )
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None

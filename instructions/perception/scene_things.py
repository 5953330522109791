"""What stands where in a scene, and what each frame shows: landmarks, what networks saw, or both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from instructions.facts.placing import DepthMap
from instructions.facts.tracks import track_depth
from instructions.perception.frames.detections import detections_of
from instructions.perception.frames.model_depth import depth_in_model
from instructions.perception.frames.ranks import HeldDepth, rank_things
from instructions.perception.frames.results import DEPTH_STEP_PX, FrameResults
from instructions.perception.frames.tags import Tag
from instructions.perception.interfaces import DepthModel, LandmarkResult
from instructions.perception.landmarks.landmarks import LandmarkOptions, find_landmarks
from instructions.perception.read_rgb import read_rgb
from instructions.perception.rooms.label import find_spans, label_rooms_by_things
from instructions.perception.rooms.pictures import label_rooms_by_pictures
from instructions.perception.rooms.site import Site
from instructions.perception.things.certainty import keep_sure_names
from instructions.perception.things.close_look import CloseLook
from instructions.perception.things.named_landmarks import add_landmarks, find_named_things
from instructions.perception.things.naming import name_objects
from instructions.perception.things.objects import ObjectOptions, find_objects
from instructions.records import Detection, FrameRoom, Observation, RoomSpan, SceneObject
from recon.findings import Finding
from recon.records import Frame, Scene, SceneModel
from recon.tasks import fixed_threads

Progress = Callable[[float], None]
KeepDepth = Callable[[int, NDArray[np.float32]], None]
"""Told each registered frame's depth (h, w) at every `DEPTH_STEP_PX`-th pixel, in the model's unit; NaN is unknown."""

_DEPTH_MAPS_KEPT = 8


@dataclass(frozen=True, eq=False)
class Perceived:
    """What was found in a scene."""

    objects: tuple[SceneObject, ...]
    observations: tuple[Observation, ...]
    rooms: tuple[FrameRoom, ...] = ()
    spans: tuple[RoomSpan, ...] = ()
    detections: tuple[Detection, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def room_of(self) -> dict[int, str]:
        """Room label by frame."""
        return {room.frame: room.room for room in self.rooms}


def perceive_landmarks(
    scene: Scene,
    frames_dir: Path,
    options: LandmarkOptions,
    *,
    keep_depth: KeepDepth,
    seed: int = 0,
    progress: Progress | None = None,
) -> Perceived:
    """Embedded perception: landmarks out of the reconstruction, depth between the tracks.

    Args:
        scene: Upright, with tracks.
        frames_dir: The sampled frames.
        options: How landmarks are found.
        keep_depth: Told the depth of each frame.
        seed: For the search of walls.
        progress: Told the share of the models done.
    """

    def find(model: SceneModel) -> LandmarkResult:
        depths = interpolate_tracks(model)
        for frame, depth in depths.items():
            keep_depth(frame, depth.depth)
        return find_landmarks(model, frames_dir, scene.frames, depths, options, seed=seed)

    return _perceive(scene, find, progress)


def perceive_with_light_models(
    scene: Scene,
    results: FrameResults,
    frames_dir: Path,
    landmarks: LandmarkOptions,
    objects: ObjectOptions,
    depth: DepthModel,
    *,
    keep_depth: KeepDepth,
    close_look: CloseLook | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Perceived:
    """Light networks and the reconstruction together: things with names, and landmarks where nothing has one.

    Args:
        scene: Upright, with tracks.
        results: What the networks said of each frame.
        frames_dir: The sampled frames.
        landmarks: How landmarks are found.
        objects: How detections are joined.
        depth: Ranks what is near and far in each frame.
        keep_depth: Told the depth of each frame.
        close_look: Looks at each thing closely, for its name.
        seed: For the search of walls.
        progress: Told the share of the models done.
    """

    def measure_depth(frame: Frame) -> NDArray[np.float32] | None:
        image = read_rgb(frames_dir / frame.image)
        return None if image is None else depth.depth([image], DEPTH_STEP_PX)[0]

    between = _interpolate_all(scene)
    held = HeldDepth(scene, between, measure_depth)

    def find(model: SceneModel) -> LandmarkResult:
        for frame in model.frames:
            keep_depth(frame, between[frame].depth)
        found = find_named_things(
            model, results, between.get, frames_dir, scene.frame_by_index, objects, close_look, held.of
        )
        shapes = find_landmarks(model, frames_dir, scene.frames, between, landmarks, seed=seed)
        return add_landmarks(found, shapes, model)

    return _name_and_rank(_perceive(scene, find, progress), scene, results, held)


def add_rooms(
    found: Perceived,
    scene: Scene,
    results: FrameResults,
    sites: Mapping[str, Site],
    seen_rooms: Mapping[int, Sequence[Tag]] = MappingProxyType({}),
) -> Perceived:
    """Rooms of frames and things: by the things of the place where each camera stands, else by what its pictures show.

    Args:
        found: Things with names.
        scene: The same.
        results: What models said of each frame; its tags speak too.
        sites: Where frames and things stand, by name of the model.
        seen_rooms: By frame, tags for rooms by a server that sees.
    """
    tags: dict[int, Sequence[Tag]] = dict(seen_rooms)
    for frame in scene.frames:
        if (said := results.words(frame.index)) is not None:
            tags[frame.index] = (*said.tags, *seen_rooms.get(frame.index, ()))
    labelled = label_rooms_by_things(scene, found.objects, sites, tags)
    objects = tuple(replace(thing, room=labelled.of_thing.get(thing.id)) for thing in found.objects)
    room_of = {room.frame: room for room in labelled.rooms}
    more = label_rooms_by_pictures(scene.frames, found.detections, tags, room_of)
    room_of |= {room.frame: room for room in more}
    rooms = tuple(room_of[frame] for frame in sorted(room_of))
    return replace(found, objects=name_known(objects), rooms=rooms, spans=find_spans(scene, room_of))


def perceive_with_models(
    scene: Scene,
    results: FrameResults,
    frames_dir: Path,
    objects: ObjectOptions,
    *,
    keep_depth: KeepDepth,
    progress: Progress | None = None,
) -> Perceived:
    """Learned perception: detections joined in the world, learned depth tied to the tracks.

    Args:
        scene: Upright, with tracks.
        results: What the models said of each frame.
        frames_dir: The sampled frames.
        objects: How detections are joined.
        keep_depth: Told the depth of each frame.
        progress: Told the share of the models done.
    """

    def read_learned(frame: Frame) -> NDArray[np.float32] | None:
        depth = results.depth(frame.index)
        return None if depth is None else depth.depth

    between = _interpolate_all(scene)

    def find(model: SceneModel) -> LandmarkResult:
        @lru_cache(maxsize=_DEPTH_MAPS_KEPT)
        def depth_of(frame: int) -> DepthMap | None:
            if frame in model.measured_depth:
                return between[frame]
            raw = results.raw_depth(frame)
            return None if raw is None else depth_in_model(model, frame, raw, DEPTH_STEP_PX, results.depth_is_metric)

        untied = 0
        for frame in model.frames:
            depth = depth_of(frame)
            untied += depth is None
            keep_depth(frame, (depth or between[frame]).depth)
        found = find_objects(model, results, depth_of, frames_dir, scene.frame_by_index, objects)
        if not untied:
            return found
        message = (
            f"{untied} of {len(model.frames)} frames have no learned depth that fits the model; "
            "theirs is interpolated between the tracks and their detections join no object"
        )
        finding = Finding("info", "perception.depth_untied", f"model {model.name}", message)
        return replace(found, findings=(finding, *found.findings))

    return _name_and_rank(_perceive(scene, find, progress), scene, results, HeldDepth(scene, between, read_learned))


def _perceive(scene: Scene, find: Callable[[SceneModel], LandmarkResult], progress: Progress | None) -> Perceived:
    """What is found in each model."""
    found: list[LandmarkResult] = []
    with fixed_threads():
        for number, model in enumerate(scene.models, start=1):
            found.append(find(model))
            if progress is not None:
                progress(number / len(scene.models))
    return Perceived(
        tuple(thing for one in found for thing in one.objects),
        tuple(seen for one in found for seen in one.observations),
        findings=tuple(finding for one in found for finding in one.findings),
    )


def _name_and_rank(found: Perceived, scene: Scene, results: FrameResults, depth: HeldDepth) -> Perceived:
    """Sure names only, and ranges by learned depth."""
    detections = [
        detection
        for frame in scene.frames
        for detection in detections_of(results, frame.index, frame.width, results.depth(frame.index))
    ]
    width_of = {frame.index: frame.width for frame in scene.frames}
    with fixed_threads():
        observations, ranked, differing = rank_things(found.observations, detections, width_of, depth)
    metres = {model.name: model.nominal_metre for model in scene.models}
    named = name_known(keep_sure_names(found.objects, metres))
    findings = found.findings + differing
    return replace(found, objects=named, observations=observations, detections=ranked, findings=findings)


def name_known(objects: Sequence[SceneObject]) -> tuple[SceneObject, ...]:
    """Names of the things with a category; others keep theirs, which may be those of several."""
    named = iter(name_objects([thing for thing in objects if thing.category is not None]))
    alike = Counter(thing.alias for thing in objects if thing.category is None)
    return tuple(
        replace(thing, ambiguous=alike[thing.alias] > 1) if thing.category is None else next(named) for thing in objects
    )


def interpolate_tracks(model: SceneModel) -> dict[int, DepthMap]:
    """Depth of each frame of a model: measured, and where it is not, between its tracks."""
    width, height = model.camera.width, model.camera.height
    grids = {frame: track_depth(model, frame).grid(width, height, DEPTH_STEP_PX) for frame in model.frames}
    for frame, measured in model.measured_depth.items():
        grids[frame] = np.where(np.isfinite(measured), measured, grids[frame])
    return {frame: DepthMap(depth, DEPTH_STEP_PX) for frame, depth in grids.items()}


def _interpolate_all(scene: Scene) -> dict[int, DepthMap]:
    with fixed_threads():
        return {frame: depth for model in scene.models for frame, depth in interpolate_tracks(model).items()}

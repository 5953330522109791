"""Perception: what stands where, and what each frame shows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from instructions.facts.placing import DepthMap
from instructions.navigation.frame_lines import describe_frame
from instructions.perception.frames.detections import detections_of
from instructions.perception.frames.model_depth import depth_in_model
from instructions.perception.frames.results import DEPTH_STEP_PX, FrameResults
from instructions.perception.frames.room_types import label_rooms
from instructions.perception.interfaces import LandmarkResult
from instructions.perception.landmarks.landmarks import find_landmarks
from instructions.perception.things.naming import name_objects
from instructions.perception.things.objects import find_objects
from instructions.records import Detection, FrameRoom, Observation, RoomSpan, SceneObject, SpatialLine
from recon.findings import Finding
from recon.records import Scene, SceneModel
from recon.upright.scene_io import read_scene
from roomtour.artifacts import DETECTIONS, FRAME_ROOMS, OBJECTS, OBSERVATIONS, ROOM_SPANS, SPATIAL_LINES
from roomtour.files.depth import track_depth_map, write_depth, write_depth_map
from roomtour.stages.context import Counts, StageContext, StageResult
from roomtour.stages.vision import read_vision

_DEPTH_MAPS_KEPT = 8


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    scene = read_scene(context.run / "scene")
    folder = context.part / "perception"
    (folder / "depth").mkdir(parents=True)
    results = read_vision(context)
    rooms, spans = _rooms(scene, results, context)
    context.write(FRAME_ROOMS, rooms)
    context.write(ROOM_SPANS, spans)
    context.write(DETECTIONS, _detections(scene, results))
    room_of = {room.frame: room.room for room in rooms}
    found: list[LandmarkResult] = []
    for number, model in enumerate(scene.models):
        if context.config.perception == "models":
            found.append(_objects(model, scene, results, room_of, context, folder / "depth"))
        else:
            found.append(_landmarks(model, scene, context, folder / "depth"))
        context.progress((number + 1) / len(scene.models))
    objects = [thing for one in found for thing in one.objects]
    if context.config.perception == "models":
        objects = list(name_objects(objects))
    observations = [seen for one in found for seen in one.observations]
    lines = _spatial_lines(scene, objects, observations, room_of)
    context.write(OBJECTS, objects)
    context.write(OBSERVATIONS, observations)
    context.write(SPATIAL_LINES, lines)
    counts: Counts = {"objects": len(objects), "observations": len(observations)}
    if spans:
        counts["room changes"] = sum(span.changed_from is not None for span in spans)
    return StageResult(counts, tuple(finding for one in found for finding in one.findings))


def _landmarks(model: SceneModel, scene: Scene, context: StageContext, depth_dir: Path) -> LandmarkResult:
    """Embedded: landmarks out of the reconstruction, depth between the tracks."""
    write_depth(model, depth_dir)
    config = context.config
    return find_landmarks(model, context.run / "frames", scene.frames, config.landmarks, seed=config.seed)


def _objects(
    model: SceneModel,
    scene: Scene,
    results: FrameResults,
    room_of: dict[int, str],
    context: StageContext,
    depth_dir: Path,
) -> LandmarkResult:
    """Learned: detections joined in the world, learned depth tied to the tracks."""

    @lru_cache(maxsize=_DEPTH_MAPS_KEPT)
    def depth_of(frame: int) -> DepthMap | None:
        raw = results.raw_depth(frame)
        return None if raw is None else depth_in_model(model, frame, raw, DEPTH_STEP_PX, results.depth_is_metric)

    untied = 0
    for frame in model.frames:
        depth = depth_of(frame)
        untied += depth is None
        write_depth_map(depth_dir, frame, track_depth_map(model, frame) if depth is None else depth.depth)
    found = find_objects(
        model, results, depth_of, context.run / "frames", scene.frame_by_index, room_of, context.config.objects
    )
    if not untied:
        return found
    message = (
        f"{untied} of {len(model.frames)} frames have no learned depth that fits the model; "
        "theirs is interpolated between the tracks and their detections join no object"
    )
    finding = Finding("info", "perception.depth_untied", f"model {model.name}", message)
    return LandmarkResult(found.objects, found.observations, (finding, *found.findings))


def _rooms(
    scene: Scene, results: FrameResults, context: StageContext
) -> tuple[tuple[FrameRoom, ...], tuple[RoomSpan, ...]]:
    words = [(frame, results.words(frame.index)) for frame in scene.frames]
    known = [(frame, one) for frame, one in words if one is not None]
    if not known:
        return (), ()
    logits = np.array([one.room_logits for _, one in known], dtype=np.float32)
    return label_rooms([frame for frame, _ in known], logits, context.config.room_types)


def _detections(scene: Scene, results: FrameResults) -> list[Detection]:
    """Of all frames, with or without a pose; depths in metres where the depth model gives them."""
    return [
        detection
        for frame in scene.frames
        for detection in detections_of(results, frame.index, frame.width, results.depth(frame.index))
    ]


def _spatial_lines(
    scene: Scene, objects: Sequence[SceneObject], observations: Sequence[Observation], room_of: dict[int, str]
) -> list[SpatialLine]:
    by_id = {thing.id: thing for thing in objects}
    by_frame: dict[int, list[Observation]] = {}
    for observation in observations:
        by_frame.setdefault(observation.frame, []).append(observation)
    registered = sorted({frame for model in scene.models for frame in model.frames})
    return [describe_frame(frame, by_frame.get(frame, []), by_id, room_of.get(frame)) for frame in registered]

"""Perception: what stands where, and what each frame shows."""

from __future__ import annotations

from functools import partial

from instructions.navigation.frame_lines import describe_frames
from instructions.perception.scene_things import Perceived, perceive_landmarks, perceive_with_models
from instructions.records import Detection, FrameRoom, Observation, RoomSpan, SceneObject, SpatialLine
from recon.upright.scene_io import read_scene
from roomtour.files.depth import write_depth_map
from roomtour.files.records import write_jsonl
from roomtour.stages.context import Counts, Stage, StageContext, StageResult
from roomtour.stages.vision import read_vision


def _run(context: StageContext) -> StageResult:
    config, frames_dir = context.config, context.run / "frames"
    scene = read_scene(context.run / "scene")
    folder = context.part / "perception"
    (folder / "depth").mkdir(parents=True)
    keep_depth = partial(write_depth_map, folder / "depth")
    found: Perceived
    if config.perception == "models":
        found = perceive_with_models(
            scene,
            read_vision(context),
            frames_dir,
            config.objects,
            config.room_types,
            keep_depth=keep_depth,
            progress=context.progress,
        )
    else:
        found = perceive_landmarks(
            scene, frames_dir, config.landmarks, keep_depth=keep_depth, seed=config.seed, progress=context.progress
        )
    write_jsonl(folder / "frame_rooms.jsonl", found.rooms, FrameRoom)
    write_jsonl(folder / "room_spans.jsonl", found.spans, RoomSpan)
    write_jsonl(folder / "detections.jsonl", found.detections, Detection)
    write_jsonl(folder / "objects.jsonl", found.objects, SceneObject)
    write_jsonl(folder / "observations.jsonl", found.observations, Observation)
    lines = describe_frames(scene, found.objects, found.observations, found.room_of)
    write_jsonl(folder / "spatial_lines.jsonl", lines, SpatialLine)
    counts: Counts = {"objects": len(found.objects), "observations": len(found.observations)}
    if found.spans:
        counts["room changes"] = sum(span.changed_from is not None for span in found.spans)
    return StageResult(counts, found.findings)


STAGE = Stage(
    name="perception",
    title="Perception",
    version=2,
    needs=("scene", "vision"),
    outputs=("perception",),
    options=lambda config: (
        [config.perception, config.objects, config.room_types]
        if config.perception == "models"
        else [config.landmarks, config.perception, config.seed]
    ),
    run=_run,
)

"""Perception: what stands where, and what each frame shows."""

from __future__ import annotations

from collections.abc import Sequence

from instructions.perception.landmarks import find_landmarks
from instructions.records import Observation, SceneObject, SpatialLine
from instructions.spatial_text import describe_frame
from recon.findings import Finding
from recon.records import Scene
from recon.scene_io import read_scene
from roomtour.depth_io import write_depth
from roomtour.records_io import write_jsonl
from roomtour.stages.context import Stage, StageContext, StageResult


def _run(context: StageContext) -> StageResult:
    config = context.config
    scene = read_scene(context.run / "scene")
    folder = context.part / "perception"
    (folder / "depth").mkdir(parents=True)
    objects: list[SceneObject] = []
    observations: list[Observation] = []
    findings: list[Finding] = []
    for number, model in enumerate(scene.models):
        found = find_landmarks(model, context.run / "frames", scene.frames, config.landmarks, seed=config.seed)
        objects.extend(found.objects)
        observations.extend(found.observations)
        findings.extend(found.findings)
        write_depth(model, folder / "depth")
        context.progress((number + 1) / len(scene.models))
    lines = _spatial_lines(scene, objects, observations)
    write_jsonl(folder / "objects.jsonl", objects, SceneObject)
    write_jsonl(folder / "observations.jsonl", observations, Observation)
    write_jsonl(folder / "spatial_lines.jsonl", lines, SpatialLine)
    return StageResult({"objects": len(objects), "observations": len(observations)}, tuple(findings))


def _spatial_lines(
    scene: Scene, objects: Sequence[SceneObject], observations: Sequence[Observation]
) -> list[SpatialLine]:
    by_id = {thing.id: thing for thing in objects}
    by_frame: dict[int, list[Observation]] = {}
    for observation in observations:
        by_frame.setdefault(observation.frame, []).append(observation)
    registered = sorted({frame for model in scene.models for frame in model.frames})
    return [describe_frame(frame, by_frame.get(frame, []), by_id) for frame in registered]


STAGE = Stage(
    name="perception",
    title="Perception",
    version=1,
    needs=("scene",),
    outputs=("perception",),
    options=lambda config: [config.landmarks, config.perception, config.seed],
    run=_run,
)

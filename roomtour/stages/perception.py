"""Perception: what stands where, and what each frame shows."""

from __future__ import annotations

from functools import partial

from instructions.navigation.frame_lines import describe_frames
from instructions.navigation.unposed import describe_unposed_frames
from instructions.perception.models.light.fast_depth import FastDepth
from instructions.perception.models.light.folder import find_light_files, light_folder
from instructions.perception.scene_things import (
    Perceived,
    add_rooms,
    perceive_landmarks,
    perceive_with_light_models,
    perceive_with_models,
)
from instructions.perception.things.close_look import LightCloseLook
from recon.upright.scene_io import read_scene
from roomtour.artifacts import (
    DEPTH,
    DETECTIONS,
    FRAME_ROOMS,
    FRAMES,
    OBJECTS,
    OBSERVATIONS,
    ROOM_SPANS,
    SCENE,
    SPATIAL_LINES,
    TRAJECTORIES,
)
from roomtour.files.depth import write_depth_map
from roomtour.stages.context import Counts, StageContext, StageResult
from roomtour.stages.sites import find_sites
from roomtour.stages.vision import read_vision


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config, frames_dir = context.config, context.path(FRAMES)
    scene = read_scene(context.path(SCENE))
    depth_dir = context.out(DEPTH)
    depth_dir.mkdir(parents=True)
    keep_depth = partial(write_depth_map, depth_dir)
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
    elif config.perception == "light":
        results = read_vision(context)
        found = perceive_with_light_models(
            scene,
            results,
            frames_dir,
            config.landmarks,
            config.objects,
            FastDepth(find_light_files(light_folder(config.vision.folder))["depth"]),
            keep_depth=keep_depth,
            close_look=LightCloseLook.load(find_light_files(light_folder(config.vision.folder))),
            seed=config.seed,
            progress=context.progress,
        )
        sites = find_sites(scene, context.read(TRAJECTORIES), found.objects, seed=config.seed)
        found = add_rooms(found, scene, results, sites)
    else:
        found = perceive_landmarks(
            scene, frames_dir, config.landmarks, keep_depth=keep_depth, seed=config.seed, progress=context.progress
        )
    context.write(FRAME_ROOMS, found.rooms)
    context.write(ROOM_SPANS, found.spans)
    context.write(DETECTIONS, found.detections)
    context.write(OBJECTS, found.objects)
    context.write(OBSERVATIONS, found.observations)
    lines = describe_frames(scene, found.objects, found.observations, found.room_of)
    lines += describe_unposed_frames(scene, found.detections, found.room_of)
    lines.sort(key=lambda line: line.frame)
    context.write(SPATIAL_LINES, lines)
    counts: Counts = {"objects": len(found.objects), "observations": len(found.observations)}
    if found.spans:
        counts["room changes"] = sum(span.changed_from is not None for span in found.spans)
    return StageResult(counts, found.findings)

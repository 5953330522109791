"""Perception: what stands where, and what each frame shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from pydantic import BaseModel

from instructions.language.open_questions import OpenQuestions
from instructions.language.pictures import PictureFiles
from instructions.language.requests import Request
from instructions.navigation.way.frame_lines import describe_frames, describe_unposed_frames
from instructions.perception.frames.given_depth import take_given_depth
from instructions.perception.frames.tags import Tag
from instructions.perception.interfaces import RgbImage
from instructions.perception.marked.choose import choose_views
from instructions.perception.marked.server import Witness, ask_server, make_requests
from instructions.perception.marked.weigh import add_server_names, tag_rooms
from instructions.perception.models.light.fast_depth import FastDepth
from instructions.perception.models.light.folder import find_light_files, light_folder
from instructions.perception.read_rgb import read_rgb
from instructions.perception.rooms.label import AHEAD_M
from instructions.perception.rooms.site import PlaceForm, Site
from instructions.perception.scene_things import (
    Perceived,
    add_rooms,
    perceive_landmarks,
    perceive_with_light_models,
    perceive_with_models,
)
from instructions.perception.single_images.measured_points import measure_points
from instructions.perception.things.close_look import CloseLook
from instructions.records import SceneObject
from recon.findings import Finding
from recon.records import Scene, SceneModel
from recon.upright.scene_io import read_scene
from roomtour.artifacts import (
    DEPTH,
    DETECTIONS,
    FRAME_ROOMS,
    FRAMES,
    MEASURED_POINTS,
    OBJECTS,
    OBSERVATIONS,
    ROOM_SPANS,
    SCENE,
    SPATIAL_LINES,
    TRAJECTORIES,
)
from roomtour.config import Config
from roomtour.files.arrays import STEP_PX, write_depth_map, write_points
from roomtour.kinds import REPLIES
from roomtour.stages.context import Counts, StageContext, StageResult
from roomtour.stages.inputs.hidden_frames import show_frames
from roomtour.stages.inputs.known_poses import read_given_depth
from roomtour.stages.read_tour import read_vision
from trajectories.places import PlaceOptions, Places, find_places
from trajectories.records import Trajectory


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config, frames_dir = context.config, context.path(FRAMES)
    scene, said = _take_given_depth(context, read_scene(context.path(SCENE)))
    depth_dir = context.out(DEPTH)
    depth_dir.mkdir(parents=True)
    keep_depth = partial(write_depth_map, depth_dir)
    perceived: Perceived
    results, asked = read_vision(context.run), OpenQuestions()
    is_light = results.index.is_light
    seen_rooms: Mapping[int, Sequence[Tag]] = {}
    counts: Counts = {}
    if config.perception == "models":
        perceived = perceive_with_models(
            scene, results, frames_dir, config.objects, keep_depth=keep_depth, progress=context.progress
        )
    elif is_light:
        perceived = perceive_with_light_models(
            scene,
            results,
            frames_dir,
            config.landmarks,
            config.objects,
            FastDepth(find_light_files(light_folder(config.vision.folder))["depth"]),
            keep_depth=keep_depth,
            close_look=CloseLook.load(find_light_files(light_folder(config.vision.folder))),
            seed=config.seed,
            progress=context.progress,
        )
    else:
        perceived = perceive_landmarks(
            scene, frames_dir, config.landmarks, keep_depth=keep_depth, seed=config.seed, progress=context.progress
        )
    perceived = replace(perceived, findings=said + perceived.findings)
    if config.perception == "server":
        witness, views = _ask_server(context, scene, perceived)
        perceived = add_server_names(perceived, scene, witness, networks_looked=is_light)
        perceived = replace(perceived, findings=perceived.findings + witness.findings)
        asked, seen_rooms = witness.open, tag_rooms(witness)
        counts = {"marked frames": views, "votes": sum(map(len, witness.votes.values()))}
    if config.perception != "landmarks":
        sites = find_sites(scene, context.read(TRAJECTORIES), perceived.objects, seed=config.seed)
        perceived = add_rooms(perceived, scene, results, sites, seen_rooms)
    context.write(FRAME_ROOMS, perceived.rooms)
    context.write(ROOM_SPANS, perceived.spans)
    context.write(DETECTIONS, perceived.detections)
    context.write(OBJECTS, perceived.objects)
    context.write(OBSERVATIONS, perceived.observations)
    lines = describe_frames(scene, perceived.objects, perceived.observations, perceived.room_of)
    lines += describe_unposed_frames(scene, perceived.detections, perceived.room_of)
    lines.sort(key=lambda line: line.frame)
    context.write(SPATIAL_LINES, lines)
    counts = {"objects": len(perceived.objects), "observations": len(perceived.observations), **counts}
    if perceived.spans:
        counts["room changes"] = sum(span.changed_from is not None for span in perceived.spans)
    return StageResult(counts, perceived.findings, asked)


def _take_given_depth(context: StageContext, scene: Scene) -> tuple[Scene, tuple[Finding, ...]]:
    """The scene with the depth beside given poses where the tracks agree with it, whose points are written."""
    given = read_given_depth(context.config, context.tour.source, scene)
    if not given:
        return scene, ()

    def show(frame: int) -> RgbImage | None:
        return read_rgb(context.path(FRAMES) / scene.frame_by_index[frame].image)

    checked = [take_given_depth(model, given, STEP_PX) for model in scene.models]
    for model, _ in checked:
        if model.measured_depth:
            write_points(context.out(MEASURED_POINTS), model.name, measure_points(model, STEP_PX, show))
    said = tuple(finding for _, findings in checked for finding in findings)
    return replace(scene, models=tuple(model for model, _ in checked)), said


def _ask_server(context: StageContext, scene: Scene, perceived: Perceived) -> tuple[Witness, int]:
    """What a server says of the things, and in how many frames they are marked for it."""
    config, pictures = context.config, PictureFiles()
    views = choose_views(scene, perceived.objects, perceived.observations)
    with TemporaryDirectory() as drawn, show_frames(context.run, config, context.workers.map) as folder:
        requests = make_requests(scene, views, folder, Path(drawn), pictures, seed=config.seed)
        replies = context.run / REPLIES
        return ask_server(requests, pictures, replies, config.language, context.tour.name), len(views)


def find_requests(run: Path, config: Config) -> list[Request[BaseModel]]:
    """What `--perception server` asks of the things of a run."""
    scene = read_scene(run / SCENE.path)
    views = choose_views(scene, OBJECTS.read(run), OBSERVATIONS.read(run))
    with TemporaryDirectory() as drawn, show_frames(run, config) as folder:
        marked = make_requests(scene, views, folder, Path(drawn), PictureFiles(), seed=config.seed)
    return [mark.request for mark in marked]


def find_sites(
    scene: Scene,
    walks: Sequence[Trajectory],
    objects: Sequence[SceneObject],
    options: PlaceOptions = PlaceOptions(),
    *,
    seed: int = 0,
) -> Mapping[str, Site]:
    """Places by name of the model; models that nobody walks in have none."""
    sites: dict[str, Site] = {}
    for model in scene.models:
        places = find_places(model, [walk for walk in walks if walk.model == model.name], options, seed=seed)
        if places is not None:
            sites[model.name] = survey_site(model, places, [thing for thing in objects if thing.model == model.name])
    return sites


def survey_site(model: SceneModel, places: Places, objects: Sequence[SceneObject]) -> Site:
    """Put cameras and things of a model into its places."""
    metre = model.nominal_metre
    forms = tuple(
        PlaceForm(
            place.area / metre**2,
            place.width / metre,
            place.walled,
            sum(place.number in opening.places for opening in places.openings),
        )
        for place in places.places
    )
    spots = model.centers[:, :2]
    axes = np.array([model.world_from_cam[frame].rotation[:2, 2] for frame in model.frames]).reshape(-1, 2)
    standing = places.at(spots).tolist()
    ahead = places.at(spots + axes * AHEAD_M * metre).tolist()
    spot_of = dict(zip(model.frames, spots, strict=True))
    of_thing = {
        thing.id: place
        for thing in objects
        if (cameras := [spot_of[frame] for frame in thing.frames if frame in spot_of])
        and (place := places.place_of_thing(np.array(cameras), np.array(thing.obb.center[:2]))) is not None
    }
    return Site(
        forms,
        {frame: place for frame, place in zip(model.frames, standing, strict=True) if place >= 0},
        {frame: place for frame, place in zip(model.frames, ahead, strict=True) if place >= 0},
        of_thing,
    )

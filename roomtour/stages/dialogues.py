"""Dialogues: talks, descriptions and tasks about single views and point clouds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pydantic import BaseModel

from instructions.dialogues.clouds import DepthOf
from instructions.dialogues.knowledge import read_knowledge
from instructions.dialogues.tour import TourFacts
from instructions.dialogues.writer import write_dialogues
from instructions.language.requests import Request
from instructions.perception.models.light.labels import coco_words
from recon.records import Scene, SceneModel
from recon.upright.scene_io import read_scene
from roomtour.artifacts import (
    CLOUDS,
    DEPTH,
    DETECTIONS,
    DIALOGUE_CONTEXTS,
    FRAME_ROOMS,
    FRAMES,
    OBJECTS,
    OBSERVATIONS,
    SCENE,
)
from roomtour.config import Config
from roomtour.files.depth import STEP_PX, read_depth
from roomtour.stages.context import StageContext, StageResult
from roomtour.stages.rows import write_rows


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    options = config.dialogues
    knowledge = read_knowledge(options.knowledge) if options.knowledge is not None else None
    tour = read_tour(context.run, config)
    depth = _learned_depth(context, tour.scene) if config.perception == "models" else None
    written = write_dialogues(tour, options, seed=config.seed, depth_of=depth, knowledge=knowledge)
    counts = write_rows(context, "dialogues", written.rows, more=written.counts)
    context.write(DIALOGUE_CONTEXTS, written.contexts)
    context.write(CLOUDS, [made.cloud for made in written.clouds])
    folder = context.out(CLOUDS).parent
    (folder / "clouds").mkdir(exist_ok=True)
    for made in written.clouds:
        np.save(folder / made.cloud.path, made.xyz_rgb, allow_pickle=False)
    counts["clouds"] = len(written.clouds)
    return StageResult(counts, written.findings)


def read_tour(run: Path, config: Config) -> TourFacts:
    """What a run knows, for dialogues."""
    detections = DETECTIONS.read(run)
    looked_for = {one.label for one in detections}
    if config.perception == "light":
        looked_for |= {word for word in coco_words() if word}
    return TourFacts(
        read_scene(run / SCENE.path),
        OBJECTS.read(run),
        OBSERVATIONS.read(run),
        detections,
        FRAME_ROOMS.read(run),
        frozenset(looked_for),
    )


def _learned_depth(context: StageContext, scene: Scene):
    """Depth and colours of a model's frames, at every fourth pixel."""
    import cv2

    folder, frames_dir = context.path(DEPTH), context.path(FRAMES)

    def of_model(model: SceneModel) -> DepthOf:
        def depth_of(frame: int):
            if not (folder / f"{frame:06d}.npz").is_file():
                return None
            depth = read_depth(folder, frame)
            image = cv2.imread(str(frames_dir / scene.frame_by_index[frame].image))
            if image is None:
                return None
            rgb = np.asarray(image[::STEP_PX, ::STEP_PX, ::-1], dtype=np.uint8)[: depth.shape[0], : depth.shape[1]]
            return depth, rgb

        return depth_of

    return of_model


def find_requests(run: Path, config: Config) -> list[Request[BaseModel]]:
    """No language model is asked yet."""
    return []

"""Questions about images, sets of images and videos, with answers from reference programs."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from instructions.asking.counts import count_not_asked
from instructions.language.requests import Request
from instructions.programs.surroundings import find_surroundings
from instructions.programs.writer import write_questions
from recon.upright.scene_io import read_scene
from roomtour.artifacts import DETECTIONS, FLOOR_PLANS, OBJECTS, OBSERVATIONS, ROOM_SPANS, ROOMS, SCENE
from roomtour.config import Config
from roomtour.stages.context import StageContext, StageResult
from roomtour.stages.rows import write_rows


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    scene = read_scene(context.path(SCENE))
    rooms, spans, plans = context.read(ROOMS), context.read(ROOM_SPANS), context.read(FLOOR_PLANS)
    written = write_questions(
        scene,
        context.read(OBJECTS),
        context.read(OBSERVATIONS),
        context.read(DETECTIONS),
        {model.name: find_surroundings(model, rooms, spans, plans) for model in scene.models},
        config.programs,
        seed=config.seed,
    )
    counts = write_rows(context, "programs", written.rows, more={"not_asked": count_not_asked(written.not_asked)})
    counts["not asked"] = written.not_asked.total()
    return StageResult(counts, written.findings)


def find_requests(run: Path, config: Config) -> list[Request[BaseModel]]:
    """No language model is asked about this kind."""
    return []

"""Spatial questions: what may be asked about single views, with answers from geometry."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from instructions.asking.counts import count_not_asked
from instructions.language.requests import Request
from instructions.spatial.writer import write_questions
from recon.upright.scene_io import read_scene
from roomtour.artifacts import DETECTIONS, OBJECTS, OBSERVATIONS, SCENE
from roomtour.config import Config
from roomtour.stages.context import StageContext, StageResult
from roomtour.stages.rows import write_rows


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    written = write_questions(
        read_scene(context.path(SCENE)),
        context.read(OBJECTS),
        context.read(OBSERVATIONS),
        context.read(DETECTIONS),
        config.spatial,
        seed=config.seed,
    )
    not_asked = count_not_asked(written.not_asked)
    counts = write_rows(context, "spatial", written.rows, more={"not_asked": not_asked})
    counts["not asked"] = written.not_asked.total()
    return StageResult(counts, written.findings)


def find_requests(run: Path, config: Config) -> list[Request[BaseModel]]:
    """No language model is asked about this kind."""
    return []

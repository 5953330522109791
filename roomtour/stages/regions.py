"""Region knowledge: questions, answers and reasons about numbered parts of views."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from instructions.language.requests import Request
from instructions.regions.writer import write_regions
from recon.upright.scene_io import read_scene
from roomtour.artifacts import (
    DETECTIONS,
    FRAME_ROOMS,
    OBJECTS,
    OBSERVATIONS,
    REGION_PAIRS,
    REGION_VIEWS,
    ROOM_SPANS,
    SCENE,
    VERBALIZATIONS,
)
from roomtour.config import Config
from roomtour.stages.context import StageContext, StageResult
from roomtour.stages.rows import write_rows


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    made = write_regions(
        read_scene(context.path(SCENE)),
        context.read(OBJECTS),
        context.read(OBSERVATIONS),
        context.read(DETECTIONS),
        config.regions,
        rooms=context.read(ROOM_SPANS),
        frame_rooms=context.read(FRAME_ROOMS),
        seed=config.seed,
    )
    context.write(REGION_VIEWS, made.views)
    context.write(VERBALIZATIONS, made.verbalizations)
    context.write(REGION_PAIRS, made.pairs)
    counts = write_rows(context, "regions", made.rows)
    counts |= {"views": len(made.views), "pairs": len(made.pairs)}
    return StageResult(counts, made.findings)


def find_requests(run: Path, config: Config) -> list[Request[BaseModel]]:
    """What the language model would be asked about a run; asks nothing and writes nothing."""
    return []

"""The stage of the toy kind. In a copy of the project this becomes `roomtour/stages/kinds/toy.py`."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from instructions.language.requests import Request
from instructions.toy import count_things  # type: ignore[import-not-found]  # only there in the copy
from recon.upright.scene_io import read_scene
from roomtour.artifacts import OBSERVATIONS, SCENE
from roomtour.config import Config
from roomtour.stages.context import StageContext, StageResult
from roomtour.stages.kinds.rows import write_rows


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    scene = read_scene(context.run / SCENE.path)
    rows = count_things(scene, context.read(OBSERVATIONS), config.toy, seed=config.seed)  # type: ignore[attr-defined]
    return StageResult(write_rows(context, "toy", rows))


def find_requests(run: Path, config: Config) -> list[Request[BaseModel]]:
    """Asks no language model."""
    return []

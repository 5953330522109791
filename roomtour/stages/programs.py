"""Questions about images, sets of images and videos, with answers from reference programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from pydantic import BaseModel

from instructions.asking.counts import count_not_asked
from instructions.language.requests import Request
from instructions.programs.asked.asking import FreeAsker
from instructions.programs.asked.leaderboard import score_programs
from instructions.programs.asked.writer import ask_questions, find_askers
from instructions.programs.asked.writer import find_requests as requests_of
from instructions.programs.judge.asker import Surroundings
from instructions.programs.surroundings import find_surroundings
from instructions.programs.writer import write_questions
from recon.records import Scene
from recon.upright.scene_io import read_scene
from roomtour.artifacts import (
    DETECTIONS,
    FLOOR_PLANS,
    OBJECTS,
    OBSERVATIONS,
    PROGRAM_SOURCES,
    ROOM_SPANS,
    ROOMS,
    SCENE,
)
from roomtour.config import Config
from roomtour.kinds import REPLIES
from roomtour.stages.context import StageContext, StageResult
from roomtour.stages.rows import write_rows


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    scene = read_scene(context.path(SCENE))
    known = (context.read(OBJECTS), context.read(OBSERVATIONS), context.read(DETECTIONS), _around(scene, context.run))
    written = write_questions(scene, *known, config.programs, seed=config.seed)
    rows, findings = list(written.rows), written.findings
    more: dict[str, object] = {"not_asked": count_not_asked(written.not_asked)}
    told: dict[str, int | float | str] = {"not asked": written.not_asked.total()}
    if config.writer == "llm":
        asked = ask_questions(
            scene,
            *known,
            config.programs,
            replies=context.run / REPLIES,
            language=config.language,
            seed=config.seed,
            progress=context.progress,
        )
        rows += asked.rows
        findings += asked.findings
        _write_sources(context, asked.sources)
        dropped = Counter(reason for _, reason in asked.dropped.elements())
        more["asked freely and dropped"] = dict(sorted(dropped.items(), key=lambda item: (-item[1], item[0])))
        more["leaderboard"] = [asdict(score) for score in score_programs(asked.rows)]
        told["asked freely"] = len(asked.rows)
        told["believed"] = sum(row.accepted for row in asked.rows)
        told["prompt tokens"], told["reply tokens"] = asked.usage.prompt_tokens, asked.usage.reply_tokens
    counts = write_rows(context, "programs", rows, more=more)
    return StageResult({**counts, **told}, findings)


def find_requests(run: Path, config: Config) -> list[Request[BaseModel]]:
    """What the language model would be asked about a run; asks nothing and writes nothing."""
    if config.writer != "llm":
        return []
    return requests_of(find_run_askers(run, config, config.seed), config.seed)


def find_run_askers(run: Path, config: Config, seed: int) -> Iterator[FreeAsker]:
    """One asker per set of views of a finished run, model by model."""
    scene = read_scene(run / SCENE.path)
    known = (OBJECTS.read(run), OBSERVATIONS.read(run), DETECTIONS.read(run), _around(scene, run))
    return find_askers(scene, *known, config.programs, seed=seed)


def _around(scene: Scene, run: Path) -> dict[str, Surroundings]:
    rooms, spans, plans = ROOMS.read(run), ROOM_SPANS.read(run), FLOOR_PLANS.read(run)
    return {model.name: find_surroundings(model, rooms, spans, plans) for model in scene.models}


def _write_sources(context: StageContext, sources: Mapping[str, str]) -> None:
    """Every program's text as it was written, named by its sha256; rows tell what it returned. Nothing runs them."""
    folder = context.out(PROGRAM_SOURCES)
    folder.mkdir(parents=True, exist_ok=True)
    for digest, text in sources.items():
        (folder / f"{digest}.py").write_bytes(text.encode("utf-8", "surrogatepass"))

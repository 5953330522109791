"""Region knowledge: questions, answers and reasons about numbered parts of views."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel

from instructions.language.requests import Request
from instructions.regions.critic.apply import apply_critic
from instructions.regions.critic.model import Critic, load_critic
from instructions.regions.records import Qar
from instructions.regions.write_qar import find_requests as find_region_requests
from instructions.regions.write_qar import write_with_language_model
from instructions.regions.writer import PreparedView, RegionRows, find_findings, prepare_views, write_measured
from instructions.rows import name_perception
from recon.findings import Finding
from recon.upright.scene_io import read_scene
from roomtour.artifacts import (
    DETECTIONS,
    FRAME_ROOMS,
    LABEL_FREQUENCIES,
    OBJECTS,
    OBSERVATIONS,
    REGION_PAIRS,
    REGION_VIEWS,
    ROOM_SPANS,
    SCENE,
    VERBALIZATIONS,
)
from roomtour.config import Config
from roomtour.kinds import REPLIES
from roomtour.stages.context import Counts, StageContext, StageResult
from roomtour.stages.rows import write_rows


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    critic = load_critic(config.regions.critic) if config.regions.critic is not None else None
    scene, objects = read_scene(context.path(SCENE)), context.read(OBJECTS)
    counts: Counts = {}
    findings: tuple[Finding, ...] = ()
    if config.writer == "llm":
        views = list(_prepare(context.run, config))
        written = write_with_language_model(
            views,
            name_perception(objects),
            replies=context.run / REPLIES,
            language=config.language,
            options=config.regions,
            seed=config.seed,
            progress=context.progress,
        )
        records = tuple(view.record for view in views)
        found = find_findings(scene, written.rows, records, objects)
        made = RegionRows(written.rows, records, tuple(view.verbal for view in views), (), found)
        counts = {
            "questions": written.usage.questions,
            "from cache": written.usage.from_cache,
            "prompt tokens": written.usage.prompt_tokens,
            "reply tokens": written.usage.reply_tokens,
        }
        if written.unasked:
            counts["not asked"] = written.unasked
            message = f"the budget left {written.unasked} requests unasked; raise --language.max-tokens"
            findings += (Finding("warning", "regions.budget", scene.id, message),)
    else:
        made = write_measured(scene, objects, _prepare(context.run, config), config.regions, seed=config.seed)
    if critic is not None:
        made, more = _apply(made, critic, config)
        findings += more
    context.write(REGION_VIEWS, made.views)
    context.write(VERBALIZATIONS, made.verbalizations)
    context.write(REGION_PAIRS, made.pairs)
    told = write_rows(context, "regions", made.rows)
    told |= {"views": len(made.views), "pairs": len(made.pairs)}
    return StageResult({**told, **counts}, made.findings + findings)


def find_requests(run: Path, config: Config) -> list[Request[BaseModel]]:
    """What the language model would be asked about a run; asks nothing and writes nothing."""
    found = find_region_requests(list(_prepare(run, config)), config.regions, config.seed)
    return list[Request[BaseModel]](found)


def _prepare(run: Path, config: Config) -> Iterator[PreparedView]:
    return prepare_views(
        read_scene(run / SCENE.path),
        OBJECTS.read(run),
        OBSERVATIONS.read(run),
        DETECTIONS.read(run),
        config.regions,
        rooms=ROOM_SPANS.read(run),
        frame_rooms=FRAME_ROOMS.read(run),
        frequencies={one.label: one.frequency for one in LABEL_FREQUENCIES.read(run)} or None,
        seed=config.seed,
    )


def _apply(made: RegionRows, critic: Critic, config: Config) -> tuple[RegionRows, tuple[Finding, ...]]:
    rows: tuple[Qar, ...] = apply_critic(made.rows, made.views, critic, config.regions.threshold)
    kept = {row.id for row in rows if row.accepted}
    made = replace(made, rows=rows, pairs=tuple(pair for pair in made.pairs if pair.row in kept))
    if critic.labels != "made":
        return made, ()
    message = "the critic was trained on made labels, not on people's ratings; its scores are no opinion of people"
    return made, (Finding("warning", "regions.critic_made", str(config.regions.critic), message),)

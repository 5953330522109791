"""Navigation texts: what is written about the walks, by the grammar or by a language model."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.requests import Request
from instructions.navigation.further import describe_views, write_further
from instructions.navigation.grammar_writer import write_instructions
from instructions.navigation.language_writer import (
    Written,
    find_questions,
    list_requests,
    write_with_language_model,
)
from instructions.navigation.records import NO_LANDMARK
from instructions.navigation.room_writer import write_room_texts
from instructions.navigation.way.frame_lines import describe_unposed_stretches
from instructions.rows import name_perception
from recon.findings import Finding
from roomtour.artifacts import (
    FURTHER_INSTRUCTIONS,
    FURTHER_WALKS,
    SPATIAL_LINES,
    TRAJECTORIES,
    UNPOSED_DESCRIPTIONS,
    VIEW_DESCRIPTIONS,
)
from roomtour.config import Config
from roomtour.kinds import REPLIES
from roomtour.stages.context import Counts, StageContext, StageResult
from roomtour.stages.kinds.rows import count_usage, write_rows
from roomtour.stages.read_tour import read_tour
from trajectories.training import is_way_back


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    tour, trajectories = read_tour(context.run, config), context.read(TRAJECTORIES)
    scene, objects = tour.scene, tour.objects
    counts: Counts = {}
    findings: tuple[Finding, ...] = ()
    asked = OpenQuestions()
    if config.writer == "llm":
        written = write_with_language_model(
            tour,
            trajectories,
            replies=context.run / REPLIES,
            options=config.language,
            planning=config.navigation,
            progress=context.progress,
        )
        rows = list(written.rows)
        counts, findings, asked = _language_counts(written, config.language), written.findings, written.open
    else:
        rows = write_instructions(tour, trajectories, config.navigation)
        rows += write_room_texts(tour, trajectories, config.navigation)
    walks = context.read(FURTHER_WALKS)
    parts, back = ([walk for walk in walks if is_way_back(walk) is turned] for turned in (False, True))
    further = write_further(tour, parts, back, nameless=config.navigation.nameless)
    views = describe_views(scene, context.read(SPATIAL_LINES), name_perception(objects), seed=config.seed)
    unposed = describe_unposed_stretches(
        scene,
        tour.detections,
        {room.frame: room.room for room in tour.frame_rooms},
        name_perception(objects) if objects else config.perception,
        seed=config.seed,
    )
    besides = {FURTHER_INSTRUCTIONS: further, VIEW_DESCRIPTIONS: views, UNPOSED_DESCRIPTIONS: unposed}
    row_counts = write_rows(context, "navigation", rows, besides)
    row_counts["about parts and ways back"] = sum(row.accepted for row in further)
    row_counts["about views"] = len(views)
    if unposed:
        row_counts["without poses"] = sum(row.accepted for row in unposed)
    if scene.models and not any(row.accepted for row in rows):
        message = "no text about a walk was accepted; navigation/rejected.jsonl has each with its reason"
        findings += (Finding("warning", "instructions.none", scene.id, message),)
    if nameless := sum(row.rejected_because == NO_LANDMARK for row in (*rows, *further)):
        message = (
            f"{nameless} of {len(rows) + len(further)} texts are left out: they name no room and nothing of a known "
            "kind, so they tell the motion alone; --set navigation.nameless=true accepts them"
        )
        findings += (Finding("info", "instructions.no_landmarks", scene.id, message),)
    return StageResult({**row_counts, **counts}, findings, asked)


def find_requests(run: Path, config: Config) -> list[Request[BaseModel]]:
    """What the language model would be asked about a run; asks nothing and writes nothing."""
    tour = read_tour(run, config)
    questions = find_questions(tour, TRAJECTORIES.read(run), config.language, config.navigation)
    return list_requests(questions, config.language)


def _language_counts(written: Written, options: LanguageOptions) -> Counts:
    counts = count_usage(written.usage)
    reworded = [row for row in written.rows if row.reply is not None]
    if reworded:
        counts["rejected share"] = round(sum(not row.accepted for row in reworded) / len(reworded), 3)
    cost = written.usage.cost(options)
    if cost is not None:
        counts["cost"] = round(cost, 4)
    return counts

"""Spatial questions: what may be asked about views, with answers from geometry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path

from pydantic import BaseModel

from instructions.asking.counts import count_not_asked, measure_reach
from instructions.language.connect import connect_server
from instructions.language.open_questions import OpenQuestions
from instructions.language.requests import Request
from instructions.perception.single_images.measured_points import add_points
from instructions.questions.rewording import find_requests as find_rewordings
from instructions.questions.rewording import reword
from instructions.questions.thinking.dialogues import first_request
from instructions.questions.thinking.writer import play_talks, pose_puzzles, write_talks
from instructions.questions.writers.marks import write_mark_questions
from instructions.questions.writers.views import tell_silence, write_questions
from instructions.records import Detection, SceneObject
from instructions.tour import Tour
from recon.findings import Finding
from recon.upright.scene_io import read_scene
from roomtour.artifacts import DETECTIONS, MEASURED_POINTS, OBJECTS, OBSERVATIONS, SCENE, THINKING
from roomtour.config import Config
from roomtour.files.arrays import read_points
from roomtour.kinds import REPLIES
from roomtour.stages.context import StageContext, StageResult
from roomtour.stages.kinds.rows import write_rows


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    tour = _read_tour(context.run, config)
    scene, written, posed = tour.scene, write_questions(tour, config.spatial), pose_puzzles(tour, config.spatial)
    rows, findings, more, asked = written.rows, written.findings, {}, OpenQuestions()
    not_asked = Counter(written.not_asked)
    # Marks may stand on the points that depth beside given poses measured, too.
    points = {model.name: read_points(context.run / MEASURED_POINTS.path, model.name) for model in scene.models}
    models = (model if (own := points[model.name]) is None else add_points(model, own) for model in scene.models)
    dense = replace(scene, models=tuple(models))
    marked = write_mark_questions(dense, tour.detections, config.spatial.marks, seed=config.seed, not_asked=not_asked)
    if config.writer == "llm":
        reworded = reword(
            rows,
            find_names(tour.objects, tour.detections),
            tour.id,
            replies=context.run / REPLIES,
            language=config.language,
            connect=lambda: connect_server(config.language),
            seed=config.seed,
            progress=context.progress,
        )
        rows, findings = reworded.rows, (*findings, *reworded.findings)
        talks, usage, left_open = play_talks(
            tour,
            posed,
            replies=context.run / REPLIES,
            options=config.language,
            connect=lambda: connect_server(config.language),
        )
        asked = reworded.open + left_open
        more = {
            "questions": reworded.usage.questions + usage.questions,
            "from cache": reworded.usage.from_cache + usage.from_cache,
        }
    else:
        talks = write_talks(tour, posed)
    rows = (*rows, *marked)
    reach = measure_reach(scene, tour.objects, rows, not_asked)
    told_of = {"not_asked": count_not_asked(not_asked), "reach": asdict(reach)}
    counts = write_rows(context, "spatial", rows, besides={THINKING: talks}, more=told_of)
    counts["talks"] = sum(talk.accepted for talk in talks)
    counts["views asked about"] = reach.views
    if scene.models and (silence := tell_silence(rows, not_asked)):
        findings = (*findings, Finding("warning", "spatial.none", scene.id, silence))
    return StageResult({**counts, **more}, findings, asked)


def _read_tour(run: Path, config: Config) -> Tour:
    scene = read_scene(run / SCENE.path)
    return Tour(scene, OBJECTS.read(run), OBSERVATIONS.read(run), DETECTIONS.read(run), seed=config.seed)


def find_names(objects: Iterable[SceneObject], detections: Iterable[Detection]) -> set[str]:
    """What any thing of a tour is called."""
    return {name for thing in objects for name in (thing.category, thing.alias) if name} | {
        detection.label for detection in detections
    }


def find_requests(run: Path, config: Config) -> list[Request[BaseModel]]:
    """What the language model would be asked about a run, of each talk the first move; asks and writes nothing."""
    tour = _read_tour(run, config)
    written, posed = write_questions(tour, config.spatial), pose_puzzles(tour, config.spatial)
    talks = [first_request(puzzle.compose_question()[0], config.seed) for puzzle in posed]
    return [*find_rewordings(written.rows, config.seed), *talks]

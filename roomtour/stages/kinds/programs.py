"""Questions about images, sets of images and videos, with answers from reference programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

from pydantic import BaseModel

from instructions.asking.counts import count_not_asked, measure_reach
from instructions.language.budget import sum_usage
from instructions.language.connect import connect_server
from instructions.language.pictures import PictureFiles
from instructions.language.requests import Request
from instructions.programs.asked.asking import FreeAsker
from instructions.programs.asked.believing import score_programs
from instructions.programs.asked.writer import ask_questions, find_askers
from instructions.programs.asked.writer import find_requests as requests_of
from instructions.questions.core.asker import Surroundings
from instructions.questions.rewording import find_requests as find_rewordings
from instructions.questions.rewording import reword
from instructions.questions.writers.sets import find_surroundings, write_questions
from instructions.records import GIVEN
from instructions.tour import Tour
from recon.upright.scene_io import read_scene
from roomtour.artifacts import (
    DETECTIONS,
    OBJECTS,
    OBSERVATIONS,
    PROGRAM_SOURCES,
    ROOM_SPANS,
    SCANS,
    SCENE,
)
from roomtour.config import Config
from roomtour.kinds import REPLIES
from roomtour.stages.context import StageContext, StageResult
from roomtour.stages.inputs.hidden_frames import show_views
from roomtour.stages.kinds.rows import write_rows


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    if config.writer != "llm":
        tour, around = _read_run(context.run, config.seed)
        written = write_questions(tour, around, config.programs)
        reach = measure_reach(tour.scene, tour.objects, written.rows, written.not_asked)
        more = {"not_asked": count_not_asked(written.not_asked), "reach": asdict(reach)}
        counts = write_rows(context, "programs", written.rows, more=more)
        return StageResult({**counts, "views asked about": reach.views}, written.findings)
    with show_views(context.run, config, "programs", context.workers.map) as (pictures, show):
        return _run_with_language_model(context, pictures, show)


def _run_with_language_model(
    context: StageContext, pictures: PictureFiles, show: Callable[[int], str] | None
) -> StageResult:
    """What templates ask, with the model's words, and what the model asks by itself, shown pictures or not."""
    config = context.config
    tour, around = _read_run(context.run, config.seed)
    served = {
        "replies": context.run / REPLIES,
        "language": config.language,
        "connect": lambda: connect_server(config.language, pictures),
    }
    written = write_questions(tour, around, config.programs)
    reworded = reword(written.rows, (), tour.id, **served, seed=tour.seed)
    asked = ask_questions(tour, around, config.programs, **served, progress=context.progress, show=show)
    # Every program's text as it was written, named by its sha256; rows tell what it returned. Nothing runs them.
    sources = context.out(PROGRAM_SOURCES)
    sources.mkdir(parents=True, exist_ok=True)
    for digest, text in asked.sources.items():
        (sources / f"{digest}.py").write_bytes(text.encode("utf-8", "surrogatepass"))
    dropped = Counter(reason for _, reason in asked.dropped.elements())
    rows = [*reworded.rows, *asked.rows]
    reach = measure_reach(tour.scene, tour.objects, rows, written.not_asked)
    more = {
        "not_asked": count_not_asked(written.not_asked),
        "reach": asdict(reach),
        "asked freely and dropped": dict(sorted(dropped.items(), key=lambda item: (-item[1], item[0]))),
        "leaderboard": [asdict(score) for score in score_programs(asked.rows)],
    }
    counts = write_rows(context, "programs", rows, more=more)
    usage = sum_usage(reworded.usage, asked.usage)
    figures = {
        "views asked about": reach.views,
        "asked freely": len(asked.rows),
        "believed": sum(row.accepted for row in asked.rows),
        "prompt tokens": usage.prompt_tokens,
        "reply tokens": usage.reply_tokens,
    }
    findings = (*written.findings, *reworded.findings, *asked.findings)
    return StageResult({**counts, **figures}, findings, reworded.open + asked.open)


def _read_run(run: Path, seed: int) -> tuple[Tour, dict[str, Surroundings]]:
    scene = read_scene(run / SCENE.path)
    tour = Tour(scene, OBJECTS.read(run), OBSERVATIONS.read(run), DETECTIONS.read(run), seed=seed)
    known = ROOM_SPANS.read(run), SCANS.read(run)
    return tour, {model.name: find_surroundings(model, *known) for model in scene.models}


def find_requests(run: Path, config: Config) -> list[Request[BaseModel]]:
    """What the language model would be asked about a run; asks nothing and writes nothing."""
    tour, around = _read_run(run, config.seed)
    written = write_questions(tour, around, config.programs)
    rewordings = find_rewordings(written.rows, config.seed)
    return rewordings + requests_of(find_run_askers(run, config, config.seed), config.seed)


def find_run_askers(run: Path, config: Config, seed: int, *, trusts_names: bool = False) -> Iterator[FreeAsker]:
    """One asker per set of views of a finished run, model by model.

    Args:
        run: Its folder.
        config: Of the run.
        seed: Of every choice.
        trusts_names: Whatever has a sure name is taken for the only one of its kind where no other was found.
    """
    tour, around = _read_run(run, seed)
    if trusts_names:
        objects = [replace(thing, source=GIVEN) if thing.category is not None else thing for thing in tour.objects]
        tour = replace(tour, objects=objects)
    return find_askers(tour, around, config.programs)

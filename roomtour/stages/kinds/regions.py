"""Region knowledge: questions, answers and reasons about numbered parts of views."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel

from instructions.language.open_questions import OpenQuestions
from instructions.language.requests import Request
from instructions.perception.interfaces import ImageEmbedder
from instructions.perception.models.options import VisionOptions
from instructions.perception.models.runtime import pick_runtime
from instructions.perception.models.sentences import MeanPooledSentences
from instructions.perception.models.siglip import Siglip
from instructions.perception.models.weights import find_model
from instructions.regions.critic.features import ViewLook, look_at_views
from instructions.regions.critic.model import Critic, apply_critic, load_critic
from instructions.regions.records import Qar
from instructions.regions.sets.choice_sets import make_choice_sets
from instructions.regions.sight.labels import label_views
from instructions.regions.sight.see import see_views
from instructions.regions.sight.server import ServerSight
from instructions.regions.write_qar import find_requests as find_region_requests
from instructions.regions.write_qar import write_with_language_model
from instructions.regions.writer import PreparedView, RegionRows, find_findings, prepare_views, write_measured
from instructions.rows import name_perception
from instructions.tour import Tour
from recon.findings import Finding
from roomtour.artifacts import FRAMES, LABEL_FREQUENCIES, REGION_CHOICES, REGION_PAIRS, REGION_VIEWS, VERBALIZATIONS
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.kinds import REPLIES
from roomtour.stages.context import Counts, StageContext, StageResult
from roomtour.stages.counted_runs import count_kinds
from roomtour.stages.inputs.hidden_frames import show_frames
from roomtour.stages.kinds.rows import count_usage, write_rows
from roomtour.stages.read_tour import read_tour


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    encoder = MeanPooledSentences(config.regions.sentences) if config.regions.sentences is not None else None
    critic = load_critic(config.regions.critic) if config.regions.critic is not None else None
    tour = read_tour(context.run, config)
    counts: Counts = {}
    findings: tuple[Finding, ...] = ()
    asked = OpenQuestions()
    views: Iterable[PreparedView] = _prepare(tour, context.run, config)
    if config.regions.labels == "models":
        eyes, source = find_eyes(config.vision)
        views = label_views(views, context.path(FRAMES), eyes, source)
    if config.regions.sight == "server":
        views, sight = _look(context, list(views))
        counts |= count_usage(sight.usage, "looks: ")
        asked = sight.open
    if config.writer == "llm" or config.regions.choices:
        views = list(views)
    if config.writer == "llm":
        views = list(views)
        written = write_with_language_model(
            views,
            name_perception(tour.objects),
            replies=context.run / REPLIES,
            language=config.language,
            options=config.regions,
            seed=config.seed,
            progress=context.progress,
            encoder=encoder,
        )
        records = tuple(view.record for view in views)
        row_findings = find_findings(tour, written.rows, records)
        made = RegionRows(written.rows, records, tuple(view.verbal for view in views), written.pairs, row_findings)
        counts |= count_usage(written.usage)
        asked += written.open
    else:
        made = write_measured(tour, views, config.regions, encoder=encoder)
    if critic is not None:
        looks = None
        if critic.look_size:
            frames_dir = context.path(FRAMES)
            looks = look_at_views(made.views, frames_dir, find_encoder(config.vision))
        made, more = _apply(made, critic, config, looks)
        findings += more
    context.write(REGION_VIEWS, made.views)
    context.write(VERBALIZATIONS, made.verbalizations)
    context.write(REGION_PAIRS, made.pairs)
    besides: dict[str, object] = {}
    if config.regions.choices:
        chosen = make_choice_sets([view.facts for view in views], made.rows, config.regions, seed=config.seed)
        context.write(REGION_CHOICES, chosen.sets)
        counts["choice sets"] = len(chosen.sets)
        besides["choice_sets"] = {
            "made": dict(Counter(choice.task for choice in chosen.sets)),
            "left_out": dict(chosen.left_out),
        }
    row_counts = write_rows(context, "regions", made.rows, more=besides)
    row_counts |= {"views": len(made.views), "pairs": len(made.pairs)}
    return StageResult({**row_counts, **counts}, made.findings + findings, asked)


def _look(context: StageContext, views: list[PreparedView]) -> tuple[list[PreparedView], ServerSight]:
    """The views with what a model that looks says of them; where it says nothing of use, measures stay."""
    config = context.config
    with TemporaryDirectory() as drawn, show_frames(context.run, config, context.workers.map) as folder:
        sight = ServerSight(config.language, context.run / REPLIES, Path(drawn), seed=config.seed)
        return see_views(views, folder, sight), sight


def find_requests(run: Path, config: Config) -> list[Request[BaseModel]]:
    """What the language model would be asked about a run; asks nothing and writes nothing."""
    requests = find_region_requests(list(_prepare(read_tour(run, config), run, config)), config.regions, config.seed)
    return list[Request[BaseModel]](requests)


def _prepare(tour: Tour, run: Path, config: Config) -> Iterator[PreparedView]:
    return prepare_views(tour, config.regions, frequencies=_find_frequencies(run, config))


def _find_frequencies(run: Path, config: Config) -> dict[str, float] | None:
    """How often each kind of thing is met: as an imported file says, else over the runs of a folder; None for neither.

    Raises:
        RoomtourError: If nothing can be counted in the folder.
    """
    given = {row.label: row.frequency for row in LABEL_FREQUENCIES.read(run)}
    folder = config.regions.counted
    if given or folder is None:
        return given or None
    runs, frequencies = count_kinds(folder)
    if not frequencies:
        raise RoomtourError(
            f"regions.counted {folder}: {runs} runs with things lie in it and no kind of thing in any; "
            "name the folder that holds the run folders"
        )
    return frequencies


def find_encoder(vision: VisionOptions = VisionOptions()) -> ImageEmbedder:
    """What a critic sees pictures with.

    Raises:
        InstructionError: If its packages or files are missing.
    """
    return find_eyes(vision)[0]


def find_eyes(vision: VisionOptions) -> tuple[Siglip, str]:
    """What compares pictures with words, and its name.

    Raises:
        InstructionError: If its packages or files are missing.
    """
    local = find_model("tags", vision.tags)
    return Siglip(local, pick_runtime(vision.device, vision.dtype)), local.source


def _apply(
    made: RegionRows, critic: Critic, config: Config, looks: Mapping[str, ViewLook] | None
) -> tuple[RegionRows, tuple[Finding, ...]]:
    rows: tuple[Qar, ...] = apply_critic(made.rows, made.views, critic, config.regions.threshold, looks)
    kept = {row.id for row in rows if row.accepted}
    made = replace(made, rows=rows, pairs=tuple(pair for pair in made.pairs if pair.row in kept))
    if critic.labels != "made":
        return made, ()
    message = "the critic was trained on made labels, not on people's ratings; its scores are no opinion of people"
    return made, (Finding("warning", "regions.critic_made", str(config.regions.critic), message),)

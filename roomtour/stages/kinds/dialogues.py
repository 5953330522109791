"""Dialogues: talks, descriptions and tasks about single views and point clouds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from hashlib import sha256
from pathlib import Path

import numpy as np
from pydantic import BaseModel

from instructions.dialogues.clouds.clouds import DepthOf
from instructions.dialogues.records import Dialogue
from instructions.dialogues.talk_view import TalkView
from instructions.dialogues.talks.knowledge import read_knowledge
from instructions.dialogues.talks.pilot import PILOT_ROWS, Rating, bounds_by_stratum
from instructions.dialogues.talks.talk_replies import Asked
from instructions.dialogues.talks.write_talk import Written, list_requests, write_talks
from instructions.dialogues.tasks.annotations import AskedPair, read_annotations
from instructions.dialogues.tasks.balance import cut_surplus, find_uneven, tell_shares
from instructions.dialogues.tasks.distractors import Proposed, ask_distractors, make_requests
from instructions.dialogues.tasks.imported_pairs import state_by_model, state_by_rules
from instructions.dialogues.tour import TalkTour
from instructions.dialogues.writer import write_dialogues
from instructions.language.connect import connect_server
from instructions.language.open_questions import OpenQuestions
from instructions.language.pictures import PictureFiles
from instructions.language.requests import Request
from instructions.perception.models.rapid_ocr import RapidOcr
from recon.findings import Finding
from recon.pictures import read_picture_file
from recon.records import Scene, SceneModel
from roomtour.artifacts import ANNOTATIONS, CLOUDS, DEPTH, DIALOGUE_CONTEXTS, FRAMES
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.files.arrays import STEP_PX, depth_path, read_depth
from roomtour.files.records import write_jsonl
from roomtour.files.reviews import DIALOGUE_RATINGS, PILOT
from roomtour.kinds import REPLIES
from roomtour.scoring.dialogues.pools import read_pools
from roomtour.stages.context import StageContext, StageResult
from roomtour.stages.inputs.hidden_frames import show_views
from roomtour.stages.kinds.rows import write_rows
from roomtour.stages.kinds.views import caption_views, read_words
from roomtour.stages.read_tour import read_tour


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    with show_views(context.run, context.config, "dialogues", context.workers.map) as (pictures, show):
        return _write(context, pictures, show)


def _write(context: StageContext, pictures: PictureFiles, show: Callable[[int], str] | None) -> StageResult:
    """Write the rows, where a language model does shown pictures of the views or not."""
    config = context.config
    options = config.dialogues
    knowledge = read_knowledge(options.knowledge) if options.knowledge is not None else None
    tour = read_talk_tour(context.run, config)
    reading_findings: tuple[Finding, ...] = ()
    asked = OpenQuestions()
    if options.captions == "server":
        captions, asked = caption_views(context, tour)
        tour = replace(tour, annotations=(*tour.annotations, *captions))
    if options.words == "rapidocr":
        read, reading_findings = read_words(context, tour, RapidOcr())
        tour = replace(tour, annotations=(*tour.annotations, *read))
    by_model = config.writer == "llm"
    statements, unstated, proposed = None, 0, Proposed({})
    if by_model:
        served = {
            "tour": tour.scene.id,
            "seed": config.seed,
            "replies": context.run / REPLIES,
            "options": config.language,
            "connect": lambda: connect_server(config.language),
        }
        if any(annotation.pairs for annotation in tour.annotations):
            statements, unstated, pairs_asked = state_by_model(tour.annotations, **served)
            asked += pairs_asked
        proposed = ask_distractors(_find_shown(tour, config), _find_scans(tour, config), **served)
        asked += proposed.open
    depth = _learned_depth(context, tour.scene) if config.perception == "models" else None
    written = write_dialogues(
        tour, options, depth_of=depth, knowledge=knowledge, for_model=by_model, statements=statements,
        distractors=proposed, pools=read_pools(options.pools) if options.pools is not None else None, show=show,
    )  # fmt: skip
    rows, findings = list(written.rows), [*written.findings, *reading_findings]
    findings += _tell_pairs(tour, statements, unstated)
    if by_model:
        talks = write_talks(
            written.asked,
            bounds_by_stratum(read_pilot_ratings(context.run, options.pilot_ratings)),
            replies=context.run / REPLIES,
            options=config.language,
            connect=lambda: connect_server(config.language, pictures),
            skip_pilot=options.skip_pilot,
            most_tokens=options.text_tokens,
            progress=context.progress,
        )
        rows += talks.rows
        asked += talks.open
        findings += _tell_talks(tour.scene.id, talks)
    more: dict[str, object] = {}
    if options.mix.surplus == "cut":
        rows, more["surplus"] = cut_surplus(rows, options.mix)
    shares = tell_shares(rows, options.mix)  # of all rows, also of those by a model
    uneven = find_uneven(shares) if any(row.accepted for row in rows) else []
    if uneven:
        message = f"shares of kinds are not as wanted: {', '.join(uneven)}; what lacks is not repeated"
        lacks = any(share["got"] < share["wanted"] / 2 for share in shares.values())
        findings.append(Finding("warning" if lacks else "info", "dialogues.mix", tour.scene.id, message))
    counts = write_rows(context, "dialogues", rows, more={**written.counts, **more, "shares": shares})
    context.write(DIALOGUE_CONTEXTS, written.contexts)
    context.write(CLOUDS, [made.cloud for made in written.clouds])
    folder = context.out(CLOUDS).parent
    (folder / "clouds").mkdir(exist_ok=True)
    for made in written.clouds:
        np.save(folder / made.cloud.path, made.xyz_rgb, allow_pickle=False)
    counts["clouds"] = len(written.clouds)
    return StageResult(counts, tuple(findings), asked)


def read_talk_tour(run: Path, config: Config) -> TalkTour:
    """What a run knows, for dialogues."""
    tour = read_tour(run, config)
    annotations, models = list(ANNOTATIONS.read(run)), tour.scene.models
    if config.dialogues.annotations is not None:
        annotations += read_annotations(
            config.dialogues.annotations, tour.scene.frames, [model.name for model in models]
        )
    return TalkTour(**{field.name: getattr(tour, field.name) for field in fields(tour)}, annotations=annotations)


def _find_shown(tour: TalkTour, config: Config) -> list[tuple[TalkView, str | None]]:
    """The chosen views that show something, each with its room where that is sure."""
    options = config.dialogues
    return [
        (view, tour.sure_room(view.frame, options.gates.room_probability))
        for model in tour.scene.models
        for view in (tour.find_views(model, options) if options.medium != "cloud" else ())
        if view.told
    ]


def _find_scans(tour: TalkTour, config: Config) -> dict[str, list[str]]:
    """Kinds of the things of each model that gets a cloud."""
    metric = [model.name for model in tour.scene.models if model.scale.status != "relative"]
    named = metric if config.dialogues.medium != "view" else []
    kinds = {
        name: sorted({thing.category for thing in tour.objects if thing.model == name and thing.category})
        for name in named
    }
    return {name: names for name, names in kinds.items() if names}


def _tell_pairs(tour: TalkTour, statements: Mapping[AskedPair, str] | None, rejected: int) -> list[Finding]:
    """How many pairs of questions and answers became no statement."""
    pairs = {pair for annotation in tour.annotations for pair in annotation.pairs}
    left = pairs - set(state_by_rules(tour.annotations) if statements is None else statements)
    if not left:
        return []
    why = f"; {rejected} calls to the language model were rejected" if rejected else ""
    return [
        Finding(
            "info",
            "dialogues.pairs",
            tour.scene.id,
            f"{len(left)} of {len(pairs)} questions with answers became no statement, such as "
            f"{min(pair.question for pair in left)!r}{why}",
        )
    ]


def _learned_depth(context: StageContext, scene: Scene):
    """Depth and colours of a model's frames, at every fourth pixel."""
    folder, frames_dir = context.path(DEPTH), context.path(FRAMES)

    def of_model(model: SceneModel) -> DepthOf:
        def depth_of(frame: int):
            if not depth_path(folder, frame).is_file():
                return None
            depth = read_depth(folder, frame)
            image = read_picture_file(frames_dir / scene.frame_by_index[frame].image)
            if image is None:
                return None
            rgb = np.asarray(image[::STEP_PX, ::STEP_PX, ::-1], dtype=np.uint8)[: depth.shape[0], : depth.shape[1]]
            return depth, rgb

        return depth_of

    return of_model


def find_requests(run: Path, config: Config) -> list[Request[BaseModel]]:
    """What the language model would be asked about a run; asks nothing and writes nothing."""
    tour = read_talk_tour(run, config)
    proposals, _ = make_requests(_find_shown(tour, config), _find_scans(tour, config), tour.scene.id, config.seed)
    with show_views(run, config, "dialogues") as (_, show):
        asked = write_dialogues(tour, config.dialogues, for_model=True, show=show).asked
    return [*proposals, *list_requests(asked)]


def write_pilot(run: Path, config: Config) -> list[Dialogue]:
    """Have the language model write at most `PILOT_ROWS` of each stratum into `RUN/dialogues_pilot.jsonl`.

    Which views are asked about hangs on the rows' ids; replies are kept, so the full generation asks them again for
    nothing.

    Returns:
        All rows, rejected ones too.

    Raises:
        Unanswered: If most replies are unusable; the pilot that is there stays.
    """
    with show_views(run, config, "dialogues") as (pictures, show):
        made = write_dialogues(read_talk_tour(run, config), config.dialogues, for_model=True, show=show)
        by_stratum: dict[str, list[Asked]] = {}
        for asked in sorted(made.asked, key=lambda asked: sha256(asked.row.id.encode()).digest()):
            by_stratum.setdefault(asked.stratum, []).append(asked)
        chosen = [asked for name in sorted(by_stratum) for asked in by_stratum[name][:PILOT_ROWS]]
        written = write_talks(
            chosen,
            {},
            replies=run / REPLIES,
            options=config.language,
            connect=lambda: connect_server(config.language, pictures),
            skip_pilot=True,
            most_tokens=config.dialogues.text_tokens,
        )
    written.open.require_enough(config.language)
    write_jsonl(run / PILOT, written.rows, Dialogue)
    return list(written.rows)


def read_pilot_ratings(run: Path, besides: Path | None) -> list[Rating]:
    """Ratings of dialogues that lie in a run, and those of another file.

    Raises:
        RoomtourError: Naming file, line and field of what cannot be read.
    """
    if besides is not None and not besides.is_file():
        raise RoomtourError(f"--dialogues.pilot-ratings {besides}: no such file; name a dialogue_ratings.jsonl")
    files = [run / DIALOGUE_RATINGS.file, *([besides] if besides is not None else [])]
    return [rating for file in files for rating in DIALOGUE_RATINGS.load_file(file)]


def _tell_talks(tour: str, talks: Written) -> list[Finding]:
    out = []
    if talks.without_pilot:
        shut = ", ".join(talks.without_pilot)
        message = (
            f"not asked, because people have not accepted enough of a pilot: {shut}. Write one with roomtour dialogues "
            "pilot RUN, rate it, or give --dialogues.skip-pilot, which every row then says"
        )
        out.append(Finding("warning", "dialogues.no_pilot", tour, message))
    rejected = Counter(row.rejected_because for row in talks.rows if not row.accepted)
    if rejected:
        causes = ", ".join(f"{count} {code}" for code, count in rejected.most_common())
        out.append(
            Finding(
                "info",
                "dialogues.rejected",
                tour,
                f"{rejected.total()} of {len(talks.rows)} rows of the language model were rejected: {causes}",
            )
        )
    return out

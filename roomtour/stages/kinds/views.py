"""The views that dialogues are about: as a model is shown them, and what is said and written in them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from instructions.dialogues.talks.contexts import CAPTIONS
from instructions.dialogues.tasks.annotations import Annotation, ReadText
from instructions.dialogues.tour import TalkTour
from instructions.language.open_questions import OpenQuestions
from instructions.perception.interfaces import TextReader
from instructions.regions.sight.server import ServerSight, SightView
from recon.findings import Finding
from recon.pictures import read_picture_file
from roomtour.kinds import REPLIES
from roomtour.stages.context import StageContext
from roomtour.stages.inputs.hidden_frames import show_frames


def caption_views(context: StageContext, tour: TalkTour) -> tuple[tuple[Annotation, ...], OpenQuestions]:
    """Captions of a tour's chosen views, without what `--hide` names; replies are kept, so each view is shown once.

    Returns:
        One annotation per view that was told of, and what was asked.
    """
    config = context.config
    frames = sorted({view.frame for model in tour.scene.models for view in tour.find_views(model, config.dialogues)})
    with TemporaryDirectory() as drawn, show_frames(context.run, config, context.workers.map) as folder:
        shown = [SightView(f"caption_{frame}", folder / tour.scene.frame_by_index[frame].image, ()) for frame in frames]
        sight = ServerSight(config.language, context.run / REPLIES, Path(drawn), seed=config.seed)
        narratives = sight.narrate(shown, CAPTIONS)
    made = tuple(
        Annotation(frame, captions=tuple(line.text for line in lines), source=lines[0].source)
        for frame, lines in zip(frames, narratives, strict=True)
        if lines
    )
    return made, sight.open


def read_words(
    context: StageContext, tour: TalkTour, reader: TextReader
) -> tuple[tuple[Annotation, ...], tuple[Finding, ...]]:
    """Lines of writing in a tour's chosen views, without what `--hide` names.

    Returns:
        One annotation per view with writing that is read with enough confidence, and how many lines were not.
    """
    config = context.config
    frames = sorted({view.frame for model in tour.scene.models for view in tour.find_views(model, config.dialogues)})
    made, doubtful, unread = [], 0, 0
    with show_frames(context.run, config, context.workers.map) as folder:
        for frame in frames:
            image = read_picture_file(folder / tour.scene.frame_by_index[frame].image)
            if image is None:
                unread += 1
                continue
            lines = reader.read_text(np.ascontiguousarray(image[:, :, ::-1]))
            sure = tuple(
                ReadText(line.text, line.box_xyxy) for line in lines if line.score >= config.dialogues.word_score
            )
            doubtful += len(lines) - len(sure)
            if sure:
                made.append(Annotation(frame, words=sure, source=reader.name))
    findings = []
    if doubtful or unread:
        message = (
            f"{doubtful} lines of writing were read with less confidence than {config.dialogues.word_score:g} and are "
            f"not asked about; {unread} of {len(frames)} pictures could not be opened"
        )
        findings.append(Finding("info", "dialogues.words", tour.scene.id, message))
    return tuple(made), tuple(findings)

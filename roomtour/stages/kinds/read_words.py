"""What is written in the views that dialogues are about, as annotations of their frames."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from instructions.dialogues.annotations import Annotation, ReadText
from instructions.dialogues.tour import TalkTour
from instructions.perception.interfaces import TextReader
from recon.findings import Finding
from recon.pictures import read_picture_file
from roomtour.stages.context import StageContext
from roomtour.stages.inputs.hidden_frames import hide_frames


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
    with TemporaryDirectory() as hidden:
        folder = hide_frames(context, Path(hidden))
        for frame in frames:
            image = read_picture_file(folder / tour.scene.frame_by_index[frame].image)
            if image is None:
                unread += 1
                continue
            lines = reader.read_text(np.ascontiguousarray(image[:, :, ::-1]))
            sure = tuple(ReadText(one.text, one.box_xyxy) for one in lines if one.score >= config.dialogues.word_score)
            doubtful += len(lines) - len(sure)
            if sure:
                made.append(Annotation(frame, words=sure, source=reader.name))
    found = []
    if doubtful or unread:
        message = (
            f"{doubtful} lines of writing were read with less confidence than {config.dialogues.word_score:g} and are "
            f"not asked about; {unread} of {len(frames)} pictures could not be opened"
        )
        found.append(Finding("info", "dialogues.words", tour.scene.id, message))
    return tuple(made), tuple(found)

"""What a model that looks says of the views that dialogues are about, as annotations of their frames."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from instructions.dialogues.annotations import Annotation
from instructions.dialogues.contexts import CAPTIONS
from instructions.dialogues.tour import TalkTour
from instructions.language.open_questions import OpenQuestions
from instructions.regions.interfaces import SightView
from instructions.regions.sight.server import ServerSight
from roomtour.kinds import REPLIES
from roomtour.stages.context import StageContext
from roomtour.stages.inputs.hidden_frames import hide_frames


def caption_views(context: StageContext, tour: TalkTour) -> tuple[tuple[Annotation, ...], OpenQuestions]:
    """Captions of a tour's chosen views, without what `--hide` names; replies are kept, so each view is shown once.

    Returns:
        One annotation per view that was told of, and what was asked.
    """
    config = context.config
    frames = sorted({view.frame for model in tour.scene.models for view in tour.find_views(model, config.dialogues)})
    with TemporaryDirectory() as drawn, TemporaryDirectory() as hidden:
        folder = hide_frames(context, Path(hidden))
        shown = [SightView(f"caption_{one}", folder / tour.scene.frame_by_index[one].image, ()) for one in frames]
        sight = ServerSight(config.language, context.run / REPLIES, Path(drawn), seed=config.seed)
        told = sight.narrate(shown, CAPTIONS)
    made = tuple(
        Annotation(frame, captions=tuple(one.text for one in lines), source=lines[0].source)
        for frame, lines in zip(frames, told, strict=True)
        if lines
    )
    return made, sight.open

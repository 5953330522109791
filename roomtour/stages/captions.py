"""What a model that looks says of the views that dialogues are about, as annotations of their frames."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from instructions.dialogues.annotations import Annotation
from instructions.dialogues.contexts import CAPTIONS
from instructions.dialogues.tour import TourFacts
from instructions.regions.interfaces import SightView
from instructions.regions.sight.server import ServerSight
from recon.findings import Finding
from roomtour.kinds import REPLIES
from roomtour.stages.context import StageContext
from roomtour.stages.hidden_frames import hide_frames


def caption_views(context: StageContext, tour: TourFacts) -> tuple[tuple[Annotation, ...], tuple[Finding, ...]]:
    """Captions of a tour's chosen views, without what `--hide` names; replies are kept, so each view is shown once.

    Returns:
        One annotation per view that was told of, and what went wrong.
    """
    config = context.config
    frames = sorted(
        {view.view.frame for model in tour.scene.models for view in tour.find_views(model, config.dialogues)}
    )
    with TemporaryDirectory() as drawn, TemporaryDirectory() as hidden:
        folder = hide_frames(context, Path(hidden))
        shown = [SightView(f"caption_{one}", folder / tour.scene.frame_by_index[one].image, ()) for one in frames]
        sight = ServerSight(config.language, context.run / REPLIES, Path(drawn), seed=config.seed)
        told = sight.narrate(shown, CAPTIONS)
    found: list[Finding] = []
    if sight.faults:
        codes = ", ".join(f"{code} {count}" for code, count in sight.faults.most_common())
        message = f"{sight.faults.total()} of {len(frames)} views got no captions of {config.language.model} ({codes})"
        found.append(Finding("warning", "dialogues.no_captions", tour.scene.id, message))
    if sight.unasked:
        message = f"the budget left {sight.unasked} views without captions; the same command goes on"
        found.append(Finding("warning", "language.budget", tour.scene.id, message))
    made = tuple(
        Annotation(frame, captions=tuple(one.text for one in lines), source=lines[0].source)
        for frame, lines in zip(frames, told, strict=True)
        if lines
    )
    return made, tuple(found)

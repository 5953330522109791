"""Views with the words of models that looked at them, beside what is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from instructions.describing.lines import describe_things
from instructions.facts.overlap import box_iou
from instructions.perception.interfaces import RegionTagger
from instructions.records import SourcedText
from instructions.regions.describe import MEASURED
from instructions.regions.records import Probe
from instructions.regions.sight.pictures import read_rgb
from instructions.regions.sight.server import MOST_NARRATIVES, MOST_QUESTIONS, ServerSight, SightView
from instructions.regions.writer import PreparedView


class RegionCaptioner(Protocol):
    """Says in a few words what a region is."""

    def caption(self, views: Sequence[SightView]) -> list[list[SourcedText | None]]:
        """Per view a caption for each of its boxes; None where the model has none of use."""
        ...


class Narrator(Protocol):
    """Tells what a view shows."""

    def narrate(self, views: Sequence[SightView], count: int) -> list[list[SourcedText]]:
        """Per view at most so many narratives."""
        ...


class QuestionAnswerer(Protocol):
    """Looks at a view and answers short questions about it."""

    def answer(self, views: Sequence[SightView], questions: Sequence[Sequence[str]]) -> list[list[Probe]]:
        """Per view the questions that it could answer, with their answers; those of `unknown` are left out."""
        ...


def see_views(
    views: Sequence[PreparedView],
    frames: Path,
    sight: ServerSight,
    *,
    captioner: RegionCaptioner | None = None,
    narrator: Narrator | None = None,
    answerer: QuestionAnswerer | None = None,
) -> list[PreparedView]:
    """Let a model look at views.

    A caption takes the place of the noun of a region's line, and the verified additions stay behind it; narratives take
    the place of the measured ones, and answers come before measured ones. Where the model said nothing of use,
    what is measured stays.

    Args:
        views: Described by measures.
        frames: Folder of their pictures.
        sight: The server, for all that no other model is given for.
        captioner: Captions instead.
        narrator: Narrates instead.
        answerer: Answers instead.
    """
    seen = [
        SightView(view.record.id, frames / view.record.image, tuple(region.box_xyxy for region in view.record.regions))
        for view in views
    ]
    captions = (captioner or sight).caption(seen)
    told = [_put_captions(one, words) for one, words in zip(views, captions, strict=True)]
    narratives = (narrator or sight).narrate(seen, MOST_NARRATIVES)
    told = [_put_narratives(one, words) for one, words in zip(told, narratives, strict=True)]
    questions = sight.ask([_find_lines(one) for one in told])
    answers = (answerer or sight).answer(seen, questions)
    return [_put_answers(one, probes) for one, probes in zip(told, answers, strict=True)]


def _put_captions(one: PreparedView, captions: Sequence[SourcedText | None]) -> PreparedView:
    lines, regions = [], []
    for line in describe_things(one.facts):
        caption = captions[line.number]
        if caption is None:
            lines.append(SourcedText(line.text, MEASURED))
        else:
            lines.append(SourcedText(replace(line, noun=caption.text).text, caption.source))
    for region in one.record.regions:
        caption = captions[region.number]
        regions.append(region if caption is None else replace(region, caption=caption.text))
    record = replace(one.record, regions=tuple(regions))
    return replace(one, record=record, verbal=replace(one.verbal, locals=tuple(lines)))


def _put_narratives(one: PreparedView, narratives: Sequence[SourcedText]) -> PreparedView:
    return replace(one, verbal=replace(one.verbal, narratives=tuple(narratives))) if narratives else one


def _put_answers(one: PreparedView, probes: Sequence[Probe]) -> PreparedView:
    known = [*probes, *(probe for probe in one.verbal.probes if probe.question not in {own.question for own in probes})]
    return replace(one, verbal=replace(one.verbal, probes=tuple(known[:MOST_QUESTIONS])))


def _find_lines(one: PreparedView) -> list[str]:
    verbal = one.verbal
    parts = (verbal.places, verbal.things, verbal.concepts, verbal.narratives, verbal.locals)
    return [told.text for part in parts for told in part]


_SAME_IOU = 0.5
"""A described part this alike in place is the region."""


class TaggerCaptioner:
    """Takes of all that the model describes what lies where the region is."""

    def __init__(self, tagger: RegionTagger, source: str) -> None:
        """Take a model."""
        self._tagger, self._source = tagger, source

    def caption(self, views: Sequence[SightView]) -> list[list[SourcedText | None]]:
        """See `RegionCaptioner`."""
        out: list[list[SourcedText | None]] = []
        for view in views:
            (found,) = self._tagger.regions([read_rgb(view.image)])
            told: list[SourcedText | None] = []
            for box in view.boxes:
                best = max(found, key=lambda one: box_iou(one.box_xyxy, box), default=None)
                is_same = best is not None and box_iou(best.box_xyxy, box) >= _SAME_IOU
                told.append(SourcedText(best.text, self._source) if best is not None and is_same else None)
            out.append(told)
        return out

"""Places, things and ideas of a view by a model that compares pictures with words, each in its fixed sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from instructions.describing.narratives import CONCEPTS, IDEAS, PLACES, THINGS, say_concept, say_place, say_thing
from instructions.perception.frames.tags import vocabulary
from instructions.perception.interfaces import ImageEmbedder, RgbImage, TextScorer
from instructions.records import SourcedText
from instructions.regions.sight.pictures import read_rgb
from instructions.regions.writer import PreparedView
from instructions.wording.synonyms import ROOM_WORDS


class Eyes(ImageEmbedder, TextScorer, Protocol):
    """Embeds pictures, and scores words on what it embedded."""


def label_views(views: Iterable[PreparedView], frames: Path, eyes: Eyes, source: str) -> Iterator[PreparedView]:
    """The views with their global lines by zero-shot labels, one picture at a time.

    Labels of a view all differ. A place that is measured stays the first one.

    Raises:
        InstructionError: If a picture cannot be read.
    """
    places, things, ideas = tuple(ROOM_WORDS), vocabulary(), tuple(IDEAS)
    prompts = [f"a photo of a {place}" for place in places]
    prompts += [f"a photo of a {thing}" for thing in things]
    prompts += [f"a photo of a place for {idea}" for idea in ideas]
    for view in views:
        image: RgbImage = read_rgb(frames / view.record.image)
        scores: NDArray[np.float32] = eyes.score(eyes.embed([image]), prompts)[0]
        used = {view.facts.room} if view.facts.room is not None else set[str]()
        measured = view.verbal.places[: len(used)]
        parts = np.split(scores, np.cumsum([len(places), len(things)]))
        found: list[tuple[SourcedText, ...]] = []
        for labels, part, count, say in (
            (places, parts[0], PLACES - len(measured), say_place),
            (things, parts[1], THINGS, say_thing),
            (ideas, parts[2], CONCEPTS, say_concept),
        ):
            found.append(tuple(SourcedText(say(label), source) for label in _pick(labels, part, count, used)))
        verbal = replace(view.verbal, places=(*measured, *found[0]), things=found[1], concepts=found[2])
        yield replace(view, verbal=verbal)


def _pick(labels: Sequence[str], scores: NDArray[np.float32], count: int, used: set[str]) -> list[str]:
    """The best labels that are not used yet, of equal ones the earlier; they are used from here on."""
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    picked = [labels[place] for place in order if labels[place] not in used][:count]
    used.update(picked)
    return picked

"""What a critic sees of a row: texts, regions, verdicts on its claims, and embeddings of the pictures."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate, pairwise
from math import ceil, floor, hypot
from pathlib import Path
from typing import Literal

import numpy as np

from instructions.errors import InstructionError
from instructions.perception.interfaces import ImageEmbedder
from instructions.regions.clusters import find_concepts
from instructions.regions.records import Qar, RegionView
from instructions.regions.sight.pictures import read_rgb
from instructions.wording.colors import WORDS
from recon.geometry import Array

TEXT_SIZE = 64
Group = Literal["text", "regions", "verdicts", "pictures"]
_WORD = re.compile(r"\[\d+\]|[a-z]+")
REGION_NAMES = (
    "area mean", "area least", "off centre", "score", "visible", "ids", "regions", "by words", "nouns agree",
    "colours agree", "answer shares words with rationale", "answer shares ids with question",
    "rationale names what was asked of", "rationale speaks of what was asked", "words",
)  # fmt: skip
VERDICT_NAMES = ("true", "false", "unknown", "least margin")


def count_inputs(look_size: int) -> int:
    """How many numbers a row is to a critic that sees embeddings of this size, 0 for none."""
    return TEXT_SIZE + len(REGION_NAMES) + len(VERDICT_NAMES) + 2 * look_size


def place_groups(look_size: int) -> dict[Group, slice]:
    """Which inputs belong to which group."""
    sizes: dict[Group, int] = {
        "text": TEXT_SIZE, "regions": len(REGION_NAMES), "verdicts": len(VERDICT_NAMES), "pictures": 2 * look_size
    }  # fmt: skip
    ends = list(accumulate(sizes.values()))
    return {group: slice(end - size, end) for (group, size), end in zip(sizes.items(), ends, strict=True)}


def find_features(
    row: Qar,
    view: RegionView | None,
    without: frozenset[Group] = frozenset(),
    look: ViewLook | None = None,
    look_size: int = 0,
) -> Array:
    """One row of inputs; groups that are left out, and pictures that nobody looked at, are zeros."""
    parts = [
        np.zeros(TEXT_SIZE) if "text" in without else _text(row),
        np.zeros(len(REGION_NAMES)) if "regions" in without else _regions(row, view),
        np.zeros(len(VERDICT_NAMES)) if "verdicts" in without else _verdicts(row),
        np.zeros(2 * look_size) if "pictures" in without or look is None else _pictures(row, look),
    ]
    return np.concatenate(parts)


def find_all(
    rows: Sequence[Qar],
    views: Mapping[str, RegionView],
    without: frozenset[Group] = frozenset(),
    looks: Mapping[str, ViewLook] | None = None,
    look_size: int = 0,
) -> Array:
    """(N, inputs).

    Raises:
        InstructionError: If pictures are wanted and a row's view has none, or one of another size.
    """
    if not rows:
        return np.zeros((0, count_inputs(look_size)))
    looks = looks or {}
    if look_size and "pictures" not in without:
        for row in rows:
            found = len(looks[row.view].image) if row.view in looks else 0
            if found != look_size:
                raise InstructionError(
                    f"view {row.view}: the critic needs embeddings of {look_size} numbers, found {found}; "
                    "give it the image encoder that it was trained with"
                )
    return np.stack([find_features(row, views.get(row.view), without, looks.get(row.view), look_size) for row in rows])


def _pictures(row: Qar, look: ViewLook) -> Array:
    """The view, and the mean of the regions that the row names."""
    named = [look.regions[region.number] for region in row.regions if region.number in look.regions]
    return np.concatenate([look.image, np.mean(named, axis=0) if named else np.zeros(len(look.image))])


def _text(row: Qar) -> Array:
    """Words and pairs of words hashed into signed places; numbers of regions are one word."""
    out = np.zeros(TEXT_SIZE)
    for part, text in zip("qar", row.parts, strict=True):
        words = ["[n]" if word[0] == "[" else word for word in _WORD.findall(text.lower())]
        for gram in [*words, *(f"{a} {b}" for a, b in pairwise(words))]:
            digest = int.from_bytes(blake2b(f"{part}:{gram}".encode(), digest_size=4).digest(), "big")
            out[digest % TEXT_SIZE] += 1.0 if digest >> 31 else -1.0
    return out / max(float(np.linalg.norm(out)), 1.0)


def _regions(row: Qar, view: RegionView | None) -> Array:
    by_number = {region.number: region for region in view.regions} if view is not None else {}
    named = [by_number[region.number] for region in row.regions if region.number in by_number]
    out = np.zeros(len(REGION_NAMES))
    if view is not None and named:
        size = view.width * view.height
        areas = [(b[2] - b[0]) * (b[3] - b[1]) / size for b in (one.box_xyxy for one in named)]
        off = [
            hypot((b[0] + b[2]) / 2 / view.width - 0.5, (b[1] + b[3]) / 2 / view.height - 0.5)
            for b in (one.box_xyxy for one in named)
        ]
        known_as = ([one.score for one in named], [one.visible_fraction for one in named])
        out[:5] = (np.mean(areas), min(areas), np.mean(off), *map(np.mean, known_as))
    question, answer, rationale = (set(_WORD.findall(text.lower())) for text in row.parts)
    known = {word for one in named for phrase in one.attributes for word in phrase.split()} & WORDS
    labels = {word for one in by_number.values() if one.label for word in one.label.split()}
    mine = {word for one in named if one.label for word in one.label.split()}
    marks = [frozenset(word for word in words if word[0] == "[") for words in (answer, rationale)]
    out[5:] = (
        len(row.mentioned) / 5.0,
        len(by_number) / 10.0,
        float(row.mode == "description"),
        _share_of((answer | rationale) & labels, mine),
        _share_of(answer & WORDS, known),
        len(answer & rationale) / max(len(answer), 1),
        _share_of(marks[0], question),
        _share_of(marks[1], answer | question),
        _share_of(find_concepts(row.rationale), find_concepts(f"{row.question} {row.answer}")),
        len(row.text.split()) / 60.0,
    )
    return out


def _share_of(told: Collection[str], known: Collection[str]) -> float:
    """Which share of what is told is known; 0.5 where nothing is told."""
    return sum(one in known for one in told) / len(told) if told else 0.5


def _verdicts(row: Qar) -> Array:
    states = [verdict.state for verdict in row.verdicts]
    margins = [verdict.margin for verdict in row.verdicts if verdict.margin is not None]
    least = float(np.clip(min(margins), -1.0, 1.0)) if margins else 0.0
    return np.array([states.count("true") / 5.0, states.count("false"), states.count("unknown") / 5.0, least])


@dataclass(frozen=True, eq=False)
class ViewLook:
    """Embeddings of a view, (D,) each, of unit length."""

    image: Array
    regions: Mapping[int, Array]
    """By number."""


def look_at_views(views: Iterable[RegionView], frames_dir: Path, embedder: ImageEmbedder) -> dict[str, ViewLook]:
    """Embed views and the crops of their regions, one picture at a time, by id of the view.

    Raises:
        InstructionError: If a picture cannot be read.
    """
    out = {}
    for view in views:
        image = read_rgb(frames_dir / view.image)
        crops = []
        for one in view.regions:
            x0, y0, x1, y1 = one.box_xyxy
            left, top = max(floor(x0), 0), max(floor(y0), 0)
            crops.append(image[top : max(ceil(y1), top + 1), left : max(ceil(x1), left + 1)])
        vectors = np.asarray(embedder.embed([image, *crops]), dtype=np.float64)
        numbers = [region.number for region in view.regions]
        out[view.id] = ViewLook(vectors[0], dict(zip(numbers, vectors[1:], strict=True)))
    return out

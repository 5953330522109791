"""What a model says of the example, held against its truth: right, wrong or missed, and whether its output has the form
that the rest of the program relies on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from instructions.facts.overlap import box_iou
from instructions.perception import interfaces
from instructions.perception.frames.tags import category_of
from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.labels import is_same_kind, list_heads, words
from instructions.perception.models.siglip import Siglip
from instructions.records import Box
from roomtour.trial.example import STEP_PX, TrueThing, TrueView

Verdict = bool | np.bool_ | None
"""Whether an answer is right; None where there is none."""
_SAME_IOU = 0.5
_APART = 1.3
"""Two things are nearer and farther if their depths differ so much; truth boxes are a little too thick."""
_DEPTH_STEP_PX = 4
_OTHERS = ("sofa", "bed", "chair", "refrigerator", "toilet", "door")
"""Looked for beside what is there: a detector that agrees to everything is wrong."""
_SURE_TAG = 0.3


@dataclass(frozen=True)
class Trial:
    """How one model did."""

    model: str
    what: str
    """What it was asked."""
    right: int = 0
    wrong: int = 0
    missed: int = 0
    fault: str = ""
    """What is wrong with its output; empty if it has the right form."""
    least: float = 0.5
    """Share of its answers that a sound model has right: far above what random weights reach."""

    @property
    def has_passed(self) -> bool:
        """Whether the model works."""
        return not self.fault and self.right > 0 and self.right >= self.least * (self.right + self.wrong)


class WrongForm(Exception):
    """A model's output that is not what its Protocol says."""


def _require(is_so: bool, what: str) -> None:
    if not is_so:
        raise WrongForm(what)


def try_model(model: str, what: str, least: float, measure: Callable[[], Iterable[Verdict]]) -> Trial:
    """Run one trial; whatever goes wrong in a model becomes its fault, in one line.

    Args:
        model: Its name.
        what: It is asked.
        least: Share of right answers that it needs.
        measure: Runs it.
    """
    trial = Trial(model, what, least=least)
    try:
        told = Counter(None if one is None else bool(one) for one in measure())
    except Exception as error:  # a model is foreign code; the others are tried all the same
        first = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
        return replace(trial, fault=first if isinstance(error, WrongForm) else f"{type(error).__name__}: {first}")
    return replace(trial, right=told[True], wrong=told[False], missed=told[None])


def measure_boxes(
    detector: interfaces.ObjectDetector, views: Sequence[TrueView], labels: Sequence[str] | None = None
) -> Iterator[Verdict]:
    """True things that a box of their name fits; wrong are those that only boxes of other names fit.

    Args:
        detector: Asked for all things of a view and some others.
        views: Of the example.
        labels: What it can say, where it has a list of its own.
    """
    for view in views:
        asked = sorted({thing.word for thing in view.things} | {*_OTHERS}) if labels is None else labels
        (found,) = detector.detect([view.image], [asked])
        height, width = view.image.shape[:2]
        for one in found:
            x0, y0, x1, y1 = one.box_xyxy
            _require(one.label in asked, f"a box is called {one.label!r}, which was not asked for")
            _require(0.0 <= one.score <= 1.0, f"a box has a score of {one.score:g}, need 0 to 1")
            inside = 0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height
            _require(inside, f"a box {one.box_xyxy} does not lie in a picture of {width} x {height}")
        for thing in view.things:
            if any(is_same_kind(thing.word, label) for label in asked):
                yield _judge_names(thing, [(one.label, one.box_xyxy) for one in found])


def measure_regions(model: interfaces.RegionTagger, views: Sequence[TrueView]) -> Iterator[Verdict]:
    """Phrases for things, where a described part is the thing."""
    for view in views:
        (found,) = model.regions([view.image])
        _require(all(one.text.strip() for one in found), "a region has no text")
        for thing in view.things:
            yield _judge_names(thing, [(category_of(one.text), one.box_xyxy) for one in found])


def _judge_names(thing: TrueThing, found: Sequence[tuple[str, Box]]) -> Verdict:
    fitting = [word for word, box in found if box_iou(box, thing.box_xyxy) >= _SAME_IOU]
    return any(is_same_kind(word, thing.word) for word in fitting) if fitting else None


def measure_depth(model: interfaces.DepthModel, views: Sequence[TrueView]) -> Iterator[Verdict]:
    """Pairs of things in one view whose depths differ plainly: which is nearer."""
    for view in views:
        (depth,) = model.depth([view.image], _DEPTH_STEP_PX)
        height, width = view.image.shape[:2]
        shape = (-(-height // _DEPTH_STEP_PX), -(-width // _DEPTH_STEP_PX))
        _require(depth.shape == shape, f"a depth map has shape {depth.shape}, need {shape}")
        _require(bool(np.isfinite(depth).all()), "a depth map holds values that are not finite")
        _require(not model.is_metric or bool((depth > 0).mean() > 0.99), "depths in metres are not positive")
        grid = depth[:: STEP_PX // _DEPTH_STEP_PX, :: STEP_PX // _DEPTH_STEP_PX]
        said = [(float(np.median(grid[thing.rays])), thing.depth_m) for thing in view.things]
        for (a, true_a), (b, true_b) in combinations(said, 2):
            if max(true_a, true_b) >= _APART * min(true_a, true_b):
                yield (a < b) == ((true_a < true_b) == model.is_metric)  # else inverse depth


def measure_metres(model: interfaces.DepthModel, views: Sequence[TrueView]) -> Iterator[Verdict]:
    """Things whose depth in metres is right to a third."""
    for view in views:
        (depth,) = model.depth([view.image], STEP_PX)
        yield from (0.75 <= float(np.median(depth[one.rays])) / one.depth_m <= 4.0 / 3.0 for one in view.things)


def measure_segments(
    model: interfaces.Segmenter, views: Sequence[TrueView], vocabulary: Sequence[str]
) -> Iterator[Verdict]:
    """What most of a thing is called, of things whose word the segmenter has; floor, wall and none are missed."""
    for view in views:
        (classes,) = model.segment([view.image])
        _require(classes.ndim == 2 and classes.dtype == np.uint8, f"a class map is {classes.dtype} {classes.shape}")
        _require(int(classes.max()) < len(vocabulary), f"class {classes.max()} of {len(vocabulary)}")
        for thing in view.things:
            if not any(is_same_kind(thing.word, word) for word in vocabulary if word in words()):
                continue
            places = (np.argwhere(thing.rays) + 0.5) / thing.rays.shape * classes.shape
            seen = classes[places[:, 0].astype(int), places[:, 1].astype(int)]
            word = vocabulary[int(np.bincount(seen).argmax())]
            is_thing = word in words() and words()[word].role != "surface"
            yield is_same_kind(thing.word, word) if is_thing else None


def measure_tags(model: interfaces.ImageTagger, views: Sequence[TrueView]) -> Iterator[Verdict]:
    """The best word for a thing's part of the picture, where it is one for things of a home."""
    for view in views:
        for thing in view.things:
            x0, y0, x1, y1 = (int(side) for side in thing.box_xyxy)
            (tags,) = model.tag([view.image[y0:y1, x0:x1]])
            _require(all(0.0 <= share <= 1.0 for share in tags.values()), "a tag has no probability between 0 and 1")
            word = max(tags, key=lambda one: tags[one]) if tags else ""
            is_said = tags.get(word, 0.0) >= _SURE_TAG and bool(list_heads(word) & words().keys())
            yield is_same_kind(word, thing.word) if is_said else None


def measure_likeness(
    embed: Callable[[Sequence[RgbImage]], NDArray[np.float32]], views: Sequence[TrueView]
) -> Iterator[Verdict]:
    """Views of one room are more alike than views of two."""
    vectors = embed([view.image for view in views])
    _require(vectors.ndim == 2 and len(vectors) == len(views), f"{len(views)} pictures gave vectors {vectors.shape}")
    _require(bool(np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3)), "vectors are not of unit length")
    alike = vectors @ vectors.T
    for at, view in enumerate(views):
        same = [n for n, other in enumerate(views) if n != at and other.room == view.room]
        others = [n for n, other in enumerate(views) if other.room != view.room]
        if same and others:
            yield alike[at, same].max() > np.median(alike[at, others])


def measure_rooms(model: Siglip, views: Sequence[TrueView]) -> Iterator[Verdict]:
    """The room of a view, of all rooms of the example."""
    rooms = sorted({view.room for view in views})
    scores = _score(model, views, [f"a photo of a {room}." for room in rooms])
    yield from (rooms[int(row.argmax())] == view.room for row, view in zip(scores, views, strict=True))


def measure_words(model: Siglip, views: Sequence[TrueView]) -> Iterator[Verdict]:
    """Words for what a view shows get higher scores than words for what it does not."""
    every = sorted({thing.word for view in views for thing in view.things})
    for row, view in zip(_score(model, views, every), views, strict=True):
        there = {thing.word for thing in view.things}
        present = [at for at, word in enumerate(every) if word in there]
        absent = [at for at, word in enumerate(every) if not any(is_same_kind(word, other) for other in there)]
        yield from (row[a] > row[b] for a in present for b in absent)


def _score(model: Siglip, views: Sequence[TrueView], texts: Sequence[str]) -> NDArray[np.float32]:
    scores = model.score(model.embed([view.image for view in views]), texts)
    _require(scores.shape == (len(views), len(texts)), f"scores have shape {scores.shape}")
    _require(bool(np.isfinite(scores).all()), "scores are not finite")
    return scores


def measure_masks(model: interfaces.BoxMasker, views: Sequence[TrueView]) -> Iterator[Verdict]:
    """The mask of a thing's box covers what rays see of the thing, and little else."""
    for view in views:
        (masks,) = model.masks([view.image], [[thing.box_xyxy for thing in view.things]])
        _require(len(masks) == len(view.things), f"{len(view.things)} boxes gave {len(masks)} masks")
        for mask, thing in zip(masks, view.things, strict=True):
            _require(mask.shape == view.image.shape[:2] and mask.dtype == bool, f"a mask is {mask.dtype} {mask.shape}")
            grid = mask[STEP_PX // 2 :: STEP_PX, STEP_PX // 2 :: STEP_PX]
            yield 2 * (grid & thing.rays).sum() >= (grid | thing.rays).sum()

"""Learned models look at the frames of a tour: embeddings, tags and rooms, free regions, depth, boxes, masks.

Passes run one after the other, each over all frames; what a pass has for a frame is never computed again. No poses are
needed, so this runs before the scene, whose scale it measures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from instructions.perception.frames.cache import FrameCache, cache_key
from instructions.perception.frames.overlap import drop_doubles
from instructions.perception.frames.passes import Look, look_at_missing
from instructions.perception.frames.results import (
    DEPTH_STEP_PX,
    FrameResults,
    FrameWords,
    PassRecord,
    VisionIndex,
    open_cache,
)
from instructions.perception.frames.tags import Tag, clean_tags, score_tags, vocabulary
from instructions.perception.interfaces import FoundBox, Region, RgbImage
from instructions.perception.masks import encode_mask
from instructions.perception.models.catalog import Ability
from instructions.perception.models.depth_anything import DepthAnything
from instructions.perception.models.florence import Florence
from instructions.perception.models.grounding_dino import GroundingDino
from instructions.perception.models.options import VisionOptions
from instructions.perception.models.runtime import Runtime, pick_runtime
from instructions.perception.models.sam import SamMasks
from instructions.perception.models.shelf import ModelShelf
from instructions.perception.models.siglip import Siglip
from instructions.perception.models.weights import LocalModel, depth_kind, find_model
from instructions.records import MaskRle
from recon.findings import Finding
from recon.records import Frame
from recon.tasks import FanOut, map_here

_ROOM_PROMPTS = ("a photo of a {room}.", "a video frame taken inside a {room}.", "{room}")
"""What an image is compared with; scores are averaged over them."""
_TAGGING = ("words", "regions")
"""Passes whose results the detector is asked for."""
_REGION_TAG_SCORE = 0.5
"""A free tag has no score of its own; this puts it among the sure vocabulary tags."""


@dataclass(frozen=True)
class LookResult:
    """What was looked at."""

    index: VisionIndex
    computed: dict[str, int]
    """Frames computed now per pass; the rest was there already."""
    findings: tuple[Finding, ...]


def find_models(options: VisionOptions) -> dict[Ability, LocalModel]:
    """The models that the options ask for, without loading them.

    Raises:
        InstructionError: If one is not on this machine or does not fit.
    """
    return {ability: find_model(ability, choice) for ability, choice in options.chosen().items()}


def look_at_frames(
    frames: Sequence[Frame],
    frames_dir: Path,
    folder: Path,
    options: VisionOptions = VisionOptions(),
    *,
    rooms: Mapping[str, str] = MappingProxyType({}),
    frames_key: str,
    progress: Callable[[float], None] | None = None,
    shelf: ModelShelf | None = None,
    fan_out: FanOut = map_here,
) -> LookResult:
    """Run every model of the options over the frames.

    Args:
        frames: The tour's frames.
        frames_dir: Their pictures.
        folder: Where results are kept: `folder/KIND/KEY/FRAME`. Results of other models and options stay.
        options: Models and thresholds.
        rooms: Kinds of room, each with the tag for a frame that looks like one; none are asked for if not given.
        frames_key: Names the frames' content and the code that looks; others give other keys.
        progress: Told the share done, 0 to 1.
        shelf: Keeps models on a GPU for the next tour; without one they are loaded for this call.
        fan_out: Gives out batches of frames, to threads: tasks share the model.

    Raises:
        InstructionError: If a model is missing or fails on every frame.
    """
    report = progress or (lambda share: None)
    return _Looker(frames, frames_dir, folder, options, rooms, frames_key, report, shelf or ModelShelf(), fan_out).run()


@dataclass
class _Looker:
    frames: Sequence[Frame]
    frames_dir: Path
    folder: Path
    options: VisionOptions
    rooms: Mapping[str, str]
    frames_key: str
    progress: Callable[[float], None]
    shelf: ModelShelf
    fan_out: FanOut

    def __post_init__(self) -> None:
        self._indices = [frame.index for frame in self.frames]
        self._pictures = {frame.index: self.frames_dir / frame.image for frame in self.frames}
        self._models = find_models(self.options)
        self._runtime: Runtime = pick_runtime(self.options.device, self.options.dtype)
        self._passes: list[PassRecord] = []
        self._computed: dict[str, int] = {}
        self._findings: list[Finding] = []
        self._step = (0.0, 1.0)

    def run(self) -> LookResult:
        choices = self.options.chosen()
        steps: dict[Ability, Callable[[LocalModel, int], None]] = {
            "tags": self._tags,
            "regions": self._free_regions,
            "depth": self._depth,
            "boxes": self._boxes,
            "masks": self._masks,
        }
        wanted: list[Ability] = [ability for ability in steps if ability in choices]
        for number, ability in enumerate(wanted):
            self._step = (number / len(wanted), 1.0 / len(wanted))
            steps[ability](self._models[ability], choices[ability].batch)
        return LookResult(self._index(), self._computed, tuple(self._findings))

    def _index(self) -> VisionIndex:
        return VisionIndex(tuple(self._passes))

    def _tags(self, local: LocalModel, batch: int) -> None:
        """Embed the images, then compare them with words. Without new frames or words nothing is loaded."""
        key = self._key("embeddings", local)
        words_key = cache_key(key, vocabulary(), [*self.rooms], _ROOM_PROMPTS, self.options.tag_probability)
        embeddings, words = self._cache("embeddings", key), self._cache("words", words_key)
        load = cache(lambda: self.shelf.take(Siglip, local, self._runtime))
        self._pass("embeddings", local, key, lambda: lambda _, images: list(load().embed(images)), batch)
        rows = [(frame, embeddings.read(frame)) for frame in words.missing(self._indices)]
        known = [(frame, row) for frame, row in rows if row is not None]
        if known:
            model, stacked = load(), np.stack([row for _, row in known])
            logits = model.score(stacked, vocabulary())
            tags = score_tags(logits, vocabulary(), self.options.tag_probability, local.source)
            for (frame, _), own, seen in zip(known, tags, self._see_rooms(model, stacked, local.source), strict=True):
                words.write(frame, FrameWords((*own, *seen)))
        self._record("words", local, words_key, computed=len(known))

    def _see_rooms(self, model: Siglip, embeddings: NDArray[np.float32], source: str) -> list[tuple[Tag, ...]]:
        """The kind of room that each image looks like most, as a tag; no tags where no kinds are asked for."""
        kinds = list(self.rooms)
        if not kinds:
            return [()] * len(embeddings)
        fits = [model.score(embeddings, [one.replace("{room}", kind) for kind in kinds]) for one in _ROOM_PROMPTS]
        likely = softmax(np.mean(fits, axis=0, dtype=np.float64), axis=1)
        return [(Tag(self.rooms[kinds[row.argmax()]], float(row.max()), source),) for row in likely]

    def _free_regions(self, local: LocalModel, batch: int) -> None:
        def build() -> Look[list[Region]]:
            model = self.shelf.take(Florence, local, self._runtime, self.options.region_words)
            return lambda _, images: model.regions(images)

        self._pass("regions", local, self._key("regions", local, self.options.region_words), build, batch)

    def _depth(self, local: LocalModel, batch: int) -> None:
        def build() -> Look[NDArray[np.float32]]:
            model = self.shelf.take(DepthAnything, local, self._runtime)
            return lambda _, images: model.depth(images, DEPTH_STEP_PX)

        self._pass("depth", local, self._key("depth", local, DEPTH_STEP_PX), build, batch)

    def _boxes(self, local: LocalModel, batch: int) -> None:
        options, earlier = self.options, FrameResults(self.folder, self._index())

        def build() -> Look[list[FoundBox]]:
            model = self.shelf.take(GroundingDino, local, self._runtime, options.box_threshold)

            def look(indices: Sequence[int], images: Sequence[RgbImage]) -> list[list[FoundBox]]:
                wanted = [[tag.text for tag in tags_of(earlier, frame, options.max_tags)] for frame in indices]
                found = model.detect(images, wanted)
                return [drop_doubles(boxes, options.max_overlap)[: options.max_boxes] for boxes in found]

            return look

        if self._indices and not any(tags_of(earlier, frame, options.max_tags) for frame in self._indices):
            self._findings.append(_report_nothing_wanted(len(self._indices), options))
        settings = (options.box_threshold, options.max_boxes, options.max_overlap, options.max_tags)
        key = self._key("boxes", local, settings, [entry.folder for entry in self._passes if entry.kind in _TAGGING])
        self._pass("boxes", local, key, build, batch)

    def _masks(self, local: LocalModel, batch: int) -> None:
        earlier = FrameResults(self.folder, self._index())

        def build() -> Look[list[MaskRle]]:
            model = self.shelf.take(SamMasks, local, self._runtime)

            def look(indices: Sequence[int], images: Sequence[RgbImage]) -> list[list[MaskRle]]:
                boxes = [[box.box_xyxy for box in earlier.boxes(frame)] for frame in indices]
                return [[encode_mask(mask) for mask in masks] for masks in model.masks(images, boxes)]

            return look

        key = self._key("masks", local, [entry.folder for entry in self._passes if entry.kind == "boxes"])
        self._pass("masks", local, key, build, batch)

    def _pass(self, kind: str, local: LocalModel, key: str, build: Callable[[], Look[Any]], batch: int) -> None:
        """Compute what is missing; the model is built only if anything is."""
        kept = self._cache(kind, key)
        missing = kept.missing(self._indices)
        if missing:
            start, share = self._step
            self._findings += look_at_missing(
                f"{kind} by {local.name}",
                build(),
                kept,
                self._pictures.__getitem__,
                missing,
                batch,
                lambda done: self.progress(start + share * done),
                self.fan_out,
            )
        self._record(kind, local, key, computed=len(missing) - len(kept.missing(missing)))

    def _record(self, kind: str, local: LocalModel, key: str, computed: int) -> None:
        is_metric = kind == "depth" and depth_kind(local) == "metric"
        self._passes.append(PassRecord(kind, local.source, f"{kind}/{key}", is_metric))
        self._computed[kind] = computed

    def _cache(self, kind: str, key: str) -> FrameCache[Any]:
        return open_cache(kind, self.folder / kind / key)

    def _key(self, kind: str, local: LocalModel, *settings: object) -> str:
        return cache_key(kind, local.name, local.revision, self._runtime.dtype, self.frames_key, settings)


def _report_nothing_wanted(frames: int, options: VisionOptions) -> Finding:
    message = (
        f"no word reached a probability of {options.tag_probability:g} in any of {frames} frames, so the detector was "
        "asked for nothing. Try a lower --vision.tag-probability, or --vision.regions.model for free "
        "tags"
    )
    return Finding("warning", "vision.no_tags", "tour", message)


def tags_of(results: FrameResults, frame: int, limit: int) -> tuple[Tag, ...]:
    """Tags of one frame that are fit to be looked for (see `clean_tags`)."""
    words = results.words(frame)
    source = results.source("regions") or ""
    free = [Tag(region.text, _REGION_TAG_SCORE, source) for region in results.regions(frame)]
    return clean_tags([*(words.tags if words else ()), *free], limit)

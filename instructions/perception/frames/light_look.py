"""Light networks look at the frames of a tour: boxes that two detectors agree on, segments and their boxes, tags.

Each frame is decoded once and shown to every network; what a frame has is never computed again. Frames are looked at as
they were sampled: turned as the video says and as `--input.rotate` asks for, for their roll is not known before the
scene.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.perception.frames.agreement import agree
from instructions.perception.frames.cache import cache_key
from instructions.perception.frames.look import LookResult
from instructions.perception.frames.overlap import drop_doubles, drop_parts
from instructions.perception.frames.results import (
    FrameWords,
    PassRecord,
    VisionIndex,
    boxes_cache,
    segments_cache,
    words_cache,
)
from instructions.perception.frames.segments import SegmentMap, boxes_of_segments
from instructions.perception.frames.tags import Tag
from instructions.perception.interfaces import FoundBox, ImageTagger, ObjectDetector, RgbImage, Segmenter
from instructions.perception.models.light.deimv2 import Deimv2
from instructions.perception.models.light.folder import find_light_files, light_folder
from instructions.perception.models.light.imagenet_tags import ImagenetTags
from instructions.perception.models.light.labels import coco_words, head_of, table_digest
from instructions.perception.models.light.mosaic import Mosaic
from instructions.perception.models.light.pins import PERCEPTION_FILES, Part
from instructions.perception.models.light.yolox import Yolox
from instructions.perception.models.options import VisionOptions
from recon.findings import Finding
from recon.records import Frame
from recon.tasks import FanOut, fixed_threads, map_here

_LOOK_VERSION = 1
"""Raise it when the same networks, options and frame give another result."""
_BATCH = 8
"""Frames per task: enough that giving them out costs nothing, few enough that a killed run loses little."""
_RAW_THRESHOLD = 0.20
"""Least score of a box of one detector, before they are compared: two that are half sure of one thing are right."""
_LEAST_SEGMENT = 0.012
"""Share of the picture under which a segment is no landmark: an eighth of its width, squared."""

_TAG_EVERY = 3
"""Tags tell of rooms, which last: every third frame has them."""
_MOST_CONTAINED = 0.75
"""A box of which more lies in a better one of its kind is a part of that thing."""


@dataclass(frozen=True)
class LightTask:
    """Looks at a batch of frames, in whatever process; the networks are loaded there once."""

    paths: tuple[tuple[Part, Path], ...]
    box_threshold: float
    max_boxes: int
    max_overlap: float
    tag_probability: float

    def __call__(self, batch: tuple[tuple[int, Path], ...]) -> list[LightView]:
        """What the networks say of each frame (index, picture)."""
        with fixed_threads():
            return [look_at_picture(index, path, _load_networks(self), self) for index, path in batch]


@dataclass(frozen=True, eq=False)
class LightView:
    """What the networks said of one frame, or why they could not."""

    frame: int
    boxes: tuple[FoundBox, ...] = ()
    classes: NDArray[np.uint8] | None = None
    tags: tuple[tuple[str, float], ...] | None = None
    """None for a frame that is not tagged."""
    problem: str | None = None


@dataclass(frozen=True)
class LightNetworks:
    """One of each."""

    first: ObjectDetector
    second: ObjectDetector
    segmenter: Segmenter
    tagger: ImageTagger


def look_at_frames_lightly(
    frames: Sequence[Frame],
    frames_dir: Path,
    folder: Path,
    options: VisionOptions = VisionOptions(),
    *,
    frames_key: str,
    progress: Callable[[float], None] | None = None,
    fan_out: FanOut = map_here,
) -> LookResult:
    """Run the light networks over the frames.

    Args:
        frames: The tour's frames.
        frames_dir: Their pictures.
        folder: Where results are kept: `folder/KIND/KEY/FRAME`. Results of other networks and options stay.
        options: Folder of the networks and thresholds.
        frames_key: Names the frames' content; other frames give other keys.
        progress: Told the share done, 0 to 1.
        fan_out: Gives out batches of frames, to processes or not.

    Raises:
        InstructionError: If a network is missing or damaged, or every picture fails.
    """
    files = find_light_files(light_folder(options.folder))
    key = cache_key(_LOOK_VERSION, light_identity(options), frames_key)
    boxes, segments = boxes_cache(folder / "boxes" / key), segments_cache(folder / "segments" / key)
    tags = words_cache(folder / "words" / key)
    indices = [frame.index for frame in frames]
    todo = list({*boxes.missing(indices), *segments.missing(indices)})
    todo = sorted({*todo, *tags.missing([index for index in indices if is_tagged(index)])})
    pictures = {frame.index: frames_dir / frame.image for frame in frames}
    task = LightTask(
        tuple(files.items()), options.box_threshold, options.max_boxes, options.max_overlap, options.tag_probability
    )
    shown = [(index, pictures[index]) for index in todo]
    batches = [tuple(shown[at : at + _BATCH]) for at in range(0, len(shown), _BATCH)]
    failed: dict[int, str] = {}
    computed: dict[str, int] = dict.fromkeys(("words", "segments", "boxes"), 0)
    done = 0
    try:
        for views in fan_out(task, batches):
            for view in views:
                done += 1
                if view.problem is not None or view.classes is None:
                    failed[view.frame] = view.problem or "no segments"
                    continue
                if view.tags is not None:
                    words = tuple(Tag(text, score, _sources("tags")) for text, score in view.tags)
                    tags.write(view.frame, FrameWords(words, ()))
                    computed["words"] += 1
                segments.write(view.frame, view.classes)
                boxes.write(view.frame, list(view.boxes))
                computed["segments"] += 1
                computed["boxes"] += 1
            if progress is not None:
                progress(done / len(todo))
    finally:
        _load_networks.cache_clear()  # what this process loaded; a worker keeps its own until it ends
    if todo and len(failed) == len(todo):
        first = min(failed)
        raise InstructionError(f"light models: failed on all {len(todo)} frames; frame {first}: {failed[first]}")
    findings = tuple(
        Finding("warning", "vision.frame_failed", f"frame {frame}", f"light models failed: {reason}; left out")
        for frame, reason in sorted(failed.items())
    )
    passes = (
        PassRecord("words", _sources("tags"), f"words/{key}"),
        PassRecord("segments", _sources("mosaic"), f"segments/{key}"),
        PassRecord("boxes", _sources("yolox", "deimv2", "mosaic"), f"boxes/{key}"),
    )
    return LookResult(VisionIndex(passes), computed, findings)


def is_tagged(frame: int) -> bool:
    """Whether a frame gets tags."""
    return frame % _TAG_EVERY == 1


def light_identity(options: VisionOptions) -> object:
    """What decides the results: the networks by content, the table of words, and the thresholds."""
    limits = [options.box_threshold, options.max_boxes, options.max_overlap, options.tag_probability]
    return [_LOOK_VERSION, table_digest(), [[file.part, file.sha256] for file in PERCEPTION_FILES], limits]


def look_at_picture(frame: int, path: Path, networks: LightNetworks, task: LightTask) -> LightView:
    """What the networks say of one picture."""
    image_bgr = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image_bgr is None:
        return LightView(frame, problem=f"its picture {path.name} is missing or cannot be decoded")
    image: RgbImage = np.ascontiguousarray(image_bgr[:, :, ::-1], dtype=np.uint8)
    try:
        wanted = [sorted({word for word in coco_words() if word})]
        (first,), (second,) = networks.first.detect([image], wanted), networks.second.detect([image], wanted)
        (classes,) = networks.segmenter.segment([image])
        tags = tuple(networks.tagger.tag([image])[0].items()) if is_tagged(frame) else None
    except Exception as error:  # whatever a network raises concerns this frame only, until all of them fail
        return LightView(frame, problem=f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")
    agreed = [one for one in agree(first, second) if one.score >= task.box_threshold]
    parts = boxes_of_segments(SegmentMap(classes, image.shape[1], image.shape[0]), agreed, _LEAST_SEGMENT)
    found = drop_doubles([*agreed, *(one for one in parts if one.score >= task.box_threshold)], task.max_overlap)
    found = drop_parts(found, head_of, _MOST_CONTAINED)
    return LightView(frame, tuple(found[: task.max_boxes]), classes, tags)


@lru_cache(maxsize=1)
def _load_networks(task: LightTask) -> LightNetworks:
    paths = dict(task.paths)
    return LightNetworks(
        Yolox(paths["yolox"], _RAW_THRESHOLD),
        Deimv2(paths["deimv2"], _RAW_THRESHOLD),
        Mosaic(paths["mosaic"]),
        ImagenetTags(paths["tags"], task.tag_probability),
    )


def _sources(*parts: Part) -> str:
    return ", ".join(file.source for file in PERCEPTION_FILES if file.part in parts)

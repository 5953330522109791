"""Light networks look at the frames of a tour: boxes that a detector finds, maps of two segmenters, and their boxes.

They look about twice a second: what a walker sees changes little in that time, and a network asked more often says the
same again, at its full price. The frames in between get boxes from the looks on either side (`carry`), and no segments.
Each frame looked at is decoded once and shown to every network; what a frame has is never computed
again. Frames are sampled as the video says and as `--input.rotate` asks for; those of a tour that then lie on their
side or stand on their head are turned before the networks see them, and what the networks say is turned back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from instructions.errors import InstructionError
from instructions.perception.frames.brighten import brighten
from instructions.perception.frames.cache import FrameCache, cache_key, records
from instructions.perception.frames.carry import CarryTask, Gap, LookedFrame
from instructions.perception.frames.look import LookResult
from instructions.perception.frames.overlap import drop_doubles
from instructions.perception.frames.results import (
    PassRecord,
    VisionIndex,
    open_cache,
)
from instructions.perception.frames.segments import SegmentMap, boxes_of_segments, weigh_boxes
from instructions.perception.frames.upright import Votes, VoteTask, decide_turn, list_turned, turn_box_back, turn_image
from instructions.perception.interfaces import FoundBox, ObjectDetector, Segmenter
from instructions.perception.models.light.deeplab import Deeplab
from instructions.perception.models.light.folder import find_light_files, light_folder
from instructions.perception.models.light.labels import ade150_words, coco_words, head_of
from instructions.perception.models.light.mosaic import Mosaic
from instructions.perception.models.light.pins import PERCEPTION_FILES, Part
from instructions.perception.models.light.yolox import Yolox
from instructions.perception.models.options import VisionOptions
from instructions.perception.read_rgb import read_rgb
from recon.findings import Finding
from recon.records import Frame
from recon.tasks import FanOut, fixed_threads, map_here

_BATCH = 8
"""Frames per task: enough that giving them out costs nothing, few enough that a killed run loses little."""
_RAW_THRESHOLD = 0.20
"""Least score of a box of the detector, before the segmenters confirm it."""
_LEAST_SEGMENT = 0.012
"""Share of the picture under which a segment is no landmark: an eighth of its width, squared."""
_NEED_AGREEMENT = ("cabinet", "shelf", "table", "counter", "rug")
"""Kinds that the fine segmenter alone makes no box of: what it alone called so was mostly a partition or a wall."""
_LEAST_PROBABILITY = 0.4
"""Of a class of the fine segmenter, to count as seen."""
_NETWORKS: Mapping[str, tuple[Part, ...]] = {
    "segments": ("mosaic",),
    "fine_segments": ("deeplab",),
    "boxes": ("yolox", "mosaic", "deeplab"),
}
"""Networks that each kind of pass rests on."""
Networks = tuple[ObjectDetector, Segmenter, Segmenter]
"""Detector, segmenter, and the one of many classes."""
LOOK_EVERY_S = 0.6
"""Least time between two looks. A quarter of the frames of `office_walk` and half of those of `home_walk` find as many
labelled things as all of them, as precisely; with 0.75 s the names get worse (26 of 30 right instead of 29 of 31)."""
LEAST_LOOKS = 32
"""A short tour, or one filmed or played fast, is looked at more often: about so many times, if it has the frames."""


@dataclass(frozen=True)
class LookPlan:
    """Frame indices in time order."""

    looked: tuple[int, ...]
    shots: tuple[tuple[int, ...], ...]
    """All frames of each shot; nothing is carried from one to another."""


def plan_looks(frames: Sequence[Frame], every_s: float = LOOK_EVERY_S) -> LookPlan:
    """First and last frame of each shot, and in between one as soon as `every_s` has passed since the last, or
    less in a short tour.

    Args:
        frames: The tour's frames, in time order.
        every_s: Least time between two looks in seconds, but for the last frame of a shot and short tours.
    """
    shots: dict[int, list[Frame]] = {}
    for frame in frames:
        shots.setdefault(frame.shot, []).append(frame)
    span_s = sum(shot[-1].time_s - shot[0].time_s for shot in shots.values())
    every_s = min(every_s, span_s / LEAST_LOOKS)
    looked: list[int] = []
    for shot in shots.values():
        last_s = float("-inf")
        for frame in shot:
            if frame.time_s - last_s >= every_s or frame is shot[-1]:
                looked.append(frame.index)
                last_s = frame.time_s
    return LookPlan(tuple(looked), tuple(tuple(frame.index for frame in shot) for shot in shots.values()))


@dataclass(frozen=True)
class LightTask:
    """Looks at a batch of frames, in whatever process; the networks are loaded there once."""

    paths: tuple[tuple[Part, Path], ...]
    box_threshold: float
    max_boxes: int
    max_overlap: float
    quarter_turns: int
    """Counter-clockwise turns that set the pictures upright."""

    def __call__(self, batch: tuple[tuple[int, Path], ...]) -> list[tuple[int, dict[str, Any] | str]]:
        """What the networks say of each frame, given by index and picture, by kind of pass; or why they cannot."""
        with fixed_threads():
            networks = _load_networks(self)
            return [(frame, _look_at_picture(path, networks, self)) for frame, path in batch]


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
        frames_key: Names the frames' content and the code that looks; others give other keys.
        progress: Told the share done, 0 to 1.
        fan_out: Gives out batches of frames, to processes or not.

    Raises:
        InstructionError: If a network is missing or damaged, or every picture fails.
    """
    files = find_light_files(light_folder(options.folder))
    limits = (options.box_threshold, options.max_boxes, options.max_overlap)
    key = cache_key(limits, frames_key)
    caches = {kind: open_cache(kind, folder / kind / key) for kind in _NETWORKS}
    boxes, plan = caches["boxes"], plan_looks(frames)
    pictures = {
        frame.index: LookedFrame(frame.index, frames_dir / frame.image, frame.width, frame.height) for frame in frames
    }
    counted = FrameCache[Votes](folder / "turns" / key, records(Votes))
    if counted.missing([0]):
        every_picture = tuple(one.path for one in pictures.values())
        counted.write(0, *fan_out(VoteTask(files["yolox"], files["mosaic"]), [every_picture]))
    votes = counted.read(0) or (0, 0, 0, 0)
    task = LightTask(tuple(files.items()), *limits, decide_turn(votes))
    missing = {frame for one in caches.values() for frame in one.missing(plan.looked)}
    shown = [(frame, pictures[frame].path) for frame in sorted(missing)]
    batches = [tuple(shown[at : at + _BATCH]) for at in range(0, len(shown), _BATCH)]
    failed: dict[int, str] = {}
    computed: dict[str, int] = dict.fromkeys(("segments", "boxes", "carried"), 0)
    done = 0
    try:
        for views in fan_out(task, batches):
            for frame, seen in views:
                done += 1
                if isinstance(seen, str):
                    failed[frame] = seen
                    continue
                for kind, cache in caches.items():
                    cache.write(frame, seen[kind])
                computed["segments"] += 1
                computed["boxes"] += 1
            if progress is not None:
                progress(done / len(shown))
    finally:
        _load_networks.cache_clear()  # what this process loaded; a worker keeps its own until it ends
    if shown and len(failed) == len(shown):
        first = min(failed)
        raise InstructionError(f"light models: failed on all {len(shown)} frames; frame {first}: {failed[first]}")
    for filled in fan_out(CarryTask(options.box_threshold), _list_gaps(plan, pictures, boxes)):
        for frame, carried in filled:
            if carried is None:
                failed[frame] = f"its picture {pictures[frame].path.name} is missing or cannot be decoded"
            else:
                boxes.write(frame, carried)
                computed["carried"] += 1
    findings = list_turned(votes) + tuple(
        Finding("warning", "vision.frame_failed", f"frame {frame}", f"light models failed: {reason}; left out")
        for frame, reason in sorted(failed.items())
    )
    passes = []
    for kind, parts in _NETWORKS.items():
        source = ", ".join(file.source for file in PERCEPTION_FILES if file.part in parts)
        passes.append(PassRecord(kind, source, f"{kind}/{key}"))
    return LookResult(VisionIndex(tuple(passes)), computed, findings)


def _list_gaps(plan: LookPlan, pictures: Mapping[int, LookedFrame], boxes: FrameCache[list[FoundBox]]) -> list[Gap]:
    """What lies between two looks that succeeded and lacks boxes."""
    gaps = []
    for shot in plan.shots:
        looks = [at for at, frame in enumerate(shot) if frame in plan.looked and boxes.read(frame) is not None]
        for first, last in pairwise(looks):
            between = shot[first + 1 : last]
            if boxes.missing(between):
                before, after = (
                    replace(pictures[shot[at]], boxes=tuple(boxes.read(shot[at]) or ())) for at in (first, last)
                )
                gaps.append(Gap(before, tuple(pictures[frame] for frame in between), after))
    return gaps


def _look_at_picture(path: Path, networks: Networks, task: LightTask) -> dict[str, Any] | str:
    """What the networks say of one picture, shown to them upright."""
    picture = read_rgb(path)
    if picture is None:
        return f"its picture {path.name} is missing or cannot be decoded"
    height, width = picture.shape[:2]
    image = brighten(turn_image(picture, task.quarter_turns))
    detector, *segmenters = networks
    try:
        wanted = [sorted({word for word in coco_words() if word})]
        (boxes_found,) = detector.detect([image], wanted)
        (classes,), (fine_classes,) = (segmenter.segment([image]) for segmenter in segmenters)
    except Exception as error:  # whatever a network raises concerns this frame only, until all of them fail
        return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    size = (image.shape[1], image.shape[0])
    coarse, fine = SegmentMap(classes, *size), SegmentMap(fine_classes, *size, ade150_words())
    weighed = drop_doubles(weigh_boxes(boxes_found, (coarse, fine)), task.max_overlap)
    things = [one for one in weighed if one.score >= task.box_threshold]
    things += boxes_of_segments(coarse, things, _LEAST_SEGMENT)
    more = boxes_of_segments(fine, things, _LEAST_SEGMENT)
    things += [one for one in more if head_of(one.label) not in _NEED_AGREEMENT]
    kept = drop_doubles([thing for thing in things if thing.score >= task.box_threshold], task.max_overlap)
    boxes = [
        replace(one, box_xyxy=turn_box_back(one.box_xyxy, task.quarter_turns, width, height))
        for one in kept[: task.max_boxes]
    ]
    maps = (turn_image(of_network, -task.quarter_turns) for of_network in (classes, fine_classes))
    return dict(zip(_NETWORKS, (*maps, boxes), strict=True))


@lru_cache(maxsize=1)
def _load_networks(task: LightTask) -> Networks:
    paths = dict(task.paths)
    fine_segmenter = Deeplab(paths["deeplab"], _LEAST_PROBABILITY)
    return Yolox(paths["yolox"], _RAW_THRESHOLD), Mosaic(paths["mosaic"]), fine_segmenter

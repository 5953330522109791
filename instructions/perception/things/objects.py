"""Things with names: detections of all frames of one model, joined in the world, with colour, size, box and room."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.facts.bodies import Body, size_word
from instructions.facts.overlap import box_iou
from instructions.facts.placing import DepthMap
from instructions.perception.boxes import find_inside
from instructions.perception.colors import name_color
from instructions.perception.frames.detections import detections_of
from instructions.perception.frames.results import FrameResults
from instructions.perception.frames.tags import category_of
from instructions.perception.interfaces import LandmarkResult
from instructions.perception.masks import decode_mask
from instructions.perception.read_rgb import read_rgb
from instructions.perception.things.certainty import shows_whole
from instructions.perception.things.clues import Verdict
from instructions.perception.things.join import Joined, JoinOptions, join_detections
from instructions.perception.things.lift import Lifted, LiftOptions, lift
from instructions.perception.things.pointing import Pointer
from instructions.perception.things.thing_box import box_of_thing, keep_agreed_points
from instructions.records import Box, Detection, Observation, SceneObject
from instructions.view import draw_box
from recon.findings import Finding
from recon.geometry import Array
from recon.ranges import AtLeastOne, Share
from recon.records import Frame, SceneModel

_PIXELS_PER_VIEW = 300
_CAPTIONS = 3
Lifter = Callable[[int, Detection], Lifted | None]
"""Puts a detection into the world: its row in the list of detections and itself in, its points there out."""
Regroup = Callable[[Sequence[Joined], Sequence[Detection]], list[Joined]]
"""Joined things in, those of them that are one joined."""
Judge = Callable[[Joined, Sequence[Detection]], Verdict | None]
"""What a joined thing is, and what holds it; None if it is none after all."""


@dataclass(frozen=True, kw_only=True)
class ObjectOptions:
    """How detections of single frames become things in the world."""

    lift: LiftOptions = LiftOptions()
    """Which pixels of a detection are the thing"""
    join: JoinOptions = JoinOptions()
    """When detections are one thing"""
    color_frames: AtLeastOne = 8
    """Colour is measured in this many of the best views per thing."""
    min_color_share: Share = 0.30
    """A name that fewer of the pixels carry is not the thing's colour."""


def find_objects(
    model: SceneModel,
    results: FrameResults,
    depth_of: Callable[[int], DepthMap | None],
    frames_dir: Path | None,
    frames: Mapping[int, Frame],
    options: ObjectOptions = ObjectOptions(),
    *,
    lifter: Lifter | None = None,
    regroup: Regroup | None = None,
    judge: Judge | None = None,
    pointer: Pointer | None = None,
) -> LandmarkResult:
    """Find the things of one model.

    Args:
        model: Upright model.
        results: What the models said of each frame.
        depth_of: Depth of a frame in the model's unit, None where unknown.
        frames_dir: Folder of the pictures, for colours; None leaves things without colour.
        frames: Frames by index.
        options: Thresholds.
        lifter: Puts detections into the world; by the depth of their frame if not given.
        regroup: Joins things further; they stay as they are if not given.
        judge: Looks once more at each joined thing; all keep their word if not given.
        pointer: Finds a pixel of things whose box is not clear; they have none if not given.

    Returns:
        Things by the first frame that shows them, with what each frame shows of them; aliases are not final (see
        `naming.name_objects`). Detections that became no thing are counted in findings.
    """
    metre = model.nominal_metre
    detections: list[Detection] = []
    lifted: list[Lifted] = []
    for frame in model.frames:
        depth = depth_of(frame)
        for detection in detections_of(results, frame, model.camera.width, depth):
            detections.append(detection)
            row = len(detections) - 1
            one = lifter(row, detection) if lifter else _lift(row, detection, depth, model, options.lift)
            if one is not None:
                lifted.append(one)
    joined = join_detections(lifted, metre, options.join)
    joined = regroup(joined, detections) if regroup else joined
    lasting = [thing for thing in joined if len(thing.frames) >= options.join.min_frames]
    verdicts = [(thing, judge(thing, detections) if judge else Verdict()) for thing in lasting]
    judged = [(thing, verdict) for thing, verdict in verdicts if verdict is not None]
    kept = [thing for thing, _ in judged]
    colors = _colors(kept, detections, frames_dir, frames, options)
    source = results.source("boxes") or ""
    objects: list[SceneObject] = []
    observations: list[Observation] = []
    for number, ((thing, verdict), color) in enumerate(zip(judged, colors, strict=True)):
        word = verdict.categories[0][0] if verdict.categories else thing.category
        surface = keep_agreed_points(thing.members, metre)
        box = box_of_thing(word, surface, thing.members, model)
        captions = Counter(caption for member in thing.members if (caption := detections[member.row].caption))
        made = SceneObject(
            id=f"{model.name}_{number}",
            model=model.name,
            category=word,
            alias=word,
            color=color,
            size_word=size_word(box, model.floor_z, metre),
            obb=box,
            points=tuple(int(row) for row in np.flatnonzero(find_inside(model.tracks.xyz, box, 0.05 * metre))),
            frames=thing.frames,
            ambiguous=False,
            source=source,
            captions=tuple(caption for caption, _ in captions.most_common(_CAPTIONS)),
            score=thing.score,
            categories=verdict.categories,
            clues=verdict.clues,
            support=verdict.support,
            range_sigma=float(np.median([one.range_sigma for one in thing.members])),
            region_share=float(np.mean([detections[one.row].is_region for one in thing.members])),
        )
        objects.append(made)
        observations += _observations(made, thing, surface, model, detections, pointer)
    observations.sort(key=lambda one: (one.frame, int(one.object.rsplit("_", 1)[1])))
    findings = _findings(model, len(detections), len(lifted), joined, kept)
    return LandmarkResult(tuple(objects), tuple(observations), findings)


def _lift(
    row: int, detection: Detection, depth: DepthMap | None, model: SceneModel, options: LiftOptions
) -> Lifted | None:
    if depth is None:
        return None
    return lift(
        row,
        detection.frame,
        category_of(detection.label),
        detection.score,
        detection.box_xyxy,
        decode_mask(detection.mask) if detection.mask else None,
        depth,
        model.camera,
        model.world_from_cam[detection.frame],
        options,
    )


def _observations(
    made: SceneObject,
    thing: Joined,
    surface: Array,
    model: SceneModel,
    detections: Sequence[Detection],
    pointer: Pointer | None,
) -> list[Observation]:
    """The best detection per frame; where its box is not clear, with a pixel that lies on the thing."""
    body, clues = Body.of_box(made.obb), dict(made.clues)
    best: dict[int, Lifted] = {}
    for member in thing.members:
        if member.frame not in best or member.score > best[member.frame].score:
            best[member.frame] = member
    out = []
    for frame, member in sorted(best.items()):
        detection = detections[member.row]
        outline = draw_box(model, model.world_from_cam[frame], body)
        agreement = 0.0 if outline is None else box_iou(detection.box_xyxy, outline)
        out.append(
            Observation(
                frame=frame,
                object=made.id,
                box_xyxy=detection.box_xyxy,
                visible_fraction=_measure_seen_share(surface, model, frame, detection.box_xyxy),
                score=detection.score,
                depth=member.distance,
                sides=detection.sides,
                ranges=detection.ranges,
                label=detection.label,
                depth_stats=detection.depth_stats,
                mask=detection.mask,
                is_clear=not clues or shows_whole(detection.score, agreement, clues["both"]),
            )
        )
    if pointer is None or all(one.is_clear for one in out):
        return out
    own = {member.row for member in thing.members}
    others: dict[int, list[Detection]] = defaultdict(list)
    for row, other in enumerate(detections):
        if row not in own:
            others[other.frame].append(other)
    pixels = pointer.find(made, out, others)
    return [replace(one, point_xy=pixels.get(one.frame)) for one in out]


def _measure_seen_share(surface: Array, model: SceneModel, frame: int, box_xyxy: Box) -> float:
    pixels = model.camera.project(model.world_from_cam[frame].inverse() @ surface)
    x0, y0, x1, y1 = box_xyxy
    with np.errstate(invalid="ignore"):
        inside = (pixels[:, 0] >= x0) & (pixels[:, 0] <= x1) & (pixels[:, 1] >= y0) & (pixels[:, 1] <= y1)
    return float(np.mean(inside))


def _colors(
    things: Sequence[Joined],
    detections: Sequence[Detection],
    frames_dir: Path | None,
    frames: Mapping[int, Frame],
    options: ObjectOptions,
) -> list[str | None]:
    """Colour name per thing, from the pixels of its best detections."""
    if frames_dir is None:
        return [None] * len(things)
    wanted: dict[int, list[tuple[int, Detection]]] = defaultdict(list)
    for number, thing in enumerate(things):
        best = sorted(thing.members, key=lambda one: (-one.score, one.row))[: options.color_frames]
        for one in best:
            wanted[one.frame].append((number, detections[one.row]))
    samples: list[list[NDArray[np.uint8]]] = [[] for _ in things]
    beside: list[list[NDArray[np.uint8]]] = [[] for _ in things]
    for frame, parts in sorted(wanted.items()):
        image_rgb = read_rgb(frames_dir / frames[frame].image)
        if image_rgb is None:
            continue  # the passes have told of it already
        for number, detection in parts:
            samples[number].append(_pixels(image_rgb, detection))
            if detection.mask is None:  # a mask holds no background
                beside[number].append(_pixels_around(image_rgb, detection.box_xyxy))
    none = np.zeros((0, 3), dtype=np.uint8)
    return [
        name_color(np.concatenate([none, *own]), options.min_color_share, np.concatenate([none, *around]))
        for own, around in zip(samples, beside, strict=True)
    ]


def _pixels(image_rgb: NDArray[np.uint8], detection: Detection) -> NDArray[np.uint8]:
    """Colours of the mask, or of the inner half of the box, (n, 3)."""
    if detection.mask is not None:
        inside = image_rgb[decode_mask(detection.mask)]
    else:
        x0, y0, x1, y1 = detection.box_xyxy
        left, right = int(x0 + (x1 - x0) / 4), int(np.ceil(x1 - (x1 - x0) / 4))
        top, bottom = int(y0 + (y1 - y0) / 4), int(np.ceil(y1 - (y1 - y0) / 4))
        inside = image_rgb[top:bottom, left:right].reshape(-1, 3)
    return inside[:: max(1, len(inside) // _PIXELS_PER_VIEW)]


def _pixels_around(image_rgb: NDArray[np.uint8], box_xyxy: Box) -> NDArray[np.uint8]:
    """Colours of a frame around a box, an eighth of its size wide, (n, 3)."""
    x0, y0, x1, y1 = box_xyxy
    wide, high = (x1 - x0) / 8, (y1 - y0) / 8
    top, left = max(int(y0 - high), 0), max(int(x0 - wide), 0)
    around = image_rgb[top : int(y1 + high), left : int(x1 + wide)]
    ring = np.ones(around.shape[:2], dtype=bool)
    ring[max(int(y0), 0) - top : int(np.ceil(y1)) - top, max(int(x0), 0) - left : int(np.ceil(x1)) - left] = False
    inside = around[ring]
    return inside[:: max(1, len(inside) // _PIXELS_PER_VIEW)]


def _findings(
    model: SceneModel,
    detected: int,
    lifted: int,
    joined: Sequence[Joined],
    kept: Sequence[Joined],
) -> tuple[Finding, ...]:
    where = f"model {model.name}"
    findings: list[Finding] = []
    if lifted < detected:
        message = (
            f"{detected - lifted} of {detected} detections have no usable depth, or are floor, "
            "and stay in their frames only"
        )
        findings.append(Finding("info", "objects.no_depth", where, message))
    if len(kept) < len(joined):
        single = sum(len(thing.members) for thing in joined) - sum(len(thing.members) for thing in kept)
        message = (
            f"{len(joined) - len(kept)} things ({single} detections) seen in too few frames, or between looks only, "
            "became no object"
        )
        findings.append(Finding("info", "objects.dropped", where, message))
    if not kept:
        message = (
            f"none of {detected} detections became a thing that lasts over several frames; texts will only mention "
            "turns. Try a lower --vision.box-threshold or another --vision.boxes.model"
            if detected
            else "there are no detections; texts will only mention turns. Either no word was looked for "
            "(vision.no_tags), or the detector found none of them"
        )
        findings.append(Finding("warning", "objects.none", where, message))
    return tuple(findings)

"""Things of one model by all that is known without a depth network: detections and segments, joined in the world, and
the landmarks of the reconstruction where nothing has a name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from instructions.facts.placing import DepthMap
from instructions.perception.boxes import find_inside
from instructions.perception.frames.ranks import LEARNED_SIGMA
from instructions.perception.frames.results import FrameResults
from instructions.perception.frames.segments import SegmentMap
from instructions.perception.interfaces import LandmarkResult, RgbImage
from instructions.perception.models.light.labels import head_of, words
from instructions.perception.read_rgb import read_rgb
from instructions.perception.things.certainty import estimate_certainty, is_open, spread_certainty
from instructions.perception.things.close_look import CloseLook, count_turns_up, list_askable
from instructions.perception.things.clues import (
    Verdict,
    measure_close_segments,
    measure_close_tags,
    measure_clues,
    weigh_words,
)
from instructions.perception.things.join import Joined, join_doubles
from instructions.perception.things.lift import Lifted
from instructions.perception.things.lift import lift as lift_by_depth
from instructions.perception.things.objects import ObjectOptions, find_objects
from instructions.perception.things.pointing import Pointer
from instructions.perception.things.support import find_support, find_what_it_rests_on
from instructions.perception.things.track_lift import TrackLifter
from instructions.records import Detection, Observation, SceneObject
from recon.findings import Finding
from recon.records import Frame, SceneModel

_SEGMENTS_KEPT = 256
"""Class maps take some 30 kB each; a thing's frames lie close together."""
_LEAST_FRAMES = 2
"""A thing seen once may be anything; how sure more views make it is `certainty`'s to say."""
_ON_FLOOR_M = 0.12
"""Furniture of which one frame's points lie lower than this by half is floor: a blue carpet is easily called a bed."""
_NAMED_SHARE = 0.5
"""A landmark of whose points this share lies in a named thing is that thing."""
_MARGIN_M = 0.15
"""A named thing's box is widened by this before its landmarks are looked for."""


def find_named_things(
    model: SceneModel,
    results: FrameResults,
    depth_of: Callable[[int], DepthMap | None],
    frames_dir: Path | None,
    frames: Mapping[int, Frame],
    options: ObjectOptions,
    close_look: CloseLook | None = None,
    held_depth_of: Callable[[int], DepthMap | None] = lambda _: None,
) -> LandmarkResult:
    """Things with a category.

    Args:
        model: Upright model.
        results: What the light networks said of each frame.
        depth_of: Depth of a frame in the model's unit, for ranges and for pixels that show a thing.
        frames_dir: Folder of the pictures, for colours.
        frames: Frames by index.
        options: Thresholds.
        close_look: Looks closely at things whose name that could make sure; without one names are less sure.
        held_depth_of: Learned depth of a frame, held to its tracks; places what too few tracks show.
    """
    tracks = TrackLifter(model)

    @lru_cache(maxsize=_SEGMENTS_KEPT)
    def segments_of(frame: int) -> SegmentMap | None:
        return results.segments(frame, frames[frame].width, frames[frame].height)

    @lru_cache(maxsize=_SEGMENTS_KEPT)
    def fine_of(frame: int) -> SegmentMap | None:
        return results.fine_segments(frame, frames[frame].width, frames[frame].height)

    def lift(row: int, detection: Detection) -> Lifted | None:
        frame = detection.frame
        lifted = tracks.lift(row, detection, segments_of(frame))
        depth = held_depth_of(frame) if lifted is None else None
        if depth is not None and depth.is_length:
            pose = model.world_from_cam[frame]
            kind = head_of(detection.label)
            lifted = lift_by_depth(
                row, frame, kind, detection.score, detection.box_xyxy, None, depth, model.camera, pose, options.lift
            )
            lifted = None if lifted is None else replace(lifted, range_sigma=LEARNED_SIGMA)
        return None if lifted is not None and _lies_on_floor(lifted, model) else lifted

    def read_image(frame: int) -> RgbImage | None:
        return None if frames_dir is None else read_rgb(frames_dir / frames[frame].image)

    looked = {frame for frame in model.frames if segments_of(frame) is not None} or {*model.frames}

    def judge(thing: Joined, detections: Sequence[Detection]) -> Verdict | None:
        members = [member for member in thing.members if member.frame in looked]
        if not members:
            return None
        shares = weigh_words(members, detections)
        word = shares[0][0]
        clues = measure_clues(word, dict(shares), members, detections, model, (segments_of, fine_of))
        best = min((detections[one.row] for one in members), key=lambda one: (-one.score, one.frame))
        asked = list_askable(word) if close_look is not None else ()
        image = read_image(best.frame) if is_open(word, clues, asked) else None
        if close_look is not None and image is not None:
            view = (image, best.box_xyxy, count_turns_up(model.world_from_cam[best.frame]))
            if "tag" in asked:
                clues["tag"] = measure_close_tags(word, close_look.tag(*view))
            if "close" in asked and is_open(word, clues, ("close",)):
                clues["close"] = measure_close_segments(word, close_look.segment(*view))
        categories = spread_certainty(shares, estimate_certainty(word, clues))
        return Verdict(categories, find_support(word, thing.members, detections, model), tuple(clues.items()))

    found = find_objects(
        model,
        results,
        depth_of,
        frames_dir,
        frames,
        replace(options, join=replace(options.join, min_frames=_LEAST_FRAMES)),
        lifter=lift,
        regroup=partial(join_doubles, model=model),
        judge=judge,
        pointer=Pointer(model, (segments_of, fine_of), depth_of),
    )
    return replace(found, objects=tuple(find_what_it_rests_on(found.objects, model.nominal_metre)))


def add_landmarks(named: LandmarkResult, landmarks: LandmarkResult, model: SceneModel) -> LandmarkResult:
    """Named things first, then the landmarks that are none of them, under ids that follow.

    A landmark keeps its alias: what nobody knows is not guessed.
    """
    margin = _MARGIN_M * model.nominal_metre
    kept = [
        thing
        for thing in landmarks.objects
        if not any(
            find_inside(model.tracks.xyz[list(thing.points)], own.obb, margin).mean() >= _NAMED_SHARE
            for own in named.objects
        )
    ]
    names = {thing.id: f"{model.name}_{len(named.objects) + number}" for number, thing in enumerate(kept)}
    renamed = [replace(thing, id=names[thing.id]) for thing in kept]
    observations: list[Observation] = [
        *named.observations,
        *(replace(seen, object=names[seen.object]) for seen in landmarks.observations if seen.object in names),
    ]
    observations.sort(key=lambda one: (one.frame, int(one.object.rsplit("_", 1)[1])))
    objects: tuple[SceneObject, ...] = (*named.objects, *renamed)
    findings: tuple[Finding, ...] = (*named.findings, *landmarks.findings)
    return LandmarkResult(objects, tuple(observations), findings)


def _lies_on_floor(lifted: Lifted, model: SceneModel) -> bool:
    """Whether a detection of what stands is a piece of floor."""
    word = words().get(lifted.category)
    if model.floor_z is None or word is None or word.role != "furniture" or word.name == "rug":
        return False
    return float(np.median(lifted.points[:, 2])) - model.floor_z < _ON_FLOOR_M * model.nominal_metre

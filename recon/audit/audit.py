"""The one list of doubts about a model, and the one definition of its consistent stretches of frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import pycolmap

from recon.audit.contradictions import (
    ContradictionOptions,
    PairCheck,
    check_pairs,
    doubtful_stretches,
    find_unexplained,
)
from recon.audit.floor_height import measure_heights, scale_changes
from recon.audit.pose_uncertainty import LEAST_SEEN
from recon.audit.revisits import check_revisits, find_open_revisits
from recon.audit.scale_hold import ScaleHoldOptions, find_weak_scale
from recon.audit.torn import TornOptions, find_torn_seams
from recon.audit.verdict import LEAST_FRAMES, Verdict, cut_at
from recon.floor_masks import FloorMask

_LEAP_RATIO = 5.0
"""A start from standing is two to three times the median of its surroundings, a stride between pauses four."""
_STEPS_AROUND = 5  # steps on either side that tell what is usual there
_LEAST_FRAMES = 4  # of which three steps are judged by each other; fewer have no usual step
_LEAST_GAP_S = 0.01  # two pictures that a clock puts closer are no hundred steps


def find_leaps(
    model: pycolmap.Reconstruction, among: Sequence[int] | None = None, times_s: Mapping[int, float] | None = None
) -> list[Verdict]:
    """The steps, from one registered frame to the next, that are too long to be steps, in time order.

    A person does not leap. It happens where the camera turns on the spot past something bare: the pictures there hold a
    rotation and no translation, and the mapper invents the length of the next step. A step counts against the median of
    all steps and of those around it.

    Args:
        model: Any.
        among: A stretch of its frames, where scale may differ from one to another; all if not given.
        times_s: Of the frames. Steps count per second then, else per frame between the two; turns are sampled more
            densely, so that there a leap of the same pace is a shorter step.
    """
    frames = np.array(sorted(model.reg_image_ids() if among is None else among))
    if len(frames) < _LEAST_FRAMES:
        return []
    centers = np.array([model.image(frame).projection_center() for frame in frames.tolist()])
    places = frames if times_s is None else np.array([times_s[frame] for frame in frames.tolist()])
    steps = np.linalg.norm(np.diff(centers, axis=0), axis=1) / np.maximum(np.diff(places), _LEAST_GAP_S)
    usual = float(np.median(steps))
    leaps = []
    for place, step in enumerate(steps):
        first = max(0, place - _STEPS_AROUND)
        around = np.delete(steps[first : place + _STEPS_AROUND + 1], place - first)
        if step > _LEAP_RATIO * usual and step > _LEAP_RATIO * float(np.median(around)):
            times = step / max(usual, 1e-12)
            reason = f"the camera moves more than {_LEAP_RATIO:.0f} times its usual step"
            place_of = int(frames[place]), int(frames[place + 1])
            leaps.append(Verdict(False, "leap", float(times), _LEAP_RATIO, place_of, reason))
    return leaps


def find_flung(model: pycolmap.Reconstruction) -> list[int]:
    """Frames that lie off the walk by themselves: a leap leads into each and another out of it, none past it.

    A mapper registers a blurred frame by few false matches, and all that follow by the good ones.
    """
    leaps = find_leaps(model)
    flung = {into.last for into, out in pairwise(leaps) if into.last == out.first}
    past = find_leaps(model, sorted(set(model.reg_image_ids()) - flung)) if flung else []
    return sorted(frame for frame in flung if not any(leap.first < frame < leap.last for leap in past))


STEADY = 1.5
"""Highest over lowest camera above the floor along a part: where there is a choice, more is asked than of what must do.
On a phone tour 1.2 where the path was right, 1.6 where it was bent by 9 deg."""
LEAST_POINTS = 20
"""That an average frame of a consistent stretch sees, as of any sub-model. A walk that is wrong enough triangulates
none, and nothing that asks its points can speak against it."""
_LEAST_SIDE = 3  # frames between two places without scale that have one of their own


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What a model is held against. What is None, empty or False is not asked."""

    database_path: Path | None = None  # with the matches that the model rests on
    check: ContradictionOptions | None = None  # Pairs of frames may tell another relative pose; they cost most
    check_path: Path | None = None  # database whose pairs tell, if not all of them do
    torn: TornOptions | None = None  # matches may lie on two points
    max_unexplained: float | None = None  # Share of the matches across a step that may lie off their epipolar lines
    hold: ScaleHoldOptions | None = None  # points may leave the scale open
    floors: Mapping[int, FloorMask] = field(default_factory=dict)
    """Where pictures show the floor, above which the camera's height may change."""
    steady: float | None = None
    """By which factor its height above the level of the floor may change; `floor_height` has a bar of its own for the
    height above all that masks call floor."""
    times_s: Mapping[int, float] | None = None  # Of the frames, for the pace of a leap; per frame if not given
    leaps: bool = False  # a step may be too long
    revisits: bool = False  # frames of different times that match may lie elsewhere
    floor_holds: bool = False
    """The model was adjusted to the floor. Points have no depth where the camera only turned, so frames that see few
    and an open scale say nothing, unless the floor is not seen on both sides either."""


@dataclass(frozen=True, eq=False)
class Audit:
    """What speaks against a model, and what does not."""

    model: pycolmap.Reconstruction
    doubts: tuple[Verdict, ...]  # all that are not ok, kind by kind and each in time order; they may overlap
    checks: tuple[PairCheck, ...] = ()  # verdicts of the pairs that were asked

    @cached_property
    def consistent(self) -> list[list[int]]:
        """The frames of each consistent stretch, the longest first."""
        return find_consistent(self.model, self.doubts)

    @property
    def longest(self) -> int:
        """Frames of the longest consistent stretch; 0 for none."""
        return max(map(len, self.consistent), default=0)


def find_consistent(model: pycolmap.Reconstruction, doubts: Iterable[Verdict]) -> list[list[int]]:
    """Stretches of a model's frames between its doubts whose average frame sees enough points, the longest first."""
    stretches = cut_at(sorted(model.reg_image_ids()), [doubt.frames for doubt in doubts])
    seen = (sum(model.image(frame).num_points3D for frame in stretch) / len(stretch) for stretch in stretches)
    kept = [stretch for stretch, points in zip(stretches, seen, strict=True) if points >= LEAST_POINTS]
    return sorted(kept, key=lambda stretch: (-len(stretch), stretch))


def audit(
    model: pycolmap.Reconstruction,
    evidence: Evidence,
    known: Sequence[Verdict] = (),
) -> Audit:
    """Hold a model against all the evidence there is; doubts that are `known` need not be found again.

    A scale is judged between the places where the model is cut anyway, and height and steps by what is usual in a
    stretch of one scale; so these are asked after matches and points.
    """
    frames = sorted(model.reg_image_ids())
    doubts, path, checks = list(known), evidence.database_path, ()
    if evidence.torn is not None and path is not None:
        doubts += find_torn_seams(model, path, evidence.torn)
    if evidence.check is not None and path is not None:
        checks = tuple(check_pairs(model, evidence.check_path or path, evidence.check))
        doubts += doubtful_stretches(frames, checks, evidence.check)
    if evidence.max_unexplained is not None and path is not None:
        doubts += find_unexplained(model, path, 1.0 - evidence.max_unexplained)
    heights = measure_heights(model, evidence.floors)
    if evidence.floor_holds:
        doubts += find_floorless_scale_breaks(model, heights.above_plane)
    else:
        doubts += find_blind(model)
    if evidence.hold is not None:
        doubts += find_weak_scale(model, evidence.hold, [doubt.frames for doubt in doubts])
    for stretch in cut_at(frames, [doubt.frames for doubt in doubts]):
        if evidence.steady is not None:
            doubts += scale_changes(
                {n: heights.above_plane[n] for n in stretch if n in heights.above_plane}, evidence.steady
            )
        doubts += scale_changes(
            {n: heights.above_labelled_points[n] for n in stretch if n in heights.above_labelled_points}
        )
    if evidence.leaps:
        for stretch in cut_at(frames, [doubt.frames for doubt in doubts]):
            doubts += find_leaps(model, stretch, evidence.times_s)
    if evidence.revisits and path is not None:
        checked = check_revisits(model, evidence.check_path or path, evidence.check or ContradictionOptions())
        for stretch in cut_at(frames, [doubt.frames for doubt in doubts]):
            doubts += find_open_revisits(stretch, checked)
    return Audit(model, tuple(doubts), checks)


def find_blind(model: pycolmap.Reconstruction) -> Iterator[Verdict]:
    """The steps into and out of long rows of frames that see next to nothing: nothing there can speak against them."""
    frames = sorted(model.reg_image_ids())
    begin = 0
    for is_blind, row in groupby(frames, lambda frame: model.image(frame).num_points3D < LEAST_SEEN):
        end = begin + len(list(row))
        if is_blind and end - begin >= LEAST_FRAMES:
            words = f"{end - begin} frames in a row see fewer than {LEAST_SEEN} points"
            for place in (begin, end):
                if 0 < place < len(frames):
                    at = frames[place - 1], frames[place]
                    yield Verdict(False, "blind", end - begin, LEAST_FRAMES, at, words)
        begin = end


def find_floorless_scale_breaks(model: pycolmap.Reconstruction, heights: Mapping[int, float]) -> list[Verdict]:
    """Steps of a model, from one frame to the next, whose sides have a scale each: no floor tells them alike.

    The pictures hold no scale across such a step, and on one of its sides, up to where they hold none again, nobody
    sees the floor.
    """
    weak = find_weak_scale(model)
    unheld: list[Verdict] = []
    between: list[Verdict] = []
    before: list[int] = []
    for part in cut_at(sorted(model.reg_image_ids()), [doubt.frames for doubt in weak]):
        between += [doubt for doubt in weak if doubt.last == part[0]]
        if len(part) < _LEAST_SIDE:
            continue  # too short to have a scale of its own
        if before and not all(any(frame in heights for frame in side) for side in (before, part)):
            unheld += between
        before, between = part, []
    return unheld

"""The stretches of models that nothing speaks against, and how those of two reconstructions make one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

import pycolmap

from recon.adjust.refine import RefineOptions, prolong, refine
from recon.audit.contradictions import CHECK_LEARNED, ContradictionOptions
from recon.audit.diagnose import diagnose
from recon.audit.doubt import Doubt, cut_at
from recon.audit.explained import find_unexplained
from recon.audit.floor_height import FloorHeights, FloorMask, measure_heights, scale_changes
from recon.audit.leaps import find_leaps
from recon.audit.scale_hold import find_loose
from recon.audit.seams import subset
from recon.audit.torn import TornOptions
from recon.records import SubModel

LEAST_FRAMES = 8
"""Of a part that is worth keeping: fewer prove nothing."""
_STEADY = 1.5
"""Highest over lowest camera above the floor along a part: where there is a choice, more is asked than of what must do.
On a phone tour 1.2 where the path was right, 1.6 where it was bent by 9 deg."""
_LEAST_SIDE = 3
"""Frames between two places without scale that have one of their own."""
_EXPLAINED_HELD = 0.4
"""Of the matches across a step: a walk that the floor holds is cut where it explains less. Where its turns were wrong
by 8 degrees it explained 16 to 35 %; set between that and the half that other models need. What lies between the two is
told."""
_LEAST_POINTS = 20
"""That an average frame of a stretch sees, as of any sub-model. A walk that is wrong enough triangulates
none, and nothing that asks its points can speak against it."""
_LEAST_SEEN = 10
"""Points of a frame, three of which determine a pose. One that was registered had fifteen."""
_LEAST_NEW = 0.5
"""Share of a part's frames that no larger part has."""
_REFINE = prolong(RefineOptions(search_rounds=1))
"""A part that was cut off is no longer held by what was wrong beyond, nor is its focal length."""


@dataclass(frozen=True, eq=False)
class SoundPart:
    """A stretch of a model that nothing speaks against."""

    model: SubModel
    frames: tuple[int, ...]

    def cut_out(self, database_path: Path, seed: int) -> pycolmap.Reconstruction:
        """The model itself where the stretch is all of it; else a new one, refined if pictures hold its scale."""
        if self.frames == self.model.frames:
            return self.model.reconstruction
        part = subset(self.model.reconstruction, self.frames)
        if not self.model.held_by_floor:
            refine(part, database_path, self.frames, _REFINE, seed)
        return part


def find_sound_parts(
    models: Sequence[SubModel], database_path: Path, torn: TornOptions, floors: Mapping[int, FloorMask]
) -> list[SoundPart]:
    """The sound stretches of some models, longest first."""
    parts = [
        SoundPart(model, tuple(frames))
        for model in models
        for frames in sound_stretches(model.reconstruction, database_path, torn, floors)
    ]
    return sorted(parts, key=lambda part: (-len(part.frames), part.frames))


def find_held_parts(
    model: SubModel,
    database_path: Path,
    first_kind_path: Path,
    floors: Mapping[int, FloorMask],
    times_s: Mapping[int, float],
) -> list[SoundPart]:
    """The sound stretches of a model whose scale the floor holds, longest first.

    Its points have no depth where the camera only turned, so tears and open scale say nothing there. It is cut where
    the matches of SIFT contradict it, where it explains less than two fifths of the matches of any kind, where the walk
    leaps, where the camera's height above what it triangulated of the floor changes, and where neither the pictures
    hold the scale nor the floor is seen on both sides. Stretches that see next to no points are left out.

    Args:
        model: From `hold_by_floor`.
        database_path: With the keypoints of both kinds.
        first_kind_path: With those of SIFT only.
        floors: Where pictures show the floor.
        times_s: Of its frames.
    """
    whole = model.reconstruction
    doubts = [*diagnose(whole, first_kind_path, check=ContradictionOptions()).doubts]
    doubts += find_unexplained(whole, database_path, _EXPLAINED_HELD)
    heights = measure_heights(whole, floors)
    places = [*(doubt.place for doubt in doubts), *find_unheld(whole, heights.level)]
    stretches = _cut_twice(whole, places, heights, times_s)
    parts = [SoundPart(model, tuple(part)) for part in stretches if _count_points(whole, part) >= _LEAST_POINTS]
    return sorted(parts, key=lambda part: (-len(part.frames), part.frames))


def _count_points(model: pycolmap.Reconstruction, frames: Sequence[int]) -> float:
    """Points that an average one of some frames sees."""
    return sum(model.image(frame).num_points3D for frame in frames) / len(frames)


def find_doubtful_steps(part: SoundPart, database_path: Path) -> list[Doubt]:
    """The steps of a part that the floor holds across which half of the matches or more speak against it."""
    inside = set(pairwise(part.frames))
    return [doubt for doubt in find_unexplained(part.model.reconstruction, database_path) if doubt.place in inside]


def find_unheld(model: pycolmap.Reconstruction, heights: Mapping[int, float]) -> list[tuple[int, int]]:
    """Steps of a model, from one frame to the next, whose sides have a scale each: no floor tells them alike.

    The pictures hold no scale across such a step, and on one of its sides, up to where they hold none again, nobody
    sees the floor.

    Args:
        model: Any.
        heights: Of the camera above the floor near the frames that see it.
    """
    frames = sorted(model.reg_image_ids())
    loose = [doubt.place for doubt in find_loose(model)]
    unheld: list[tuple[int, int]] = []
    before: list[int] = []
    between: list[tuple[int, int]] = []
    for part in cut_at(frames, loose):
        if part[0] != frames[0]:
            between.append((frames[frames.index(part[0]) - 1], part[0]))
        if len(part) < _LEAST_SIDE:
            continue  # in the middle of a pan, where the scale is nobody's
        if before and not all(any(frame in heights for frame in side) for side in (before, part)):
            unheld += between
        before, between = part, []
    return unheld


def choose_parts(parts: Sequence[SoundPart]) -> list[SoundPart]:
    """Of parts, the better ones first, those that hold enough frames that no earlier one has, in their order."""
    chosen: list[SoundPart] = []
    have: set[int] = set()
    for part in parts:
        new = set(part.frames) - have
        if len(part.frames) >= LEAST_FRAMES and len(new) > _LEAST_NEW * len(part.frames):
            chosen.append(part)
            have |= new
    return chosen


def longest(parts: Sequence[SoundPart]) -> int:
    """Frames of the longest; 0 for none."""
    return max((len(part.frames) for part in parts), default=0)


def sound_stretches(
    model: pycolmap.Reconstruction, database_path: Path, torn: TornOptions, floors: Mapping[int, FloorMask]
) -> list[list[int]]:
    """The frames of a model in stretches that nothing speaks against, in time order.

    Cut where it is torn, contradicts its matches or has no scale, then where the walk leaps or the camera's height
    above the floor changes: these two are told by what is usual in a stretch, and scale may differ between stretches.
    """
    doubts = [*diagnose(model, database_path, check=CHECK_LEARNED, torn=torn).doubts]
    doubts += find_unexplained(model, database_path)
    places = [*(doubt.place for doubt in doubts), *_find_blind(model)]
    places += [doubt.place for doubt in find_loose(model, cuts=places)]
    stretches = _cut_twice(model, places, measure_heights(model, floors))
    return [part for part in stretches if _count_points(model, part) >= _LEAST_POINTS]


def _find_blind(model: pycolmap.Reconstruction) -> list[tuple[int, int]]:
    """The steps into and out of long rows of frames that see next to nothing: nothing there can speak against them."""
    frames = sorted(model.reg_image_ids())
    places: list[tuple[int, int]] = []
    begin = 0
    for is_blind, row in groupby(frames, lambda frame: model.image(frame).num_points3D < _LEAST_SEEN):
        end = begin + len(list(row))
        if is_blind and end - begin >= LEAST_FRAMES:
            places += [(frames[place - 1], frames[place]) for place in (begin, end) if 0 < place < len(frames)]
        begin = end
    return places


def _cut_twice(
    model: pycolmap.Reconstruction,
    places: Sequence[tuple[int, int]],
    heights: FloorHeights,
    times_s: Mapping[int, float] | None = None,
) -> list[list[int]]:
    """The frames in stretches between places, and these where the height changes or, between such changes, a leap is.

    A step is judged by the steps of its own scale.
    """
    level, called = heights.level, heights.called
    parts: list[list[int]] = []
    for stretch in cut_at(sorted(model.reg_image_ids()), places):
        changes = scale_changes({frame: level[frame] for frame in stretch if frame in level}, _STEADY)
        changes += scale_changes({frame: called[frame] for frame in stretch if frame in called})
        for part in cut_at(stretch, [change.place for change in changes]):
            parts += cut_at(part, [leap.place for leap in find_leaps(model, part, times_s)])
    return parts

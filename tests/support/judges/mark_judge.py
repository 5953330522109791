"""Judges questions about marks and about the camera's motion, and shares no code with what writes them.

It reads rows as plain values. Where a mark really is comes from a world that knows better than the reconstruction: rays
against the surfaces of the made apartment, or a depth sensor; where the camera really was, from the truth of the walk.
All geometry here is its own, in plain arrays: `poses[frame]` are (4, 4) world_from_cam with OpenCV axes, z of the world
is up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from math import atan2, degrees
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np

Array = np.ndarray
Row = Mapping[str, Any]
EDGE_PX = 3.0
"""Around a mark the depth is asked at five pixels so far apart: where they differ, a person cannot tell which is meant,
and the nearest to what the row says is believed no more than the others: their median counts."""

EDGE_SPREAD = 0.10
"""Relative spread of a depth sensor's values around a mark above which it says nothing about the mark."""


class World(Protocol):
    """Knows where cameras and surfaces are."""

    def pose(self, frame: int) -> Array | None:
        """(4, 4) world_from_cam; None where nobody knows."""
        ...

    def depth(self, frame: int, pixels: Array) -> Array | None:
        """Depth along the optical axis at pixels (N, 2), NaN where there is none; None for a frame without depth."""
        ...

    @property
    def intrinsics(self) -> tuple[float, ...]:
        """fx, fy, cx, cy in pixels of the rows' frames, width and height."""
        ...

    @property
    def floor_z(self) -> float | None:
        """Height of the floor."""
        ...


@dataclass(eq=False)
class Verdicts:
    """What was found, by type."""

    asked: Counter[str] = field(default_factory=Counter)
    judged: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    """Words that are untrue, and numbers off by more than two of their sigmas."""
    examples: list[str] = field(default_factory=list)
    errors: dict[str, list[float]] = field(default_factory=dict)
    """Of numbers: what was measured over what is true, minus one."""
    is_number: dict[str, bool] = field(default_factory=dict)

    def share(self, *, numbers: bool) -> float:
        """Share of the judged rows that are true, of words or of numbers."""
        kinds = [kind for kind, is_number in self.is_number.items() if is_number == numbers]
        judged = sum(self.judged[kind] for kind in kinds)
        return 1.0 - sum(self.wrong[kind] for kind in kinds) / judged if judged else float("nan")


@dataclass(eq=False)
class MarkJudge:
    """Of the rows of one run."""

    world: World
    verdicts: Verdicts = field(default_factory=Verdicts)

    def judge(self, rows: Iterable[Row]) -> Verdicts:
        """Judge all rows of types that are known here."""
        out = self.verdicts
        for row in rows:
            kind = row["type"]
            out.asked[kind] += 1
            told = self._true_of(row)
            if told is None:
                continue
            out.judged[kind] += 1
            out.is_number[kind] = row["form"] == "number"
            if not isinstance(told, tuple):
                said, sigma = row["measured"]["value"], row["measured"]["sigma"]
                out.errors.setdefault(kind, []).append(said / told - 1.0 if told else 0.0)
                off = abs(said - told)
                is_wrong = off > 2.0 * sigma
                why = f"true {told:.3f}, said {said:.3f} +- {sigma:.3f}"
            else:
                is_wrong = row["truth"] not in told
                why = "true " + " or ".join(told)
            if is_wrong:
                out.wrong[kind] += 1
                out.examples.append(f"{row['id']} {kind} {row['views']}: {row['question']} | {row['answer']} | {why}")
        return out

    # ---------------------------------------------------------------- geometry

    def _mark(self, row: Row, number: int) -> Array | None:
        """The point in the world that mark `number` is on."""
        reference = next(one for one in row["references"] if one["mark"] and one["mark"]["number"] == number)
        mark = reference["mark"]
        fx, fy, cx, cy, *_ = self.world.intrinsics
        xy = np.array(mark["xy"])
        around = xy + EDGE_PX * np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])
        depths = self.world.depth(reference["frame"], around)
        pose = self.world.pose(reference["frame"])
        if depths is None or pose is None or not np.isfinite(depths).sum() >= 3:
            return None
        z = float(np.nanmedian(depths))
        ray = np.array([(xy[0] - cx) / fx, (xy[1] - cy) / fy, 1.0])
        return pose[:3, :3] @ (z * ray) + pose[:3, 3]

    def _marks(self, row: Row, count: int) -> list[Array] | None:
        found = [self._mark(row, number) for number in range(1, count + 1)]
        return None if any(one is None for one in found) else [one for one in found if one is not None]

    def _eye(self, frame: int) -> Array | None:
        pose = self.world.pose(frame)
        return None if pose is None else pose[:3, 3]

    def _poses(self, row: Row) -> list[Array] | None:
        found = [self.world.pose(frame) for frame in row["views"]]
        return None if any(one is None for one in found) else [one for one in found if one is not None]

    def _true_of(self, row: Row) -> float | tuple[str, ...] | None:
        judge = _JUDGES.get(row["type"])
        return None if judge is None else judge(self, row)

    # ------------------------------------------------------------------- depth

    def _ranges(self, row: Row, count: int) -> list[float] | None:
        marks, eye = self._marks(row, count), self._eye(row["views"][0])
        return None if marks is None or eye is None else [float(np.linalg.norm(one - eye)) for one in marks]

    def nearer(self, row: Row) -> tuple[str, ...] | None:
        """Which of two marks is nearer."""
        ranges = self._ranges(row, 2)
        return None if ranges is None else ("mark 1" if ranges[0] < ranges[1] else "mark 2",)

    def is_farther(self, row: Row) -> tuple[str, ...] | None:
        """Whether mark 1 is farther."""
        ranges = self._ranges(row, 2)
        return None if ranges is None else ("yes" if ranges[0] > ranges[1] else "no",)

    def order(self, row: Row) -> tuple[str, ...] | None:
        """From near to far."""
        ranges = self._ranges(row, 3)
        return None if ranges is None else (", ".join(str(1 + int(at)) for at in np.argsort(ranges)),)

    def range(self, row: Row) -> float | None:
        """From the camera."""
        ranges = self._ranges(row, 1)
        return None if ranges is None else ranges[0]

    def range_ratio(self, row: Row) -> float | None:
        """Mark 1 over mark 2."""
        ranges = self._ranges(row, 2)
        return None if ranges is None else ranges[0] / ranges[1]

    # ------------------------------------------------------------------- space

    def _apart(self, row: Row, count: int) -> Array | None:
        """(count, count) distances of marks."""
        marks = self._marks(row, count)
        return None if marks is None else np.linalg.norm(np.array(marks)[:, None] - np.array(marks)[None], axis=2)

    def pair_distance(self, row: Row) -> float | None:
        """Between marks 1 and 2."""
        apart = self._apart(row, 2)
        return None if apart is None else float(apart[0, 1])

    def closer(self, row: Row) -> tuple[str, ...] | None:
        """Mark 2 or 3 to mark 1."""
        apart = self._apart(row, 3)
        return None if apart is None else ("mark 2" if apart[0, 1] < apart[0, 2] else "mark 3",)

    def space_ratio(self, row: Row) -> float | None:
        """Of 1 to 3 over 1 to 2."""
        apart = self._apart(row, 3)
        return None if apart is None else float(apart[0, 2] / apart[0, 1])

    def extreme_pair(self, row: Row) -> tuple[str, ...] | None:
        """The pair of three that is farthest apart, or closest."""
        apart = self._apart(row, 3)
        if apart is None:
            return None
        best = (max if row["type"] == "mark_farthest_pair" else min)(
            ((0, 1), (0, 2), (1, 2)), key=lambda one: apart[one]
        )
        numbers = {str(one + 1) for one in best}
        return tuple(one for one in row["choices"] if {letter for letter in one if letter.isdigit()} == numbers)

    def _heights(self, row: Row, count: int) -> list[float] | None:
        marks = self._marks(row, count)
        return None if marks is None else [float(one[2]) for one in marks]

    def higher(self, row: Row) -> tuple[str, ...] | None:
        """Mark 1 or 2."""
        heights = self._heights(row, 2)
        return None if heights is None else ("mark 1" if heights[0] > heights[1] else "mark 2",)

    def lower(self, row: Row) -> tuple[str, ...] | None:
        """Whether mark 1."""
        heights = self._heights(row, 2)
        return None if heights is None else ("yes" if heights[0] < heights[1] else "no",)

    def height_order(self, row: Row) -> tuple[str, ...] | None:
        """From high to low."""
        heights = self._heights(row, 3)
        return None if heights is None else (", ".join(str(1 + int(at)) for at in np.argsort(heights)[::-1]),)

    def height_difference(self, row: Row) -> float | None:
        """Of marks 1 and 2."""
        heights = self._heights(row, 2)
        return None if heights is None else abs(heights[0] - heights[1])

    def height(self, row: Row) -> float | None:
        """Above the floor."""
        heights, floor = self._heights(row, 1), self.world.floor_z
        return None if heights is None or floor is None else heights[0] - floor

    def above_eye(self, row: Row) -> tuple[str, ...] | None:
        """Whether mark 1 is above the camera."""
        heights, eye = self._heights(row, 1), self._eye(row["views"][0])
        return None if heights is None or eye is None else ("yes" if heights[0] > eye[2] else "no",)

    # ------------------------------------------------------------------ motion

    def _moved(self, row: Row) -> tuple[float, float, float] | None:
        """From the first picture to the second: ahead, to the right, up, by the level direction of the first."""
        poses = self._poses(row)
        if poses is None:
            return None
        step = poses[1][:3, 3] - poses[0][:3, 3]
        ahead = poses[0][:2, 2] / np.linalg.norm(poses[0][:2, 2])
        return float(step[:2] @ ahead), float(step[:2] @ [ahead[1], -ahead[0]]), float(step[2])

    def _turned(self, row: Row, first: int = 0, second: int = 1) -> float | None:
        """Of the level direction, in degrees, to the right positive, -180 to 180."""
        poses = self._poses(row)
        return None if poses is None else _turn_deg(poses[first], poses[second])

    def ahead(self, row: Row) -> tuple[str, ...] | None:
        """Forward or backward."""
        moved = self._moved(row)
        return None if moved is None else ("forward" if moved[0] > 0 else "backward",)

    def aside(self, row: Row) -> tuple[str, ...] | None:
        """Left or right."""
        moved = self._moved(row)
        return None if moved is None else (find_side(moved[1]),)

    def raised(self, row: Row) -> tuple[str, ...] | None:
        """Up or down."""
        moved = self._moved(row)
        return None if moved is None else ("up" if moved[2] > 0 else "down",)

    def turn(self, row: Row) -> tuple[str, ...] | None:
        """Left or right."""
        turned = self._turned(row)
        return None if turned is None else (find_side(turned),)

    def tilt(self, row: Row) -> tuple[str, ...] | None:
        """Up or down."""
        poses = self._poses(row)
        return None if poses is None else ("up" if poses[1][2, 2] > poses[0][2, 2] else "down",)

    def turn_angle(self, row: Row) -> float | None:
        """In degrees."""
        turned = self._turned(row)
        return None if turned is None else abs(turned)

    def moved_by(self, row: Row) -> float | None:
        """Between the eyes of the first and the last picture."""
        poses = self._poses(row)
        return None if poses is None else float(np.linalg.norm(poses[-1][:3, 3] - poses[0][:3, 3]))

    def look(self, row: Row) -> tuple[str, ...] | None:
        """Side and size of the turn."""
        turned = self._turned(row)
        if turned is None:
            return None
        size = 30 if abs(turned) < 57 else 90
        return (f"{find_side(turned)} by about {size} degrees",)

    def description(self, row: Row) -> tuple[str, ...] | None:
        """Every description of which no part is untrue."""
        moved, turned = self._moved(row), self._turned(row)
        if moved is None or turned is None:
            return None
        words = {
            "forward": moved[0] > 0,
            "backward": moved[0] < 0,
            "to the right": moved[1] > 0,
            "to the left": moved[1] < 0,
            "turning right": turned > 0,
            "turning left": turned < 0,
        }
        return tuple(one for one in row["choices"] if all(holds for word, holds in words.items() if word in one))

    def kind_of_motion(self, row: Row) -> tuple[str, ...] | None:
        """Moved, turned, or both: half of what people see as a step or a turn is taken for none."""
        moved, turned = self.moved_by(row), self._turned(row)
        if moved is None or turned is None:
            return None
        has_moved, has_turned = moved > 0.2, abs(turned) > 10
        return (
            "it moved and turned"
            if has_moved and has_turned
            else "it moved and kept its direction"
            if has_moved
            else "it turned and stayed in place",
        )

    def farther(self, row: Row) -> tuple[str, ...] | None:
        """Second or third picture from the first."""
        poses = self._poses(row)
        if poses is None:
            return None
        away = [np.linalg.norm(one[:3, 3] - poses[0][:3, 3]) for one in poses[1:]]
        return ("the second picture" if away[0] > away[1] else "the third picture",)

    def turned_more(self, row: Row) -> tuple[str, ...] | None:
        """Second or third picture against the first."""
        poses = self._poses(row)
        if poses is None:
            return None
        turned = [abs(_turn_deg(poses[0], one)) for one in poses[1:]]
        return ("the second picture" if turned[0] > turned[1] else "the third picture",)

    # ----------------------------------------------------------- correspondence

    def _same_point(self, row: Row, one: int, other: int) -> bool | None:
        first, second = self._mark(row, one), self._mark(row, other)
        if first is None or second is None:
            return None
        eye = self._eye(row["views"][0])
        return bool(np.linalg.norm(first - second) < max(0.08, 0.05 * np.linalg.norm(first - eye)))

    def match(self, row: Row) -> tuple[str, ...] | None:
        """The mark that is the same point as mark 1."""
        same = [self._same_point(row, 1, number) for number in range(2, len(row["references"]) + 1)]
        return None if None in same else tuple(f"mark {at}" for at, holds in enumerate(same, 2) if holds)

    def is_match(self, row: Row) -> tuple[str, ...] | None:
        """Whether marks 1 and 2 are one point."""
        same = self._same_point(row, 1, 2)
        return None if same is None else ("yes" if same else "no",)

    def _in_second(self, row: Row) -> tuple[float, float, float] | None:
        """Pixel and depth of mark 1 in the second picture."""
        mark, pose = self._mark(row, 1), self.world.pose(row["views"][1])
        if mark is None or pose is None:
            return None
        x, y, z = pose[:3, :3].T @ (mark - pose[:3, 3])
        fx, fy, cx, cy, *_ = self.world.intrinsics
        return float(cx + fx * x / z), float(cy + fy * y / z), float(z)

    def is_visible(self, row: Row) -> tuple[str, ...] | None:
        """Inside of the second picture, and nothing before it."""
        spot = self._in_second(row)
        if spot is None:
            return None
        u, v, z = spot
        *_, width, height = self.world.intrinsics
        if z <= 0 or not (0 <= u < width and 0 <= v < height):
            return ("no",)
        around = np.array([[u, v]]) + EDGE_PX * np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])
        depth = self.world.depth(row["views"][1], around)
        return None if depth is None or np.isnan(depth).all() else ("yes" if np.nanmax(depth) > 0.9 * z else "no",)

    def outside(self, row: Row) -> tuple[str, ...] | None:
        """Beyond which border."""
        spot = self._in_second(row)
        if spot is None:
            return None
        u, v, z = spot
        *_, width, height = self.world.intrinsics
        if z <= 0:
            return ("behind the camera",)
        sides = {"left of": u < 0, "right of": u >= width, "above": v < 0, "below": v >= height}
        return tuple(f"{side} the picture" for side, holds in sides.items() if holds)

    def match_nearer(self, row: Row) -> tuple[str, ...] | None:
        """From which picture the point is nearer."""
        mark, poses = self._mark(row, 1), self._poses(row)
        if mark is None or poses is None:
            return None
        away = [np.linalg.norm(mark - one[:3, 3]) for one in poses]
        return ("the first picture" if away[0] < away[1] else "the second picture",)

    # -------------------------------------------------------------- perspective

    def _seen_from_second(self, row: Row) -> float | None:
        """Bearing of mark 1 from the second picture."""
        mark, pose = self._mark(row, 1), self.world.pose(row["views"][1])
        return None if mark is None or pose is None else measure_bearing_deg(pose, mark)

    def view_side(self, row: Row) -> tuple[str, ...] | None:
        """To the left, right or behind."""
        angle = self._seen_from_second(row)
        if angle is None:
            return None
        return ("behind you" if abs(angle) > 135 else f"to your {find_side(angle)}",)

    def view_behind(self, row: Row) -> tuple[str, ...] | None:
        """Whether at the back."""
        angle = self._seen_from_second(row)
        return None if angle is None else ("yes" if abs(angle) > 90 else "no",)

    def view_turn(self, row: Row) -> tuple[str, ...] | None:
        """The shorter way."""
        angle = self._seen_from_second(row)
        return None if angle is None else (find_side(angle),)

    def view_turn_angle(self, row: Row) -> float | None:
        """In degrees."""
        angle = self._seen_from_second(row)
        return None if angle is None else abs(angle)

    def view_clock(self, row: Row) -> tuple[str, ...] | None:
        """The hour."""
        angle = self._seen_from_second(row)
        return None if angle is None else (find_hour(angle),)

    def view_distance(self, row: Row) -> float | None:
        """From the second eye to mark 1."""
        mark, eye = self._mark(row, 1), self._eye(row["views"][1])
        return None if mark is None or eye is None else float(np.linalg.norm(mark - eye))

    def view_nearer(self, row: Row) -> tuple[str, ...] | None:
        """Mark 1 or 2 to the second eye."""
        marks, eye = self._marks(row, 2), self._eye(row["views"][1])
        if marks is None or eye is None:
            return None
        away = [np.linalg.norm(one - eye) for one in marks]
        return ("mark 1" if away[0] < away[1] else "mark 2",)

    def _facing(self, row: Row) -> float | None:
        """Bearing of mark 3 at mark 1 towards mark 2, to the right positive."""
        marks = self._marks(row, 3)
        if marks is None:
            return None
        ahead, away = (marks[1] - marks[0])[:2], (marks[2] - marks[0])[:2]
        return degrees(atan2(ahead[1] * away[0] - ahead[0] * away[1], ahead @ away))

    def facing_side(self, row: Row) -> tuple[str, ...] | None:
        """Left or right."""
        angle = self._facing(row)
        return None if angle is None else (f"on your {find_side(angle)}",)

    def facing_front(self, row: Row) -> tuple[str, ...] | None:
        """In front or behind."""
        angle = self._facing(row)
        return None if angle is None else ("in front of you" if abs(angle) < 90 else "behind you",)

    def facing_clock(self, row: Row) -> tuple[str, ...] | None:
        """The hour."""
        angle = self._facing(row)
        return None if angle is None else (find_hour(angle),)

    # --------------------------------------------------------------------- way

    def _frames_between(self, row: Row) -> list[Array]:
        first, last = min(row["views"]), max(row["views"])
        found = [self.world.pose(frame) for frame in range(first, last + 1)]
        return [one for one in found if one is not None]

    def back_side(self, row: Row) -> tuple[str, ...] | None:
        """Where the first eye is from the last picture."""
        poses = self._poses(row)
        if poses is None:
            return None
        angle = measure_bearing_deg(poses[-1], poses[0][:3, 3])
        if abs(angle) < 45:
            return ("ahead",)
        return ("behind",) if abs(angle) > 135 else (f"to the {find_side(angle)}",)

    def way_length(self, row: Row) -> float | None:
        """Sum of the steps."""
        eyes = np.array([pose[:3, 3] for pose in self._frames_between(row)])
        return float(np.linalg.norm(np.diff(eyes, axis=0), axis=1).sum())

    def comes_back(self, row: Row) -> tuple[str, ...] | None:
        """Whether the last picture is near the first."""
        moved = self.moved_by(row)
        return None if moved is None else ("yes" if moved < 0.8 else "no",)

    def whole_turn(self, row: Row) -> tuple[str, ...] | None:
        """Side of the sum of all turns, in the order of the pictures."""
        poses = self._frames_between(row)
        turned = sum(_turn_deg(a, b) for a, b in pairwise(poses))
        return (find_side(turned if row["views"][0] < row["views"][-1] else -turned),)

    def _most_between(self, row: Row, values: Sequence[float]) -> tuple[str, ...]:
        return (row["choices"][int(np.argmax(values))],) if _in_order(row["choices"]) else ()

    def sharpest(self, row: Row) -> tuple[str, ...] | None:
        """Between which neighbors the view turns most."""
        poses = self._poses(row)
        if poses is None:
            return None
        return self._most_between(row, [abs(_turn_deg(a, b)) for a, b in pairwise(poses)])

    def longest(self, row: Row) -> tuple[str, ...] | None:
        """Between which neighbors the eyes are farthest apart."""
        poses = self._poses(row)
        if poses is None:
            return None
        steps = [float(np.linalg.norm(b[:3, 3] - a[:3, 3])) for a, b in pairwise(poses)]
        return self._most_between(row, steps)

    def next(self, row: Row) -> tuple[str, ...] | None:
        """Of the last three the first in time, which must be the nearest to the second too."""
        poses = self._poses(row)
        if poses is None:
            return None
        later = row["views"][2:]
        away = [np.linalg.norm(one[:3, 3] - poses[1][:3, 3]) for one in poses[2:]]
        at = int(np.argmin(later))
        return (f"the {_PLACES[2 + at]} picture",) if int(np.argmin(away)) == at else ()

    def way_order(self, row: Row) -> tuple[str, ...] | None:
        """Of the shuffled pictures, in time."""
        return (", ".join(_PLACES[1 + int(at)] for at in np.argsort(row["views"][1:])),)

    # ----------------------------------------------------------------- overlap

    def _shares(self, row: Row) -> Array | None:
        """(N, N): share of what one picture shows that another shows too, by a grid of its pixels."""
        *_, width, height = self.world.intrinsics
        u, v = np.meshgrid(np.linspace(0, width - 1, 14)[1:-1], np.linspace(0, height - 1, 10)[1:-1])
        grid = np.column_stack([u.ravel(), v.ravel()])
        poses = self._poses(row)
        known = [self.world.depth(frame, grid) for frame in row["views"]]
        depths = [one for one in known if one is not None and np.isnan(one).mean() <= 0.3]
        if poses is None or len(depths) < len(known):
            return None
        fx, fy, cx, cy, *_ = self.world.intrinsics
        count = len(poses)
        shares = np.eye(count)
        for a in range(count):
            z = depths[a]
            rays = np.column_stack([(grid[:, 0] - cx) / fx, (grid[:, 1] - cy) / fy, np.ones(len(grid))])
            world = (rays * z[:, None])[np.isfinite(z)] @ poses[a][:3, :3].T + poses[a][:3, 3]
            for b in range(count):
                if a == b:
                    continue
                x, y, deep = ((world - poses[b][:3, 3]) @ poses[b][:3, :3]).T
                with np.errstate(divide="ignore", invalid="ignore"):
                    pixels = np.column_stack([cx + fx * x / deep, cy + fy * y / deep])
                inside = (deep > 0) & (pixels >= 0).all(axis=1) & (pixels < [width, height]).all(axis=1)
                if inside.any():
                    there = self.world.depth(row["views"][b], pixels[inside])
                    if there is None:
                        return None
                    shares[a, b] = (np.nan_to_num(there, nan=1e9) > 0.93 * deep[inside]).sum() / len(world)
        return shares

    def overlaps(self, row: Row) -> tuple[str, ...] | None:
        """Whether two pictures share surfaces."""
        shares = self._shares(row)
        return None if shares is None else ("yes" if max(shares[0, 1], shares[1, 0]) > 0.05 else "no",)

    def overlap_pair(self, row: Row) -> tuple[str, ...] | None:
        """The pair that shares most."""
        shares = self._shares(row)
        if shares is None:
            return None
        best = max(combinations(range(4), 2), key=lambda one: shares[one] + shares[one[::-1]])
        return (f"the {_PLACES[best[0]]} and the {_PLACES[best[1]]}",)

    def overlap_odd(self, row: Row) -> tuple[str, ...] | None:
        """The picture that shares least with the others."""
        shares = self._shares(row)
        if shares is None:
            return None
        at = int(np.argmin([sum(shares[a, b] + shares[b, a] for b in range(4) if b != a) for a in range(4)]))
        return (f"the {_PLACES[at]} picture",)

    def overlap_share(self, row: Row) -> tuple[str, ...] | None:
        """How much of the first picture the second shows: bounds of words are wide, for points are not area."""
        shares = self._shares(row)
        if shares is None:
            return None
        share = shares[0, 1]
        words = {"less than a quarter": share < 0.27, "about half": 0.25 < share < 0.75, "nearly all": share > 0.8}
        return tuple(word for word, holds in words.items() if holds)

    def overlap_more(self, row: Row) -> tuple[str, ...] | None:
        """Second or third picture."""
        shares = self._shares(row)
        return (
            None if shares is None else ("the second picture" if shares[0, 1] > shares[0, 2] else "the third picture",)
        )


_PLACES = ("first", "second", "third", "fourth", "fifth")


def _in_order(choices: Sequence[str]) -> bool:
    """Whether choices go from the first pair of pictures to the last."""
    return all(_PLACES[at] in one and _PLACES[at + 1] in one for at, one in enumerate(choices))


def _turn_deg(first: Array, second: Array) -> float:
    """Of the level direction of view, to the right positive."""
    a, b = first[:2, 2], second[:2, 2]
    return degrees(atan2(a[1] * b[0] - a[0] * b[1], a @ b))


_JUDGES: Mapping[str, Callable[[MarkJudge, Row], float | tuple[str, ...] | None]] = {
    "mark_nearer_choice": MarkJudge.nearer,
    "mark_farther_predicate": MarkJudge.is_farther,
    "mark_depth_order": MarkJudge.order,
    "mark_distance": MarkJudge.range,
    "mark_distance_ratio": MarkJudge.range_ratio,
    "mark_pair_distance": MarkJudge.pair_distance,
    "mark_closer_choice": MarkJudge.closer,
    "mark_space_ratio": MarkJudge.space_ratio,
    "mark_farthest_pair": MarkJudge.extreme_pair,
    "mark_closest_pair": MarkJudge.extreme_pair,
    "mark_higher_choice": MarkJudge.higher,
    "mark_lower_predicate": MarkJudge.lower,
    "mark_height_order": MarkJudge.height_order,
    "mark_height_difference": MarkJudge.height_difference,
    "mark_height": MarkJudge.height,
    "mark_above_eye": MarkJudge.above_eye,
    "motion_ahead_choice": MarkJudge.ahead,
    "motion_side_choice": MarkJudge.aside,
    "motion_height_choice": MarkJudge.raised,
    "motion_turn_choice": MarkJudge.turn,
    "motion_tilt_choice": MarkJudge.tilt,
    "motion_turn_angle": MarkJudge.turn_angle,
    "motion_distance": MarkJudge.moved_by,
    "motion_look_class": MarkJudge.look,
    "motion_description": MarkJudge.description,
    "motion_kind_class": MarkJudge.kind_of_motion,
    "motion_farther_choice": MarkJudge.farther,
    "motion_turned_more_choice": MarkJudge.turned_more,
    "match_choice": MarkJudge.match,
    "match_predicate": MarkJudge.is_match,
    "match_visible_predicate": MarkJudge.is_visible,
    "match_outside_class": MarkJudge.outside,
    "match_nearer_choice": MarkJudge.match_nearer,
    "view_side": MarkJudge.view_side,
    "view_behind": MarkJudge.view_behind,
    "view_turn": MarkJudge.view_turn,
    "view_turn_angle": MarkJudge.view_turn_angle,
    "view_clock": MarkJudge.view_clock,
    "view_distance": MarkJudge.view_distance,
    "view_nearer_choice": MarkJudge.view_nearer,
    "facing_side": MarkJudge.facing_side,
    "facing_front": MarkJudge.facing_front,
    "facing_clock": MarkJudge.facing_clock,
    "way_back_side_class": MarkJudge.back_side,
    "way_back_distance": MarkJudge.moved_by,
    "way_length": MarkJudge.way_length,
    "way_return_predicate": MarkJudge.comes_back,
    "way_turn_choice": MarkJudge.whole_turn,
    "way_sharpest_turn_class": MarkJudge.sharpest,
    "way_longest_step_class": MarkJudge.longest,
    "way_next_choice": MarkJudge.next,
    "way_order_class": MarkJudge.way_order,
    "overlap_predicate": MarkJudge.overlaps,
    "overlap_pair_choice": MarkJudge.overlap_pair,
    "overlap_odd_choice": MarkJudge.overlap_odd,
    "overlap_share_class": MarkJudge.overlap_share,
    "overlap_more_choice": MarkJudge.overlap_more,
}
"""By type of question: the number that is true, every answer that is true, or None where this world cannot tell."""


def fit_scale(measured: Mapping[int, Array], true: Mapping[int, Array]) -> float:
    """True length of one unit of measured eyes (3,) by frame: the ratio of their spreads."""
    frames = sorted(set(measured) & set(true))
    a, b = (np.array([one[frame] for frame in frames]) for one in (measured, true))
    return float(np.linalg.norm(b - b.mean(axis=0)) / np.linalg.norm(a - a.mean(axis=0)))


class SensorWorld:
    """A real walk with poses and a depth sensor: `poses.txt`, `K.txt`, `depth/`, as `office_walk` has them."""

    floor_z = None

    def __init__(self, folder: Path, names: Mapping[int, str], size: tuple[int, int]) -> None:
        """Take the walk.

        Args:
            folder: Of the walk.
            names: Name of the picture that a frame was made of, by frame.
            size: Width and height of the frames.
        """
        images = sorted(path.name for path in (folder / "images").iterdir())
        table = np.loadtxt(folder / "poses.txt").reshape(-1, 4, 4)
        row_of = {name: at for at, name in enumerate(images)}
        self._poses = {frame: _turn_up(table)[row_of[name]] for frame, name in names.items()}
        self._depth = {frame: folder / "depth" / f"{Path(name).stem}.png" for frame, name in names.items()}
        first = np.asarray(cv2.imread(str(folder / "images" / images[0])))
        k = np.loadtxt(folder / "K.txt")
        scale = size[0] / first.shape[1]
        self.intrinsics = (k[0, 0] * scale, k[1, 1] * scale, k[0, 2] * scale, k[1, 2] * scale, *size)

    def pose(self, frame: int) -> Array | None:
        """See `World`."""
        return self._poses.get(frame)

    def depth(self, frame: int, pixels: Array) -> Array | None:
        """See `World`."""
        path = self._depth.get(frame)
        if path is None or not path.exists():
            return None
        image = np.asarray(cv2.imread(str(path), cv2.IMREAD_UNCHANGED), dtype=float) / 1000.0
        image[image <= 0] = np.nan
        scale = image.shape[1] / self.intrinsics[4]
        x, y = (np.clip((pixels * scale).astype(int), 0, [image.shape[1] - 1, image.shape[0] - 1])).T
        found = image[y, x]
        spread = np.ptp(found) / np.median(found)  # the sensor's picture is shifted by some pixels against the camera's
        return found if spread < EDGE_SPREAD else np.full(len(found), np.nan)


def _turn_up(poses: Array) -> Array:
    """The poses with z up: the mean of the cameras' own up directions is taken for it."""
    up = -poses[:, :3, 1].mean(axis=0)
    up = up / np.linalg.norm(up)
    x = np.cross([0.0, 1.0, 0.0] if abs(up[1]) < 0.9 else [1.0, 0.0, 0.0], up)
    x = x / np.linalg.norm(x)
    turn = np.eye(4)
    turn[:3, :3] = np.stack([x, np.cross(up, x), up])
    return turn @ poses


class MadeWorld:
    """The made apartment: rays against its surfaces, cameras of its trajectory."""

    floor_z = 0.0

    def __init__(
        self,
        surfaces: Any,
        table: Array,
        camera: Mapping[str, float],
        size: tuple[int, int],
        times_s: Mapping[int, float],
    ) -> None:
        """Take the apartment.

        Args:
            surfaces: `tests.support.worlds.apartment_surfaces.Surfaces`.
            table: Rows `t x y z qx qy qz qw`, world_from_cam.
            camera: fx, fy, cx, cy, width of the video, in its pixels.
            size: Width and height of the rows' frames.
            times_s: Of the frames.
        """
        from scipy.spatial.transform import Rotation

        self._surfaces = surfaces
        scale = size[0] / camera["width"]
        self.intrinsics = (*(camera[key] * scale for key in ("fx", "fy", "cx", "cy")), *size)
        self._poses = {}
        for frame, time_s in times_s.items():
            at = min(int((table[:, 0] < time_s - 1e-3).sum()), len(table) - 1)
            pose = np.eye(4)
            pose[:3, :3] = Rotation.from_quat(table[at, 4:8]).as_matrix()
            pose[:3, 3] = table[at, 1:4]
            self._poses[frame] = pose

    def pose(self, frame: int) -> Array | None:
        """See `World`."""
        return self._poses.get(frame)

    def depth(self, frame: int, pixels: Array) -> Array | None:
        """See `World`."""
        pose = self._poses.get(frame)
        if pose is None:
            return None
        fx, fy, cx, cy, *_ = self.intrinsics
        rays = np.column_stack([(pixels[:, 0] - cx) / fx, (pixels[:, 1] - cy) / fy, np.ones(len(pixels))])
        geoms, lengths = self._surfaces.first_hits(pose[:3, 3].copy(), rays @ pose[:3, :3].T)
        return np.where(geoms >= 0, lengths, np.nan)


def measure_bearing_deg(pose: Array, point: Array) -> float:
    """Of a point from where a camera looks, seen from above: clockwise (to the right) positive, -180 to 180."""
    ahead, away = pose[:2, 2], point[:2] - pose[:2, 3]
    return degrees(atan2(ahead[1] * away[0] - ahead[0] * away[1], ahead @ away))


def find_hour(angle_deg: float) -> str:
    """The hour of a clock whose twelve is ahead."""
    return str((round(angle_deg / 30.0) - 1) % 12 + 1)


def find_side(angle_deg: float, sides: Sequence[str] = ("left", "right")) -> str:
    """Left or right of ahead."""
    return sides[angle_deg > 0]

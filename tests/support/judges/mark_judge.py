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
from itertools import combinations, pairwise, permutations
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
AROUND = EDGE_PX * np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])

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


class Untold(Exception):
    """The world does not know what a row hangs on."""


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
            if kind not in _JUDGES:
                continue
            try:
                told = _JUDGES[kind](Case(row, self.world))
            except Untold:
                continue
            out.judged[kind] += 1
            out.is_number[kind] = row["form"] == "number"
            if not isinstance(told, tuple):
                said, sigma = row["measured"]["value"], row["measured"]["sigma"]
                out.errors.setdefault(kind, []).append(said / told - 1.0 if told else 0.0)
                is_wrong = abs(said - told) > 2.0 * sigma
                why = f"true {told:.3f}, said {said:.3f} +- {sigma:.3f}"
            else:
                is_wrong = row["truth"] not in told
                why = "true " + " or ".join(told)
            if is_wrong:
                out.wrong[kind] += 1
                out.examples.append(f"{row['id']} {kind} {row['views']}: {row['question']} | {row['answer']} | {why}")
        return out


@dataclass(frozen=True, eq=False)
class Case:
    """What a row hangs on, as the world has it; what the world does not know raises `Untold`."""

    row: Row
    world: World

    def pose(self, frame: int) -> Array:
        found = self.world.pose(frame)
        if found is None:
            raise Untold
        return found

    @property
    def poses(self) -> list[Array]:
        return [self.pose(frame) for frame in self.row["views"]]

    @property
    def eyes(self) -> list[Array]:
        return [pose[:3, 3] for pose in self.poses]

    def depth(self, frame: int, pixels: Array) -> Array:
        found = self.world.depth(frame, pixels)
        if found is None:
            raise Untold
        return found

    @property
    def frames_between(self) -> list[Array]:
        first, last = min(self.row["views"]), max(self.row["views"])
        found = [self.world.pose(frame) for frame in range(first, last + 1)]
        return [one for one in found if one is not None]

    def mark(self, number: int) -> Array:
        """The point in the world that a mark is on."""
        reference = next(one for one in self.row["references"] if one["mark"] and one["mark"]["number"] == number)
        xy = np.array(reference["mark"]["xy"])
        depths = self.depth(reference["frame"], xy + AROUND)
        if not np.isfinite(depths).sum() >= 3:
            raise Untold
        pose = self.pose(reference["frame"])
        return pose[:3, :3] @ (float(np.nanmedian(depths)) * self._rays(xy[None])[0]) + pose[:3, 3]

    def marks(self, count: int) -> list[Array]:
        return [self.mark(number) for number in range(1, count + 1)]

    def _rays(self, pixels: Array) -> Array:
        """(N, 3), of length 1 along the optical axis."""
        fx, fy, cx, cy, *_ = self.world.intrinsics
        return np.column_stack([(pixels[:, 0] - cx) / fx, (pixels[:, 1] - cy) / fy, np.ones(len(pixels))])

    def _project(self, pose: Array, points: Array) -> tuple[Array, Array]:
        """Pixels (N, 2) and depths (N,) of points (N, 3)."""
        fx, fy, cx, cy, *_ = self.world.intrinsics
        x, y, deep = ((points - pose[:3, 3]) @ pose[:3, :3]).T
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.column_stack([cx + fx * x / deep, cy + fy * y / deep]), deep

    def ranges(self, count: int, view: int = 0) -> list[float]:
        """From the eye of a view to each mark."""
        return [float(np.linalg.norm(one - self.eyes[view])) for one in self.marks(count)]

    def apart(self, count: int) -> Array:
        """(count, count) distances of marks."""
        marks = np.array(self.marks(count))
        return np.linalg.norm(marks[:, None] - marks[None], axis=2)

    def heights(self, count: int) -> list[float]:
        return [float(one[2]) for one in self.marks(count)]

    @property
    def height(self) -> float:
        """Of mark 1 above the floor."""
        if self.world.floor_z is None:
            raise Untold
        return self.heights(1)[0] - self.world.floor_z

    @property
    def moved(self) -> tuple[float, float, float]:
        """From the first picture to the second: ahead, to the right, up, by the level direction of the first."""
        first = self.poses[0]
        step = self.eyes[1] - self.eyes[0]
        ahead = first[:2, 2] / np.linalg.norm(first[:2, 2])
        return float(step[:2] @ ahead), float(step[:2] @ [ahead[1], -ahead[0]]), float(step[2])

    def measure_way(self, view: int) -> float:
        """Between the eyes of the first picture and another."""
        return float(np.linalg.norm(self.eyes[view] - self.eyes[0]))

    def measure_turn_deg(self, view: int = 1) -> float:
        """Of the level direction since the first picture, in degrees, to the right positive, -180 to 180."""
        return _turn_deg(self.poses[0], self.poses[view])

    @property
    def bearing(self) -> float:
        """Of mark 1 from the second picture."""
        return measure_bearing_deg(self.poses[1], self.mark(1))

    @property
    def facing(self) -> float:
        """Bearing of mark 3 at mark 1 towards mark 2, to the right positive."""
        stand, look, there = self.marks(3)
        return _angle_deg((look - stand)[:2], (there - stand)[:2])

    def is_same(self, one: int, other: int) -> bool:
        """Whether two marks are on one point."""
        first, second = self.mark(one), self.mark(other)
        return bool(np.linalg.norm(first - second) < max(0.08, 0.05 * np.linalg.norm(first - self.eyes[0])))

    @property
    def in_second(self) -> tuple[float, float, float]:
        """Pixel and depth of mark 1 in the second picture."""
        pixels, deep = self._project(self.poses[1], self.mark(1)[None])
        return float(pixels[0, 0]), float(pixels[0, 1]), float(deep[0])

    @property
    def is_visible(self) -> bool:
        """Whether mark 1 is inside of the second picture, and nothing before it."""
        u, v, z = self.in_second
        *_, width, height = self.world.intrinsics
        if z <= 0 or not (0 <= u < width and 0 <= v < height):
            return False
        depth = self.depth(self.row["views"][1], np.array([[u, v]]) + AROUND)
        if np.isnan(depth).all():
            raise Untold
        return bool(np.nanmax(depth) > 0.9 * z)

    @property
    def shares(self) -> Array:
        """(N, N): share of what one picture shows that another shows too, by a grid of its pixels."""
        *_, width, height = self.world.intrinsics
        u, v = np.meshgrid(np.linspace(0, width - 1, 14)[1:-1], np.linspace(0, height - 1, 10)[1:-1])
        grid = np.column_stack([u.ravel(), v.ravel()])
        poses, depths = self.poses, [self.depth(frame, grid) for frame in self.row["views"]]
        if any(np.isnan(one).mean() > 0.3 for one in depths):
            raise Untold
        shares = np.eye(len(poses))
        for a, b in permutations(range(len(poses)), 2):
            seen = np.isfinite(depths[a])
            world = (self._rays(grid) * depths[a][:, None])[seen] @ poses[a][:3, :3].T + poses[a][:3, 3]
            pixels, deep = self._project(poses[b], world)
            inside = (deep > 0) & (pixels >= 0).all(axis=1) & (pixels < [width, height]).all(axis=1)
            if inside.any():
                there = self.depth(self.row["views"][b], pixels[inside])
                shares[a, b] = (np.nan_to_num(there, nan=1e9) > 0.93 * deep[inside]).sum() / len(world)
        return shares


def _say(holds: bool) -> tuple[str]:
    return ("yes" if holds else "no",)


def _pick(values: Sequence[float] | Array, names: Sequence[str], most: bool = False) -> tuple[str]:
    """The name of the least value, or of the greatest."""
    return (names[int(np.argmax(values) if most else np.argmin(values))],)


def _order(values: Sequence[float]) -> tuple[str]:
    return (", ".join(str(1 + int(at)) for at in np.argsort(values)),)


def _find_pair(case: Case, most: bool) -> tuple[str, ...]:
    """Every option that names the pair of three marks that is farthest apart, or closest."""
    apart, pairs = case.apart(3), list(combinations(range(3), 2))
    best = pairs[int((np.argmax if most else np.argmin)([apart[pair] for pair in pairs]))]
    numbers = {str(one + 1) for one in best}
    return tuple(one for one in case.row["choices"] if {letter for letter in one if letter.isdigit()} == numbers)


def _describe(case: Case) -> tuple[str, ...]:
    """Every description of which no part is untrue."""
    moved, turned = case.moved, case.measure_turn_deg()
    words = {
        "forward": moved[0] > 0, "backward": moved[0] < 0, "to the right": moved[1] > 0, "to the left": moved[1] < 0,
        "turning right": turned > 0, "turning left": turned < 0,
    }  # fmt: skip
    return tuple(one for one in case.row["choices"] if all(holds for word, holds in words.items() if word in one))


def _find_border(case: Case) -> tuple[str, ...]:
    u, v, z = case.in_second
    *_, width, height = case.world.intrinsics
    sides = {"left of": u < 0, "right of": u >= width, "above": v < 0, "below": v >= height}
    return ("behind the camera",) if z <= 0 else tuple(f"{side} the picture" for side, holds in sides.items() if holds)


def _find_way_back(case: Case) -> tuple[str]:
    angle = measure_bearing_deg(case.poses[-1], case.eyes[0])
    return ("ahead" if abs(angle) < 45 else "behind" if abs(angle) > 135 else f"to the {find_side(angle)}",)


def _find_whole_turn(case: Case) -> tuple[str]:
    """Side of the sum of all turns, in the order of the pictures."""
    turned = sum(_turn_deg(a, b) for a, b in pairwise(case.frames_between))
    return (find_side(turned if case.row["views"][0] < case.row["views"][-1] else -turned),)


def _find_step(case: Case, measure: Callable[[Array, Array], float]) -> tuple[str, ...]:
    """The pair of neighbors with the most of something, if the choices go from the first pair to the last."""
    choices = case.row["choices"]
    is_in_order = all(_PLACES[at] in one and _PLACES[at + 1] in one for at, one in enumerate(choices))
    return _pick([measure(a, b) for a, b in pairwise(case.poses)], choices, most=True) if is_in_order else ()


def _find_next(case: Case) -> tuple[str, ...]:
    """Of the last three the first in time, which must be the nearest to the second too."""
    at = int(np.argmin(case.row["views"][2:]))
    away = [np.linalg.norm(one - case.eyes[1]) for one in case.eyes[2:]]
    return (f"the {_PLACES[2 + at]} picture",) if int(np.argmin(away)) == at else ()


def _find_alike(case: Case) -> tuple[str]:
    """The pair of pictures that shares most."""
    shares = case.shares
    a, b = max(combinations(range(4), 2), key=lambda one: shares[one] + shares[one[::-1]])
    return (f"the {_PLACES[a]} and the {_PLACES[b]}",)


def _find_odd(case: Case) -> tuple[str]:
    """The picture that shares least with the others."""
    shares = case.shares
    return (f"the {_PLACES[int(np.argmin(shares.sum(axis=0) + shares.sum(axis=1)))]} picture",)


def _find_share(case: Case) -> tuple[str, ...]:
    """How much of the first picture the second shows: bounds of words are wide, for points are not area."""
    share = case.shares[0, 1]
    words = {"less than a quarter": share < 0.27, "about half": 0.25 < share < 0.75, "nearly all": share > 0.8}
    return tuple(word for word, holds in words.items() if holds)


_PLACES = ("first", "second", "third", "fourth", "fifth")
_MARKS, _MORE_MARKS = ("mark 1", "mark 2"), ("mark 2", "mark 3")
_PICTURES, _LATER = ("the first picture", "the second picture"), ("the second picture", "the third picture")
_JUDGES: Mapping[str, Callable[[Case], float | tuple[str, ...]]] = {
    "mark_nearer_choice": lambda case: _pick(case.ranges(2), _MARKS),
    "mark_farther_predicate": lambda case: _say(case.ranges(2)[0] > case.ranges(2)[1]),
    "mark_depth_order": lambda case: _order(case.ranges(3)),
    "mark_distance": lambda case: case.ranges(1)[0],
    "mark_distance_ratio": lambda case: case.ranges(2)[0] / case.ranges(2)[1],
    "mark_pair_distance": lambda case: float(case.apart(2)[0, 1]),
    "mark_closer_choice": lambda case: _pick(case.apart(3)[0, 1:], _MORE_MARKS),
    "mark_farthest_pair": lambda case: _find_pair(case, most=True),
    "mark_closest_pair": lambda case: _find_pair(case, most=False),
    "mark_higher_choice": lambda case: _pick(case.heights(2), _MARKS, most=True),
    "mark_lower_predicate": lambda case: _say(case.heights(2)[0] < case.heights(2)[1]),
    "mark_height_difference": lambda case: abs(case.heights(2)[0] - case.heights(2)[1]),
    "mark_height": lambda case: case.height,
    "mark_above_eye": lambda case: _say(case.heights(1)[0] > case.eyes[0][2]),
    "motion_ahead_choice": lambda case: ("forward" if case.moved[0] > 0 else "backward",),
    "motion_side_choice": lambda case: (find_side(case.moved[1]),),
    "motion_height_choice": lambda case: ("up" if case.moved[2] > 0 else "down",),
    "motion_turn_choice": lambda case: (find_side(case.measure_turn_deg()),),
    "motion_tilt_choice": lambda case: ("up" if case.poses[1][2, 2] > case.poses[0][2, 2] else "down",),
    "motion_turn_angle": lambda case: abs(case.measure_turn_deg()),
    "motion_distance": lambda case: case.measure_way(-1),
    "motion_description": _describe,
    "motion_farther_choice": lambda case: _pick([case.measure_way(1), case.measure_way(2)], _LATER, most=True),
    "motion_turned_more_choice": lambda case: _pick(
        [abs(case.measure_turn_deg(at)) for at in (1, 2)], _LATER, most=True
    ),
    "match_choice": lambda case: tuple(
        f"mark {at}" for at in range(2, len(case.row["references"]) + 1) if case.is_same(1, at)
    ),
    "match_predicate": lambda case: _say(case.is_same(1, 2)),
    "match_visible_predicate": lambda case: _say(case.is_visible),
    "match_outside_class": _find_border,
    "match_nearer_choice": lambda case: _pick([case.ranges(1, view)[0] for view in (0, 1)], _PICTURES),
    "view_side": lambda case: ("behind you" if abs(case.bearing) > 135 else f"to your {find_side(case.bearing)}",),
    "view_behind": lambda case: _say(abs(case.bearing) > 90),
    "view_turn": lambda case: (find_side(case.bearing),),
    "view_clock": lambda case: (find_hour(case.bearing),),
    "view_distance": lambda case: case.ranges(1, 1)[0],
    "view_nearer_choice": lambda case: _pick(case.ranges(2, 1), _MARKS),
    "facing_side": lambda case: (f"on your {find_side(case.facing)}",),
    "facing_front": lambda case: ("in front of you" if abs(case.facing) < 90 else "behind you",),
    "facing_clock": lambda case: (find_hour(case.facing),),
    "way_back_side_class": _find_way_back,
    "way_back_distance": lambda case: case.measure_way(-1),
    "way_length": lambda case: sum(_step_m(a, b) for a, b in pairwise(case.frames_between)),
    "way_return_predicate": lambda case: _say(case.measure_way(-1) < 0.8),
    "way_turn_choice": _find_whole_turn,
    "way_sharpest_turn_class": lambda case: _find_step(case, lambda a, b: abs(_turn_deg(a, b))),
    "way_longest_step_class": lambda case: _find_step(case, _step_m),
    "way_next_choice": _find_next,
    "way_order_class": lambda case: (", ".join(_PLACES[1 + int(at)] for at in np.argsort(case.row["views"][1:])),),
    "overlap_predicate": lambda case: _say(max(case.shares[0, 1], case.shares[1, 0]) > 0.05),
    "overlap_pair_choice": _find_alike,
    "overlap_odd_choice": _find_odd,
    "overlap_share_class": _find_share,
    "overlap_more_choice": lambda case: _pick(case.shares[0, 1:3], _LATER, most=True),
}
"""By type of question: the number that is true, or every answer that is true."""


def measure_bearing_deg(pose: Array, point: Array) -> float:
    """Of a point from where a camera looks, seen from above: clockwise (to the right) positive, -180 to 180."""
    return _angle_deg(pose[:2, 2], point[:2] - pose[:2, 3])


def _turn_deg(first: Array, second: Array) -> float:
    """Of the level direction of view, to the right positive."""
    return _angle_deg(first[:2, 2], second[:2, 2])


def _step_m(first: Array, second: Array) -> float:
    return float(np.linalg.norm(second[:3, 3] - first[:3, 3]))


def _angle_deg(ahead: Array, away: Array) -> float:
    """From one direction on the floor to another, clockwise positive."""
    return degrees(atan2(ahead[1] * away[0] - ahead[0] * away[1], ahead @ away))


def find_hour(angle_deg: float) -> str:
    """The hour of a clock whose twelve is ahead."""
    return str((round(angle_deg / 30.0) - 1) % 12 + 1)


def find_side(angle_deg: float, sides: Sequence[str] = ("left", "right")) -> str:
    """Left or right of ahead."""
    return sides[angle_deg > 0]


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

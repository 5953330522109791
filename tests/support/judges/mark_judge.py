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
    def intrinsics(self) -> tuple[float, float, float, float, int, int]:
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
            if isinstance(told, float):
                said, sigma = row["measured"]["value"], row["measured"]["sigma"]
                out.errors.setdefault(kind, []).append(said / told - 1.0 if told else 0.0)
                off = abs(said - told)
                is_wrong = off > 2.0 * sigma
                why = f"true {told:.3f}, said {said:.3f} +- {sigma:.3f}"
            else:
                is_wrong = row["truth"] not in told
                why = f"true {' or '.join(told)}"
            if is_wrong:
                out.wrong[kind] += 1
                out.examples.append(f"{row['id']} {kind} {row['views']}: {row['question']} | {row['answer']} | {why}")
        return out

    # ---------------------------------------------------------------- geometry

    def _mark(self, row: Row, number: int) -> Array | None:
        """The point in the world that mark `number` is on."""
        mark = next(one["mark"] for one in row["references"] if one["mark"] and one["mark"]["number"] == number)
        fx, fy, cx, cy, *_ = self.world.intrinsics
        xy = np.array(mark["xy"])
        around = xy + EDGE_PX * np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])
        depths = self.world.depth(mark["frame"], around)
        pose = self.world.pose(mark["frame"])
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


_JUDGES: Mapping[str, Callable[[MarkJudge, Row], float | tuple[str, ...] | None]] = {
    "mark_nearer_choice": MarkJudge.nearer,
    "mark_farther_predicate": MarkJudge.is_farther,
    "mark_depth_order": MarkJudge.order,
    "mark_distance": MarkJudge.range,
    "mark_distance_ratio": MarkJudge.range_ratio,
}


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
        first = cv2.imread(str(folder / "images" / images[0]))
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
        image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED).astype(float) / 1000.0
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


def bearing_deg(pose: Array, point: Array) -> float:
    """Of a point from where a camera looks, seen from above: clockwise (to the right) positive, -180 to 180."""
    ahead, away = pose[:2, 2], point[:2] - pose[:2, 3]
    return degrees(atan2(ahead[1] * away[0] - ahead[0] * away[1], ahead @ away))


def hour_of(angle_deg: float) -> str:
    """The hour of a clock whose twelve is ahead."""
    return str((round(angle_deg / 30.0) - 1) % 12 + 1)


def side_of(angle_deg: float, sides: Sequence[str] = ("left", "right")) -> str:
    """Left or right of ahead."""
    return sides[angle_deg > 0]

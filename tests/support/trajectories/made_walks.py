"""Walks with known turns, as a script of moves sampled at any frame rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from recon.geometry import Camera, Pose
from recon.records import Frame, Scale, ScaleStatus, Scene, SceneModel, SourceInfo, Tracks
from trajectories.records import TrajectoryPoint

STEP_S = 0.01


@dataclass
class Walker:
    """Moves at 0.7 m/s and remembers where it turned."""

    x: float = 0.0
    y: float = 0.0
    heading_deg: float = 0.0
    speed: float = 0.7
    rows: list[tuple[float, float, float]] = field(default_factory=list)
    turns: list[tuple[float, float, float]] = field(default_factory=list)
    """(start s, end s, angle) of every turn that a view change must report."""

    @property
    def now_s(self) -> float:
        return len(self.rows) * STEP_S

    def walk(self, length: float) -> Walker:
        return self._move(length / self.speed, length, 0.0)

    def turn(self, angle_deg: float, rate_dps: float = 45.0) -> Walker:
        start = self.now_s
        self._move(abs(angle_deg) / rate_dps, 0.0, angle_deg)
        self.turns.append((start, self.now_s, angle_deg))
        return self

    def corner(self, angle_deg: float, radius: float = 0.7, *, is_change: bool = True) -> Walker:
        start, length = self.now_s, abs(np.radians(angle_deg)) * radius
        self._move(length / self.speed, length, angle_deg)
        if is_change:
            self.turns.append((start, self.now_s, angle_deg))
        return self

    def wait(self, seconds: float) -> Walker:
        return self._move(seconds, 0.0, 0.0)

    def _move(self, seconds: float, length: float, angle_deg: float) -> Walker:
        count = max(1, round(seconds / STEP_S))
        for _ in range(count):
            self.heading_deg += angle_deg / count
            heading = np.radians(self.heading_deg)
            self.x += length / count * np.cos(heading)
            self.y += length / count * np.sin(heading)
            self.rows.append((self.x, self.y, self.heading_deg))
        return self


def points_of(walker: Walker, fps: float = 3.0, *, sway: bool = True, start_s: float = 0.0) -> list[TrajectoryPoint]:
    """The walk sampled at a frame rate, with a hand-held sway of a few centimetres and degrees."""
    points = []
    for frame, time in enumerate(np.arange(start_s, walker.now_s - STEP_S / 2, 1 / fps), start=1):
        x, y, heading = walker.rows[round(time / STEP_S)]
        size = 1.0 if sway else 0.0
        x += size * 0.015 * np.sin(2 * np.pi * 0.9 * time)
        y += size * 0.015 * np.cos(2 * np.pi * 0.7 * time)
        yaw = heading + size * 1.5 * np.sin(2 * np.pi * 0.8 * time + 1)
        z, tilt = 1.5 + size * 0.015 * np.sin(2 * np.pi * 1.8 * time), -5 + size * np.sin(2 * np.pi * 0.5 * time)
        yaw = (yaw + 180) % 360 - 180
        points.append(TrajectoryPoint(frame, float(time), (float(x), float(y), float(z)), float(yaw), float(tilt)))
    return points


def flat_tour() -> Walker:
    """Through a flat: corners, turns on the spot of all sizes, gentle curves, a crossing and a way back."""
    walker = Walker().walk(3).corner(-90).walk(2).wait(1).turn(180).wait(1).walk(2).corner(90)
    walker.walk(2).corner(30, 3.0, is_change=False).walk(1.5).turn(-120, 60).wait(1.2).turn(-60, 40).wait(1.5).walk(2)
    return walker.turn(360, 60).wait(1).walk(1.5).corner(60, 0.6).walk(2).corner(-25, 2.0, is_change=False).walk(2)


def random_tour(seed: int) -> Walker:
    """A random sequence of clear turns and clear straights."""
    rng = np.random.default_rng(seed)
    walker = Walker(heading_deg=float(rng.uniform(-180, 180)))
    for _ in range(12):
        walker.walk(rng.uniform(1.2, 3.0))
        side = rng.choice([-1, 1])
        kind = rng.integers(4)
        if kind == 0:
            walker.wait(0.8).turn(side * rng.uniform(60, 350), rng.uniform(30, 80)).wait(0.8)
        elif kind == 1:
            walker.corner(side * rng.uniform(65, 120), rng.uniform(0.3, 0.8))
        elif kind == 2:
            walker.corner(side * rng.uniform(5, 30), rng.uniform(0.5, 2.0), is_change=False)
        else:
            walker.wait(rng.uniform(0.5, 3.0))
    return walker.walk(1.5)


def pose_of(point: TrajectoryPoint) -> Pose:
    heading, tilt = np.radians([point.heading_deg, point.elevation_deg])
    forward = np.array([np.cos(heading) * np.cos(tilt), np.sin(heading) * np.cos(tilt), np.sin(tilt)])
    right = np.array([np.sin(heading), -np.cos(heading), 0.0])
    return Pose(np.column_stack([right, np.cross(forward, right), forward]), np.array(point.position))


def scene_of(
    walks: Sequence[Sequence[TrajectoryPoint]],
    status: ScaleStatus = "assumed",
    *,
    shot_of=lambda frame: 0,
    depth: float | None = None,
) -> Scene:
    """A scene with one model per walk; frames of different walks must differ.

    With a `depth` every frame sees one point, that far ahead, so that a model without scale has a nominal metre.
    """
    camera = Camera("SIMPLE_PINHOLE", 640, 360, (400.0, 320.0, 180.0))
    models = tuple(
        SceneModel(
            str(number),
            camera,
            {point.frame: pose_of(point) for point in points},
            tracks_ahead(points if depth is not None else (), depth or 0.0),
            Scale(status, 1.0, 0.15, "made"),
            0.0,
            "made",
            0.5,
        )
        for number, points in enumerate(walks)
    )
    frames = tuple(
        Frame(point.frame, point.time_s, f"{point.frame:06d}.jpg", 640, 360, 100.0, shot_of(point.frame))
        for point in sorted((p for walk in walks for p in walk), key=lambda p: p.frame)
    )
    source = SourceInfo("tour.mp4", "video", 640, 360, 60.0, 1800, 30.0, "h264", 0, "0" * 64)
    return Scene("flat", source, frames, (), models)


def tracks_ahead(points: Sequence[TrajectoryPoint], depth: float) -> Tracks:
    """One point in the middle of each frame's image, at one depth."""
    count = len(points)
    return Tracks(
        np.array([pose_of(p).center + depth * pose_of(p).forward for p in points]).reshape(-1, 3),
        np.zeros((count, 3), np.uint8),
        np.zeros(count),
        np.arange(count),
        np.array([point.frame for point in points], np.int64),
        np.tile([320.0, 180.0], (count, 1)),
    )


def revisit_tour(seed: int) -> Walker:
    """In and out of rooms along a corridor: every junction is crossed and turned at several times."""
    rng = np.random.default_rng(seed)
    walker = Walker(heading_deg=float(rng.uniform(-180, 180)))
    for _ in range(4):
        walker.walk(rng.uniform(1.2, 2.5)).corner(rng.choice([-90, 90]), rng.uniform(0.3, 0.7))
        walker.walk(rng.uniform(1.2, 2.5)).wait(0.8).turn(rng.choice([-180, 180]), rng.uniform(30, 70)).wait(0.8)
        walker.walk(rng.uniform(1.2, 2.5)).corner(rng.choice([-90, 90]), rng.uniform(0.3, 0.7))
    return walker.walk(1.5)


def disturb(
    points: Sequence[TrajectoryPoint], rng: np.random.Generator, *, deg: float, metres: float, lost: float
) -> list[TrajectoryPoint]:
    """The walk as a reconstruction gives it: noise of heading and place, and a share of the frames lost."""
    out = []
    for point in points:
        if out and rng.random() < lost:
            continue
        x, y, z = (float(value) for value in np.array(point.position) + rng.normal(0, metres, 3))
        heading = float((point.heading_deg + rng.normal(0, deg) + 180) % 360 - 180)
        out.append(TrajectoryPoint(point.frame, point.time_s, (x, y, z), heading, point.elevation_deg))
    return out

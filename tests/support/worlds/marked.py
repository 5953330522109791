"""A world of a few places that stand out: each is a handful of points side by side, seen by given cameras.

A spot needs neighbors at its depth and rays from several sides, so each place is a cluster of points, and helping
cameras stand around those that are asked about.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from instructions.asking.draws import Draw
from instructions.questions.core.view_sets import Refused
from instructions.questions.marks.families import Found, MarkType, Start
from instructions.questions.marks.spots import Spot, SpotTour
from recon.geometry import Camera, Pose
from recon.records import Frame, Scale, ScaleStatus, Scene, SceneModel, SourceInfo, Tracks

CAMERA = Camera("PINHOLE", 600, 600, (300.0, 300.0, 300.0, 300.0))
"""90 degrees wide and high."""
CLUSTER = 8
"""Points of a place."""
Move = Callable[[np.ndarray], np.ndarray]


def look(x: float, y: float, heading_deg: float, z: float = 1.5) -> Pose:
    """A level camera; heading 0 looks along +x, 90 along +y."""
    c, s = np.cos(np.radians(heading_deg)), np.sin(np.radians(heading_deg))
    return Pose(np.array([[s, 0.0, c], [-c, 0.0, s], [0.0, -1.0, 0.0]]), np.array([x, y, z]))


@dataclass(frozen=True, eq=False)
class Marked:
    """Places with names, and the tour that shows them. Frames count from 1 in the order of the cameras."""

    places: Mapping[str, tuple[float, float, float]]
    cameras: Sequence[Pose]
    tour: SpotTour

    def name(self, spot: Spot) -> str:
        """The place of a spot."""
        return list(self.places)[spot.point // CLUSTER]

    def find(self, kind: MarkType, views: tuple[int, ...] = (1,), draws: int = 60) -> dict[tuple[str, ...], Found]:
        """What is asked about some frames, with its twins, by the names of its marks."""
        out: dict[tuple[str, ...], Found] = {}
        for number in range(draws):
            with suppress(Refused):
                draw = Draw("test", kind.name, number)
                found = kind.find(Start(self.tour, self.tour.views[views[0]], draw))
                for one in (found, *([found.twin] if found.twin else ())) if found.views == views else ():
                    out[tuple(self.name(spot) for spot in one.marks)] = one
        return out


def make_marked(
    places: Mapping[str, tuple[float, float, float]],
    cameras: Sequence[Pose],
    *,
    scale: ScaleStatus = "metric",
    times: float = 1.0,
    turn_deg: float = 0.0,
    mirror: bool = False,
) -> Marked:
    """The world as it is given, or larger, turned about the vertical and moved, or mirrored left to right."""
    steps = np.array([[0, 0, 0], [0, 0.4, 0], [0, -0.4, 0], [0.05, 0.25, 0.2], [0.05, -0.25, -0.2]])
    poses = [Pose(one.rotation, one.center + step) for one in cameras for step in steps]
    poses = [*poses[:: len(steps)], *(pose for at, pose in enumerate(poses) if at % len(steps))]
    beside = np.random.default_rng(0).uniform(-0.02, 0.02, (CLUSTER, 3))
    xyz = np.concatenate([np.array(place) + beside for place in places.values()])
    return Marked(places, cameras, show_points(xyz, poses, scale=scale, times=times, turn_deg=turn_deg, mirror=mirror))


def show_points(
    xyz: np.ndarray, cameras: Sequence[Pose], *, scale: ScaleStatus, times: float, turn_deg: float, mirror: bool
) -> SpotTour:
    """Points (N, 3) that each camera sees where they are in its picture, in the world as `make_marked` has it."""
    flip, eye_flip = np.diag([1.0, -1.0 if mirror else 1.0, 1.0]), np.diag([-1.0 if mirror else 1.0, 1.0, 1.0])
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ flip
    shift = np.array([3.0, -2.0, 0.0]) if turn_deg else np.zeros(3)
    xyz = times * (xyz @ turn.T + shift)
    moved = (Pose(turn @ one.rotation @ eye_flip, times * (turn @ one.center + shift)) for one in cameras)
    by_frame = dict(enumerate(moved, start=1))
    seen = [(frame, CAMERA.project(pose.inverse() @ xyz)) for frame, pose in by_frame.items()]
    rows = [(frame, np.flatnonzero(CAMERA.is_inside(pixels)), pixels) for frame, pixels in seen]
    tracks = Tracks(
        xyz,
        np.zeros((len(xyz), 3), dtype=np.uint8),
        np.full(len(xyz), 0.4),
        np.concatenate([points for _, points, _ in rows]),
        np.concatenate([np.full(len(points), frame) for frame, points, _ in rows]),
        np.concatenate([pixels[points] for _, points, pixels in rows]),
    )
    model = SceneModel("0", CAMERA, by_frame, tracks, Scale(scale, 1.0, 0.02, "test"), 0.0, "test", 0.4)
    shown = tuple(Frame(i, float(i), f"{i:06d}.png", 600, 600, 1.0, 0) for i in by_frame)
    source = SourceInfo("marks", "images", 600, 600, float(len(shown)), len(shown), 1.0, "png", 0, "0" * 64)
    return SpotTour(Scene("marks", source, shown, (), (model,)), model, (), 0)

"""An empty room whose walls and floor are full of points, with a camera at given poses: the truth about motion."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from instructions.asking.draws import Draw
from instructions.questions.marks.families import Found, MarkType
from instructions.questions.marks.spots import SpotTour
from recon.geometry import Camera, Pose
from recon.records import Frame, Scale, ScaleStatus, Scene, SceneModel, SourceInfo, Tracks

CAMERA = Camera("PINHOLE", 600, 600, (300.0, 300.0, 300.0, 300.0))
"""90 degrees wide and high."""
LENGTH_M, WIDTH_M, HEIGHT_M = 10.0, 8.0, 2.6
STEP_M = 0.4


def look(x: float, y: float, heading_deg: float, z: float = 1.5) -> Pose:
    """A level camera; heading 0 looks along +x, 90 along +y."""
    c, s = np.cos(np.radians(heading_deg)), np.sin(np.radians(heading_deg))
    return Pose(np.array([[s, 0.0, c], [-c, 0.0, s], [0.0, -1.0, 0.0]]), np.array([x, y, z]))


def _fill_room() -> np.ndarray:
    x, y, z = (np.arange(0.0, end + 1e-9, STEP_M) for end in (LENGTH_M, WIDTH_M, HEIGHT_M))
    points = [(one, at, up) for one, up in product(x, z) for at in (0.0, WIDTH_M)]
    points += [(at, one, up) for one, up in product(y, z) for at in (0.0, LENGTH_M)]
    points += [(one, other, 0.0) for one, other in product(x, y)]
    return np.unique(np.array(points), axis=0)


def make_walk(
    cameras: Sequence[Pose],
    *,
    times: float = 1.0,
    turn_deg: float = 0.0,
    mirror: bool = False,
    scale: ScaleStatus = "metric",
) -> SpotTour:
    """The walk as given, or the world larger, turned about the vertical and moved, or mirrored left to right.

    Args:
        cameras: In the order of the walk; frames count from 1. Nothing hides anything.
        times: All lengths are multiplied by this.
        turn_deg: Counter-clockwise; the world is moved by (3, -2, 0) then too.
        mirror: y changes its sign.
        scale: Of the model.
    """
    flip, eye_flip = np.diag([1.0, -1.0 if mirror else 1.0, 1.0]), np.diag([-1.0 if mirror else 1.0, 1.0, 1.0])
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ flip
    shift = np.array([3.0, -2.0, 0.0]) if turn_deg else np.zeros(3)
    xyz = times * (_fill_room() @ turn.T + shift)
    poses = {
        frame: Pose(turn @ one.rotation @ eye_flip, times * (turn @ one.center + shift))
        for frame, one in enumerate(cameras, start=1)
    }
    seen = [(frame, CAMERA.project(pose.inverse() @ xyz)) for frame, pose in poses.items()]
    rows = [(frame, np.flatnonzero(CAMERA.is_inside(pixels)), pixels) for frame, pixels in seen]
    tracks = Tracks(
        xyz,
        np.zeros((len(xyz), 3), dtype=np.uint8),
        np.full(len(xyz), 0.4),
        np.concatenate([points for _, points, _ in rows]),
        np.concatenate([np.full(len(points), frame) for frame, points, _ in rows]),
        np.concatenate([pixels[points] for _, points, pixels in rows]),
    )
    model = SceneModel("0", CAMERA, poses, tracks, Scale(scale, 1.0, 0.02, "test"), 0.0, "test", 0.4)
    shown = tuple(Frame(i, float(i), f"{i:06d}.png", 600, 600, 1.0, 0) for i in poses)
    source = SourceInfo("walk", "images", 600, 600, float(len(shown)), len(shown), 1.0, "png", 0, "0" * 64)
    return SpotTour(Scene("walk", source, shown, (), (model,)), model, (), 0)


def find_all(kind: MarkType, tour: SpotTour, draws: int) -> dict[tuple[object, ...], Found]:
    """Everything a type asks in so many draws from each view, with twins, by views and marked points."""
    out: dict[tuple[object, ...], Found] = {}
    for view in tour.views.values():
        if kind.upright and not (tour.is_upright and view.viewer.has_sides):
            continue
        for number in range(draws):
            found = kind.find(tour, view, Draw("test", kind.name, view.frame, number))
            if isinstance(found, Found):
                for one in (found, *([found.twin] if found.twin else ())):
                    out[one.views, *(spot.point for spot in one.marks)] = one
    return out

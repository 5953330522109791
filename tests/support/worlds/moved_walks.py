"""Walks made of phases in which feet and view do one thing each: the truth about motion, without any things."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from recon.conventions import wrap_deg
from tests.support.worlds.boxworld import FPS, World, make_world
from trajectories.records import TrajectoryPoint


@dataclass(frozen=True)
class Phase:
    """So many seconds of one motion."""

    seconds: float
    speed_m_s: float = 0.8
    course_turn_deg: float = 0.0
    """By which the direction of travel changes, evenly."""
    view_turn_deg: float | None = None
    """By which the view changes; as the direction of travel if not given."""
    off_view_deg: float | None = None
    """Where the feet go against the view from the start of the phase; as before if not given."""


def stand(seconds: float, view_turn_deg: float) -> Phase:
    """Turn on the spot: feet and view."""
    return Phase(seconds, 0.0, view_turn_deg, view_turn_deg)


def look(seconds: float, view_turn_deg: float, speed_m_s: float = 0.0) -> Phase:
    """Turn the view alone."""
    return Phase(seconds, speed_m_s, 0.0, view_turn_deg)


def _swerve(by_deg: float) -> tuple[Phase, ...]:
    """Around something on the way, with the view held ahead."""
    return tuple(Phase(0.7, 0.8, angle, 0.0) for angle in (by_deg, -by_deg, -by_deg, by_deg))


KINDS: dict[str, tuple[Phase, ...]] = {
    "straight": (Phase(8.0),),
    "curve": (Phase(3.0), Phase(3.0, course_turn_deg=90.0), Phase(3.0)),
    "slow curve": (Phase(3.0), Phase(9.0, course_turn_deg=80.0), Phase(3.0)),
    "s-curve": (
        Phase(3.0),
        Phase(3.0, course_turn_deg=90.0),
        Phase(2.0),
        Phase(3.0, course_turn_deg=-90.0),
        Phase(3.0),
    ),
    "out and back": (Phase(5.0), stand(3.0, 180.0), Phase(5.0)),
    "out and backwards": (Phase(5.0), Phase(5.0, off_view_deg=180.0)),
    "stand and look": (Phase(4.0), stand(1.0, 0.0), look(1.5, 80.0), look(1.5, -80.0), stand(1.0, 0.0), Phase(4.0)),
    "look, then turn": (Phase(4.0), look(1.5, 80.0), stand(4.0, -170.0), Phase(4.0, off_view_deg=0.0)),
    "turn and turn on": (Phase(4.0), stand(2.0, 90.0), Phase(3.0), stand(4.0, -180.0), Phase(4.0)),
    "left twice": (Phase(3.0), stand(2.0, 80.0), Phase(4.0), stand(2.0, 80.0), Phase(3.0)),
    "side step": (Phase(4.0), Phase(3.0, off_view_deg=90.0), Phase(4.0, off_view_deg=0.0)),
    "short side step": (Phase(4.0), Phase(1.0, off_view_deg=90.0), Phase(4.0, off_view_deg=0.0)),
    "backwards": (Phase(5.0, off_view_deg=180.0),),
    "backwards, then turning": (Phase(4.0, off_view_deg=180.0), Phase(3.0, view_turn_deg=80.0, course_turn_deg=0.0)),
    "turn on the spot": (Phase(4.0), stand(3.0, -90.0)),
    "sharp turn": (Phase(4.0), stand(3.0, 135.0), Phase(4.0)),
    "slow turn that ends quickly": (Phase(4.0), stand(3.0, -21.0), stand(1.4, -21.0)),
    "slow walker": (Phase(9.0, 0.3), stand(3.0, 90.0), Phase(9.0, 0.3)),
    "slight turn": (Phase(4.0), Phase(2.0, course_turn_deg=45.0), Phase(4.0)),
    "glance": (Phase(5.0), look(1.0, 75.0, 0.8), look(0.7, 0.0, 0.8), look(1.0, -75.0, 0.8), Phase(5.0)),
    "far glance": (Phase(6.0), look(1.0, 100.0, 0.8), look(1.0, -100.0, 0.8), Phase(6.0)),
    "head held aside": (Phase(6.0, off_view_deg=30.0), Phase(3.0, course_turn_deg=90.0), Phase(4.0)),
    "long glance": (Phase(4.0), look(1.5, 60.0, 0.8), look(2.0, 0.0, 0.8), look(1.5, -60.0, 0.8), Phase(4.0)),
    "glance at the end": (Phase(4.0), look(1.5, 60.0, 0.8), look(2.0, 0.0, 0.8), look(1.5, -60.0, 0.8)),
    "glances to both sides": (
        Phase(4.0),
        look(1.5, 60.0, 0.8),
        look(0.5, 0.0, 0.8),
        look(2.0, -120.0, 0.8),
        look(0.5, 0.0, 0.8),
        look(1.5, 60.0, 0.8),
        Phase(4.0),
    ),
    "turn, wait, and turn back": (Phase(4.0), stand(2.0, 90.0), stand(3.0, 0.0), stand(2.0, -90.0), Phase(4.0)),
    "left, right, left": (
        Phase(4.0),
        stand(2.0, 75.0),
        stand(2.0, 0.0),
        stand(3.0, -135.0),
        stand(2.0, 0.0),
        stand(2.0, 67.0),
        Phase(4.0),
    ),
    "look aside and go on": (Phase(4.0), look(1.5, -90.0, 0.8), Phase(4.0)),
    "look round and go on": (Phase(4.0), look(4.0, -180.0, 0.8), Phase(4.0)),
    "swerve": (Phase(4.0), look(1.0, 0.0, 0.8), *_swerve(50.0), Phase(4.0)),
    "turn with a sway": (
        Phase(4.0),
        Phase(0.7, 0.8, 0.0, 25.0, off_view_deg=-90.0),
        Phase(0.7, 0.8, 0.0, 25.0, off_view_deg=65.0),
        stand(1.0, 30.0),
        Phase(4.0, off_view_deg=0.0),
    ),
    "curve with the head aside": (Phase(2.0, off_view_deg=35.0), Phase(5.0, course_turn_deg=90.0), Phase(2.0)),
}
"""By name: what the walker does."""


def walk_of(phases: Sequence[Phase], *, mirrored: bool = False, noise_m: float = 0.0, seed: int = 0) -> World:
    """The records of a walk."""
    rng = np.random.default_rng(seed)
    sign = -1.0 if mirrored else 1.0
    x = y = course = view = 0.0
    path = [(x, y, view)]
    for phase in phases:
        if phase.off_view_deg is not None:
            course = view + sign * phase.off_view_deg
        count = max(1, round(phase.seconds * FPS))
        turn = phase.course_turn_deg if phase.view_turn_deg is None else phase.view_turn_deg
        for _ in range(count):
            course += 0.5 * sign * phase.course_turn_deg / count
            x += phase.speed_m_s / FPS * np.cos(np.radians(course))
            y += phase.speed_m_s / FPS * np.sin(np.radians(course))
            course += 0.5 * sign * phase.course_turn_deg / count
            view += sign * turn / count
            path.append((x, y, view))
    points = []
    for number, (px, py, heading) in enumerate(path):
        dx, dy, turned = rng.normal(0.0, 1.0, 3) * noise_m
        place = (float(px + dx), float(py + dy), 1.5)
        points.append(TrajectoryPoint(number + 1, number / FPS, place, wrap_deg(heading + np.degrees(turned)), 0.0))
    world = make_world((), (("walk", 0.5),), walls=())
    frames = tuple(replace(world.scene.frames[0], index=point.frame, time_s=point.time_s) for point in points)
    pose = world.model.world_from_cam[1]
    model = replace(world.model, world_from_cam={point.frame: pose for point in points})
    scene = replace(world.scene, frames=frames, models=(model,))
    return World((), scene, replace(world.trajectory, points=tuple(points)))

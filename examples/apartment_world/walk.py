"""The walk: where the camera is and where it looks, frame by frame.

A walk is a list of moves. `Walk` follows way points, rounding corners; `Turn` turns on the spot; `Wait` stands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

CAMERA_HEIGHT_M = 1.5
PITCH_DOWN_DEG = 6.0
ARM_M = 0.115
"""The camera is held this far in front of the body's axis, so a turn on the spot moves it a little."""


@dataclass(frozen=True)
class Walk:
    """Walk along way points from where the last move ended, rounding corners with `radius_m`.

    `look_deg` points the camera aside of the way, left positive.
    """

    way_m: tuple[tuple[float, float], ...]
    radius_m: float = 0.7
    speed_mps: float = 0.72
    look_deg: float = 0.0


@dataclass(frozen=True)
class Turn:
    """Turn on the spot, left positive."""

    angle_deg: float
    rate_dps: float = 46.0


@dataclass(frozen=True)
class Wait:
    """Stand still, as far as one can."""

    time_s: float


@dataclass
class CameraPath:
    """The camera at each frame, and the turns on the spot."""

    time_s: NDArray[np.float64]  # (n,)
    position_m: NDArray[np.float64]  # (n, 3)
    world_from_cam: NDArray[np.float64]  # (n, 3, 3) rotations, OpenCV camera axes
    turns: list[dict]


def apartment_tour() -> tuple[tuple[float, float], float, list]:
    """The way through the whole apartment: start, heading in degrees, moves."""
    return (
        (1.0, 5.5),
        0.0,
        [
            Wait(0.6),
            Walk(((4.0, 5.5), (4.0, 2.2), (2.95, 2.2))),
            Turn(180),
            Walk(((6.9, 2.05),)),
            Turn(-130),
            Wait(0.3),
            Turn(220, 48),
            Walk(((7.2, 2.9), (7.2, 5.5), (1.7, 5.4), (1.7, 7.2), (1.95, 8.1)), 0.8),
            Turn(-177, 42),
            Walk(((1.7, 7.0), (1.7, 5.5), (6.0, 5.5), (6.0, 7.7))),
            Turn(-150),
            Wait(0.6),
        ],
    )


def short_walk() -> tuple[tuple[float, float], float, list]:
    """From the hall into the living room, with one turn."""
    way = Walk(((4.0, 2.2), (3.1, 2.2)))
    return (4.0, 5.1), -90.0, [Wait(0.2), way, Turn(150, 40), Walk(((4.75, 1.3),)), Wait(0.4)]


def straight_walk() -> tuple[tuple[float, float], float, list]:
    """Along the hall, facing east."""
    return (1.0, 5.5), 0.0, [Walk(((5.0, 5.45),)), Wait(2.0)]


def make_tiled_walk() -> tuple[tuple[float, float], float, list]:
    """Briskly along the tiled hall and back, looking at its north wall, which is nearly all that there is to see.

    At three frames a second most pairs of nearby frames then overlap better one tile off than where they belong.
    """
    out = Walk(((8.8, 5.2),), speed_mps=0.95, look_deg=85)
    back = Walk(((1.0, 5.2),), speed_mps=0.95, look_deg=-85)
    return (1.0, 5.2), 85.0, [Wait(0.3), out, back, Wait(3.0)]


def camera_path(
    start_m: tuple[float, float], heading_deg: float, moves: list, fps: float, seed: int, length_s: float | None = None
) -> CameraPath:
    """Time the moves, add a walker's sway and sample at the frame rate.

    Args:
        start_m: First position on the floor.
        heading_deg: First heading, counter-clockwise from +x.
        moves: `Walk`, `Turn` and `Wait` in order.
        fps: Frames per second.
        seed: Seed of the sway.
        length_s: Cut the walk here if given.
    """
    step_s = 1 / 240
    places, headings, turns = [np.array([start_m])], [np.array([np.radians(heading_deg)])], []
    for move in moves:
        here, heading = places[-1][-1], headings[-1][-1]
        begin = sum(len(block) for block in places)
        if isinstance(move, Walk):
            path, angles = _walk(here, heading, move, step_s)
        elif isinstance(move, Turn):
            angles = heading + np.radians(_ease_turn(move, step_s))
            path = np.repeat(here[None], len(angles), axis=0)
            turns.append({"begin": begin, "end": begin + len(angles), "angle_deg": float(move.angle_deg)})
        else:
            angles = np.full(round(move.time_s / step_s), heading)
            path = np.repeat(here[None], len(angles), axis=0)
        places.append(path)
        headings.append(angles)
    xy, yaw = np.concatenate(places), np.concatenate(headings)
    yaw = gaussian_filter1d(yaw, 0.12 / step_s, mode="nearest")
    xy = gaussian_filter1d(xy, 0.1 / step_s, axis=0, mode="nearest")
    position, rotation = _sway(xy, yaw, step_s, np.random.default_rng(seed))
    total_s = min((len(xy) - 1) * step_s, length_s or np.inf)
    time_s = np.arange(int(total_s * fps)) / fps
    index = np.round(time_s / step_s).astype(int)
    found = [
        {
            "start_s": round(turn["begin"] * step_s, 3),
            "end_s": round(turn["end"] * step_s, 3),
            "angle_deg": turn["angle_deg"],
            "position_m": [round(float(c), 4) for c in position[turn["begin"] : turn["end"]].mean(axis=0)],
        }
        for turn in turns
        if turn["end"] * step_s <= total_s
    ]
    return CameraPath(time_s, position[index], rotation[index], found)


def _ease_turn(move: Turn, step_s: float) -> NDArray[np.float64]:
    """Angle over time: speed up within 0.4 s, hold the rate, slow down."""
    ramp_s, total = 0.4, abs(move.angle_deg)
    time_s = total / move.rate_dps + ramp_s
    t = np.arange(step_s, time_s + step_s / 2, step_s)
    rate = np.clip(np.minimum(t, time_s - t) / ramp_s, 0, 1)
    rate = rate**2 * (3 - 2 * rate)
    angle = np.cumsum(rate)
    return move.angle_deg * angle / angle[-1]


def _walk(here: NDArray, heading: float, move: Walk, step_s: float) -> tuple[NDArray, NDArray]:
    """Positions and headings at equal times along a rounded polyline, slow in curves and at the ends."""
    corners = np.vstack([here, *[np.array(point)[None] for point in move.way_m]])
    line = _round_corners(corners, move.radius_m)
    ds = 0.004
    steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    arc = np.concatenate([[0], np.cumsum(steps)])
    s = np.arange(0, arc[-1], ds)
    xy = np.stack([np.interp(s, arc, line[:, k]) for k in range(2)], axis=-1)
    tangent = np.gradient(xy, axis=0)
    yaw = np.unwrap(np.arctan2(tangent[:, 1], tangent[:, 0])) + np.radians(move.look_deg)
    yaw += 2 * np.pi * np.round((heading - yaw[0]) / (2 * np.pi))
    yaw = gaussian_filter1d(yaw, 0.12 / ds, mode="nearest")
    curvature = np.abs(np.gradient(yaw, ds))
    speed = np.minimum(move.speed_mps, np.radians(34) / np.maximum(curvature, 1e-3))
    speed[0] = speed[-1] = 0.05
    for order in (range(1, len(speed)), range(len(speed) - 2, -1, -1)):
        toward = 1 if order.step > 0 else -1
        for k in order:
            speed[k] = min(speed[k], np.sqrt(speed[k - toward] ** 2 + 2 * 0.55 * ds))
    time = np.concatenate([[0], np.cumsum(ds / np.maximum((speed[1:] + speed[:-1]) / 2, 0.03))])
    t = np.arange(step_s, time[-1], step_s)
    place = np.interp(t, time, s)
    # The way may start a little off the heading that the last turn left: blend the difference away.
    offset = (heading - yaw[0]) * np.exp(-place / 0.25)
    return np.stack([np.interp(place, s, xy[:, k]) for k in range(2)], -1), np.interp(place, s, yaw) + offset


def _round_corners(corners: NDArray, radius_m: float) -> NDArray:
    """A polyline whose corners are arcs."""
    points = [corners[0]]
    for before, corner, after in zip(corners[:-2], corners[1:-1], corners[2:], strict=True):
        a, b = before - corner, after - corner
        la, lb = np.linalg.norm(a), np.linalg.norm(b)
        half = np.arccos(np.clip(a @ b / la / lb, -1, 1)) / 2
        back = min(radius_m / np.tan(half), 0.48 * la, 0.48 * lb)
        if np.pi / 2 - half < 1e-3:
            continue
        start, end = corner + a / la * back, corner + b / lb * back
        center = corner + (a / la + b / lb) / np.linalg.norm(a / la + b / lb) * back / np.cos(half)
        first, last = np.arctan2(*(start - center)[::-1]), np.arctan2(*(end - center)[::-1])
        sweep = (last - first + np.pi) % (2 * np.pi) - np.pi
        angle = first + np.linspace(0, 1, 40) * sweep
        points += list(center + np.linalg.norm(start - center) * np.stack([np.cos(angle), np.sin(angle)], -1))
    return np.array([*points, corners[-1]])


def _sway(xy: NDArray, yaw: NDArray, step_s: float, rng: np.random.Generator) -> tuple[NDArray, NDArray]:
    """Add steps, arm and hand shake; return camera positions and world_from_cam rotations."""
    n = len(xy)
    speed = gaussian_filter1d(np.linalg.norm(np.gradient(xy, axis=0), axis=1) / step_s, 0.15 / step_s)
    spin = np.abs(np.gradient(yaw)) / step_s
    phase = np.cumsum(speed / 0.48 + spin / np.radians(38) * np.exp(-speed / 0.2)) * step_s  # one per step
    effort = np.clip(speed / 0.7 + 0.35 * spin, 0, 1)
    effort = gaussian_filter1d(effort, 0.2 / step_s)

    def drift(size: float, slow_s: float) -> NDArray:
        raw = gaussian_filter1d(rng.standard_normal(n), slow_s / step_s, mode="wrap")
        return size * raw / raw.std()

    forward = np.stack([np.cos(yaw), np.sin(yaw)], axis=-1)
    left = np.stack([-forward[:, 1], forward[:, 0]], axis=-1)
    lateral = 0.02 * effort * np.sin(np.pi * phase) + drift(0.006, 0.7)
    bob = 0.011 * effort * np.cos(2 * np.pi * phase) + drift(0.006, 0.8)
    position = np.zeros((n, 3))
    position[:, :2] = xy + ARM_M * forward + lateral[:, None] * left
    position[:, 2] = CAMERA_HEIGHT_M + bob
    yaw_cam = yaw + np.radians(drift(0.8, 0.5) + 0.5 * effort * np.sin(np.pi * phase + 0.6))
    pitch = np.radians(-PITCH_DOWN_DEG + drift(0.7, 0.5) + 0.35 * effort * np.sin(2 * np.pi * phase + 1.0))
    roll = np.radians(drift(0.6, 0.6) + 0.5 * effort * np.sin(np.pi * phase + 0.2))
    return position, _look(yaw_cam, pitch, roll)


def _look(yaw: NDArray, pitch: NDArray, roll: NDArray) -> NDArray:
    """world_from_cam rotations with OpenCV axes; pitch up positive, roll clockwise positive."""
    forward = np.stack([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), np.sin(pitch)], -1)
    right = np.stack([np.sin(yaw), -np.cos(yaw), np.zeros_like(yaw)], -1)
    down = np.cross(forward, right)
    c, s = np.cos(roll)[:, None], np.sin(roll)[:, None]
    return np.stack([c * right + s * down, -s * right + c * down, forward], axis=-1)

"""Find how two models stand to each other where the camera turned past something bare between them.

The pictures there hold a rotation, a floor and little else, so no points carry the scale over. But one person carried
the camera: its height above the floor is that of before. Both models are stood on their floors in units of that height,
frames are chained over the floor from either side, and the two chains must say the same. What they say about turning
and moving over the floor is taken; that the floors are level and of one height is known better from the models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from recon.audit.floor_height import FloorMask
from recon.geometry import Array, Pose, Sim3, angle_between_deg
from recon.merging.floor_chain import chain_over_floor
from recon.merging.floor_side import FloorSide, stand_on_floor
from recon.merging.floor_ties import REACH, Tie, read_ties
from recon.ranges import AtLeastOne, HalfTurn, Positive, Share
from recon.records import SubModel


@dataclass(frozen=True, kw_only=True)
class PanOptions:
    """When two models on both sides of a pan may become one."""

    max_gap_frames: AtLeastOne = 24
    """Frames without a pose between the two; a chain over more is worth nothing."""
    max_gap_s: Positive = 8.0
    """Time between the two: people pan for seconds."""
    max_pace: Positive = 1.3
    """Heights of the camera per second, some 2 m/s: faster than people walk through homes while they film."""
    max_scale_sigma: Share = 0.1
    """Relative standard deviation of the scale; above it the two stay apart. On a phone tour of 74 frames: 0.04."""
    max_scale_off: Share = 0.15
    """By how much the camera's height, carried over by a chain, may differ from 1 where it lands. On a phone tour: 0.02
    to 0.11 between sound models. Half of it is believed: hands rise too."""
    max_turn_off_deg: HalfTurn = 6.0
    """By how much the turns that the two chains tell may differ. On a phone tour: 1 deg."""
    max_shift_off: Positive = 0.3
    """And the shifts, in heights of the camera. On a phone tour: 0.02."""
    max_lean_deg: HalfTurn = 8.0
    """By how much the floor of either model may lean where the chain lands. On a phone tour: 3 and 5 deg between sound
    models, 9 and 12 where one was bent."""


@dataclass(frozen=True, eq=False)
class PanJoin:
    """How the second model stands to the first, in the frame and unit of the first."""

    first_from_second: Sim3
    between: Mapping[int, Pose]
    """World_from_cam of frames between the two."""
    turn_off_deg: float
    """By how much the turns that the two chains tell differ."""
    told_by: str
    """What told scale and turn, for people."""


def find_pan_join(
    first: SubModel,
    second: SubModel,
    database_path: Path,
    floors: Mapping[int, FloorMask],
    times_s: Mapping[int, float],
    options: PanOptions = PanOptions(),
    seed: int = 0,
) -> PanJoin | str:
    """Find how a model stands to the one before it.

    Args:
        first: Its frames come before those of the second.
        second: Of the same shot.
        database_path: From `build_database`.
        floors: Where the pictures of frames around the gap show the floor, so that the vertical is that of the place.
        times_s: Of all frames.
        options: What is asked.
        seed: Of the sampling.

    Returns:
        Why it is not settled, where it is not.
    """
    before = stand_on_floor(first, floors, first.frames[-_NEAR:], seed)
    after = stand_on_floor(second, floors, second.frames[:_NEAR], seed)
    if before is None or after is None:
        return "too little floor is seen beside the pan, so nothing tells the scale"
    gap = range(first.frames[-1] + 1, second.frames[0])
    cameras = dict.fromkeys([*first.frames[-REACH:], *gap], before.camera)
    cameras |= dict.fromkeys(second.frames[:REACH], after.camera)
    chains = _chain(before, after, gap, read_ties(database_path, cameras, floors), seed)
    if isinstance(chains, str):
        return chains
    return _judge(before, after, *chains, times_s, options)


_NEAR = 8
"""Frames beside the gap whose height above the floor is compared: three seconds."""
_LANDING = 4
"""Frames of the other side that a chain places: they tell where it landed."""


@dataclass(frozen=True, eq=False)
class _Landing:
    """Where a chain put the other side, over the floor from which it set out."""

    turn_rad: float
    """About the vertical."""
    shift: Array  # (2,)
    height: float
    """Of the camera over the floor from which it set out, in units of its height over its own floor."""
    lean_deg: float
    placed: Mapping[int, Pose]
    """Frames between the two sides."""

    def inverse(self) -> _Landing:
        """The same, seen from the other side."""
        back = _move_over_floor(self.turn_rad, self.shift).inverse()
        placed = {frame: back.move_camera(pose) for frame, pose in self.placed.items()}
        return _Landing(-self.turn_rad, back.translation[:2], 1.0 / self.height, self.lean_deg, placed)


def _move_over_floor(turn_rad: float, shift: Array, scale: float = 1.0) -> Sim3:
    return Sim3(scale, Rotation.from_euler("z", turn_rad).as_matrix(), np.array([*shift, 0.0]))


def _chain(
    before: FloorSide, after: FloorSide, gap: Sequence[int], ties: Mapping[int, Sequence[Tie]], seed: int
) -> tuple[_Landing, _Landing] | str:
    """Where the second side is over the floor of the first, by a chain from either side; else why there is none."""
    focal_px = 0.5 * (before.camera.fx + after.camera.fx)
    tail = {frame: before.floor_from_cam(frame) for frame in before.model.frames[-REACH:]}
    head = {frame: after.floor_from_cam(frame) for frame in after.model.frames[:REACH]}
    landings: list[_Landing] = []
    for known, order, other in ((tail, gap, head), (head, gap[::-1], dict(reversed(tail.items())))):
        goal = list(other)[:_LANDING]
        placed = chain_over_floor(known, [*order, *goal], ties, focal_px, seed)
        landed = [frame for frame in goal if frame in placed]
        if not landed:
            lost = next(frame for frame in [*order, *goal] if frame not in placed)
            return f"the floor does not lead over the pan: too few of its matches place frame {lost}"
        landings.append(_land(placed, other, landed, gap))
    return landings[0], landings[1].inverse()


def _land(placed: Mapping[int, Pose], own: Mapping[int, Pose], landed: Sequence[int], gap: Sequence[int]) -> _Landing:
    """What most of the frames that were reached say."""
    turns = Rotation.from_matrix([placed[frame].rotation @ own[frame].rotation.T for frame in landed])
    turn = turns.mean().as_matrix()
    about = float(np.arctan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1]))
    level = Rotation.from_euler("z", about).as_matrix()
    shift = np.median([placed[frame].center - level @ own[frame].center for frame in landed], axis=0)
    height = float(np.median([placed[frame].center[2] / own[frame].center[2] for frame in landed]))
    lean_deg = angle_between_deg(turn[:, 2], np.array([0.0, 0.0, 1.0]))
    return _Landing(about, shift[:2], height, lean_deg, {frame: placed[frame] for frame in gap})


def _judge(
    before: FloorSide,
    after: FloorSide,
    forward: _Landing,
    backward: _Landing,
    times_s: Mapping[int, float],
    options: PanOptions,
) -> PanJoin | str:
    """The middle of what the two chains say, or what speaks against it."""
    apart_rad = (forward.turn_rad - backward.turn_rad + np.pi) % (2 * np.pi) - np.pi
    turn_off_deg, shift_off = float(np.degrees(abs(apart_rad))), float(np.linalg.norm(forward.shift - backward.shift))
    if turn_off_deg > options.max_turn_off_deg or shift_off > options.max_shift_off:
        return (
            f"from one side and from the other the floor tells turns that differ by {turn_off_deg:.0f} deg and places "
            f"{shift_off:.2f} heights of the camera apart, allowed {options.max_turn_off_deg:g} deg and "
            f"{options.max_shift_off:g}"
        )
    lean_deg = max(forward.lean_deg, backward.lean_deg)
    if lean_deg > options.max_lean_deg:
        return f"the two floors lean by {lean_deg:.0f} deg, allowed {options.max_lean_deg:g}; one model is bent"
    offs = np.log([forward.height, backward.height])
    if np.abs(offs).max() > np.log1p(options.max_scale_off):
        change = np.expm1(np.abs(offs).max())
        return f"the camera's height changes by {change:.0%} over the pan, allowed {options.max_scale_off:.0%}"
    sigma = float(np.hypot(np.hypot(before.height_sigma, after.height_sigma), 0.5 * np.abs(offs).max()))
    if sigma > options.max_scale_sigma:
        return f"the scale is known to {sigma:.0%} only, allowed {options.max_scale_sigma:.0%}"
    turn = forward.turn_rad - 0.5 * apart_rad
    shift = 0.5 * (forward.shift + backward.shift)
    middle = _move_over_floor(turn, shift, float(np.exp(0.5 * offs.mean())))
    between = _share_out(forward, backward)
    last, first = before.model.frames[-1], after.model.frames[0]
    walk = {last: before.floor_from_cam(last), **between, first: middle.move_camera(after.floor_from_cam(first))}
    moved = float(np.linalg.norm(walk[first].center - walk[last].center))
    if moved > options.max_pace * (times_s[first] - times_s[last]):
        return f"the camera would move by {moved:.1f} times its height over the pan, faster than people walk"
    model_from_floor = before.floor_from_model.inverse()
    headings = [np.arctan2(pose.forward[1], pose.forward[0]) for pose in (walk[last], walk[first])]
    turned = float(np.degrees((headings[1] - headings[0] + np.pi) % (2 * np.pi) - np.pi))
    told_by = (
        f"scale by the camera's height above the same floor, known to {sigma:.0%}; turn of {turned:.0f} deg by the "
        f"floor seen over {len(between)} frames between, from both sides alike within {turn_off_deg:.1f} deg"
    )
    return PanJoin(
        model_from_floor @ middle @ after.floor_from_model,
        {frame: model_from_floor.move_camera(pose) for frame, pose in between.items()},
        turn_off_deg,
        told_by,
    )


def _share_out(forward: _Landing, backward: _Landing) -> dict[int, Pose]:
    """Each frame between the sides as the chain from the nearer side has it."""
    frames = sorted(forward.placed)
    half = (len(frames) + 1) // 2
    return {frame: (forward if place < half else backward).placed[frame] for place, frame in enumerate(frames)}

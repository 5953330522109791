"""A rough walk over the floor from a model that holds every frame, but not its scale.

Where the camera turns past something bare, learned keypoints still register every frame, and the model is torn there:
what follows has another scale and another turn. Between such places it is right. So its pieces are stood on the floors
that each of them sees, in units of the camera's height, and put one behind the other by the turns that the bearings of
common keypoints tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pycolmap
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from recon.audit.audit import find_leaps
from recon.audit.floor_height import (
    LEAST_NEAR,
    FloorMask,
    FloorPlane,
    choose_unit,
    find_floor_plane,
    heights_above_called,
    smooth_heights,
)
from recon.audit.torn import TORN_LEARNED, find_torn_seams
from recon.audit.verdict import LEAST_FRAMES, cut_at
from recon.colmap.database import open_database
from recon.colmap.fuse import subset
from recon.colmap.observations import keypoints_by_frame, read_pose
from recon.geometry import Array, Camera, Pose, angle_between_deg
from recon.matching.pair_filter import measure_turn

_MOST_LEAN_DEG = 20.0
"""Between the plane of a piece's floor and the vertical carried over to it. One that leans more is a wall or a bed that
passes for floor in places, and the vertical stays as it was carried; heights above what is called floor still tell."""
_STEADY_HEIGHT_RATIO = 1.5  # highest over lowest camera above the floor in a piece that keeps its shape
_CAMERA_HEIGHT_RANGE = (0.6, 1.6)
"""Between which a camera is carried there, in heights of the camera: what lies outside is a lean of the floor."""
_MAX_HEIGHTS_PER_S = 1.0
"""In heights of the camera per second, to which longer steps are cut: what is cut off, the matches give back."""
_UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class FloorKeypoints:
    """Keypoints of a frame, by their rows in the database, whose points tell whether they lie on the floor."""

    on: NDArray[np.int64]
    off: NDArray[np.int64]  # called floor by the masks, and off its level


@dataclass(frozen=True, eq=False)
class RoughWalk:
    """Turns of each frame, and its way over the floor."""

    rotations: Array  # (F, 3, 3) floor_from_cam, z up
    centers: Array  # (F, 3) in heights of the camera; about 1 above the floor
    keypoints: Mapping[int, FloorKeypoints]  # of frames in pieces that have a floor


def initialize_on_floor(
    model: pycolmap.Reconstruction,
    database_path: Path,
    floors: Mapping[int, FloorMask],
    times_s: Array,
    seed: int = 0,
    seams: Sequence[tuple[int, int]] = (),
) -> RoughWalk | None:
    """Stand a model over the floor, piece by piece.

    Args:
        model: Of learned keypoints, torn where its scale broke.
        database_path: From `build_database`, with the keypoints of the model.
        floors: Where pictures show the floor.
        times_s: (F,) of its frames.
        seed: For drawing planes.
        seams: Neighbouring frames between which the model's poses say nothing.

    Returns:
        None where no piece sees enough of the floor.
    """
    frames = sorted(model.reg_image_ids())
    poses = [read_pose(model, frame) for frame in frames]
    # Parted at the seams and where the model is torn or leaps.
    places = [*seams, *(tear.frames for tear in find_torn_seams(model, database_path, TORN_LEARNED))]
    places += [leap.frames for of_one_unit in cut_at(frames, seams) for leap in find_leaps(model, of_one_unit)]
    row_of = {frame: row for row, frame in enumerate(frames)}
    pieces = [[row_of[frame] for frame in piece] for piece in cut_at(frames, places)]
    keypoints: dict[int, FloorKeypoints] = {}
    planes = [_find_plane(model, [frames[row] for row in piece], floors, seed, keypoints) for piece in pieces]
    weights = [
        0 if plane is None else len(plane.points) * len(piece) for plane, piece in zip(planes, pieces, strict=True)
    ]
    anchor = int(np.argmax(weights))
    first = planes[anchor]
    if first is None:
        return None
    camera = Camera.from_colmap(next(iter(model.cameras.values())))
    rotations, steps = np.zeros((len(frames), 3, 3)), np.zeros((max(0, len(frames) - 1), 3))
    heights = np.ones(len(frames))

    def place(piece: Sequence[int], plane: FloorPlane | None, turn: Array) -> None:
        if plane is None:
            level, way = turn, _scale_roughly(model, [frames[row] for row in piece], floors, turn)
        else:
            level, way, heights[piece] = _align_to_floor(piece, frames, poses, plane, turn)
        rotations[piece] = [level @ poses[row].rotation for row in piece]
        steps[piece[:-1]] = way

    place(pieces[anchor], first, _turn_to_up(first.up))
    onwards = [(n, pieces[n][0], pieces[n][0] - 1) for n in range(anchor + 1, len(pieces))]
    backwards = [(n, pieces[n][-1], pieces[n][-1] + 1) for n in range(anchor - 1, -1, -1)]
    with open_database(database_path) as database:
        for n, row, placed in (*onwards, *backwards):
            told = measure_turn(database, frames[placed], frames[row], camera)
            if told is not None:
                turn = told.first_from_second
            elif (frames[min(placed, row)], frames[max(placed, row)]) in seams:
                turn = np.eye(3)  # nobody knows how it turned
            else:
                turn = poses[placed].rotation.T @ poses[row].rotation
            place(pieces[n], planes[n], rotations[placed] @ turn @ poses[row].rotation.T)
    lengths = np.linalg.norm(steps, axis=1)
    steps *= np.minimum(1.0, _MAX_HEIGHTS_PER_S * np.diff(times_s) / np.maximum(lengths, 1e-9))[:, None]
    centers = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    centers[:, 2] = heights
    return RoughWalk(rotations, centers, keypoints)


def _find_plane(
    model: pycolmap.Reconstruction,
    frames: Sequence[int],
    floors: Mapping[int, FloorMask],
    seed: int,
    keypoints: dict[int, FloorKeypoints],
) -> FloorPlane | None:
    """The floor of a piece; what it tells of the piece's keypoints is added to `keypoints`."""
    if len(frames) < LEAST_FRAMES:
        return None
    part = subset(model, frames)
    plane = find_floor_plane(part, floors, seed)
    if plane is not None:
        for frame, found in keypoints_by_frame(part).items():
            on, off = (np.flatnonzero(np.isin(found.points, ids)) for ids in (plane.ids, plane.off))
            keypoints[frame] = FloorKeypoints(on, off)
    return plane


def _scale_roughly(
    model: pycolmap.Reconstruction, frames: Sequence[int], floors: Mapping[int, FloorMask], turn: Array
) -> Array:
    """The steps (P - 1, 3) of a piece in which nobody finds a floor, by what is called so without being level.

    Cabinets and walls are among it, so the size is rough. A start that stands still is worse: on a phone tour in few
    bits the adjustment left such a piece at 0.45 of its size.
    """
    centers = np.array([model.image(frame).projection_center() for frame in frames])
    known = heights_above_called(subset(model, frames), floors, turn[2]) if len(frames) >= LEAST_FRAMES else {}
    unit = choose_unit(known, len(frames))
    return np.diff(centers, axis=0).reshape(-1, 3) @ turn.T / unit if unit > 0 else np.zeros((len(frames) - 1, 3))


def _align_to_floor(
    piece: Sequence[int], frames: Sequence[int], poses: Sequence[Pose], plane: FloorPlane, turn: Array
) -> tuple[Array, Array, Array]:
    """The turn (3, 3) from the model that makes a piece level, from one that nearly does.

    Also its steps (P - 1, 3) and the heights (P,) of its frames.
    """
    nowhere = np.zeros((len(piece) - 1, 3)), np.ones(len(piece))
    level = turn
    if angle_between_deg(turn @ plane.up, _UP) <= _MOST_LEAN_DEG:
        level = _turn_to_up(turn @ plane.up) @ turn
    up = level[2]  # in the model
    heights: dict[int, float] = {}
    for row in piece:
        near = plane.near(frames[row])
        if len(near) >= LEAST_NEAR:
            height = float(np.median((poses[row].center - near) @ up))
            heights |= {row: np.log(height)} if height > 0 else {}
    if not heights:
        return level, *nowhere
    known = list(heights)
    logs = np.array(list(heights.values()))
    smooth = smooth_heights(logs)
    centers = np.array([poses[row].center for row in piece])
    ways = np.diff(centers, axis=0).reshape(-1, 3) @ level.T
    if np.ptp(smooth) <= np.log(_STEADY_HEIGHT_RATIO):
        # Its scale holds: the camera rises and sinks by itself, and the piece stays as it is.
        unit = float(np.exp(np.median(logs)))
        of_known = np.isin(piece, known)
        floor = float(np.median((centers @ up)[of_known] - np.exp(logs)))
        return level, ways / unit, np.clip((centers @ up - floor) / unit, *_CAMERA_HEIGHT_RANGE)
    units = np.exp(np.interp(piece, known, smooth))
    return level, ways / np.sqrt(units[1:] * units[:-1])[:, None], np.ones(len(piece))


def _turn_to_up(direction: Array) -> Array:
    """The least turn (3, 3) that takes a unit vector to +z."""
    axis = np.cross(direction, _UP)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-9:
        return np.eye(3) if direction[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return Rotation.from_rotvec(axis / sine * np.arctan2(sine, direction[2])).as_matrix()

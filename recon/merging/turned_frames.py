"""Give frames that no model holds a pose by their turns, where the camera turned on the spot past something bare.

Points there have no depth, so a mapper leaves such frames out or their stretch is cut off, at the end of a walk or
between two places that are joined. But what they show tells how the camera turned, and it hardly moved: of pans in ten
made homes, dark and blurred ones among them, steps that passed for turns were off by 0.3 degrees and moved the camera
by 2 cm (medians; nine of ten below 0.7 degrees and 10 cm). They get no points, for nothing tells their depth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import pycolmap
from scipy.spatial.transform import Rotation, Slerp

from recon.colmap.database import open_database
from recon.colmap.poses import add_frames, read_pose
from recon.findings import Finding
from recon.geometry import Array, Camera, Pose, angle_between_deg
from recon.matching.turns import measure_turn
from recon.records import Frame, SubModel

_MOST_OFF_DEG = 0.5
"""Median angle by which bearings are off the turn between two frames. Of steps on pans in made homes 0.08 to 0.44; of
walking ones seven in ten have more, and one in thirteen passes for a turn."""
_LEAST_TURN = 8.0
"""Times that the turn is as large: what walks straight on towards things far away is not far off a small turn. Of pans
in made homes 15 and more."""
_LEAST_MATCHES = 30
"""Verified, between two frames. Set by hand."""
_MOST_FRAMES, _MOST_S = 24, 8.0
"""Of a run that is placed, as of a pan between two models."""
_CLOSE_DEG, _CLOSE_SHARE = 3.0, 0.05
"""By how much the turns over a run may miss the frame of the model behind it: steps add up, and a focal length known to
5 % makes as much of the turn. Of a made pan of 130 deg 6.1, mostly the model's."""


def place_turned_frames(
    models: Sequence[SubModel], database_path: Path, frames: Sequence[Frame]
) -> tuple[list[SubModel], list[Finding]]:
    """Add frames beside those of a model while the camera only turns from one to the next.

    Between two frames of one model a run is placed if it turns as far as these do, and the camera moves evenly from one
    to the other; beside an end, as far as it only turns, and the camera stays where it was.

    Returns:
        The models by their new names, the largest first, and a finding for each run of frames that was placed.
    """
    held = {frame for model in models for frame in model.frames}
    if not models or held.issuperset(frame.index for frame in frames):
        return list(models), []
    result: list[SubModel] = []
    findings: list[Finding] = []
    with open_database(database_path) as database:
        for model in models:
            placed: dict[int, Pose] = {}
            for run in _list_lacking(frames, held):
                found = _place(model.reconstruction, run, database)
                if found.poses:
                    placed |= found.poses
                    findings.append(_tell(found))
            held |= placed.keys()
            result.append(_add(model, placed, database) if placed else model)
    result.sort(key=lambda model: (-len(model.frames), model.frames))
    return [replace(model, name=f"merged/{place}") for place, model in enumerate(result)], findings


@dataclass(frozen=True)
class _Run:
    """Frames of one shot that follow each other and that no model holds, and their neighbours in the shot."""

    frames: tuple[Frame, ...]
    before: Frame | None
    after: Frame | None


@dataclass(frozen=True, eq=False)
class _Placed:
    """World_from_cam of frames of a run, and how it was found."""

    poses: Mapping[int, Pose]
    turn_deg: float = 0.0
    """From the first frame that is known to the last one that is placed, or to the known one behind it."""
    closed_deg: float | None = None
    """By how much the turns differ from what the model has; None beside an end."""


def _list_lacking(frames: Sequence[Frame], held: set[int]) -> list[_Run]:
    runs: list[_Run] = []
    for _, of_shot in groupby(frames, lambda frame: frame.shot):
        shot = list(of_shot)
        begin = 0
        for is_held, group in groupby(shot, lambda frame: frame.index in held):
            run = tuple(group)
            end = begin + len(run)
            if not is_held:
                before, after = shot[begin - 1] if begin else None, shot[end] if end < len(shot) else None
                runs.append(_Run(run, before, after))
            begin = end
    return runs


def _place(model: pycolmap.Reconstruction, run: _Run, database: pycolmap.Database) -> _Placed:
    """Poses of frames of a run beside those of a model; none where it does not turn there."""
    known = set(model.reg_image_ids())
    before, after = (frame if frame is not None and frame.index in known else None for frame in (run.before, run.after))
    if before is not None and after is not None:
        return _place_between(model, before, run.frames, after, database)
    if before is not None:
        return _place_beside(model, before, run.frames, database)
    if after is not None:
        return _place_beside(model, after, run.frames[::-1], database)
    return _Placed({})


def _place_between(
    model: pycolmap.Reconstruction, before: Frame, run: Sequence[Frame], after: Frame, database: pycolmap.Database
) -> _Placed:
    if len(run) > _MOST_FRAMES or after.time_s - before.time_s > _MOST_S:
        return _Placed({})
    first, last = read_pose(model, before.index), read_pose(model, after.index)
    turns = _chain(model, before, [*run, after], database)
    if after.index not in turns:
        return _Placed({})
    off = last.rotation @ turns[after.index].T
    off_deg = float(np.degrees(Rotation.from_matrix(off).magnitude()))
    turn_deg = _measure_turn_deg([first.rotation, *turns.values()])
    if off_deg > _CLOSE_DEG + _CLOSE_SHARE * turn_deg:
        return _Placed({})
    shares = [(frame.time_s - before.time_s) / (after.time_s - before.time_s) for frame in run]
    # What the turns are off by over the whole run is shared out over it.
    back = Slerp([0.0, 1.0], Rotation.from_matrix([np.eye(3), off]))(shares).as_matrix()
    poses = {
        frame.index: Pose(turn @ turns[frame.index], (1.0 - share) * first.center + share * last.center)
        for frame, turn, share in zip(run, back, shares, strict=True)
    }
    return _Placed(poses, turn_deg, off_deg)


def _place_beside(
    model: pycolmap.Reconstruction, end: Frame, run: Sequence[Frame], database: pycolmap.Database
) -> _Placed:
    """Frames on and on from the end of a model, which may be its beginning."""
    first = read_pose(model, end.index)
    near = [frame for frame in run[:_MOST_FRAMES] if abs(frame.time_s - end.time_s) <= _MOST_S]
    turns = _chain(model, end, near, database)
    poses = {frame: Pose(turn, first.center) for frame, turn in turns.items()}
    return _Placed(poses, _measure_turn_deg([first.rotation, *turns.values()]))


def _chain(
    model: pycolmap.Reconstruction, end: Frame, order: Sequence[Frame], database: pycolmap.Database
) -> dict[int, Array]:
    """World_from_cam rotations (3, 3) of frames one after the other, up to the first that does not only turn."""
    camera = Camera.from_colmap(model.camera(model.image(end.index).camera_id))
    last, rotation = end.index, read_pose(model, end.index).rotation
    turns: dict[int, Array] = {}
    for frame in order:
        turn = measure_turn(database, last, frame.index, camera, _LEAST_MATCHES)
        if turn is None or not _is_turn(turn.first_from_second, turn.left_rad):
            break
        last, rotation = frame.index, rotation @ turn.first_from_second
        turns[last] = rotation
    return turns


def _is_turn(rotation: Array, off_rad: float) -> bool:
    turned = Rotation.from_matrix(rotation).magnitude()
    return bool(off_rad <= np.radians(_MOST_OFF_DEG) and turned >= _LEAST_TURN * off_rad)


def _measure_turn_deg(world_from_cam: Sequence[Array]) -> float:
    """Sum of the angles between the viewing directions of rotations (3, 3) one after the other."""
    return sum(angle_between_deg(one[:, 2], other[:, 2]) for one, other in pairwise(world_from_cam))


def _add(model: SubModel, placed: Mapping[int, Pose], database: pycolmap.Database) -> SubModel:
    larger = pycolmap.Reconstruction(model.reconstruction)
    add_frames(larger, placed, database)
    return replace(model, reconstruction=larger)


def _tell(placed: _Placed) -> Finding:
    frames = sorted(placed.poses)
    is_one = len(frames) == 1
    where = f"frame {frames[0]}" if is_one else f"frames {frames[0]}-{frames[-1]}"
    message = (
        f"the camera turns by {placed.turn_deg:.0f} deg past something without depth; "
        f"{'a frame' if is_one else f'{len(frames)} frames'} that no model held got "
        f"{'its pose from its turn' if is_one else 'their poses from their turns'}"
    )
    if placed.closed_deg is None:
        message += ", and the camera is taken to stand"
    else:
        message += f"; with the frames before and behind that agrees within {placed.closed_deg:.1f} deg"
    return Finding("info", "merge.by_turn", where, message)

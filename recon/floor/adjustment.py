"""Adjust a walk whose scale is held by the floor, where its pictures hold too little.

A bundle adjustment over tracks of matches with six more facts, each with its standard deviation: what is on the floor
lies at one height, the camera is carried at one height above it, nobody walks faster than people walk, nobody changes
pace at once, from frame to frame the camera turns as most bearings do, and it moves as a model has it where nothing
speaks against one. Lengths are in heights of the camera. Where
pictures hold translation these weigh next to nothing; where the camera turns past a bare wall they are all there is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, csr_matrix
from scipy.spatial.transform import Rotation

from recon.geometry import Array, cross_matrices

FLOOR_SIGMA = 0.03  # of a point on the floor: the segmenter takes carpets and thresholds for floor
HEIGHT_SIGMA = 0.08
"""Of the camera: a hand goes up and down by 3 cm as one walks, and by more as one looks at something low."""
PACE_SIGMA = 0.65
"""Per second. On a walk of known truth 99 of 100 steps are at most 0.93, on a phone tour 1.2."""
CHANGE_SIGMA = 1.2
"""Of the pace, per second squared. On a walk of known truth half are up to 0.7, 90 of 100 up to 1.4."""
_STAGES = ((12.0, 6), (4.0, 6), (1.5, 12))
"""Pixels at which a residual begins to count less, and steps: a start that is some degrees off is drawn in first."""
_LEAST_DEPTH = 0.02
"""Camera heights: what lies nearer to a camera, or behind it, projects to anywhere. Set by hand."""
_LEAST_GAIN = 1e-4  # relative gain below which a stage is done


@dataclass(frozen=True, eq=False)
class FloorWalk:
    """Poses and points over the floor at z = 0."""

    rotations: Array  # (F, 3, 3) floor_from_cam
    centers: Array  # (F, 3) in heights of the camera
    points: Array  # (T, 3)


@dataclass(frozen=True, eq=False)
class StepTurns:
    """Turns from frames to the next ones, as bearings tell them."""

    rows: NDArray[np.int64]  # (P,) of the earlier frames
    turns: Array  # (P, 3, 3) first_from_second
    sigmas: Array  # (P,) in radians


@dataclass(frozen=True, eq=False)
class StepMoves:
    """Moves from frames to the next ones, as models have them that nothing speaks against."""

    rows: NDArray[np.int64]  # (M,) of the earlier frames
    moves: Array  # (M, 3) in heights of the camera and in axes of the earlier frame
    sigmas: Array  # (M,) in heights of the camera


@dataclass(frozen=True, eq=False)
class FloorView:
    """What the frames see."""

    frame_rows: NDArray[np.int64]  # (S,)
    tracks: NDArray[np.int64]  # (S,)
    rays: Array  # (S, 3) at z = 1 in camera axes
    focal_px: float
    on_floor: NDArray[np.bool_]  # (T,)
    times_s: Array  # (F,) rising
    steps: StepTurns
    moves: StepMoves


def adjust_over_floor(start: FloorWalk, view: FloorView) -> FloorWalk:
    """The most likely walk, from a start whose turns are right to some 20 degrees.

    Its first frame keeps its heading and its place over the floor, which nothing tells.
    """
    walk, layout = start, _Layout.of(view, len(start.centers))
    for scale_px, steps in _STAGES:
        walk = _minimise(walk, layout, scale_px, steps)
    return walk


@dataclass(frozen=True, eq=False)
class _Layout:
    """Where the observations of a view stand in sparse matrices, which stays while walks change."""

    view: FloorView
    per_frame: csr_matrix  # (F, S) sums over the observations of each frame
    per_track: csr_matrix  # (T, S) over those of each track
    shape: tuple[int, int]  # (6F, 3T) of the matrix of frames by tracks

    @staticmethod
    def of(view: FloorView, frames: int) -> _Layout:
        """Build the sparsity pattern for a view of `frames` cameras."""
        tracks, seen = len(view.on_floor), np.arange(len(view.tracks))
        ones = np.ones(len(seen))
        # Their indices are the observations of one frame after the other, or of one track after the other.
        per_frame = csr_matrix((ones, (view.frame_rows, seen)), shape=(frames, len(seen)))
        per_track = csr_matrix((ones, (view.tracks, seen)), shape=(tracks, len(seen)))
        return _Layout(view, per_frame, per_track, (6 * frames, 3 * tracks))

    def frames_by_tracks(self, blocks: Array) -> bsr_matrix:
        """A (6F, 3T) matrix of blocks (S, 6, 3)."""
        order = self.per_frame.indices
        return bsr_matrix((blocks[order], self.view.tracks[order], self.per_frame.indptr), shape=self.shape)

    def tracks_by_frames(self, blocks: Array) -> bsr_matrix:
        """The transposed of what `frames_by_tracks` gives for the same blocks."""
        order = self.per_track.indices
        turned = blocks[order].transpose(0, 2, 1)
        return bsr_matrix((turned, self.view.frame_rows[order], self.per_track.indptr), shape=self.shape[::-1])


def _minimise(walk: FloorWalk, layout: _Layout, scale_px: float, steps: int) -> FloorWalk:
    view = layout.view
    damping, cost = 1e-4, _cost(walk, view, scale_px)
    for _ in range(steps):
        system = _linearise(walk, layout, scale_px)
        for _ in range(_MOST_DAMPING_STEPS):
            tried = _step(walk, system, damping)
            new = _cost(tried, view, scale_px)
            if new < cost:
                break
            damping *= 8.0
        else:
            return walk
        walk, gain, cost, damping = tried, cost - new, new, max(damping / 6.0, 1e-7)
        if gain < _LEAST_GAIN * cost:
            break
    return walk


_MOST_DAMPING_STEPS = 6
"""Steps, each damped more than the one before, until one lowers the cost; a stage that finds none is done."""


def _residuals(walk: FloorWalk, view: FloorView) -> tuple[Array, Array]:
    """Where points are seen off the keypoints in pixels (S, 2), and points in camera axes (S, 3)."""
    from_cam = walk.points[view.tracks] - walk.centers[view.frame_rows]
    seen = np.einsum("oji,oj->oi", walk.rotations[view.frame_rows], from_cam)
    depth = np.maximum(seen[:, 2:], _LEAST_DEPTH)
    return view.focal_px * (seen[:, :2] / depth - view.rays[:, :2]), seen


def _floor_sigma(scale_px: float) -> float:
    """Wider while residuals are: the start's floor is as rough as its turns."""
    return FLOOR_SIGMA * max(1.0, scale_px / 4.0)


def _cost(walk: FloorWalk, view: FloorView, scale_px: float) -> float:
    off, seen = _residuals(walk, view)
    square = np.where(seen[:, 2] > _LEAST_DEPTH, (off**2).sum(axis=1) / scale_px**2, _SQUARED_RESIDUAL_BEHIND)
    on_floor = (walk.points[view.on_floor, 2] / _floor_sigma(scale_px)) ** 2
    motion = sum(float((weight * (rows @ walk.centers) ** 2).sum()) for rows, weight in _motion(view.times_s))
    height = (((walk.centers[:, 2] - 1.0) / HEIGHT_SIGMA) ** 2).sum()
    turned = ((_measure_turned_off(walk, view.steps) / view.steps.sigmas[:, None]) ** 2).sum()
    moved = (((_own_moves(walk, view.moves) - view.moves.moves) / view.moves.sigmas[:, None]) ** 2).sum()
    return float(np.log1p(square).sum() + np.log1p(on_floor).sum() + height + motion + turned + moved)


def _own_moves(walk: FloorWalk, moves: StepMoves) -> Array:
    """(M, 3) How the walk moves there, in axes of the earlier frames."""
    apart = walk.centers[moves.rows + 1] - walk.centers[moves.rows]
    return np.einsum("mji,mj->mi", walk.rotations[moves.rows], apart)


def _measure_turned_off(walk: FloorWalk, steps: StepTurns) -> Array:
    """(P, 3) Rotation vectors in axes of the later frames: how much further the walk turns than the bearings."""
    own = walk.rotations[steps.rows].transpose(0, 2, 1) @ walk.rotations[steps.rows + 1]
    return Rotation.from_matrix(steps.turns.transpose(0, 2, 1) @ own).as_rotvec() if len(own) else np.zeros((0, 3))


_SQUARED_RESIDUAL_BEHIND = 100.0  # squared residual, in units of its scale, of a point behind the camera


def _motion(times_s: Array) -> list[tuple[Array, float | Array]]:
    """Rows (M, F) that take centres to paces and to changes of pace, and their weights."""
    frames = len(times_s)
    gaps = np.maximum(np.diff(times_s), 1e-2)[:, None]
    pace = np.diff(np.eye(frames), axis=0) / gaps
    between = 0.5 * (gaps[1:] + gaps[:-1])
    # Per frame gap: ten frames a second tell no more of a walk than three do.
    return [
        (pace, gaps / _SECOND_OF_WALK / PACE_SIGMA**2),
        (np.diff(pace, axis=0) / between, between / _SECOND_OF_WALK / CHANGE_SIGMA**2),
    ]


_SECOND_OF_WALK = 1.0 / 3.0
"""Seconds between two frames at which the standard deviations hold for each by itself."""


@dataclass(frozen=True, eq=False)
class _System:
    """Normal equations before the points are taken out."""

    cameras: Array  # (6F, 6F)
    camera_side: Array  # (6F,)
    points: Array  # (T, 3, 3)
    point_side: Array  # (T, 3)
    mixed: Array  # (S, 6, 3)
    layout: _Layout


def _linearise(walk: FloorWalk, layout: _Layout, scale_px: float) -> _System:
    frames, tracks, view = len(walk.centers), len(walk.points), layout.view
    off, seen = _residuals(walk, view)
    weight = 1.0 / (1.0 + (off**2).sum(axis=1) / scale_px**2) / scale_px**2
    weight[seen[:, 2] <= _LEAST_DEPTH] = 0.0
    by_seen = _slopes(seen, view.focal_px)
    by_point = by_seen @ walk.rotations[view.frame_rows].transpose(0, 2, 1)
    by_camera = np.concatenate([by_seen @ cross_matrices(seen), -by_point], axis=2)
    from_camera = (weight[:, None, None] * by_camera).transpose(0, 2, 1)
    from_point = (weight[:, None, None] * by_point).transpose(0, 2, 1)
    blocks = (layout.per_frame @ (from_camera @ by_camera).reshape(-1, 36)).reshape(frames, 6, 6)
    camera_side = layout.per_frame @ (from_camera @ off[:, :, None])[:, :, 0]
    points = (layout.per_track @ (from_point @ by_point).reshape(-1, 9)).reshape(tracks, 3, 3)
    point_side = layout.per_track @ (from_point @ off[:, :, None])[:, :, 0]
    sigma, level = _floor_sigma(scale_px), walk.points[view.on_floor, 2]
    held = 1.0 / (1.0 + (level / sigma) ** 2) / sigma**2
    points[view.on_floor, 2, 2] += held
    point_side[view.on_floor, 2] += held * level
    blocks[:, 5, 5] += HEIGHT_SIGMA**-2
    camera_side[:, 5] += (walk.centers[:, 2] - 1.0) * HEIGHT_SIGMA**-2
    cameras = np.zeros((frames, 6, frames, 6))
    cameras[np.arange(frames), :, np.arange(frames)] = blocks
    for rows, each in _motion(view.times_s):
        told = rows.T @ (each * rows)
        for axis in (3, 4, 5):
            cameras[:, axis, :, axis] += told
        camera_side[:, 3:] += told @ walk.centers
    _add_turns(cameras, camera_side, walk, view.steps)
    _add_moves(cameras, camera_side, walk, view.moves)
    upright = walk.rotations[0, 2]  # the vertical in camera axes: about it the first frame may not turn
    cameras[0, :3, 0, :3] += _GAUGE_WEIGHT * np.outer(upright, upright)
    cameras[0, [3, 4], 0, [3, 4]] += _GAUGE_WEIGHT
    return _System(
        cameras.reshape(6 * frames, 6 * frames), camera_side.ravel(), points, point_side, from_camera @ by_point, layout
    )


_GAUGE_WEIGHT = 1e8
"""Weight on what is free (place and heading of the first frame), far above that of any measurement. Set by hand."""


def _add_turns(cameras: Array, side: Array, walk: FloorWalk, steps: StepTurns) -> None:
    """Add what the bearings tell of turns to the normal equations of the cameras, (F, 6, F, 6) and (F, 6), in place."""
    off = _measure_turned_off(walk, steps)
    own = walk.rotations[steps.rows].transpose(0, 2, 1) @ walk.rotations[steps.rows + 1]
    for row, turn, apart, sigma in zip(steps.rows.tolist(), own, off, steps.sigmas.tolist(), strict=True):
        weight = sigma**-2
        cameras[row, :3, row, :3] += weight * np.eye(3)
        cameras[row + 1, :3, row + 1, :3] += weight * np.eye(3)
        cameras[row, :3, row + 1, :3] -= weight * turn
        cameras[row + 1, :3, row, :3] -= weight * turn.T
        side[row, :3] -= weight * (turn @ apart)
        side[row + 1, :3] += weight * apart


def _add_moves(cameras: Array, side: Array, walk: FloorWalk, moves: StepMoves) -> None:
    """Add what models tell of moves to the normal equations of the cameras, (F, 6, F, 6) and (F, 6), in place."""
    own = _own_moves(walk, moves)
    for row, move, off, sigma in zip(moves.rows.tolist(), own, own - moves.moves, moves.sigmas.tolist(), strict=True):
        back = walk.rotations[row].T
        slopes = np.concatenate([cross_matrices(move), -back, np.zeros((3, 3)), back], axis=1) / sigma
        both = np.array([row, row + 1])
        cameras[np.ix_(both, _POSE, both, _POSE)] += (slopes.T @ slopes).reshape(2, 6, 2, 6)
        side[both] += (slopes.T @ off / sigma).reshape(2, 6)


_POSE = np.arange(6)  # columns of a camera: three of its turn, three of its place


def _step(walk: FloorWalk, system: _System, damping: float) -> FloorWalk:
    """A damped step: the points are taken out, the cameras solved for, and the points follow."""
    diagonal = damping * np.einsum("tii->ti", system.points) + _POINT_FLOOR
    inverse = np.linalg.inv(system.points + diagonal[:, :, None] * np.eye(3))
    layout = system.layout
    back = layout.tracks_by_frames(system.mixed)
    by_points = layout.frames_by_tracks(system.mixed @ inverse[layout.view.tracks])
    reduced = system.cameras - bsr_matrix(by_points @ back).toarray()
    reduced[np.diag_indices_from(reduced)] += damping * np.diag(system.cameras) + 1e-9
    moved = np.linalg.solve(reduced, by_points @ system.point_side.ravel() - system.camera_side)
    follow = np.einsum("tij,tj->ti", inverse, -system.point_side - (back @ moved).reshape(-1, 3))
    turns = Rotation.from_rotvec(moved.reshape(-1, 6)[:, :3]).as_matrix()
    return replace(
        walk,
        rotations=walk.rotations @ turns,
        centers=walk.centers + moved.reshape(-1, 6)[:, 3:],
        points=walk.points + follow,
    )


_POINT_FLOOR = 1e-3  # keeps points that are seen without parallax from running away in one step


def _slopes(seen: Array, focal_px: float) -> Array:
    """Of pixels by places in camera axes, (S, 2, 3)."""
    depth = np.maximum(seen[:, 2], _LEAST_DEPTH)
    slopes = np.zeros((len(seen), 2, 3))
    slopes[:, 0, 0] = slopes[:, 1, 1] = focal_px / depth
    slopes[:, :, 2] = -focal_px * seen[:, :2] / depth[:, None] ** 2
    return slopes

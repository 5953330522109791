"""Give a model that holds every frame of a clip the scale that its pictures do not hold: that of the floor.

Only what the matches say, what is known of people with cameras (`floor.adjustment`), and steps of sound stretches go
in; the model gives the start. Where nothing speaks against a stretch, its pictures hold the walk better than the floor
does; what the floor has to tell is how such stretches stand to each other. Tracks come straight from verified matches,
without any pose: a start that is wrong cannot spoil them. What comes of it is judged like any other reconstruction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pycolmap
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from recon.adjust.refine import densify
from recon.audit.floor_height import FLOOR_SHARE, choose_unit, measure_heights
from recon.colmap.database import list_verified_pairs, open_database
from recon.colmap.observations import NO_POINT, add_frames, keypoints_by_frame, read_cams_from_world
from recon.floor.adjustment import FloorView, FloorWalk, StepMoves, StepTurns, adjust_over_floor
from recon.floor.start import FloorKeypoints, initialize_on_floor, measure_turn
from recon.floor_masks import FloorMask, look_up
from recon.geometry import Array, Camera, Pose

_REACH_FRAMES = 16  # frames between the two of a pair whose matches are chained
_TRACKS_PER_FRAME, _FLOOR_TRACKS_PER_FRAME = 150, 80
"""Tracks that are used, the longest first: more cost time and tell little."""
_BELIEVED_SHARE = 0.6
"""Of a track's keypoints that have points in the model. A model may have its scale from nowhere, but between the places
where it is torn it knows which matches agree. In few bits four fifths of the tracks do not: blocks of a plain floor
that stay where they were in the picture, and the walk stood still there with them."""
_LEAST_TRACKS_PER_FRAME = 80
"""Tracks below which a frame gets others too: where the camera only turns, a model has no points."""
_DEFAULT_DEPTH_HEIGHTS, _MOST_DEPTH_HEIGHTS, _LEAST_DEPTH_HEIGHTS = 2.0, 8.0, 0.1
"""Heights of the camera to a point whose rays do not tell, and between which they are believed."""

_ROUNDS = 2
"""The second with points placed anew: those that the rough walk put behind a camera or far off stay there."""


_BEARING_TURN_SIGMA, _BEARING_TURN_TIMES = np.radians(0.5), 1.5
"""Of a turn from frame to frame by bearings, and how many times what these leave over: a step past something flat turns
them alike. On made walks of known truth turns were off by up to 6 times what was left, in a pan by 2 times, and there
they are all that tells: with 3 times a phone's turn past a bare wall was bent by 7 degrees where the bearings were 2
off."""


def hold_by_floor(
    model: pycolmap.Reconstruction,
    database_path: Path,
    floors: Mapping[int, FloorMask],
    times_s: Mapping[int, float],
    sound: Sequence[pycolmap.Reconstruction] = (),
    seed: int = 0,
    seams: Sequence[tuple[int, int]] = (),
) -> pycolmap.Reconstruction | None:
    """A new model of the same frames whose scale the floor holds; its unit is the camera's height above it.

    Args:
        model: Of learned keypoints; perhaps torn where the camera turned on the spot.
        database_path: From `write_combined_database`.
        floors: Where pictures show the floor.
        times_s: Of its frames.
        sound: Models of some of the frames that nothing speaks against, the better first: how the camera turns and
            moves there is theirs.
        seed: Of the sampling.
        seams: Of a model that was put together (`concatenate_submaps`): neighbouring frames of two models.

    Returns:
        None where too little of the floor is seen.
    """
    frames = sorted(model.reg_image_ids())
    times = np.array([times_s[frame] for frame in frames])
    rough = initialize_on_floor(model, database_path, floors, times, seed, seams)
    if rough is None:
        return None
    camera = Camera.from_colmap(next(iter(model.cameras.values())))
    tracks = chain_matches(database_path, frames, _REACH_FRAMES)
    on_floor = _is_floor(tracks, frames, floors, rough.keypoints, camera)
    chosen = _choose(tracks, on_floor, _is_believed(tracks, frames, model), len(frames))
    tracks, on_floor = tracks.only(chosen), on_floor[chosen]
    rays, told = camera.rays(tracks.xy), _measure_steps(database_path, frames, camera)
    steps, moves = measure_sound_steps(sound, floors, frames, seed)
    view = FloorView(tracks.frame_rows, tracks.tracks, rays, camera.fx, on_floor, times, _prefer(steps, told), moves)
    rotations, centers = rough.rotations, rough.centers
    for _ in range(_ROUNDS):
        walk = adjust_over_floor(FloorWalk(rotations, centers, _place_points(rotations, centers, view)), view)
        rotations, centers = walk.rotations, walk.centers
    built = pycolmap.Reconstruction()
    built.add_camera_with_trivial_rig(pycolmap.Camera(next(iter(model.cameras.values())).todict()))
    with open_database(database_path) as database:
        add_frames(built, dict(zip(frames, map(Pose, rotations, centers), strict=True)), database)
    densify(built, database_path, frames, seed)
    return built


def _prefer(first: StepTurns, second: StepTurns) -> StepTurns:
    """The turns of the first, and those of the second where the first has none."""
    more = ~np.isin(second.rows, first.rows)
    return StepTurns(
        np.concatenate([first.rows, second.rows[more]]),
        np.concatenate([first.turns, second.turns[more]]),
        np.concatenate([first.sigmas, second.sigmas[more]]),
    )


def _measure_steps(database_path: Path, frames: list[int], camera: Camera) -> StepTurns:
    """The turns from each frame to the next that share enough."""
    with open_database(database_path) as database:
        found = [measure_turn(database, first, last, camera) for first, last in pairwise(frames)]
    known = [(row, turn) for row, turn in enumerate(found) if turn is not None]
    return StepTurns(
        np.array([row for row, _ in known], np.int64),
        np.array([turn.first_from_second for _, turn in known]).reshape(-1, 3, 3),
        np.array([_BEARING_TURN_SIGMA + _BEARING_TURN_TIMES * turn.left_rad for _, turn in known]),
    )


def _is_floor(
    tracks: MatchTracks,
    frames: list[int],
    floors: Mapping[int, FloorMask],
    keypoints: Mapping[int, FloorKeypoints],
    camera: Camera,
) -> NDArray[np.bool_]:
    """(T,) Whether most keypoints of a track lie on the floor: by their points, and where they have none by masks."""
    said = np.zeros(len(tracks.tracks))
    for row, frame in enumerate(frames):
        mask, of_frame = floors.get(frame), np.flatnonzero(tracks.frame_rows == row)
        if mask is not None:
            said[of_frame] = look_up(mask, tracks.xy[of_frame], (camera.width, camera.height))
        if frame in keypoints:
            own = tracks.keypoint_rows[of_frame]
            said[of_frame[np.isin(own, keypoints[frame].on)]] = 1.0
            said[of_frame[np.isin(own, keypoints[frame].off)]] = 0.0
    return np.bincount(tracks.tracks, said) > FLOOR_SHARE * np.bincount(tracks.tracks)


def _is_believed(tracks: MatchTracks, frames: list[int], model: pycolmap.Reconstruction) -> NDArray[np.bool_]:
    """(T,) Whether most keypoints of a track have points in the model."""
    said = np.zeros(len(tracks.tracks))
    keypoints = keypoints_by_frame(model)
    for row, frame in enumerate(frames):
        of_frame = np.flatnonzero(tracks.frame_rows == row)
        with_point = np.flatnonzero(keypoints[frame].points != NO_POINT)
        said[of_frame] = np.isin(tracks.keypoint_rows[of_frame], with_point)
    return np.bincount(tracks.tracks, said) > _BELIEVED_SHARE * np.bincount(tracks.tracks)


def _choose(
    tracks: MatchTracks, on_floor: NDArray[np.bool_], believed: NDArray[np.bool_], frames: int
) -> NDArray[np.bool_]:
    """(T,) The longest believed tracks until every frame has enough, on the floor and off it; others where few are."""
    lengths = np.bincount(tracks.tracks)
    rows = np.split(tracks.frame_rows[np.argsort(tracks.tracks, kind="stable")], np.cumsum(lengths)[:-1])
    longest_first = np.argsort(-lengths, kind="stable")
    chosen = np.zeros(len(lengths), bool)
    in_all = np.zeros(frames, np.int64)
    for floor, enough in ((True, _FLOOR_TRACKS_PER_FRAME), (False, _TRACKS_PER_FRAME)):
        have = np.zeros(frames, np.int64)
        for track in longest_first[(believed & (on_floor == floor))[longest_first]]:
            if (have[rows[track]] < enough).any():
                have[rows[track]] += 1
                chosen[track] = True
        in_all += have
    for track in longest_first[~believed[longest_first]]:
        if (in_all[rows[track]] < _LEAST_TRACKS_PER_FRAME).any():
            in_all[rows[track]] += 1
            chosen[track] = True
    return chosen


def _place_points(rotations: Array, centers: Array, view: FloorView) -> Array:
    """Points (T, 3) where their rays meet the floor, or each other; some way off where they do neither."""
    count = len(view.on_floor)
    rays = np.einsum("oij,oj->oi", rotations[view.frame_rows], view.rays)
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    origins = centers[view.frame_rows]
    across = np.eye(3) - rays[:, :, None] * rays[:, None, :]
    matrix, side, middle = np.zeros((count, 3, 3)), np.zeros((count, 3)), np.zeros((count, 3))
    np.add.at(matrix, view.tracks, across)
    np.add.at(side, view.tracks, np.einsum("oij,oj->oi", across, origins))
    np.add.at(middle, view.tracks, origins + _DEFAULT_DEPTH_HEIGHTS * rays)
    middle /= np.bincount(view.tracks, minlength=count)[:, None]
    solved = np.linalg.solve(
        matrix + _DEFAULT_DEPTH_WEIGHT * np.eye(3), (side + _DEFAULT_DEPTH_WEIGHT * middle)[:, :, None]
    )
    points = np.asarray(solved[:, :, 0], np.float64)
    depths = np.einsum("oi,oi->o", rays, points[view.tracks] - origins)
    wild = np.unique(view.tracks[(depths < _LEAST_DEPTH_HEIGHTS) | (depths > _MOST_DEPTH_HEIGHTS)])
    points[wild] = middle[wild]
    down = view.on_floor[view.tracks] & (rays[:, 2] < -_LEAST_DEPTH_HEIGHTS)
    hits = origins[down] - rays[down] * (origins[down, 2] / rays[down, 2])[:, None]
    of_track = view.tracks[down]
    met, counts = np.unique(of_track, return_counts=True)
    for axis in (0, 1):
        ranked = hits[np.lexsort((hits[:, axis], of_track)), axis]
        points[met, axis] = ranked[np.cumsum(counts) - counts + counts // 2]
    points[met, 2] = 0.0
    return points


_DEFAULT_DEPTH_WEIGHT = 1e-3
"""Weight of a point some way off against one ray: it decides only where rays are parallel. Set by hand."""


@dataclass(frozen=True, eq=False)
class MatchTracks:
    """Observations (S) of tracks, each of which sees a frame once."""

    frame_rows: NDArray[np.int64]  # (S,) rows of the frames that were asked for
    tracks: NDArray[np.int64]  # (S,) from 0, none left out
    xy: Array  # (S, 2) in pixels
    keypoint_rows: NDArray[np.int64]  # (S,) of the keypoints in their frames, as in the database

    def only(self, wanted: NDArray[np.bool_]) -> MatchTracks:
        """Some of the tracks, by a mask (T,), numbered anew."""
        kept = wanted[self.tracks]
        numbers = (np.cumsum(wanted) - 1)[self.tracks[kept]]
        return MatchTracks(self.frame_rows[kept], numbers, self.xy[kept], self.keypoint_rows[kept])


def chain_matches(database_path: Path, frames: Sequence[int], reach: int) -> MatchTracks:
    """Chain the verified matches of some frames.

    Returns:
        Tracks that come to two keypoints of one frame are wrong somewhere and left out.
    """
    row = {frame: place for place, frame in enumerate(frames)}
    with open_database(database_path) as database:
        xy = [np.asarray(database.read_keypoints(frame), np.float64)[:, :2] for frame in frames]
        starts = np.concatenate([[0], np.cumsum([len(of_frame) for of_frame in xy])])
        edges = [np.zeros((0, 2), np.int64)]
        for first, second, _ in list_verified_pairs(database, row, reach):
            matches = database.read_two_view_geometry(first, second).inlier_matches.astype(np.int64)
            edges.append(matches + starts[[row[first], row[second]]])
    one, other = np.concatenate(edges).T
    graph = coo_matrix((np.ones(len(one), np.int8), (one, other)), shape=(starts[-1], starts[-1]))
    _, track = connected_components(graph, directed=False)
    nodes = np.flatnonzero(np.bincount(track)[track] > 1)
    tracks, frame_rows = track[nodes].astype(np.int64), np.searchsorted(starts, nodes, side="right") - 1
    seen, times = np.unique(tracks * len(frames) + frame_rows, return_counts=True)
    single = ~np.isin(tracks, seen[times > 1] // max(1, len(frames)))
    _, numbers = np.unique(tracks[single], return_inverse=True)
    nodes, frame_rows = nodes[single], frame_rows[single]
    return MatchTracks(frame_rows, numbers, np.concatenate([np.zeros((0, 2)), *xy])[nodes], nodes - starts[frame_rows])


LEAST_SOUND_FRAMES = 20
"""Of a model that is believed, six seconds of walk. Nothing spoke against a stretch of 14 frames that was bent: held to
it, a walk was 29 % off in scale behind it, 7 % without."""
_SOUND_TURN_SIGMA = np.radians(0.3)  # of its turn from frame to frame
_MOVE_SHARE, _MOVE_SIGMA = 0.08, 0.01
"""Of its moves: the height that is their unit is known to some 5 %, and to a centimetre or two the hand is anywhere."""


def measure_sound_steps(
    models: Sequence[pycolmap.Reconstruction], floors: Mapping[int, FloorMask], frames: Sequence[int], seed: int = 0
) -> tuple[StepTurns, StepMoves]:
    """The steps between frames that follow each other, each from the first model that has both.

    Returns:
        Of models too short to be believed nothing; of those that see too little floor the turns only.
    """
    turns: dict[int, Array] = {}
    moves: dict[int, Array] = {}
    for model in models:
        poses = read_cams_from_world(model)
        if len(poses) < LEAST_SOUND_FRAMES:
            continue
        unit = choose_unit(measure_heights(model, floors, seed).above_plane, len(poses))
        for row, (first, second) in enumerate(pairwise(frames)):
            if first in poses and second in poses and row not in turns:
                first_from_second = poses[first] @ poses[second].inverse()
                turns[row] = first_from_second.rotation
                if unit > 0:
                    moves[row] = first_from_second.translation / unit
    rows = sorted(turns)
    told = StepTurns(
        np.array(rows, np.int64),
        np.array([turns[row] for row in rows]).reshape(-1, 3, 3),
        np.full(len(rows), _SOUND_TURN_SIGMA),
    )
    rows = sorted(moves)
    moved = np.array([moves[row] for row in rows]).reshape(-1, 3)
    sigmas = _MOVE_SIGMA + _MOVE_SHARE * np.linalg.norm(moved, axis=1)
    return told, StepMoves(np.array(rows, np.int64), moved, sigmas)

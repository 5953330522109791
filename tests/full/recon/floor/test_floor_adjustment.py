"""What the bearings tell of turns holds a walk together where its tracks do not."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from recon.floor.adjustment import FloorView, FloorWalk, StepMoves, StepTurns, adjust_over_floor
from recon.geometry import Array

FRAMES, BREAK = 8, 4


def heading(deg: float) -> Array:
    """floor_from_cam of a level camera."""
    level = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    return Rotation.from_euler("z", deg, degrees=True).as_matrix() @ level


def broken_walk(turn_deg: float) -> tuple[FloorWalk, FloorView]:
    """The true walk, which turns at its break, and what is seen: no point on both sides of the break."""
    rng = np.random.default_rng(0)
    turns = [0.0 if frame < BREAK else turn_deg for frame in range(FRAMES)]
    rotations = np.array([heading(deg) for deg in turns])
    centers = np.column_stack([np.linspace(0.0, 0.9, FRAMES), np.zeros(FRAMES), np.ones(FRAMES)])
    points, rows, tracks, rays, floor = [], [], [], [], []
    for side in (range(BREAK), range(BREAK, FRAMES)):
        middle = rotations[side[0]]
        for number in range(120):
            is_floor = number % 2 == 0
            drop = 0.45 if is_floor else rng.uniform(-0.3, 0.3)
            depth = rng.uniform(2.2, 4.0)
            point = centers[side[0]] + middle @ np.array([rng.uniform(-1.2, 1.2), depth * drop, depth])
            if is_floor:
                point[2] = 0.0
            for frame in side:
                seen = rotations[frame].T @ (point - centers[frame])
                rows.append(frame)
                tracks.append(len(points))
                rays.append(seen / seen[2])
            points.append(point)
            floor.append(is_floor)
    times_s = np.array([0.3 * frame for frame in range(FRAMES)])
    view = FloorView(
        np.array(rows),
        np.array(tracks),
        np.array(rays),
        400.0,
        np.array(floor),
        times_s,
        StepTurns(np.zeros(0, np.int64), np.zeros((0, 3, 3)), np.zeros(0)),
        StepMoves(np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros(0)),
    )
    return FloorWalk(rotations, centers, np.array(points)), view


def turn_at_break(walk: FloorWalk) -> float:
    turn = walk.rotations[BREAK - 1].T @ walk.rotations[BREAK]
    return float(np.degrees(Rotation.from_matrix(turn).magnitude()))


@pytest.mark.parametrize("wrong_deg", [8.0, -15.0])
def test_a_turn_that_no_track_holds_is_that_of_the_bearings(wrong_deg):
    true, view = broken_walk(30.0)
    about = Rotation.from_euler("z", wrong_deg, degrees=True).as_matrix()
    behind = view.tracks[view.frame_rows >= BREAK].min()
    start = replace(
        true,
        rotations=np.concatenate([true.rotations[:BREAK], about @ true.rotations[BREAK:]]),
        points=np.concatenate(
            [true.points[:behind], (true.points[behind:] - true.centers[BREAK]) @ about.T + true.centers[BREAK]]
        ),
    )
    told = true.rotations[BREAK - 1].T @ true.rotations[BREAK]
    steps = StepTurns(np.array([BREAK - 1]), told[None], np.array([np.radians(1.0)]))

    held = adjust_over_floor(start, replace(view, steps=steps))
    loose = adjust_over_floor(start, view)

    assert turn_at_break(held) == pytest.approx(30.0, abs=0.3)
    assert abs(turn_at_break(loose) - 30.0) > 3.0


def test_bearings_that_disagree_with_many_tracks_yield():
    true, view = broken_walk(0.0)
    wrong = Rotation.from_euler("y", 20.0, degrees=True).as_matrix()
    steps = StepTurns(np.array([1]), wrong[None], np.array([np.radians(4.0)]))

    held = adjust_over_floor(true, replace(view, steps=steps))

    turn = held.rotations[1].T @ held.rotations[2]
    assert np.degrees(Rotation.from_matrix(turn).magnitude()) < 1.0


def test_a_step_that_no_track_holds_is_that_of_a_sound_model():
    true, view = broken_walk(30.0)
    behind = view.tracks[view.frame_rows >= BREAK].min()
    longer = np.array([0.3, 0.1, 0.0])
    true = replace(
        true,
        centers=np.concatenate([true.centers[:BREAK], true.centers[BREAK:] + longer]),
        points=np.concatenate([true.points[:behind], true.points[behind:] + longer]),
    )
    step = true.centers[BREAK] - true.centers[BREAK - 1]
    moves = StepMoves(np.array([BREAK - 1]), (true.rotations[BREAK - 1].T @ step)[None], np.array([0.01]))
    start = replace(true, centers=np.concatenate([true.centers[:BREAK], true.centers[BREAK:] - 0.8 * longer]))

    held = adjust_over_floor(start, replace(view, moves=moves))
    loose = adjust_over_floor(start, view)

    def step_of(walk: FloorWalk) -> Array:
        return walk.rotations[BREAK - 1].T @ (walk.centers[BREAK] - walk.centers[BREAK - 1])

    assert step_of(held) == pytest.approx(moves.moves[0], abs=0.01)
    assert np.linalg.norm(step_of(loose) - moves.moves[0]) > 0.05

"""How the camera turns and moves from frame to frame where a model is sound, in heights of the camera above the floor.

Where nothing speaks against a stretch of a model, its pictures hold the walk better than the floor does; what the floor
has to tell is how such stretches stand to each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pycolmap

from recon.audit.floor_height import measure_heights
from recon.colmap.poses import read_cams_from_world
from recon.floor.adjustment import StepMoves, StepTurns
from recon.floor_masks import FloorMask
from recon.geometry import Array

LEAST_FRAMES = 20
"""Of a model that is believed, six seconds of walk. Nothing spoke against a stretch of 14 frames that was bent: held to
it, a walk was 29 % off in scale behind it, 7 % without."""
_LEAST_TOLD = 0.5  # share of its frames whose height above the floor is known: the unit hangs on it
_TURN_SIGMA = np.radians(0.3)  # of its turn from frame to frame
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
        if len(poses) < LEAST_FRAMES:
            continue
        heights = measure_heights(model, floors, seed).above_plane
        unit = float(np.median(list(heights.values()))) if len(heights) >= _LEAST_TOLD * len(poses) else 0.0
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
        np.full(len(rows), _TURN_SIGMA),
    )
    rows = sorted(moves)
    moved = np.array([moves[row] for row in rows]).reshape(-1, 3)
    sigmas = _MOVE_SIGMA + _MOVE_SHARE * np.linalg.norm(moved, axis=1)
    return told, StepMoves(np.array(rows, np.int64), moved, sigmas)

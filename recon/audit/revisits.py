"""Frames of different times that show the same place, and how far a model puts their matches apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pycolmap

from recon.audit.contradictions import read_verified_pairs
from recon.audit.epipolar import fit_of
from recon.colmap.database import list_verified_pairs, open_database
from recon.colmap.poses import read_cams_from_world
from recon.geometry import Camera

OPEN_PX = 5.0
"""Median distance from the epipolar lines. Revisits of sound models: at most 3 px; of an office walk whose scale had
drifted by a fifth between the visits: 55 to 77 px in 9 of 73, none of which another pose explained much better."""

_GAP = 20
"""Frames further apart than this in number are from another time."""
_MOST_PAIRS = 100
"""More revisits add nothing new."""
_APART = 2
"""Frames between two places, at least: neighbours show the same."""
LEAST_PLACES = 3
"""Contradicting ones that are evidence: one or two may be look-alikes, such as a rug of repeated squares that many
frames match. Set by hand."""


def list_revisits(model: pycolmap.Reconstruction, database_path: Path) -> list[tuple[int, int]]:
    """Verified pairs of the model's frames from different times, in rising order."""
    with open_database(database_path) as database:
        return [(a, b) for a, b, _ in list_verified_pairs(database, model.reg_image_ids()) if b - a >= _GAP]


def spread_evenly(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """At most `_MOST_PAIRS` of the pairs."""
    return list(pairs[:: -(-len(pairs) // _MOST_PAIRS)]) if pairs else []


def residuals_px(
    model: pycolmap.Reconstruction, database_path: Path, pairs: list[tuple[int, int]]
) -> dict[tuple[int, int], float]:
    """Median epipolar distance of each pair that shows depth, under the model's poses."""
    if not pairs:
        return {}
    poses = read_cams_from_world(model)
    camera = Camera.from_colmap(model.camera(model.image(min(poses)).camera_id))
    return {
        (pair.first, pair.second): float(
            np.median(fit_of(poses[pair.second] @ poses[pair.first].inverse(), pair).error_px)
        )
        for pair in read_verified_pairs(database_path, camera, pairs, min_matches=1)
    }


def count_places(pairs: Iterable[tuple[int, int]]) -> int:
    """How many of some revisits are independent evidence: of different places at both visits.

    Neighbouring frames see the same thing, and one frame may be taken for many others. A pair counts, in rising order,
    if both its frames are away from those of every pair counted before.
    """
    counted: list[tuple[int, int]] = []
    for first, second in sorted(pairs):
        if all(abs(first - one) >= _APART and abs(second - other) >= _APART for one, other in counted):
            counted.append((first, second))
    return len(counted)

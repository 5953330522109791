"""Frames of different times that show the same place, and how far a model puts their matches apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pycolmap

from recon.audit.contradictions import ContradictionOptions, check_pairs, read_verified_pairs
from recon.audit.epipolar import fit_of
from recon.audit.verdict import Verdict, count_across
from recon.colmap.database import list_verified_pairs, open_database
from recon.colmap.observations import read_cams_from_world
from recon.geometry import Camera
from recon.matching.pairs import REVISIT_MIN_GAP

OPEN_PX = 5.0
"""Median distance from the epipolar lines. Revisits of sound models: at most 3 px; of an office walk whose scale had
drifted by a fifth between the visits: 55 to 77 px in 9 of 73, none of which another pose explained much better."""

_MOST_PAIRS = 100  # more revisits add nothing new
_APART = 2  # frames between two places, at least: neighbours show the same
LEAST_PLACES = 3
"""Contradicting ones that are evidence: one or two may be look-alikes, such as a rug of repeated squares that many
frames match. Set by hand."""
_FALSE_SHARE = 0.08
"""Of the revisits asked. Sound models have up to 3 %; an office walk that was wrong by 25 cm had 12 %."""


@dataclass(frozen=True)
class RevisitChecks:
    """What the revisits of a model say of it."""

    residuals_px: Mapping[tuple[int, int], float]  # Median epipolar distance of each pair of frames that was asked
    contradicting: frozenset[tuple[int, int]]
    """Those whose matches lie far off, or that another relative pose explains much better."""


def check_revisits(
    model: pycolmap.Reconstruction, database_path: Path, check: ContradictionOptions = ContradictionOptions()
) -> RevisitChecks:
    """Ask the revisits of a model, at most a hundred of them, whether they agree with it."""
    visits = spread_evenly(list_revisits(model, database_path))
    found = residuals_px(model, database_path, visits)
    opened = {pair for pair, px in found.items() if px > OPEN_PX}
    checks = check_pairs(model, database_path, check, within=visits)
    return RevisitChecks(
        found, frozenset(opened.union((pair.first, pair.second) for pair in checks if pair.contradicts))
    )


def judge_revisits(contradicting: int, places: int, asked: int, frames: tuple[int, int]) -> Verdict:
    """Whether few enough revisits contradict the walk between two frames."""
    share = contradicting / asked if asked else 0.0
    words = f"{contradicting} of {asked} matched revisits contradict the model, at {places} different places"
    return Verdict(places < LEAST_PLACES or share <= _FALSE_SHARE, "revisits", share, _FALSE_SHARE, frames, words)


def find_open_revisits(frames: Sequence[int], checks: RevisitChecks) -> list[Verdict]:
    """Steps at which a walk is to be cut so that the revisits within each part agree with it, in time order.

    A revisit tells that the walk between its frames is wrong somewhere, not where; it is cut where most of those that
    contradict span it, in the middle of these steps.
    """
    row = {frame: place for place, frame in enumerate(frames)}
    asked = [pair for pair in checks.residuals_px.keys() | checks.contradicting if row.keys() >= set(pair)]
    against = sorted(checks.contradicting.intersection(asked))
    verdict = judge_revisits(len(against), count_places(against), len(asked), (frames[0], frames[-1]))
    if verdict.ok:
        return []
    begin, end = np.array([[row[first], row[second]] for first, second in against]).T
    spanning = count_across(len(frames), begin, end)
    most = np.flatnonzero(spanning == spanning.max())
    step = int(most[len(most) // 2])
    at = replace(verdict, frames=(frames[step], frames[step + 1]))
    before, behind = frames[: step + 1], frames[step + 1 :]
    return [*find_open_revisits(before, checks), at, *find_open_revisits(behind, checks)]


def list_revisits(model: pycolmap.Reconstruction, database_path: Path) -> list[tuple[int, int]]:
    """Verified pairs of the model's frames from different times, in rising order."""
    with open_database(database_path) as database:
        return [(a, b) for a, b, _ in list_verified_pairs(database, model.reg_image_ids()) if b - a >= REVISIT_MIN_GAP]


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

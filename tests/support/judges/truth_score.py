"""How well found things agree with the truth of a rendered tour."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from instructions.perception.frames.tags import category_of
from instructions.records import SceneObject
from roomtour.trial.rendered import RenderedTour, Thing


@dataclass(frozen=True)
class Score:
    """Figures over one tour."""

    found: int
    wanted: int
    precision: float
    """Share of the found things that are the first to lie at a true thing of their kind."""
    recall: float
    """Share of the wanted things (detectable in at least `least_frames` frames) that were found."""
    center_error_m: float
    """Median distance of the box centres of the matches."""


def score_objects(
    tour: RenderedTour, objects: Sequence[SceneObject], shown: Counter[int], *, least_frames: int = 6
) -> Score:
    """Match found things to the nearest true thing of the same kind that their centre lies in or near."""
    wanted = {row for row, count in shown.items() if count >= least_frames}
    taken: dict[int, float] = {}
    for thing in sorted(objects, key=lambda one: -len(one.frames)):
        near = {
            row: gap
            for row, truth in enumerate(tour.things)
            if row not in taken
            and category_of(truth.category) == thing.category
            and (gap := _gap_m(truth, np.array(thing.obb.center))) < 0.3
        }
        if near:
            row = min(near, key=lambda row: near[row])
            taken[row] = float(np.linalg.norm(tour.things[row].center - np.array(thing.obb.center)))
    return Score(
        found=len(objects),
        wanted=len(wanted),
        precision=len(taken) / max(len(objects), 1),
        recall=len(wanted & taken.keys()) / max(len(wanted), 1),
        center_error_m=float(np.median(list(taken.values()))) if taken else float("nan"),
    )


def _gap_m(thing: Thing, point: np.ndarray) -> float:
    """Distance of a point from a box, 0 inside."""
    local = thing.rotation.T @ (point - thing.center)
    return float(np.linalg.norm(np.maximum(np.abs(local) - thing.half, 0.0)))

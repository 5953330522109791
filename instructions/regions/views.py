"""Which frames of a tour become views: a greedy cover of its things by few, sharp, unlike frames."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from instructions.records import Observation
from instructions.regions.options import ViewCoverOptions
from recon.geometry import Pose
from recon.records import Frame, Scene


@dataclass(frozen=True, eq=False)
class _Place:
    frame: int
    model: str
    pose: Pose
    time_s: float
    metre: float


def cover_tour(
    scene: Scene,
    observations: Sequence[Observation],
    options: ViewCoverOptions = ViewCoverOptions(),
) -> list[tuple[str, int]]:
    """Frames that together show the things of a tour, each thing often and seldom the same sight.

    The gain of a frame is the sum over its things of the share that it sees, divided by one plus how often the
    thing was chosen, times one plus the rank of its sharpness (0 to 1).

    Returns:
        Model and frame, in time order.
    """
    sharp = _rank_sharpness(scene.frames)
    times = {frame.index: frame.time_s for frame in scene.frames}
    places = {
        frame: _Place(frame, model.name, pose, times.get(frame, 0.0), model.nominal_metre)
        for model in scene.models
        for frame, pose in model.world_from_cam.items()
    }
    seen: dict[int, list[Observation]] = defaultdict(list)
    for one in observations:
        if one.frame in places:
            seen[one.frame].append(one)
    if options.most == 0:
        return [(places[frame].model, frame) for frame in sorted(seen)]
    chosen: list[int] = []
    counts: Counter[str] = Counter()
    left = set(seen)
    while left and len(chosen) < options.most:
        best = max(sorted(left), key=lambda frame: _gain(seen[frame], counts) * (1.0 + sharp.get(frame, 0.0)))
        chosen.append(best)
        counts.update(one.object for one in seen[best])
        left = {frame for frame in left if frame != best and not _is_same_sight(places[frame], places[best], options)}
    return [(places[frame].model, frame) for frame in sorted(chosen)]


def _gain(seen: Sequence[Observation], counts: Mapping[str, int]) -> float:
    return sum(one.visible_fraction / (1 + counts.get(one.object, 0)) for one in seen)


def _rank_sharpness(frames: Sequence[Frame]) -> dict[int, float]:
    """Rank of each frame's sharpness, 0 for the least sharp and 1 for the sharpest."""
    order = sorted(frames, key=lambda frame: (frame.sharpness, frame.index))
    return {frame.index: place / max(len(order) - 1, 1) for place, frame in enumerate(order)}


def _is_same_sight(one: _Place, other: _Place, options: ViewCoverOptions) -> bool:
    if one.model != other.model or abs(one.time_s - other.time_s) > options.apart_s:
        return False
    if float(np.linalg.norm(one.pose.center - other.pose.center)) > options.apart_m * one.metre:
        return False
    cosine = float(np.clip(one.pose.forward @ other.pose.forward, -1.0, 1.0))
    return float(np.degrees(np.arccos(cosine))) <= options.apart_deg

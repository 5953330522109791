"""Which frames of a tour stand for it: a greedy cover of its things by few, sharp, unlike frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf

from instructions.facts.viewer import find_standpoint
from recon.records import Scene


def cover_tour(
    scene: Scene,
    shown: Mapping[int, Mapping[str, float]],
    *,
    most: int,
    apart_m: float,
    apart_deg: float,
    apart_s: float = inf,
) -> list[int]:
    """Frames that together show the things of a tour, each thing often and seldom the same sight.

    The gain of a frame is the sum over its things of the share that it sees, divided by one plus how often the
    thing was chosen, times one plus the rank of its sharpness (0 to 1).

    Args:
        scene: Models with poses.
        shown: By frame with a pose: of each thing, the share that is seen.
        most: Frames; 0 for all.
        apart_m: A frame within this of a chosen one of its model, in (nominal) meters ...
        apart_deg: ... and within this turn ...
        apart_s: ... and within these seconds is skipped.

    Returns:
        In time order.
    """
    if most == 0:
        return sorted(shown)
    order = sorted(scene.frames, key=lambda frame: (frame.sharpness, frame.index))
    sharp = {frame.index: place / max(len(order) - 1, 1) for place, frame in enumerate(order)}
    times = {frame.index: frame.time_s for frame in scene.frames}
    model_of = {frame: model for model in scene.models for frame in model.world_from_cam}
    at = {frame: find_standpoint(model_of[frame], frame) for frame in shown}
    counts: Counter[str] = Counter()

    def gain(frame: int) -> float:
        seen = sum(share / (1 + counts[name]) for name, share in shown[frame].items())
        return seen * (1.0 + sharp.get(frame, 0.0))

    def is_same_sight(one: int, other: int) -> bool:
        if model_of[one] is not model_of[other] or abs(times.get(one, 0.0) - times.get(other, 0.0)) > apart_s:
            return False
        return at[one].is_near(at[other], apart_m * model_of[one].nominal_metre, apart_deg)

    chosen: list[int] = []
    left: Sequence[int] = sorted(shown)
    while left and len(chosen) < most:
        best = max(left, key=gain)
        chosen.append(best)
        counts.update(shown[best].keys())
        left = [frame for frame in left if frame != best and not is_same_sight(frame, best)]
    return sorted(chosen)

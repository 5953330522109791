"""Whether a thing may be called by its category at all: a judge's own look at the evidence and at its box."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from instructions.records import SceneObject
from instructions.truth.bars import ClaimBars

_LEAST_DEPTH_M: Mapping[str, float] = {
    "bed": 0.5,
    "sofa": 0.4,
    "armchair": 0.35,
    "table": 0.25,
    "chair": 0.25,
    "shelf": 0.12,
}
"""Narrower level side of the box: a cot has 0.6, a sofa 0.7, an armchair 0.6, a side table 0.35, a chair 0.38, a shelf
for books 0.2, a framed board on a wall 0.05; less, for boxes hold what was seen. An edge or an arm tells nobody what it
belongs to, however long it is."""

_LEAST_ALONG_M: Mapping[str, float] = {"bed": 1.2}
"""Longer level side: the shortest cot. Arms and backs of sofas are called beds."""


def doubt_name(
    thing: SceneObject, metre: float, time_of: Mapping[int, float], bars: ClaimBars = ClaimBars()
) -> str | None:
    """Why a thing may not be called what it is called; None if it may, or if its category is not known.

    Args:
        thing: With the frames that saw it.
        metre: Length of one (nominal) metre in the unit of its box.
        time_of: Time in seconds of frames; what other frames saw does not count.
        bars: What is enough.
    """
    if thing.category is None:
        return None
    for word, share in thing.categories:
        if word == thing.category and share < bars.name_share:
            return f"is called {word} by {share:.0%} of the evidence"
    depth_m = 2.0 * min(thing.obb.half_extents[:2]) / metre
    if depth_m < _LEAST_DEPTH_M.get(thing.category, 0.0):
        return f"too little of it was seen to call it a {thing.category}: {depth_m:.2f} m across"
    along_m = 2.0 * max(thing.obb.half_extents[:2]) / metre
    if along_m < _LEAST_ALONG_M.get(thing.category, 0.0):
        return f"too little of it was seen to call it a {thing.category}: {along_m:.2f} m long"
    times = np.sort([time_of[frame] for frame in thing.frames if frame in time_of])
    if len(times) and times[-1] - times[0] < bars.name_seen_s:
        return f"was seen for {times[-1] - times[0]:.1f} s only"
    return None

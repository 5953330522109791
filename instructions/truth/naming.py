"""Whether a thing may be called by its category at all: a judge's own look at the evidence and at its box."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from instructions.facts.walk import Walk
from instructions.records import SceneObject
from instructions.truth.bars import ClaimBars

_LEAST_FOOTPRINT_M2: Mapping[str, float] = {"bed": 0.6, "sofa": 0.4, "table": 0.09, "chair": 0.08, "armchair": 0.16}
"""Level area of the box: a cot of 0.6 by 1.2 m has 0.7, a sofa of 1.2 by 0.7 has 0.8, a side table of 0.35 has 0.12,
the seat of a chair of 0.38 has 0.14; less, for boxes hold what was seen."""


def doubt_name(thing: SceneObject, metre: float, walk: Walk, bars: ClaimBars = ClaimBars()) -> str | None:
    """Why a thing may not be called what it is called; None if it may, or if its category is not known.

    Args:
        thing: With the frames that saw it.
        metre: Length of one (nominal) metre in the unit of its box.
        walk: Gives the times of frames; what other frames saw does not count.
        bars: What is enough.
    """
    if thing.category is None:
        return None
    for word, share in thing.categories:
        if word == thing.category and share < bars.name_share:
            return f"is called {word} by {share:.0%} of the evidence"
    area = float(np.prod([2.0 * side / metre for side in thing.obb.half_extents[:2]]))
    if area < _LEAST_FOOTPRINT_M2.get(thing.category, 0.0):
        return f"too little of it was seen to call it a {thing.category}: {area:.2f} square metres"
    times = np.sort([walk.time_s[walk.index_of[frame]] for frame in thing.frames if frame in walk.index_of])
    if len(times) and times[-1] - times[0] < bars.name_seen_s:
        return f"was seen for {times[-1] - times[0]:.1f} s only"
    return None

"""Tables that are too high for one: counters.

The networks know no counters; they call a worktop, a bar and the top of a sideboard a table. Height tells.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from instructions.perception.interfaces import LandmarkResult
from instructions.perception.sizes.levels import find_level
from instructions.records import SceneObject
from recon.records import SceneModel

TABLE, COUNTER = "table", "counter"
_TABLE_TOP_M = 0.80
"""Tables and desks end between 0.65 and 0.80 m (EN 527, EN 1729); worktops, bars and sideboards from 0.85 m up."""
_SIGMA_M = 0.05
"""How far a level taken from points is off, beside the scale."""
_SIGMAS = 1.5
"""So many sigmas above a table's height it is none."""
_MOST_M = 1.4
"""Nothing that one works or eats at ends higher."""


def name_counters(found: LandmarkResult, model: SceneModel) -> LandmarkResult:
    """Call tables whose top is surely higher than any table's a counter; without a floor all stay what they are."""
    objects = tuple(_rename(one, model) if one.category == TABLE else one for one in found.objects)
    counters = {one.id for one in objects if one.category == COUNTER}
    observations = tuple(
        replace(one, label=COUNTER) if one.object in counters and one.label == TABLE else one
        for one in found.observations
    )
    return replace(found, objects=objects, observations=observations)


def _rename(thing: SceneObject, model: SceneModel) -> SceneObject:
    if model.floor_z is None:
        return thing
    metre = model.nominal_metre
    heights = model.tracks.xyz[list(thing.points), 2] - model.floor_z if thing.points else np.zeros(0)
    level = find_level(heights, _TABLE_TOP_M / 2.0, _MOST_M, metre)
    if level is None:
        return thing
    off = float(np.hypot(_SIGMA_M, model.scale.sigma * _TABLE_TOP_M))
    if level / metre < _TABLE_TOP_M + _SIGMAS * off:
        return thing
    said = tuple((COUNTER if word == TABLE else word, share) for word, share in thing.categories)
    return replace(thing, category=COUNTER, alias=COUNTER, categories=said)

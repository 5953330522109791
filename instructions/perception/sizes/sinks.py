"""Cabinets with a sink in their top: counters.

The segmenter knows no worktops and calls the row below one cabinets. A detector knows sinks, and a sink lies in a
worktop of known height, so that each picture of one says where on the floor plan it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from instructions.perception.interfaces import LandmarkResult
from instructions.perception.sizes.counters import COUNTER, TABLE
from instructions.records import Box, SceneObject
from recon.geometry import Array
from recon.records import SceneModel

SINK = "sink"
_CABINET = "cabinet"
_RIM_M = 0.9
"""Worktops are 0.85 to 0.95 m high (EN 1116), and so is the rim of a sink in one."""
_MOST_TOP_M = 1.4
"""With what stands on it; a cupboard that is higher has no sink in its top."""
_LEAST_LONG_M = 1.2
"""A sink unit of 0.6 and one beside it; a washstand is shorter."""
_BESIDE_M = 0.3
"""A sink lies at most so far outside the box: boxes hold what was seen of a thing."""
_LEAST_PICTURES = 3


def name_sink_counters(found: LandmarkResult, model: SceneModel, sinks: Mapping[int, Sequence[Box]]) -> LandmarkResult:
    """Call a long, low cabinet or table a counter if several pictures show a sink in it.

    Args:
        found: Things of the model.
        model: Upright; without a floor all things stay what they are.
        sinks: Where frames show sinks, in pixels, by frame.
    """
    places = _place_sinks(model, sinks)
    objects = tuple(_rename(one, model, places) for one in found.objects)
    words = {
        new.id: old.category for old, new in zip(found.objects, objects, strict=True) if new.category != old.category
    }
    observations = tuple(
        replace(one, label=COUNTER) if one.label is not None and one.label == words.get(one.object) else one
        for one in found.observations
    )
    return replace(found, objects=objects, observations=observations)


def _place_sinks(model: SceneModel, sinks: Mapping[int, Sequence[Box]]) -> Array:
    """Places (N, 2) on the floor plan of the sinks seen, each where its middle would lie in a worktop."""
    places: list[Array] = []
    for frame, boxes in sinks.items() if model.floor_z is not None else ():
        if frame not in model.world_from_cam:
            continue
        pose = model.world_from_cam[frame]
        for x0, y0, x1, y1 in boxes:
            ray = (model.camera.rays([((x0 + x1) / 2.0, (y0 + y1) / 2.0)]) @ np.asarray(pose.rotation).T)[0]
            drop = (model.floor_z or 0.0) + _RIM_M * model.nominal_metre - float(pose.center[2])
            if drop * ray[2] > 0.0:
                places.append((pose.center + drop / ray[2] * ray)[:2])
    return np.array(places).reshape(-1, 2)


def _rename(thing: SceneObject, model: SceneModel, places: Array) -> SceneObject:
    if thing.category not in (_CABINET, TABLE) or model.floor_z is None:
        return thing
    metre, half = model.nominal_metre, np.array(thing.obb.half_extents)
    top = thing.obb.center[2] + half[2] - model.floor_z
    if top > _MOST_TOP_M * metre or 2.0 * max(half[:2]) < _LEAST_LONG_M * metre:
        return thing
    off = (places - np.array(thing.obb.center[:2])) @ np.array(thing.obb.rotation)[:2, :2]
    if int(np.all(np.abs(off) <= half[:2] + _BESIDE_M * metre, axis=1).sum()) < _LEAST_PICTURES:
        return thing
    said = tuple((COUNTER if word == thing.category else word, share) for word, share in thing.categories)
    return replace(thing, category=COUNTER, alias=COUNTER, categories=said)

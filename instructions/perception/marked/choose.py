"""Which frames a server is shown, and which things are marked in them: few frames, each thing from several sides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from instructions.records import Box, Observation, SceneObject
from recon.geometry import Array
from recon.records import Scene, SceneModel

_LEAST_M = 0.4
"""Longest side of a thing that is worth a question."""
_LEAST_SHOWN = 0.3
"""Share of a thing that a frame shows; of less nobody tells what it is."""
_LEAST_SIDE = 1.0 / 12.0
"""Shorter side of its box, in shorter sides of the picture: 30 px of 360."""
_PLAIN_SHARE = 0.05
"""A box that fills this share of the picture is large enough; a larger one shows the thing no better."""
_MOVED = 0.25
"""A view is another one if the camera has moved by this share of its distance from the thing: 15 degrees around it, or
a quarter nearer."""
_GAINS = (1.0, 0.4, 0.2)
"""What the first, second and third view of a thing are worth; there is no fourth ..."""
_LEAST_GAIN = 0.25
"""... and what a picture must be worth: a first view of one thing, a good second one, or a third of two."""
_MOST_MARKS = 9
"""More numbers hide the picture."""


@dataclass(frozen=True)
class MarkedView:
    """A frame, and the things that are marked in it from left to right."""

    frame: int
    boxes: tuple[tuple[str, Box], ...]
    """Of each thing its id and its box."""


@dataclass(frozen=True, eq=False)
class _Shown:
    thing: str
    box_xyxy: Box
    quality: float
    """How well it is seen, 0.5 to 1."""
    way: Array
    """From the thing to the camera, (3,)."""


def choose_views(scene: Scene, objects: Sequence[SceneObject], observations: Sequence[Observation]) -> list[MarkedView]:
    """Choose frames until each thing that is not small has up to three views, unless another frame adds little.

    Args:
        scene: Upright.
        objects: Of all models; names do not matter.
        observations: What each frame shows of them.

    Returns:
        Views in time order within each model; empty if nothing is large enough or seen well.
    """
    return [view for model in scene.models for view in _choose(_list_shown(model, objects, observations))]


def _choose(shown: dict[int, list[_Shown]]) -> list[MarkedView]:
    taken: dict[str, list[Array]] = defaultdict(list)
    chosen: list[MarkedView] = []
    while shown:
        marks = {frame: _pick_marks(seen, taken) for frame, seen in shown.items()}
        frame = max(marks, key=lambda one: (sum(gain for gain, _ in marks[one]), -one))
        if sum(gain for gain, _ in marks[frame]) < _LEAST_GAIN:
            break
        picked = sorted((one for _, one in marks[frame]), key=lambda one: (one.box_xyxy, one.thing))
        for one in picked:
            taken[one.thing].append(one.way)
        chosen.append(MarkedView(frame, tuple((one.thing, one.box_xyxy) for one in picked)))
        del shown[frame]
    return sorted(chosen, key=lambda view: view.frame)


def _pick_marks(seen: Sequence[_Shown], taken: Mapping[str, Sequence[Array]]) -> list[tuple[float, _Shown]]:
    """What a frame would add to the views taken so far: gains and things, best first."""
    gains = [(_measure_gain(one, taken.get(one.thing, ())), one) for one in seen]
    worth = sorted((pair for pair in gains if pair[0] > 0.0), key=lambda pair: (-pair[0], pair[1].thing))
    return worth[:_MOST_MARKS]


def _measure_gain(one: _Shown, taken: Sequence[Array]) -> float:
    least = _MOVED * float(np.linalg.norm(one.way))
    is_other = all(np.linalg.norm(one.way - way) >= least for way in taken)
    return _GAINS[len(taken)] * one.quality if is_other and len(taken) < len(_GAINS) else 0.0


def _list_shown(
    model: SceneModel, objects: Sequence[SceneObject], observations: Sequence[Observation]
) -> dict[int, list[_Shown]]:
    """By frame, the things of a model that are not small and seen well there."""
    large = {
        thing.id: np.array(thing.obb.center)
        for thing in objects
        if thing.model == model.name and 2.0 * max(thing.obb.half_extents) >= _LEAST_M * model.nominal_metre
    }
    width, height = model.camera.width, model.camera.height
    shown: dict[int, list[_Shown]] = defaultdict(list)
    for observation in observations:
        if observation.object not in large or observation.visible_fraction < _LEAST_SHOWN:
            continue
        x0, y0, x1, y1 = observation.box_xyxy
        way = model.world_from_cam[observation.frame].center - large[observation.object]
        if min(x1 - x0, y1 - y0) < _LEAST_SIDE * min(width, height):
            continue
        size = min(1.0, float(np.sqrt((x1 - x0) * (y1 - y0) / (width * height) / _PLAIN_SHARE)))
        quality = 0.5 + 0.5 * size * min(1.0, observation.visible_fraction)
        shown[observation.frame].append(_Shown(observation.object, observation.box_xyxy, quality, way))
    return shown

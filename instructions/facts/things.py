"""The things of a model with what is measured of each: its body, the error of that, and how sure its room is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from instructions.facts.bodies import Body
from instructions.facts.sizes import is_one
from instructions.records import GIVEN, Observation, SceneObject, Support
from instructions.wording.english import head_noun
from recon.geometry import Array
from recon.records import SceneModel

_BORDER_PX = 2.0
_SIDE_SHARE = 0.05
"""Boxes are fitted to samples of a surface: their faces are no better known than so, as a share of the mean side."""
_RANGE_SHARE = 0.01
"""Nor better than so, or than depth was learned, as a share of the distance that the thing was seen from."""
_FEW = 3
_FEW_SHARE = 0.10
"""What fewer frames than `_FEW` saw has a side that nobody saw: so much more, as a share of the mean side."""


def box_sigma(model: SceneModel, body: Body, observations: Sequence[Observation], range_sigma: float = 0.0) -> float:
    """Standard deviation of a face of a thing's box, in the model's unit.

    How far the outline of the box misses the edges of the boxes that frames saw it in, as a length at the thing's
    depth, from side to side and from top to bottom, and how far the seen depth lies outside the box's: the worst of the
    three robust spreads (1.4826 times the median). What is cut by the image's border says nothing about that edge. The
    floors of this module are added in quadrature.

    Args:
        model: Poses and camera.
        body: Of the thing.
        observations: Of the thing, in any frames of the model.
        range_sigma: How far away it is seen from may be off by this share, as far as one knows without the views.
    """
    across: list[float] = []
    upright: list[float] = []
    along: list[float] = []
    ranges: list[float] = []
    for seen in observations:
        pose = model.world_from_cam.get(seen.frame)
        if pose is None:
            continue
        depths = pose.depths(body.points)
        if depths.min() <= 1e-6:
            continue
        ranges.append(float(np.linalg.norm(body.center - pose.center)))
        pixels = model.camera.project(pose.inverse() @ body.points)
        off, whole = _edge_misses(model, seen, pixels, float(pose.depths(body.center[None])[0]))
        across += [float(value) for value in off[whole[:, 0], 0]]
        upright += [float(value) for value in off[whole[:, 1], 1]]
        along.append(max(float(depths.min()) - seen.depth, seen.depth - float(depths.max()), 0.0))
    is_whole = len(ranges) >= _FEW or not model.world_from_cam  # a scan's boxes are not from views
    floor = _SIDE_SHARE if is_whole else np.hypot(_SIDE_SHARE, _FEW_SHARE)
    spread = 1.4826 * max((float(np.median(misses)) for misses in (across, upright, along) if misses), default=0.0)
    far = float(np.median(ranges)) if ranges else 0.0
    along_sight = max(_RANGE_SHARE, model.range_sigma, range_sigma)
    return float(np.sqrt(spread**2 + (floor * body.mean_side) ** 2 + (along_sight * far) ** 2))


def _edge_misses(model: SceneModel, seen: Observation, pixels: Array, depth: float) -> tuple[Array, NDArray[np.bool_]]:
    """How far the low and high edges (rows) in x and y (columns) are off, and which of them the border leaves whole."""
    size = np.array([model.camera.width, model.camera.height], dtype=np.float64)
    box = np.array(seen.box_xyxy).reshape(2, 2)
    drawn = np.clip(np.array([pixels.min(axis=0), pixels.max(axis=0)]), 0.0, size)
    whole = np.array([box[0] > _BORDER_PX, box[1] < size - _BORDER_PX])
    return np.abs(drawn - box) * depth / np.array([model.camera.fx, model.camera.fy]), whole


@dataclass(frozen=True, eq=False)
class Thing:
    """A thing with what is measured of it."""

    thing: SceneObject
    solid: Body | None
    """None for a thing of a picture without a pose, of which nobody knows where it is in a room."""
    sigma: float
    """Standard deviation of a face of the body, in the model's unit; 0 in a known world."""
    frames: int = 0
    """How many frames of the model saw it."""
    room_probability: float = 0.0
    """That it stands in its room: mean over the frames of that room that saw it."""
    is_one: bool = True
    """It is known to be one thing; else its box may hold several of its kind."""

    @property
    def body(self) -> Body:
        """In the world.

        Raises:
            AssertionError: For a thing of a picture without a pose.
        """
        if self.solid is None:
            raise AssertionError(f"{self.id} is known from a picture without a pose and has no body")
        return self.solid

    @property
    def id(self) -> str:
        """The same in all views; of a detection that is no object `d` and its place in the frame."""
        return self.thing.id

    @property
    def category(self) -> str | None:
        """None where nothing that knows categories looked."""
        return self.thing.category

    @property
    def alias(self) -> str:
        """How texts name it, without article."""
        return self.thing.alias

    @property
    def color(self) -> str | None:
        """With `dark` or `light` before it."""
        return self.thing.color

    @property
    def room(self) -> str | None:
        """That it stands in."""
        return self.thing.room

    @property
    def support(self) -> Support | None:
        """What holds it, as far as known."""
        return self.thing.support

    @property
    def rests_on(self) -> str | None:
        """What pictures show under it, where that is known."""
        return self.thing.rests_on

    @property
    def maybe(self) -> tuple[str, ...]:
        """Other words that detectors gave it: it may be one of them."""
        return tuple(word for word, _ in self.thing.categories if word != self.category)

    @property
    def kind_share(self) -> float:
        """Share of the evidence of all frames that speaks for its category."""
        return dict(self.thing.categories).get(self.category or "", 1.0)

    @property
    def is_given(self) -> bool:
        """Whether an import gave it with its name: nobody had to detect it."""
        return (self.thing.score or 0.0) >= 1.0

    @property
    def is_detected(self) -> bool:
        """Whether our own perception found it, of which it is measured what it misses; not what a user's file names."""
        return self.sigma > 0 and not self.is_given and self.thing.source != GIVEN

    @cached_property
    def head(self) -> str:
        """Its noun."""
        return head_noun(self.category or self.alias)


def may_point_at(thing: SceneObject, seen: Observation) -> bool:
    """Whether a box in a picture may stand for a thing: what is called by its name must be all that the box shows."""
    return thing.category is None or seen.is_clear


def know_things(
    model: SceneModel, objects: Sequence[SceneObject], observations: Sequence[Observation], *, exact: bool = False
) -> tuple[dict[str, Thing], dict[str, str]]:
    """The things of a model with their bodies and errors.

    Args:
        model: Of the things.
        objects: Of any model; others are left out.
        observations: Of all frames.
        exact: The boxes are given, not measured: their errors are 0.

    Returns:
        By id; and why others were left out (a box that is no box), by id.
    """
    seen: dict[str, list[Observation]] = defaultdict(list)
    for observation in observations:
        if observation.frame in model.world_from_cam or not model.frames:
            seen[observation.object].append(observation)
    known: dict[str, Thing] = {}
    faults: dict[str, str] = {}
    for thing in objects:
        if thing.model != model.name:
            continue
        try:
            body = _body_of(model, thing)
        except ValueError as error:
            faults[thing.id] = str(error)
            continue
        sigma = 0.0 if exact else box_sigma(model, body, seen[thing.id], thing.range_sigma)
        found = Thing(thing, body, sigma, len(seen[thing.id]))
        known[thing.id] = replace(found, is_one=not found.is_detected or is_one(thing, model.nominal_metre))
    return known, faults


def _body_of(model: SceneModel, thing: SceneObject) -> Body:
    if model.has_clouds and thing.points:
        body = Body.of_points(model.tracks.xyz[list(thing.points)], upright=model.is_upright)
        return replace(body, eye=model.centers[0], range_sigma=model.range_sigma) if model.range_sigma else body
    return Body.of_box(thing.obb)

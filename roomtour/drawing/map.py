"""The walk of one model from above: points, path, view changes, decision points and objects, as one SVG."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from instructions.records import SceneObject
from recon.geometry import Array
from recon.numerals import count
from recon.records import Frame, SceneModel
from roomtour.drawing.labels import LabelPlacer
from roomtour.drawing.map_floor import Floor, draw_floor, draw_rooms
from roomtour.drawing.map_marks import (
    draw_decision,
    draw_object,
    draw_path,
    draw_scale_bar,
    draw_view_change,
    find_heading,
)
from roomtour.drawing.svg import element, number
from trajectories.records import Trajectory

WIDTH, MAX_HEIGHT, MARGIN = 800.0, 640.0, 44.0
BAR_STRIP = 40.0
"""Below the drawing, for the scale bar: wherever else it stood, a path or a label would cross it on some map."""
MAX_POINTS = 4000
POINT_PERCENTILES = (2.0, 98.0)
"""Points outside these are often the far ends of bad tracks; the map is not stretched for them."""


@dataclass(frozen=True, eq=False)
class MapView:
    """How a model's floor goes onto the drawing: x to the right, y up, one scale for both."""

    low: Array  # (2,) world
    high: Array  # (2,) world

    @cached_property
    def px_per_unit(self) -> float:
        """Drawing pixels per unit of the model."""
        span = np.maximum(self.high - self.low, 1e-9)
        return float(min((WIDTH - 2 * MARGIN) / span[0], (MAX_HEIGHT - 2 * MARGIN) / span[1]))

    @cached_property
    def height(self) -> float:
        """Of the drawing in its own pixels; the width is always WIDTH."""
        return float(max(240.0, (self.high[1] - self.low[1]) * self.px_per_unit + 2 * MARGIN))

    def shows(self, point: Array) -> bool:
        """Whether a world point (2,) lies on the drawing."""
        margin = MARGIN / self.px_per_unit
        return bool(np.all(point >= self.low - margin) and np.all(point <= self.high + margin))

    def widen_to(self, outlines: Sequence[Array]) -> MapView:
        """The view that also shows outlines (K, 2) whole, by at most half of its longer side to each side."""
        corners = np.concatenate([self.low[None], self.high[None], *outlines])
        most = float((self.high - self.low).max()) / 2
        return MapView(
            np.maximum(corners.min(axis=0), self.low - most), np.minimum(corners.max(axis=0), self.high + most)
        )

    def at(self, points: Array) -> Array:
        """(N, 2) drawing coordinates of (N, 2 or 3) world points."""
        middle = (self.low + self.high) / 2
        flipped = (np.atleast_2d(points)[:, :2] - middle) * (self.px_per_unit, -self.px_per_unit)
        return flipped + np.array([WIDTH / 2, self.height / 2])


@dataclass(frozen=True, eq=False)
class MapDrawing:
    """What a map is made of, to stand alone or on a sheet."""

    parts: tuple[Markup | None, ...]
    view: MapView
    height: float
    """With the strip of the scale bar; the width is WIDTH."""
    words: str
    """For those who cannot see it."""

    @property
    def picture(self) -> Markup:
        """An `svg` of the parts."""
        return element(
            "svg",
            self.parts,
            class_="map",
            viewBox=f"0 0 {number(WIDTH)} {number(self.height)}",
            role="img",
            aria_label=self.words,
        )


def lay_out_map(
    model: SceneModel,
    trajectories: Sequence[Trajectory],
    objects: Mapping[int, SceneObject],
    frames: Mapping[int, Frame],
    named: Collection[int] | None = None,
    floor: Floor | None = None,
) -> MapDrawing:
    """Draw one model from above.

    Args:
        model: Anything z up; lengths appear only where its scale has metres.
        trajectories: Those of this model.
        objects: Those of this model, by their number on the page.
        frames: Frames of the tour by index, for times.
        named: Numbers of the objects that get their number and alias on the map; all if None.
        floor: Floor plan, rooms and doorways of this model, where there is a plan.

    Returns:
        Parts whose groups have the classes `layer-floor`, `layer-points`, `layer-objects`, `layer-turns` and
        `layer-choices`.
    """
    view = MapView(*_extent(model))
    near = {key: item for key, item in objects.items() if view.shows(np.array(item.obb.center[:2]))}
    view = view.widen_to([footprint(item) for item in near.values()])
    labels = LabelPlacer(WIDTH, view.height)
    headings = {frame: find_heading(model.world_from_cam[frame]) for frame in model.frames}
    xy = dict(zip(model.frames, view.at(model.centers), strict=True))
    places = {frame: (float(xy[frame][0]), float(xy[frame][1]), headings[frame]) for frame in xy}
    times = {frame: frames[frame].time_s for frame in model.frames if frame in frames}
    changes = [change for trajectory in trajectories for change in trajectory.view_changes]
    decisions = [decision for trajectory in trajectories for decision in trajectory.decisions]

    path = draw_path(model.frames, places, times, labels)
    turns = [draw_view_change(change, places, times, labels) for change in changes]
    choices = [draw_decision(decision, places) for decision in decisions]
    for x, y, _ in places.values():
        labels.reserve((x - 5, y - 5, x + 5, y + 5))
    boxes = [
        draw_object(key, item, view.at(footprint(item)), labels if named is None or key in named else None)
        for key, item in near.items()
    ]
    rooms = draw_rooms(floor, view.at, labels) if floor is not None else None
    bar = draw_scale_bar(model.scale, view.px_per_unit, view.height + BAR_STRIP)
    full_height = view.height + (BAR_STRIP if bar else 0.0)
    words = (
        f"Model {model.name} seen from above: {count(len(model.frames), 'frame')}, "
        f"{count(len(changes), 'view change')}, {count(len(decisions), 'decision point')}, "
        f"{count(len(near), 'object')}."
    )
    parts = (
        draw_floor(floor, view.at) if floor is not None else None,
        element("g", draw_points(model.tracks.xyz, view), class_="layer-points"),
        element("g", boxes, class_="layer-objects"),
        element("g", choices, class_="layer-choices"),
        path,
        element("g", turns, class_="layer-turns"),
        rooms,
        bar,
    )
    return MapDrawing(parts, view, full_height, words)


def footprint(item: SceneObject) -> Array:
    """(K, 2) corners of the object's box seen from above, in order."""
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    corners = (signs * item.obb.half_extents) @ np.array(item.obb.rotation).T + item.obb.center
    return cv2.convexHull(corners[:, :2].astype(np.float32)).reshape(-1, 2).astype(float)


def _extent(model: SceneModel) -> tuple[Array, Array]:
    """Corners of what the map shows: the path, and the points that lie near it rather than outside the windows."""
    path = model.centers[:, :2]
    low, high = path.min(axis=0), path.max(axis=0)
    reach = max(float(np.linalg.norm(high - low)), 4 * model.median_step, 1e-6)
    points = model.tracks.xyz[:, :2]
    if len(points):
        near_low, near_high = np.percentile(points, POINT_PERCENTILES, axis=0)
        low = np.minimum(low, np.maximum(near_low, low - reach))
        high = np.maximum(high, np.minimum(near_high, high + reach))
    return low, high


def draw_points(xyz: NDArray[np.floating], view: MapView) -> Markup | None:
    """Points (N, 3) within the view as one path of dots, thinned evenly; None for none."""
    inside = np.all((xyz[:, :2] >= view.low) & (xyz[:, :2] <= view.high), axis=1)
    rows = np.flatnonzero(inside)
    if len(rows) > MAX_POINTS:
        rows = np.random.default_rng(0).choice(rows, MAX_POINTS, replace=False)
    if not len(rows):
        return None
    spots = view.at(xyz[rows].astype(np.float64))
    return element("path", d="".join(f"M{number(x)} {number(y)}h0" for x, y in spots))

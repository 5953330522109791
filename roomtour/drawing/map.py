"""The walk of one model from above: floor, rooms, points, path, view changes, decisions and objects, as one SVG."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle

import cv2
import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from instructions.records import SceneObject
from recon.geometry import Array
from recon.numerals import count
from recon.records import Frame, SceneModel
from roomtour.drawing.map_marks import (
    draw_decision,
    draw_object,
    draw_path,
    draw_scale_bar,
    draw_view_change,
    find_heading,
)
from roomtour.drawing.svg import LabelPlacer, around, element, number
from roomtour.drawing.text import printable
from trajectories.records import Area, Doorway, FloorPlan, Room, Trajectory

FONT = 13.0
ROOM_COLORS = ("#3b6ea5", "#b0722b", "#4d8a57", "#8a5a9e", "#a8504f", "#5b7f86")
"""Told apart from each other; the names say which room it is."""


@dataclass(frozen=True)
class Floor:
    """What is known of one model's floor."""

    plan: FloorPlan
    rooms: tuple[Room, ...] = ()
    doorways: tuple[Doorway, ...] = ()


def draw_floor(floor: Floor, at: Callable[[Array], Array]) -> Markup:
    """Free floor, rooms and what stands in the way; `at` gives drawing coordinates (N, 2) of world places (N, 2)."""
    free = [element("path", d=_outline(area, at), class_="free") for area in floor.plan.free]
    rooms = [
        element(
            "g",
            element("title", f"{printable(room.label)}: {count(len(room.frames), 'frame')}"),
            [element("path", d=_outline(area, at), fill=color) for area in room.areas],
            class_="room",
        )
        for room, color in zip(floor.rooms, cycle(ROOM_COLORS), strict=False)
    ]
    walls = "".join(_outline(area, at) for area in floor.plan.occupied)
    return element("g", free, rooms, element("path", d=walls, class_="wall") if walls else None, class_="layer-floor")


def draw_rooms(floor: Floor, at: Callable[[Array], Array], labels: LabelPlacer) -> Markup:
    """Doorways, and the names of the rooms where there is place for them."""
    names = {room.id: printable(room.label) for room in floor.rooms}
    parts = []
    for door in floor.doorways:
        x, y = (float(value) for value in at(np.array([door.position]))[0])
        labels.reserve((x - 7, y - 7, x + 7, y + 7))
        known = [names[room] for room in door.rooms if room in names]
        where = " and ".join(known)
        where = f"doorway {'between' if len(known) == 2 else 'of'} {where}" if known else "doorway"
        times = f"passed {len(door.crossings)}\u00a0times" if door.crossings else "not passed"
        parts.append(element("g", element("title", f"{where}, {times}"), _mark(door, at, x, y), class_="door"))
    for room in floor.rooms:
        spot = labels.place(names[room.id], FONT, _anchors(room, at))
        if spot:
            parts.append(element("text", names[room.id], x=spot[0], y=spot[1], class_="room-name"))
    return element("g", parts, class_="layer-floor")


def _mark(door: Doorway, at: Callable[[Array], Array], x: float, y: float) -> list[Markup]:
    """A bar from jamb to jamb, where the width is known, and a square where the walk went through."""
    marks = []
    if door.width is not None and door.heading_deg is not None:
        heading = np.radians(door.heading_deg)
        half = np.array([-np.sin(heading), np.cos(heading)]) * door.width / 2
        (x1, y1), (x2, y2) = at(np.array([door.position - half, door.position + half])).tolist()
        marks.append(element("line", x1=x1, y1=y1, x2=x2, y2=y2))
    if door.crossings or not marks:
        marks.append(element("rect", x=x - 5, y=y - 5, width=10, height=10))
    return marks


def _outline(area: Area, at: Callable[[Array], Array]) -> str:
    """SVG path of an area with its holes."""
    rings = [at(np.array(ring)) for ring in (area.outline, *area.holes)]
    return "".join("M" + "L".join(f"{number(x)} {number(y)}" for x, y in ring) + "Z" for ring in rings)


def _anchors(room: Room, at: Callable[[Array], Array]) -> Sequence[tuple[float, float]]:
    corners = at(np.array(room.areas[0].outline)) if room.areas else np.zeros((0, 2))
    if not len(corners):
        return []
    (x, y), (reach_x, reach_y) = corners.mean(axis=0), np.ptp(corners, axis=0) / 4
    return [(float(x), float(y)), *around(float(x), float(y), float(reach_x), float(reach_y))]


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

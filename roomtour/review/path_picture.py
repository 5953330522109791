"""Where a text leads: its part of the walk from above, within the whole walk and the points around it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from markupsafe import Markup

from instructions.navigation.records import NavigationText
from recon.geometry import Pose
from roomtour.drawing.labels import LabelPlacer
from roomtour.drawing.map import WIDTH, MapView, draw_points
from roomtour.drawing.map_marks import Place, draw_path, draw_scale_bar, find_heading
from roomtour.drawing.svg import element, number
from roomtour.view.tour import TourView

_AROUND_SHARE = 0.35
"""How much more than the way itself is drawn, relative to its extent."""
_LEAST_SHARE = 0.12
"""A way on the spot still shows this much of the model around it."""


def draw_path_picture(tour: TourView, text: NavigationText, *, is_way_back: bool = False) -> Markup | None:
    """The way of a text from above; None where its model or its frames are not there.

    Args:
        tour: Where the text belongs.
        text: Its views stand for the way.
        is_way_back: The way is walked from its last frame to its first, each place faced the other way.
    """
    model = next((model for model in tour.models if model.name == text.model), None)
    if model is None or not text.views:
        return None
    first, last = min(text.views), max(text.views)
    way = [frame for frame in model.frames if first <= frame <= last]
    if not way:
        return None
    xy = model.centers[:, :2]
    stretch = np.array([model.world_from_cam[frame].center[:2] for frame in way])
    low, high = stretch.min(axis=0), stretch.max(axis=0)
    reach = max(_AROUND_SHARE * float(np.max(high - low)), _LEAST_SHARE * model.span)
    view = MapView(low - reach, high + reach)
    places = {frame: _place(view, model.world_from_cam[frame], is_way_back) for frame in way}
    if is_way_back:
        way = way[::-1]
    times = {frame: tour.frames[frame].time_s for frame in way}
    return element(
        "svg",
        element("g", draw_points(model.xyz, view), class_="layer-points"),
        element("path", d=_walk(model.frames, view.at(xy)), class_="whole-walk"),
        draw_path(way, places, times, LabelPlacer(WIDTH, view.height)),
        draw_scale_bar(model.scale, view.px_per_unit, view.height),
        class_="map",
        viewBox=f"0 0 {number(WIDTH)} {number(view.height)}",
        role="img",
        aria_label=f"The way from above, frames {way[0]} to {way[-1]}, from the circle to the square",
    )


def _place(view: MapView, pose: Pose, is_turned: bool) -> Place:
    (x, y), heading = view.at(pose.center)[0], find_heading(pose)
    return float(x), float(y), None if heading is None else heading + 180.0 * is_turned


def _walk(frames: tuple[int, ...], xy: np.ndarray) -> str:
    """The whole walk as lines; not drawn across frames without a pose."""
    parts = [f"M{number(float(xy[0, 0]))} {number(float(xy[0, 1]))}"]
    for row, (before, after) in enumerate(pairwise(frames), start=1):
        parts.append(f"{'L' if after == before + 1 else 'M'}{number(float(xy[row, 0]))} {number(float(xy[row, 1]))}")
    return "".join(parts)

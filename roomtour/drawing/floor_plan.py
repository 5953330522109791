"""The floor plan of a tour as a sheet of its own: the map of a model with title, scale and legend."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from instructions.records import SceneObject
from recon.pictures import write_picture_file
from recon.records import Scale, Scene, SceneModel
from roomtour.drawing.colors import object_color, text_on, time_color
from roomtour.drawing.map import WIDTH, Floor, MapView, lay_out_map
from roomtour.drawing.pages import read_asset
from roomtour.drawing.raster import rasterize
from roomtour.drawing.svg import element, number
from roomtour.drawing.text import clock, printable
from roomtour.errors import RoomtourError, UsageError

MAX_NAMED = 12
"""Objects; of more, only those that texts speak of are named."""
PNG_SCALE = 2.0
_HEAD, _LINE, _COLUMNS, _MARGIN = 62.0, 22.0, 3, 18.0
_INK = {
    "sheet": "#ffffff", "ink": "#1d2126", "soft": "#5b6470", "fill": "#eef0f2", "good": "#00755a", "bad": "#b83a00",
    "good-mark": "#009e73", "bad-mark": "#d55e00", "left": "#0072b2", "right": "#b5560a", "point": "#4a5360",
    "halo": "#ffffff",
}  # fmt: skip
"""The colours of the page on light ground."""


WalkedTour = Any
"""What a plan is drawn from: a `roomtour.Run`, or the data of one. Both lie above this package."""


class Sheet(Markup):
    """A drawing as the text of an SVG file, which a notebook shows as a picture."""

    def _repr_svg_(self) -> str:
        return str(self)


def draw_floor_plan(tour: WalkedTour, model: str = "") -> Sheet:
    """Draw the floor plan of a tour as one SVG file, with scale bar and legend.

    The largest model is drawn if none is named.

    Raises:
        RoomtourError: If the tour has no model of that name, or none with cameras.
    """
    chosen = _choose_model(tour.scene, model)
    objects = {key: one for key, one in enumerate(tour.objects, 1) if one.model == chosen.name}
    named = choose_named(tour, objects)
    walks = [walk for walk in tour.trajectories if walk.model == chosen.name]
    frames = tour.scene.frame_by_index
    drawn = lay_out_map(chosen, walks, objects, frames, named, floor_of(tour, chosen))
    times = [frames[frame].time_s for frame in chosen.frames if frame in frames]
    top = _HEAD + drawn.height
    keys = [_key(row, key, objects[key], top + 2 * _LINE) for row, key in enumerate(named)]
    height = top + (2.5 + -(-len(named) // _COLUMNS)) * _LINE
    title = printable(tour.scene.id) + (f", model {printable(chosen.name)}" if len(tour.scene.models) > 1 else "")
    svg = element(
        "svg",
        _style(),
        element("rect", width=WIDTH, height=height, fill=_INK["sheet"]),
        element("text", title, x=_MARGIN, y=26, class_="title"),
        element("text", f"{_tell_scale(chosen.scale)} The top of the sheet is not north.", x=_MARGIN, y=50,
                class_="note"),
        element("g", drawn.parts, transform=f"translate(0 {number(_HEAD)})"),
        _legend(top + _LINE / 2, clock(times[0]) if times else "start", clock(times[-1]) if times else "end"),
        keys,
        xmlns="http://www.w3.org/2000/svg",
        class_="map plan",
        viewBox=f"0 0 {number(WIDTH)} {number(height)}",
        width=WIDTH,
        height=height,
        role="img",
        aria_label=drawn.words,
    )  # fmt: skip
    return Sheet(svg)


def draw_bare_plan(tour: WalkedTour, model: SceneModel) -> tuple[Markup, MapView]:
    """Floor and path of one model without names and marks, and how its places go onto the drawing."""
    drawn = lay_out_map(model, (), {}, tour.scene.frame_by_index, floor=floor_of(tour, model))
    size = f"0 0 {number(WIDTH)} {number(drawn.height)}"
    return element("svg", _style(), drawn.parts, class_="map bare", viewBox=size), drawn.view


def write_floor_plan(tour: WalkedTour, path: Path) -> None:
    """Write the floor plan to a file, by its ending `.svg` or `.png`.

    Raises:
        UsageError: For another ending.
        RoomtourError: If there is nothing to draw, or the file cannot be written.
    """
    kind = path.suffix.lower()
    if kind not in (".svg", ".png"):
        raise UsageError(f"--plan {path}: a floor plan is an .svg or a .png")
    svg = draw_floor_plan(tour)
    try:
        if kind == ".svg":
            path.write_text(svg, encoding="utf-8")
        else:
            write_picture_file(path, rasterize(svg, PNG_SCALE))
    except (OSError, ValueError) as error:
        raise RoomtourError(f"{path}: cannot be written: {error}") from error


def floor_of(tour: WalkedTour, model: SceneModel) -> Floor | None:
    """What is known of a model's floor; None where it has no plan."""
    plan = next((plan for plan in tour.floor_plans if plan.model == model.name), None)
    if plan is None:
        return None
    rooms = tuple(room for room in tour.rooms if room.model == model.name)
    return Floor(plan, rooms, tuple(door for door in tour.doorways if door.model == model.name))


def choose_named(tour: WalkedTour, objects: Mapping[int, SceneObject]) -> list[int]:
    """Which objects get a name on the map: all of a few, else those the texts speak of."""
    if len(objects) <= MAX_NAMED:
        return list(objects)
    told: Collection[str] = {name for text in tour.instructions if text.accepted for name in text.objects}
    return [key for key, item in objects.items() if item.id in told]


def _style() -> Markup:
    """The rules of maps in the colours of a sheet."""
    rules = read_asset("drawing/map.css")
    for name, color in _INK.items():
        rules = rules.replace(f"var(--{name})", color)
    return element("style", Markup("text { font-family: sans-serif; } ") + rules)


def _choose_model(scene: Scene, name: str) -> SceneModel:
    walked = [model for model in scene.models if model.frames and name in ("", model.name)]
    if not walked:
        known = ", ".join(model.name for model in scene.models) or "none"
        raise RoomtourError(f"{scene.id}: no model {name or 'with cameras'} to draw a floor plan of; models: {known}")
    return max(walked, key=lambda model: len(model.frames))


def _tell_scale(scale: Scale) -> str:
    if scale.status == "relative":
        return "The scale is unknown, so there is no scale bar."
    words = "Assumed scale" if scale.status == "assumed" else "Measured scale"
    return f"{words}, good to {scale.sigma:.0%}."


def _legend(y: float, first: str, last: str) -> list[Markup]:
    """One line: the colours of time, floor, walls, doorways."""
    ramp = [
        element("rect", x=66 + 6 * step, y=y - 4, width=6, height=8, fill=time_color(step / 15)) for step in range(16)
    ]
    square = {"y": y - 6, "width": 14, "height": 12}
    return [
        element("text", first, x=_MARGIN, y=y, class_="key"), *ramp,
        element("text", last, x=168, y=y, class_="key"),
        element("g", element("path", d=f"M250 {y - 6:.0f}h14v12h-14Z", class_="free"), class_="layer-floor"),
        element("text", "floor", x=270, y=y, class_="key"),
        element("rect", x=330, fill=_INK["soft"], fill_opacity=0.55, **square),
        element("text", "wall or furniture", x=350, y=y, class_="key"),
        element("line", x1=482, x2=500, y1=y, y2=y, stroke=_INK["ink"], stroke_width=4),
        element("text", "doorway", x=508, y=y, class_="key"),
        element("rect", x=590, fill=_INK["halo"], stroke=_INK["ink"], stroke_width=1.5, y=y - 5, width=10, height=10),
        element("text", "doorway passed", x=608, y=y, class_="key"),
    ]  # fmt: skip


def _key(row: int, key: int, item: SceneObject, top: float) -> Markup:
    x = _MARGIN + (row % _COLUMNS) * (WIDTH - _MARGIN) / _COLUMNS
    y = top + (row // _COLUMNS) * _LINE
    color = object_color(key)
    badge = element(
        "g", element("circle", cx=x + 9, cy=y, r=9, fill=color),
        element("text", key, x=x + 9, y=y, style=f"fill:{text_on(color)}"), class_="badge",
    )  # fmt: skip
    return element("g", badge, element("text", printable(item.alias), x=x + 24, y=y, class_="key"))

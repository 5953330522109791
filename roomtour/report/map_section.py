"""The maps of a run: one per model, each with switches for its layers and a key."""

from __future__ import annotations

from collections.abc import Mapping

from instructions.records import SceneObject
from recon.records import Scene, SceneModel
from roomtour.drawing.colors import time_color
from roomtour.drawing.map import draw_map
from roomtour.drawing.map_floor import Floor
from roomtour.drawing.map_marks import number_badge
from roomtour.drawing.markup import Markup, join, tag
from roomtour.drawing.text import clock, count, printable
from roomtour.export.core.records import RunData

MAX_MAPS = 6
MAX_NAMED = 12
LAYERS = (
    ("floor", "floor"),
    ("points", "points"),
    ("objects", "objects"),
    ("turns", "view changes"),
    ("choices", "decision points"),
)


def draw_maps(data: RunData, numbered: Mapping[int, SceneObject]) -> Markup:
    """Maps of the largest models; says how many are left out."""
    scene = data.scene
    figures = [_figure(data, model, numbered) for model in scene.models[:MAX_MAPS]]
    more = len(scene.models) - MAX_MAPS
    note = tag("p", f"{count(more, 'smaller model')} not drawn; the table below has all.", class_="none")
    return join([tag("div", figures, class_="maps"), note if more > 0 else None])


def _figure(data: RunData, model: SceneModel, numbered: Mapping[int, SceneObject]) -> Markup:
    scene = data.scene
    walks = [trajectory for trajectory in data.trajectories if trajectory.model == model.name]
    objects = {key: item for key, item in numbered.items() if item.model == model.name}
    floor = _floor(data, model)
    present = {
        "floor": floor is not None,
        "points": len(model.tracks.xyz) > 0,
        "objects": bool(objects),
        "turns": any(walk.view_changes for walk in walks),
        "choices": any(walk.decisions for walk in walks),
    }
    switches = []
    for layer, words in LAYERS:
        if present[layer]:
            box = tag("input", type="checkbox", checked=True, class_=layer)
            switches.append(tag("label", box, words, class_="switch"))
    title = tag("h3", f"Model {printable(model.name)}", tag("small", _subtitle(model)))
    named = _named(data, objects)
    keys = [tag("li", number_badge(key), " ", printable(objects[key].alias)) for key in named]
    return tag(
        "figure",
        title,
        switches,
        draw_map(model, walks, objects, scene.frame_by_index, named, floor),
        tag("figcaption", _time_key(scene, model), _words(model, present, len(objects) - len(named))),
        tag("ul", keys, class_="keys", aria_label="Objects on the map") if keys else None,
        class_="map-figure",
    )


def _floor(data: RunData, model: SceneModel) -> Floor | None:
    plan = next((plan for plan in data.floor_plans if plan.model == model.name), None)
    if plan is None:
        return None
    rooms = tuple(room for room in data.rooms if room.model == model.name)
    return Floor(plan, rooms, tuple(door for door in data.doorways if door.model == model.name))


def _named(data: RunData, objects: Mapping[int, SceneObject]) -> list[int]:
    """Which objects get a name on the map: all of a few, else those the texts speak of."""
    if len(objects) <= MAX_NAMED:
        return list(objects)
    told = {name for instruction in data.instructions if instruction.accepted for name in instruction.objects}
    return [key for key, item in objects.items() if item.id in told]


def _subtitle(model: SceneModel) -> str:
    return f" {count(len(model.frames), 'frame')}, {count(len(model.tracks.xyz), 'point')}"


def _time_key(scene: Scene, model: SceneModel) -> Markup:
    times = [scene.frame_by_index[frame].time_s for frame in model.frames if frame in scene.frame_by_index]
    first, last = (clock(times[0]), clock(times[-1])) if times else ("start", "end")
    colors = ",".join(time_color(share) for share in (0, 1 / 3, 2 / 3, 1))
    ramp = tag("span", class_="ramp", style=f"background:linear-gradient(to right,{colors})")
    return tag("span", first, ramp, last, class_="time-key")


def _words(model: SceneModel, present: Mapping[str, bool], unnamed: int) -> Markup:
    parts = ["Small arrow heads point where the camera looks."]
    if present["floor"]:
        parts.append("Light floor was walked or seen across, dark is wall or furniture; squares are doorways.")
    if present["turns"]:
        parts.append("Arrows turn from the old view to the new one (L left, R right); thin ones while walking.")
    if present["choices"]:
        parts.append("At a decision point ✓ is the view of the right way and ✗ of a wrong one.")
    if unnamed:
        parts.append(f"{count(unnamed, 'object')} that no text speaks of: faint, without a name, or beyond the map.")
    if model.scale.status == "relative":
        parts.append("The scale is unknown, so there is no scale bar.")
    return tag("span", " ".join(parts))

"""The maps of a run: one per model, each with switches for its layers and a key."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from instructions.records import SceneObject
from recon.numerals import count
from recon.records import SceneModel
from roomtour.drawing.colors import time_color
from roomtour.drawing.floor_plan import choose_named, floor_of
from roomtour.drawing.map import lay_out_map
from roomtour.drawing.pages import render
from roomtour.drawing.text import clock
from roomtour.export.core.records import RunData

MAX_MAPS = 6
LAYERS = (
    ("floor", "floor"),
    ("points", "points"),
    ("objects", "objects"),
    ("turns", "view changes"),
    ("choices", "decision points"),
)


def draw_maps(data: RunData, numbered: Mapping[int, SceneObject]) -> Markup:
    """Maps of the largest models; says how many are left out. A scan without cameras has no way to draw."""
    walked = [model for model in data.scene.models if model.frames]
    return render(
        "report/maps.html",
        maps=[_map(data, model, numbered) for model in walked[:MAX_MAPS]],
        more=len(walked) - MAX_MAPS,
        layers=LAYERS,
        ramp=[time_color(share) for share in (0, 1 / 3, 2 / 3, 1)],
    )


def _map(data: RunData, model: SceneModel, numbered: Mapping[int, SceneObject]) -> dict[str, object]:
    """What the figure of one model shows."""
    frames = data.scene.frame_by_index
    walks = [trajectory for trajectory in data.trajectories if trajectory.model == model.name]
    objects = {key: item for key, item in numbered.items() if item.model == model.name}
    floor = floor_of(data, model)
    present = {
        "floor": floor is not None,
        "points": len(model.tracks.xyz) > 0,
        "objects": bool(objects),
        "turns": any(walk.view_changes for walk in walks),
        "choices": any(walk.decisions for walk in walks),
    }
    named = choose_named(data, objects)
    times = [frames[frame].time_s for frame in model.frames if frame in frames]
    return {
        "model": model,
        "present": {layer for layer, is_there in present.items() if is_there},
        "picture": lay_out_map(model, walks, objects, frames, named, floor).picture,
        "first": clock(times[0]) if times else "start",
        "last": clock(times[-1]) if times else "end",
        "words": _words(model, present, len(objects) - len(named)),
        "named": {key: objects[key] for key in named},
    }


def _words(model: SceneModel, present: Mapping[str, bool], unnamed: int) -> str:
    parts = ["Small arrow heads point where the camera looks."]
    if present["floor"]:
        parts.append("Light floor was walked or seen across, dark is wall or furniture.")
        parts.append("Bars are doorways, with a square where the walk went through.")
    if present["turns"]:
        parts.append("Arrows turn from the old view to the new one (L left, R right); thin ones while walking.")
    if present["choices"]:
        parts.append("At a decision point ✓ is the view of the right way and ✗ of a wrong one.")
    if unnamed:
        parts.append(f"{count(unnamed, 'object')} that no text speaks of: faint, without a name, or beyond the map.")
    if model.scale.status == "relative":
        parts.append("The scale is unknown, so there is no scale bar.")
    return " ".join(parts)

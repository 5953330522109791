"""The tables of the page: clips, models, objects, stages, and lists of named values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from instructions.records import SceneObject
from recon.records import Scene, SceneModel
from roomtour.drawing.map_marks import number_badge
from roomtour.drawing.markup import Child, Markup, join, tag
from roomtour.drawing.text import clock, duration, percent, printable
from roomtour.report.lengths import length, scale_factor
from roomtour.report.records import StageFacts, SubModelSummary


@dataclass(frozen=True)
class Column:
    """A heading, and whether numbers stand below it."""

    name: str
    numeric: bool = False


def data_table(caption: str, columns: Sequence[Column], rows: Sequence[Sequence[Child]]) -> Markup:
    """A table that scrolls sideways on its own on a narrow screen."""
    heads = [tag("th", column.name, scope="col", class_="number" if column.numeric else None) for column in columns]
    body = [
        tag("tr", [
            tag("td", cell, class_="number" if column.numeric else None)
            for column, cell in zip(columns, row, strict=True)
        ])
        for row in rows
    ]  # fmt: skip
    table = tag("table", tag("caption", caption, class_="hidden"), tag("thead", tag("tr", heads)), tag("tbody", body))
    return tag("div", table, class_="scroll", tabindex=0, role="region", aria_label=caption)


def named_values(rows: Sequence[tuple[str, Child]]) -> Markup:
    """A list of names and values; what has no value is left out."""
    pairs = [join([tag("dt", name), tag("dd", value)]) for name, value in rows if value not in ("", None)]
    return tag("dl", pairs, class_="values")


def clip_table(scene: Scene, sub_models: Sequence[SubModelSummary]) -> Markup:
    """What became of each clip."""
    models_by_frame = _models_by_frame(scene)
    columns = [
        Column("clip"), Column("shot", True), Column("time"), Column("frames", True), Column("registered", True),
        Column("sub-models", True), Column("points", True), Column("reprojection error, px", True), Column("ended in"),
    ]  # fmt: skip
    rows = []
    for clip in scene.clips:
        registered = [frame for frame in clip.frames if frame in models_by_frame]
        own = [summary for summary in sub_models if summary.clip == clip.name]
        points = sum(summary.points for summary in own)
        error = sum(summary.mean_reprojection_error_px * summary.points for summary in own) / points if points else None
        ends = sorted({name for frame in registered for name in models_by_frame[frame]})
        rows.append(
            [
                printable(clip.name),
                clip.shot,
                _time_range(scene, clip.frames),
                len(clip.frames),
                _of(len(registered), len(clip.frames)),
                ", ".join(str(summary.frames) for summary in own) + (" frames" if own else "–"),
                points or "–",
                "–" if error is None else f"{error:.2f}",
                "model " + ", ".join(ends) if ends else tag("span", "nothing", class_="bad"),
            ]
        )
    return data_table("Clips", columns, rows)


def model_table(scene: Scene) -> Markup:
    """What each model is made of and how far its figures can be trusted."""
    columns = [
        Column("model"), Column("frames", True), Column("share", True), Column("time"), Column("clips"),
        Column("points", True), Column("views per point", True), Column("reprojection error, px", True),
        Column("path length", True), Column("scale factor", True), Column("scale from"), Column("up from"),
    ]  # fmt: skip
    rows = []
    for model in scene.models:
        points = len(model.tracks.xyz)
        rows.append(
            [
                printable(model.name),
                len(model.frames),
                percent(len(model.frames) / len(scene.frames)) if scene.frames else "–",
                _time_range(scene, model.frames),
                ", ".join(printable(clip) for clip in model.clips) or "–",
                points,
                f"{len(model.tracks.obs_point) / points:.1f}" if points else "–",
                f"{model.mean_reprojection_error_px:.2f}",
                length(model.path_length, model.scale),
                scale_factor(model.scale),
                model.scale.source,
                model.up_source,
            ]
        )
    return data_table("Models", columns, rows)


def object_table(objects: Mapping[int, SceneObject], models: Mapping[str, SceneModel]) -> Markup:
    """Every object with the number it has on the page."""
    columns = [
        Column("no."), Column("name"), Column("seen colour"), Column("size (length × width × height)"),
        Column("frames", True), Column("points", True), Column("model"), Column("room"), Column("note"), Column("by"),
    ]  # fmt: skip
    rows = []
    for key, item in objects.items():
        model = models.get(item.model)
        rows.append(
            [
                number_badge(key),
                item.alias if item.category is None else f"{item.alias} ({item.category})",
                _swatch(item, model),
                _size(item, model),
                len(item.frames),
                len(item.points),
                item.model,
                item.room or "–",
                "another object would be described the same way" if item.ambiguous else "",
                item.source,
            ]
        )
    return data_table("Objects", columns, rows)


def stage_table(stages: Sequence[StageFacts]) -> Markup:
    """What each stage cost, with a bar for its share of the time."""
    columns = [Column("stage"), Column("time", True), Column("share of the time"), Column("CPU time", True), Column("")]
    total = sum(stage.seconds for stage in stages)
    rows: list[list[Child]] = []
    for stage in stages:
        share = stage.seconds / total if total else 0.0
        bar = tag("span", class_="meter", style=f"width:{max(share * 100, 0.5):.1f}%")
        cpu = "–" if stage.cpu_seconds is None else duration(stage.cpu_seconds)
        cached = "from an earlier run" if stage.cached else ""
        rows.append([stage.name, duration(stage.seconds), tag("span", bar, class_="meter-ground"), cpu, cached])
    cpu_total = sum(stage.cpu_seconds or 0.0 for stage in stages)
    rows.append([tag("strong", "all"), tag("strong", duration(total)), "", tag("strong", duration(cpu_total)), ""])
    return data_table("Stages", columns, rows)


def _models_by_frame(scene: Scene) -> dict[int, list[str]]:
    out: dict[int, list[str]] = {}
    for model in scene.models:
        for frame in model.frames:
            out.setdefault(frame, []).append(model.name)
    return out


def _time_range(scene: Scene, frames: Sequence[int]) -> str:
    known = [scene.frame_by_index[frame].time_s for frame in frames if frame in scene.frame_by_index]
    return f"{clock(min(known))}\u00a0–\u00a0{clock(max(known))}" if known else "–"


def _of(part: int, whole: int) -> str:
    return f"{part} ({percent(part / whole)})" if whole else "0"


def _swatch(item: SceneObject, model: SceneModel | None) -> Markup:
    """The median colour of the object's own points, beside its colour name."""
    rows = [row for row in item.points if model is not None and 0 <= row < len(model.tracks.rgb)]
    patch = None
    if model is not None and rows:
        red, green, blue = (int(channel) for channel in np.median(model.tracks.rgb[rows], axis=0))
        patch = tag("span", class_="swatch", style=f"background:rgb({red},{green},{blue})")
    return join([patch, item.color or "–"])


def _size(item: SceneObject, model: SceneModel | None) -> Markup:
    if model is None:
        return join(["–"])
    rotation = np.array(item.obb.rotation)
    upright = int(np.argmax(np.abs(rotation[2])))
    flat = sorted((2 * item.obb.half_extents[axis] for axis in range(3) if axis != upright), reverse=True)
    sizes = [*flat, 2 * item.obb.half_extents[upright]]
    text = " × ".join(f"{size:.2f}" for size in sizes[:-1])
    return join([text, " × ", length(sizes[-1], model.scale, 2)])

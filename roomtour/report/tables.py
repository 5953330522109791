"""The tables of the page: findings by their causes, health, clips, models, objects and stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup

from instructions.records import SceneObject
from recon.audit.revisits import OPEN_PX
from recon.findings import Finding
from recon.records import Scene, SceneModel
from roomtour.drawing.pages import render
from roomtour.drawing.text import clock
from roomtour.files.models import SubModelEntry
from roomtour.verdict import group_causes


def draw_findings(findings: Sequence[Finding]) -> Markup:
    """One line for each cause; the other findings that tell of it are a click away, and so are notes."""
    causes = group_causes(findings)
    return render(
        "report/findings.html",
        serious=[cause for cause in causes if cause.head.severity != "info"],
        notes=[cause for cause in causes if cause.head.severity == "info"],
    )


_BARS = {"doubtful_pairs": 0.1, "long_loop_px": 3.0, "loose_scale": 0.1, "short_track": 3.0, "open_px": OPEN_PX}
"""Figures beyond these are marked. Sound models have up to a few percent of pairs that contradict them."""


def health_table(scene: Scene) -> Markup | None:
    """One row per model; None where nothing was measured."""
    rows = [{"model": model, **_uncertainty(model)} for model in scene.models if model.health is not None]
    return render("report/health.html", rows=rows, bars=_BARS) if rows else None


def _uncertainty(model: SceneModel) -> dict[str, float | int | None]:
    """Medians of the 1 sigma uncertainty of a pose, and the least sure frame; `worst` is None where none was found."""
    if not model.pose_sigma:
        return {"worst": None}
    positions = {frame: sigma.position for frame, sigma in model.pose_sigma.items()}
    worst = max(positions, key=lambda frame: positions[frame])
    return {
        "worst": worst,
        "worst_position": positions[worst],
        "position": float(np.median(list(positions.values()))),
        "rotation_deg": float(np.median([sigma.rotation_deg for sigma in model.pose_sigma.values()])),
    }


def clip_table(scene: Scene, sub_models: Sequence[SubModelEntry]) -> Markup:
    """What became of each clip."""
    models_by_frame: dict[int, list[str]] = {}
    for model in scene.models:
        for frame in model.frames:
            models_by_frame.setdefault(frame, []).append(model.name)
    rows = []
    for clip in scene.clips:
        registered = [frame for frame in clip.frames if frame in models_by_frame]
        own = [summary for summary in sub_models if clip.name in summary.clips[:1]]
        points = sum(summary.points for summary in own)
        rows.append(
            {
                "clip": clip,
                "time": _time_range(scene, clip.frames),
                "registered": len(registered),
                "own": own,
                "points": points,
                "error_px": sum(part.mean_reprojection_error_px * part.points for part in own) / points
                if points
                else None,
                "ends": sorted({name for frame in registered for name in models_by_frame[frame]}),
            }
        )
    return render("report/clips_table.html", rows=rows)


def model_table(scene: Scene) -> Markup:
    """What each model is made of and how far its figures can be trusted."""
    rows = [{"model": model, "time": _time_range(scene, model.frames)} for model in scene.models]
    return render("report/models_table.html", rows=rows, frames=len(scene.frames))


def scale_table(scene: Scene) -> Markup | None:
    """What each scale was weighed from; None where one thing alone decided all of them."""
    rows = [{"model": model, "witness": witness} for model in scene.models for witness in model.witnesses]
    return render("report/scale_table.html", rows=rows) if rows else None


def object_table(objects: Mapping[int, SceneObject], models: Mapping[str, SceneModel]) -> Markup:
    """Every object with the number it has on the page."""
    rows = [
        {
            "key": key,
            "item": item,
            "rgb": _median_rgb(item, models.get(item.model)),
            "sizes": _sizes(item),
            "scale": models[item.model].scale if item.model in models else None,
        }
        for key, item in objects.items()
    ]
    return render("report/objects_table.html", rows=rows)


def _time_range(scene: Scene, frames: Sequence[int]) -> str:
    known = [scene.frame_by_index[frame].time_s for frame in frames if frame in scene.frame_by_index]
    return f"{clock(min(known))}\u00a0–\u00a0{clock(max(known))}" if known else "–"


def _median_rgb(item: SceneObject, model: SceneModel | None) -> list[int]:
    """The median colour of the object's own points, 0 to 255; empty where it has none."""
    rows = [row for row in item.points if model is not None and 0 <= row < len(model.tracks.rgb)]
    if model is None or not rows:
        return []
    return [int(channel) for channel in np.median(model.tracks.rgb[rows], axis=0)]


def _sizes(item: SceneObject) -> list[float]:
    """Length, width and height in the model's unit."""
    upright = int(np.argmax(np.abs(np.array(item.obb.rotation)[2])))
    flat = sorted((2 * item.obb.half_extents[axis] for axis in range(3) if axis != upright), reverse=True)
    return [*flat, 2 * item.obb.half_extents[upright]]

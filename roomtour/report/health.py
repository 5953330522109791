"""How far each model can be trusted: its health figures, and how sure its poses are along the walk."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from recon.audit.revisits import OPEN_PX
from recon.records import Scene, SceneModel
from roomtour.drawing.pages import render

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

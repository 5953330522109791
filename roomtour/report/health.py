"""How far each model can be trusted: its health figures, and how sure its poses are along the walk."""

from __future__ import annotations

import numpy as np

from recon.diagnosis.revisits import OPEN_PX
from recon.records import ModelHealth, Scene, SceneModel
from roomtour.drawing.markup import Child, Markup, join, tag
from roomtour.drawing.text import percent, printable
from roomtour.report.lengths import length
from roomtour.report.tables import Column, data_table

_DOUBTFUL_PAIRS = 0.1
"""Sound models have up to a few percent."""
_LONG_LOOP_PX = 3.0
_LOOSE_SCALE = 0.1
_SHORT_TRACK = 3.0


def health_table(scene: Scene) -> Markup | None:
    """One row per model; None where nothing was measured."""
    measured = [(model, model.health) for model in scene.models if model.health is not None]
    if not measured:
        return None
    columns = [
        Column("model"), Column("frames with a pose", True), Column("views per point", True),
        Column("pairs that contradict it", True), Column("revisits that contradict it", True),
        Column("loop residual, px", True),
        Column("scale held to, 1 sigma", True), Column("scale drift between clips", True),
        Column("position, median 1 sigma", True), Column("rotation, median 1 sigma", True),
        Column("least sure frame"),
    ]  # fmt: skip
    rows = [_row(model, health) for model, health in measured]
    note = (
        "Pairs of frames contradict a model when another relative pose explains their matches much better; revisits "
        f"also when their matches lie more than {OPEN_PX:g} px off. The loop residual is taken between frames of "
        "different times. Uncertainties are against the neighbouring frames and assume that the matches are right: the "
        "least a pose may be off, not the most."
    )
    return join([data_table("Health of the models", columns, rows), tag("p", note, class_="none")])


def _row(model: SceneModel, health: ModelHealth) -> list[Child]:
    share = health.contradicting_pairs / health.checked_pairs if health.checked_pairs else 0.0
    pairs = f"{health.contradicting_pairs} of {health.checked_pairs}" if health.checked_pairs else "–"
    loop, loops = health.loop_residual_px, health.contradicting_loops / max(1, health.loop_pairs)
    return [
        printable(model.name),
        f"{health.frames} ({percent(health.registered_share)} of its stretch)",
        _marked(f"{health.mean_track_length:.1f}", health.mean_track_length < _SHORT_TRACK),
        _marked(pairs, share > _DOUBTFUL_PAIRS),
        _marked(f"{health.contradicting_loops} of {health.loop_pairs}", loops > _DOUBTFUL_PAIRS)
        if loop
        else "no revisit",
        "–" if loop is None else _marked(f"{loop:.2f}", loop > _LONG_LOOP_PX),
        _share(health.scale_sigma, _LOOSE_SCALE),
        _share(health.scale_drift, _LOOSE_SCALE),
        *_uncertainty(model),
    ]


def _uncertainty(model: SceneModel) -> list[Child]:
    if not model.pose_sigma:
        return ["–", "–", "–"]
    positions = {frame: sigma.position for frame, sigma in model.pose_sigma.items()}
    worst = max(positions, key=lambda frame: positions[frame])
    turns_deg = [sigma.rotation_deg for sigma in model.pose_sigma.values()]
    return [
        length(float(np.median(list(positions.values()))), model.scale, 3),
        f"{np.median(turns_deg):.2f}°",
        join([f"frame {worst}: ", length(positions[worst], model.scale, 3)]),
    ]


def _share(value: float | None, doubtful: float) -> Child:
    return "–" if value is None else _marked(f"{100 * value:.1f} %", value > doubtful)


def _marked(text: str, bad: bool) -> Child:
    return tag("span", text, class_="bad") if bad else text

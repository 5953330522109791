"""The walk of a run: from above, its heading over time, and the sub-models that became one model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from recon.records import SceneModel, SubModel
from roomtour.drawing.colors import OBJECT_COLORS
from roomtour.run import Run
from trajectories.records import Trajectory

MAX_POINTS = 15_000
_UNIT = {"metric": "m", "assumed": "m, assumed", "relative": "no unit"}


def draw_walk(run: Run, model: SceneModel | None = None) -> Figure:
    """A model from above: its points in their colours, the walk coloured by time, view changes as triangles.

    Args:
        run: A run with trajectories.
        model: One of its scene's models; the largest by default.
    """
    model = model or max(run.scene.models, key=lambda each: len(each.frames))
    figure = Figure(figsize=(9, 6.5), layout="constrained")
    axis = figure.subplots()
    rows = _some(len(model.tracks.xyz))
    colors = model.tracks.rgb[rows] / 255.0
    axis.scatter(*model.tracks.xyz[rows, :2].T, c=colors, s=3, alpha=0.7, linewidths=0)
    axis.plot(*model.centers[:, :2].T, color="black", linewidth=0.8)
    times_s = [run.scene.frame_by_index[frame].time_s for frame in model.frames]
    path = axis.scatter(*model.centers[:, :2].T, c=times_s, cmap="plasma", s=14, zorder=3)
    figure.colorbar(path, ax=axis, label="time (s)", shrink=0.8)
    for trajectory in run.trajectories:
        if trajectory.model == model.name:
            _mark_view_changes(axis, trajectory)
    _frame_view(axis, model.tracks.xyz[:, :2], model.centers[:, :2])
    axis.set_xlabel(f"x ({_UNIT[model.scale.status]})")
    axis.set_ylabel(f"y ({_UNIT[model.scale.status]})")
    axis.set_title("from above; triangles: view changes, filled on the spot", fontsize=10, loc="left")
    return figure


def draw_headings(trajectory: Trajectory) -> Figure:
    """Where the camera looks over time, without jumps at 180 degrees; view changes are shaded."""
    figure = Figure(figsize=(11, 3.4), layout="constrained")
    axis = figure.subplots()
    times_s = [point.time_s for point in trajectory.points]
    time_of = {point.frame: point.time_s for point in trajectory.points}
    axis.plot(times_s, np.unwrap([point.heading_deg for point in trajectory.points], period=360), color="black")
    for change in trajectory.view_changes:
        color = "#0072b2" if change.angle_deg > 0 else "#d55e00"
        axis.axvspan(time_of[change.first_frame], time_of[change.last_frame], color=color, alpha=0.22, linewidth=0)
    axis.set_xlabel("time (s)")
    axis.set_ylabel("heading (degrees, left is up)")
    axis.set_title("view changes: blue to the left, orange to the right", fontsize=10, loc="left")
    return figure


def draw_sub_models(sub_models: Sequence[SubModel], columns: int = 4) -> Figure:
    """Free-scale models, each as it lies, seen from the side from which its camera path is widest."""
    columns = min(columns, len(sub_models))
    rows = -(-len(sub_models) // columns)
    figure = Figure(figsize=(3.2 * columns, 3.2 * rows), layout="constrained")
    axes = np.atleast_1d(figure.subplots(rows, columns)).ravel()
    for axis in axes:
        axis.axis("off")
    for number, (axis, model) in enumerate(zip(axes, sub_models, strict=False)):
        centers, xyz = _geometry(model)
        flat = _widest_side(centers)
        axis.scatter(*(xyz[_some(len(xyz))] @ flat).T, color="#9aa2ab", s=2, linewidths=0)
        axis.plot(*(centers @ flat).T, color=OBJECT_COLORS[number % len(OBJECT_COLORS)], linewidth=2.5)
        _frame_view(axis, xyz @ flat, centers @ flat)
        frames = model.frames
        axis.set_title(f"{model.name}: frames {frames[0]} to {frames[-1]}", fontsize=9, loc="left")
    return figure


def _mark_view_changes(axis: Axes, trajectory: Trajectory) -> None:
    where = {point.frame: point.position for point in trajectory.points}
    for change in trajectory.view_changes:
        left = change.angle_deg > 0
        color = "#0072b2" if left else "#d55e00"
        axis.scatter(
            *where[change.frame][:2], marker=(3, 0, 90 if left else -90), s=110, linewidths=1.5, zorder=4,
            edgecolors=color, facecolors=color if change.on_the_spot else "white",
        )  # fmt: skip


def _geometry(model: SubModel) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Camera centres in time order (n, 3) and points (m, 3)."""
    images = model.reconstruction.images
    centers = np.array([images[frame].projection_center() for frame in model.frames])
    points = [point.xyz for point in model.reconstruction.points3D.values()]
    return centers, np.array(points).reshape(-1, 3)


def _widest_side(centers: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3, 2) directions in which the path reaches furthest."""
    return np.linalg.svd(centers - centers.mean(axis=0), full_matrices=True)[2][:2].T


def _some(count: int) -> NDArray[np.int64]:
    """At most `MAX_POINTS` of so many rows, the same ones every time."""
    return np.random.default_rng(0).permutation(count)[:MAX_POINTS]


def _frame_view(axis: Axes, points: NDArray[np.float64], walk: NDArray[np.float64]) -> None:
    """Show the walk and the points around it, but not the few that lie far out, such as those seen through a window."""
    reach = 0.7 * float(np.ptp(walk, axis=0).max())
    around = np.vstack([np.percentile(points, [1, 99], axis=0), walk]) if len(points) else walk
    low = np.maximum(around.min(axis=0), walk.min(axis=0) - reach)
    high = np.minimum(around.max(axis=0), walk.max(axis=0) + reach)
    margin = 0.05 * float((high - low).max())
    axis.set_xlim(low[0] - margin, high[0] + margin)
    axis.set_ylim(low[1] - margin, high[1] + margin)
    axis.set_aspect("equal")

"""Pictures of a run with matplotlib, for notebooks and papers; each function returns a figure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recon.colmap.database import open_database
from recon.records import SceneModel, SubModel
from roomtour.artifacts import DATABASE, SUB_MODELS
from roomtour.drawing.colors import OBJECT_COLORS, object_color
from roomtour.errors import RoomtourError
from roomtour.files.models import find_database
from roomtour.run import Run
from trajectories.records import DecisionPoint, Trajectory

try:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle
except ImportError as error:
    raise ImportError('roomtour.plots needs matplotlib: pip install "roomtour[notebooks]"') from error

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


MAX_LINES = 60
RIGHT, WRONG = "#009e73", "#d55e00"


def draw_frames(run: Run, frames: Sequence[int], columns: int = 6) -> Figure:
    """These frames with their times, `columns` in a row.

    Raises:
        RoomtourError: If there is none, or one cannot be read.
    """
    figure, axes = _sheet(run, len(frames), columns)
    for axis, frame in zip(axes, frames, strict=True):
        _show(axis, run, frame, f"{run.scene.frame_by_index[frame].time_s:.1f} s")
    return figure


def draw_matches(run: Run, first: int, second: int) -> Figure:
    """Two frames side by side with the matches that agree with one movement of the camera; some, evenly picked.

    Raises:
        RoomtourError: If the run has no database, or the two were not matched.
    """
    path = find_database(run.path / DATABASE.path, run.path / SUB_MODELS.path)
    if not path.is_file():
        raise RoomtourError(f"{path}: missing. Make it again with: roomtour process --force features --keep all")
    with open_database(path) as database:
        rows = np.asarray(database.read_two_view_geometry(first, second).inlier_matches).reshape(-1, 2)
        points = [np.asarray(database.read_keypoints(frame))[:, :2] for frame in (first, second)]
    if not len(rows):
        raise RoomtourError(f"{path}: frames {first} and {second} share no verified match")
    images = [run.image(frame) for frame in (first, second)]
    figure, axes = _sheet(run, 1, 1, width=10.0, wide=2)
    axes[0].imshow(np.hstack(images))
    shown = rows[np.linspace(0, len(rows) - 1, min(MAX_LINES, len(rows))).round().astype(int)]
    for a, b in shown:
        (x0, y0), (x1, y1) = points[0][a], points[1][b] + (images[0].shape[1], 0)
        axes[0].plot([x0, x1], [y0, y1], color="#56b4e9", linewidth=0.7, marker="o", markersize=2)
    _tidy(axes[0], f"frames {first} and {second}: {len(rows)} verified matches, {len(shown)} shown")
    return figure


def draw_observations(run: Run, frame: int) -> Figure:
    """One frame with the objects it sees, and the line of words that was made of them.

    Raises:
        RoomtourError: If the frame cannot be read.
    """
    figure, axes = _sheet(run, 1, 1, width=8.0)
    _show(axes[0], run, frame, "")
    aliases = {item.id: item.alias for item in run.objects}
    for number, found in enumerate((row for row in run.observations if row.frame == frame), start=1):
        x0, y0, x1, y1 = found.box_xyxy
        color = object_color(number)
        axes[0].add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, fill=False, edgecolor=color, linewidth=2))
        axes[0].text(
            x0 + 3, y0 + 4, aliases.get(found.object, found.object), color="white", fontsize=8, va="top",
            bbox={"facecolor": color, "edgecolor": "none", "pad": 1.5},
        )  # fmt: skip
    words = next((line.text for line in run.spatial_lines if line.frame == frame), "")
    axes[0].set_title(words, fontsize=9, loc="left", wrap=True)
    return figure


def draw_decision(run: Run, decision: DecisionPoint) -> Figure:
    """The view at a decision point, the right next view (green) and the wrong ones (red)."""
    views = [
        (decision.at_frame, "here", "black"),
        (decision.positive_frame, "right", RIGHT),
        *((frame, "wrong", WRONG) for frame in decision.negative_frames[:3]),
    ]
    figure, axes = _sheet(run, len(views), len(views))
    for axis, (frame, word, color) in zip(axes, views, strict=True):
        _show(axis, run, frame, f"{word}: frame {frame}")
        axis.title.set_color(color)
        height, width = axis.images[0].get_size()
        axis.add_patch(Rectangle((0, 0), width, height, fill=False, edgecolor=color, linewidth=5))
    return figure


def _sheet(run: Run, count: int, columns: int, width: float = 12.0, wide: int = 1) -> tuple[Figure, list[Axes]]:
    """An empty figure for `count` cells, each for `wide` frames side by side; width in inches."""
    if count < 1:
        raise RoomtourError("no frame to draw")
    columns = min(columns, count)
    rows = -(-count // columns)
    frame = run.scene.frames[0]
    cell = width / columns
    figure = Figure(figsize=(width, rows * (cell * frame.height / (frame.width * wide) + 0.3)), layout="constrained")
    axes = list(np.atleast_1d(figure.subplots(rows, columns)).ravel())
    for axis in axes:
        axis.axis("off")
    return figure, axes[:count]


def _show(axis: Axes, run: Run, frame: int, title: str) -> None:
    axis.imshow(run.image(frame))
    _tidy(axis, title)


def _tidy(axis: Axes, title: str) -> None:
    axis.set_title(title, fontsize=9, loc="left", pad=3)
    axis.axis("off")

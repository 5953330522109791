"""Frames of a run: as a sheet, with their matches, with the objects they see, as right and wrong next views."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from recon.colmap.database import open_database
from roomtour.artifacts import DATABASE, SUB_MODELS
from roomtour.drawing.colors import object_color
from roomtour.errors import RoomtourError
from roomtour.files.models import find_database
from roomtour.run import Run
from trajectories.records import DecisionPoint

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

"""Draw docs/images/overview.png from a finished run: frames, the walk from above, instructions.

    pip install -e ".[dev]" && python docs/make_overview.py runs/apartment

Needs matplotlib, which the test extra brings (through evo).
"""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path

import cv2
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

import roomtour

_FRAMES = 8
_POINTS = 12_000


def main() -> None:
    """Draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "images" / "overview.png")
    args = parser.parse_args()
    run = roomtour.Run(args.run)
    figure = plt.figure(figsize=(14, 7.4), layout="constrained")
    frames, right = figure.subfigures(1, 2, width_ratios=(1.0, 1.0), squeeze=False)[0]
    _draw_frames(run, frames.subplots(4, 2).ravel())
    above, words = right.subplots(2, 1, height_ratios=(2.6, 1.0))
    _draw_walk(run, above)
    _draw_instructions(run, words)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(args.out, dpi=75)


def _draw_frames(run: roomtour.Run, axes: np.ndarray) -> None:
    indices = run.scene.models[0].frames
    for axis, index in zip(axes, np.linspace(0, len(indices) - 1, _FRAMES).round().astype(int), strict=True):
        frame = run.scene.frame_by_index[indices[index]]
        image_bgr = cv2.imread(str(run.path / "frames" / frame.image))
        assert image_bgr is not None
        axis.imshow(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2RGB))
        axis.set_title(f"{frame.time_s:.0f} s", fontsize=9, loc="left", pad=2)
        axis.axis("off")


def _draw_walk(run: roomtour.Run, axis: Axes) -> None:
    model = run.scene.models[0]
    tracks = model.tracks
    rng = np.random.default_rng(0)
    low, high = np.percentile(tracks.xyz[:, :2], [1, 99], axis=0)
    rows = rng.permutation(len(tracks.xyz))[:_POINTS]
    axis.scatter(*tracks.xyz[rows, :2].T, c=tracks.rgb[rows] / 255.0, s=1.0, alpha=0.6, linewidths=0)
    times_s = [run.scene.frame_by_index[index].time_s for index in model.frames]
    axis.plot(*model.centers[:, :2].T, color="black", linewidth=0.8)
    path = axis.scatter(*model.centers[:, :2].T, c=times_s, cmap="viridis", s=12, zorder=3)
    axis.figure.colorbar(path, ax=axis, label="time (s)", shrink=0.9, fraction=0.04, pad=0.02, anchor=(0.0, 0.5))
    axis.set_anchor("W")
    for trajectory in run.trajectories:
        where = {point.frame: point.position for point in trajectory.points}
        for change in trajectory.view_changes:
            marker = (3, 0, 90 if change.angle_deg > 0 else -90)
            color = "crimson" if change.on_the_spot else "darkorange"
            axis.scatter(*where[change.frame][:2], marker=marker, s=90, color=color, edgecolors="white", zorder=4)
    axis.set_xlim(low[0] - 0.5, high[0] + 0.5)
    axis.set_ylim(low[1] - 0.5, high[1] + 0.5)
    axis.set_aspect("equal")
    unit = {"metric": "m", "assumed": "m, assumed", "relative": "no unit"}[model.scale.status]
    axis.set_title("the walk from above; triangles: view changes, red on the spot", fontsize=10)
    axis.set_xlabel(f"x ({unit})")
    axis.set_ylabel(f"y ({unit})")


def _draw_instructions(run: roomtour.Run, axis: Axes) -> None:
    axis.axis("off")
    one_per_way = {row.views: row for row in run.instructions if row.kind == "instruction"}
    chosen = list(one_per_way.values())[:4]
    text = "\n".join(textwrap.fill(f"“{row.text}”", 80) for row in chosen)
    axis.text(0.0, 1.0, text, va="top", fontsize=10.5, linespacing=1.4)


if __name__ == "__main__":
    main()

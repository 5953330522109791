"""What runs give as training data, and what writing a large dataset costs.

    python benchmarks/exports.py RUN [RUN ...]        rows per minute of tour, dropped rows by reason, label balance
    python benchmarks/exports.py --rows 100000        rows per second and peak memory, per format, on made tours

Time is CPU time. Each format is written in a process of its own, twice: once with a tenth of the rows, so that memory
that grows with the dataset shows.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from rich.console import Console
from rich.table import Table

import roomtour
from instructions.navigation.further import describe_views
from instructions.navigation.records import Instruction
from instructions.records import SpatialLine
from recon.geometry import Camera, Pose
from recon.records import Clip, Frame, Scale, Scene, SceneModel, SourceInfo, Tracks
from roomtour.export import RunData, export_runs
from roomtour.export.registry import FORMATS, get_format
from trajectories.records import DecisionPoint, Trajectory, TrajectoryPoint

ROWS = {
    "roomtour3d": ("records", "descriptions"),
    "r2r": ("paths",),
    "vlnce": ("episodes",),
    "streamvln": ("steps",),
    "navila": ("rows",),
    "uninavid": ("rows",),
    "internnav": ("steps",),
    "lerobot": ("frames",),
    "llava": ("views", "ways"),
    "hf": ("instructions", "views"),
    "jsonl": ("instructions",),
    "gnm": ("frames",),
    "colmap": ("images",),
    "nerfstudio": ("images",),
    "tum": ("poses",),
}
"""What a row is, in the counts of each format."""
WITHOUT_IMAGES: dict[str, Any] = {name: {"copy_images": False} for name in ("llava", "nerfstudio")}
FRAMES, WAY, STEP = 240, 16, 8
"""Frames of a made tour, of one of its ways, and between the starts of two."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="*", help="run folders made by roomtour process")
    parser.add_argument("--rows", type=int, help="write about this many rows of made tours with every format")
    parser.add_argument("--formats", nargs="+", default=list(FORMATS), choices=list(FORMATS), metavar="FORMAT")
    args = parser.parse_args()
    for path in args.runs:
        report_run(path, args.formats)
    if args.rows:
        report_size(args.rows, args.formats)


def report_run(path: Path, formats: list[str]) -> None:
    """Print what each format makes of one run."""
    data = roomtour.Run(path).data
    minutes = data.scene.source.duration_s / 60
    table = Table(title=f"{data.scene.id}: {minutes * 60:.1f} s, scale {data.scene.scale_status}")
    for name in ("format", "rows", "rows per minute", "dropped", "labels"):
        table.add_column(name, justify="right" if name.startswith("rows") else "left", overflow="fold")
    for name in formats:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                report = export_runs([data], name, Path(scratch) / "out")
            except roomtour.RoomtourError as error:
                table.add_row(name, "", "", f"refused: {str(error).split(' (')[0]}", "")
                continue
            labels = json.loads((Path(scratch) / "out" / "export.json").read_text(encoding="utf-8"))["labels"]
        rows = sum(report.counts[kind] for kind in ROWS[name])
        dropped = "; ".join(f"{count} {reason}" for reason, count in report.dropped.items())
        total = sum(labels.values())
        shares = ", ".join(f"{action} {count / total:.0%}" for action, count in labels.items())
        table.add_row(name, str(rows), f"{rows / minutes:.0f}", dropped, shares)
    Console(width=140).print(table)


def report_size(rows: int, formats: list[str]) -> None:
    """Print what writing so many rows costs."""
    table = Table(title=f"about {rows} rows of made tours")
    for name in ("format", "rows", "CPU s", "rows per CPU s", "peak MB", "peak MB at a tenth", "MB on disk"):
        table.add_column(name, justify="left" if name == "format" else "right")
    for name in formats:
        small, large = (_in_own_process(name, count) for count in (rows // 10, rows))
        rate = large["rows"] / large["cpu_s"]
        cells = [f"{large['rows']}", f"{large['cpu_s']:.1f}", f"{rate:.0f}", f"{large['peak_mb']:.0f}"]
        table.add_row(name, *cells, f"{small['peak_mb']:.0f}", f"{large['disk_mb']:.0f}")
    Console(width=110).print(table)


def _in_own_process(name: str, rows: int) -> dict[str, float]:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measure, name, rows).result()


def measure(name: str, rows: int) -> dict[str, float]:
    """Write about so many rows with one format; CPU seconds, rows, peak memory and size on disk."""
    options = get_format(name).options(**WITHOUT_IMAGES.get(name, {}))
    with tempfile.TemporaryDirectory() as scratch:
        image = Path(scratch) / "image.jpg"
        cv2.imwrite(str(image), np.full((36, 64, 3), 127, np.uint8))
        frames_dir = Path(scratch) / "frames"
        frames_dir.mkdir()
        for index in range(1, FRAMES + 1):
            (frames_dir / f"{index:06d}.jpg").hardlink_to(image)
        one = export_runs([make_tour(0, frames_dir)], name, Path(scratch) / "one", options)
        tours = max(1, round(rows / sum(one.counts[kind] for kind in ROWS[name])))
        began = time.process_time()
        report = export_runs(_tours(tours, frames_dir), name, Path(scratch) / "out", options)
        cpu_s = time.process_time() - began
        disk = sum(file.stat().st_size for file in (Path(scratch) / "out").rglob("*") if file.is_file())
    return {
        "rows": sum(report.counts[kind] for kind in ROWS[name]),
        "cpu_s": cpu_s,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "disk_mb": disk / 1e6,
    }


def _tours(count: int, frames_dir: Path) -> Iterator[RunData]:
    tour = make_tour(0, frames_dir)
    for number in range(count):
        yield _rename(tour, f"tour{number:06d}")


def make_tour(number: int, frames_dir: Path) -> RunData:
    """A walk in circles with a text and a decision for every way."""
    angles = np.linspace(0, 8 * np.pi, FRAMES)
    frames = tuple(Frame(k, k / 3, f"{k:06d}.jpg", 64, 36, 100.0, 0) for k in range(1, FRAMES + 1))
    poses = {k: _camera(float(angle)) for k, angle in enumerate(angles, start=1)}
    points = tuple(
        TrajectoryPoint(k, k / 3, tuple(pose.center.tolist()), float(np.degrees(angle + np.pi / 2) % 360) - 180, 0.0)
        for (k, pose), angle in zip(poses.items(), angles + np.pi, strict=True)
    )
    starts = range(1, FRAMES - WAY, STEP)
    decisions = tuple(DecisionPoint(0, (s + 8,), s + 8, s + 7, s + 8, (s, s + 3), 0.1) for s in starts)
    tour = f"tour{number:06d}"
    walk = Trajectory(f"{tour}_m0_t0", tour, "0", "m", "metric", points, (), (), (), decisions)
    none = np.zeros(0, np.int64)
    tracks = Tracks(np.zeros((0, 3)), np.zeros((0, 3), np.uint8), np.zeros(0), none, none, np.zeros((0, 2)))
    camera = Camera("SIMPLE_PINHOLE", 64, 36, (50.0, 32.0, 18.0))
    model = SceneModel("0", camera, poses, tracks, Scale("metric", 1.0, 0.05, "made"), 0.0, "made", 0.5)
    source = SourceInfo(f"{tour}.mp4", "video", 64, 36, FRAMES / 3, FRAMES * 10, 30.0, "h264", 0, "ab" * 32, "CC0-1.0")
    scene = Scene(tour, source, frames, (Clip("000", 0, tuple(poses)),), (model,))
    texts = tuple(
        Instruction(
            id=f"{walk.id}_{kind}{start}",
            tour=walk.scene,
            model="0",
            views=tuple(range(start, start + WAY, 2)),
            scale_status="metric",
            perception="made",
            writer="made",
            seed=0,
            accepted=True,
            trajectory=walk.id,
            kind=kind,
            text=f"Walk around the {'red' if start % 2 else 'green'} table and stop at place {start}.",
            objects=(),
        )
        for start in starts
        for kind in ("instruction", "description")
    )
    lines = tuple(SpatialLine(k, None, "on the left, near: a red table") for k in poses)
    return RunData(
        scene=scene,
        trajectories=(walk,),
        objects=(),
        observations=(),
        spatial_lines=lines,
        rows={"navigation": texts},
        frames_dir=frames_dir,
        provenance={"versions": {"roomtour": "made"}, "options": {}},
        view_descriptions=describe_views(scene, lines, "made"),
    )


def _camera(angle: float) -> Pose:
    """A level camera on a circle of 3 m that looks along it."""
    forward = np.array([-np.sin(angle), np.cos(angle), 0.0])
    right = np.array([forward[1], -forward[0], 0.0])
    place = np.array([3 * np.cos(angle), 3 * np.sin(angle), 1.5])
    return Pose(np.column_stack([right, np.cross(forward, right), forward]), place)


def _rename(run: RunData, tour: str) -> RunData:
    """The same tour under another name: making it anew would cost more than writing it."""
    walk = replace(run.trajectories[0], id=f"{tour}_m0_t0", scene=tour)
    texts = tuple(
        replace(text, id=f"{walk.id}_{text.id.rpartition('_')[2]}", tour=tour, trajectory=walk.id)
        for text in run.instructions
    )
    return replace(
        run,
        scene=replace(run.scene, id=tour),
        trajectories=(walk,),
        rows={"navigation": texts},
        view_descriptions=tuple(replace(row, tour=tour) for row in run.view_descriptions),
    )


if __name__ == "__main__":
    main()

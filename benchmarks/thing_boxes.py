"""Boxes of named things on a real walk against the depth of the headset's sensor.

    python benchmarks/thing_boxes.py RUN --walk WALK

RUN is a finished run of the image folder of WALK (see `spatial_office.py`), brought onto the sensor's world by the
camera centres. What a thing is, is told by its boxes in the pictures; where it is, by the sensor: the points behind the
inner 80 % of each box that are as deep as its middle within 15 %. Printed per thing: the distance between the centre of
these points and that of the run's box, the sides of both along the axes of the run's box (of the points the 5th to 95th
percentile), and the share of the points within 5 cm of the run's box. A sensor sees through glass, and a box in a
picture holds what stands before a thing: single rows say little, medians more.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results_table import write_table
from benchmarks.spatial_office import Sensor
from instructions.records import Box
from recon.geometry import Sim3
from roomtour.run import Run

INNER, MIDDLE, LAYER = 0.8, 0.5, 0.15
LEAST_POINTS, LEAST_VIEWS, POINTS_PER_VIEW = 50, 2, 300
NEAR_M = 0.05


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="finished run of the walk's images")
    parser.add_argument("--walk", type=Path, required=True, help="folder with images/, depth/, poses.txt and K.txt")
    parser.add_argument("--fps", type=float, default=10.0, help="pictures per second that the run took the folder at")
    args = parser.parse_args()
    run, sensor = Run(args.run), Sensor(args.walk)
    times = {frame.index: frame.time_s for frame in run.scene.frames}
    poses = run.scene.models[0].world_from_cam
    sensor_from_run = Sim3.fit(
        np.array([sensor.center(round(times[frame] * args.fps)) for frame in poses]),
        np.array([pose.center for pose in poses.values()]),
    )
    views: dict[str, list[np.ndarray]] = defaultdict(list)
    for seen in run.observations:
        points = find_points(sensor, round(times[seen.frame] * args.fps), seen.box_xyxy)
        if len(points) >= LEAST_POINTS:
            views[seen.object].append(points[:: max(1, len(points) // POINTS_PER_VIEW)])
    table = Table("thing", "views", "centre off, m", "sides, m", "by the sensor, m", "points inside")
    rows = []
    for thing in run.objects:
        if thing.category is None or len(views[thing.id]) < LEAST_VIEWS:
            continue
        points = sensor_from_run.inverse() @ np.concatenate(views[thing.id])
        local = (points - np.array(thing.obb.center)) @ np.array(thing.obb.rotation) * sensor_from_run.scale
        low, high = np.percentile(local, [5, 95], axis=0)
        half = np.array(thing.obb.half_extents) * sensor_from_run.scale
        off = float(np.linalg.norm(low + high) / 2)
        inside = float((np.abs(local) <= half + NEAR_M).all(axis=1).mean())
        rows.append((off, inside, *np.sort(2 * half) / np.sort(high - low)))
        told = (" x ".join(f"{side:.2f}" for side in sides) for sides in (2 * half, high - low))
        table.add_row(thing.alias, str(len(views[thing.id])), f"{off:.2f}", *told, f"{inside:.0%}")
    console = Console()
    console.print(table)
    off, inside, *ratios = np.median(np.array(rows), axis=0)
    console.print(
        f"{len(rows)} things, medians: centre off {off:.2f} m, points inside {inside:.0%}, sides over the sensor's, "
        f"from the shortest to the longest, {', '.join(f'{ratio:.2f}' for ratio in ratios)}"
    )
    away = sum(row[0] > 0.5 for row in rows)
    figures = [
        ("named things that the sensor sees twice or more", len(rows)),
        ("centre off, median", f"{off:.2f} m"),
        ("of these more than half a metre", away),
        ("points of the sensor within 5 cm of the box, median", f"{inside:.0%}"),
        ("sides over the sensor's, from the shortest to the longest", ", ".join(f"{ratio:.2f}" for ratio in ratios)),
        ("a metre of the run is, in the sensor's metres", f"{sensor_from_run.scale:.3f}"),
    ]
    write_table("thing_boxes", ("what", "figure"), figures)
    return 0


def find_points(sensor: Sensor, index: int, box_xyxy: Box) -> np.ndarray:
    """What the sensor saw behind a box of an image, as deep as its middle: (N, 3) in the sensor's world."""
    pixels, depths_m = sensor.pixels(index)
    x0, y0, x1, y1 = box_xyxy
    center, half = np.array([x0 + x1, y0 + y1]) / 2, np.array([x1 - x0, y1 - y0]) / 2
    aside = np.abs(pixels - center)
    middle = depths_m[(aside <= MIDDLE * half).all(axis=1)]
    if not len(middle):
        return np.zeros((0, 3))
    as_deep = np.abs(np.log(depths_m / np.median(middle))) <= LAYER
    chosen = (aside <= INNER * half).all(axis=1) & as_deep
    return sensor.to_world(index, pixels[chosen], depths_m[chosen])


if __name__ == "__main__":
    raise SystemExit(main())

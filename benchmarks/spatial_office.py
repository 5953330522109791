"""Distances of spatial questions on a real walk against the depth of the headset's sensor.

    python benchmarks/spatial_office.py RUN WALK

RUN is a finished run of the image folder of WALK (with `depth/` in millimetres for every third image, and `K.txt`). Of
every view that has a sensor depth and two things, the distance that a question would be asked with is held against the
distance of the two as the sensor saw them: the rays through the middles of their boxes, at the median depth of the
middle half of each box; for the distance from the camera, which is to the nearest point, at the 10th percentile. The
sensor sees fronts and the question means centres, so sizes of things are in the errors. Printed as they are (the run's
scale is assumed), and with the scale that fits the cameras of the run to those of the sensor. Of left, right, behind
and in front, the order of the two as the sensor saw them; of how many times as far, the ratio of its two distances.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from instructions.spatial.options import ChoiceOptions, SpatialOptions
from instructions.spatial.records import SpatialQuestion
from instructions.spatial.writer import write_questions
from recon.geometry import Sim3
from roomtour.run import Run

AXES = {"left": (0, -1), "right": (0, 1), "behind": (2, 1), "front": (2, -1), "in front of": (2, -1)}
"""By word: axis of the camera and sign."""
UNCAPPED = SpatialOptions(choice=ChoiceOptions(rows_per_view=0, rows_per_pair=0, again_m=0, halves=False))
WITHIN = (0.10, 0.20, 0.30)
NEAREST_PERCENT = 10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="a finished run of the walk's images")
    parser.add_argument("walk", type=Path, help="folder with images/, depth/ and K.txt")
    parser.add_argument("--fps", type=float, default=10.0, help="pictures per second that the run took the folder at")
    args = parser.parse_args()
    run = Run(args.run)
    written = write_questions(run.scene, run.objects, run.observations, run.detections, UNCAPPED)
    sensor = Sensor(args.walk)
    times = {frame.index: frame.time_s for frame in run.scene.frames}
    told: dict[str, list[tuple[float, float]]] = {"distance": [], "camera_distance": [], "ratio_distance": []}
    seen, words = set(), Counter[tuple[str, bool]]()
    for row in written.rows:
        first, holds = find_claim(row)
        if first is None and row.type not in told:
            continue
        cloud = sensor.cloud(round(times[row.views[0]] * args.fps))
        share = NEAREST_PERCENT if row.type == "camera_distance" else 50
        points = [_middle(cloud, one.box_xyxy, sensor.matrix, share) for one in row.references if one.box_xyxy]
        found = [point for point in points if point is not None]
        if len(found) < len(points):
            continue
        seen.add(row.views[0])
        if first is not None:
            axis, sign = AXES[first]
            words[first, bool((found[0][axis] - found[1][axis]) * sign > 0) == holds] += 1
        elif row.measured is not None:
            far = [float(np.linalg.norm(point)) for point in found]
            apart = float(np.linalg.norm(found[-1] - found[0]))
            seen_by_sensor = {"distance": apart, "camera_distance": far[0], "ratio_distance": far[0] / far[-1]}
            told[row.type].append((row.measured.value, seen_by_sensor[row.type]))
    print(f"views with sensor depth and questions: {len(seen)}; scale {run.scene.scale_status}")
    centers = [
        (sensor.center(round(times[f] * args.fps)), p.center) for f, p in run.scene.models[0].world_from_cam.items()
    ]
    factor = Sim3.fit(*zip(*centers, strict=True)).scale
    agree, against = (sum(count for (_, right), count in words.items() if right is flag) for flag in (True, False))
    print(f"left, right, behind, in front: {agree} rows agree with the sensor, {against} do not; {dict(words)}")
    for kind, values in told.items():
        if not values:
            print(f"{kind}: no row")
            continue
        both = np.array(values)
        scales = (("as asked", 1.0), (f"times {factor:.2f}", factor)) if kind != "ratio_distance" else (("", 1.0),)
        for name, by in scales:
            off = np.abs(by * both[:, 0] - both[:, 1]) / both[:, 1]
            shares = ", ".join(f"within {bar:.0%} {np.mean(off <= bar):.0%}" for bar in WITHIN)
            print(f"{kind} ({len(both)} rows) {name}: median error {np.median(off):.1%}; {shares}")
    return 0


def find_claim(row: SpatialQuestion) -> tuple[str | None, bool]:
    """What a row says of A against B: a word of `AXES` and whether it holds; None for other types and `too close`."""
    word, _, form = row.type.rpartition("_")
    if row.truth == "too close" or word.startswith(("turn", "step")):
        return None, False
    if form == "class":
        return (row.truth, True) if row.truth in AXES else (None, False)
    if word not in AXES or form not in ("predicate", "choice"):
        return None, False
    return word, row.truth in ("yes", row.references[0].object)


class Sensor:
    """The walk's own depth and poses."""

    def __init__(self, walk: Path) -> None:
        self._names = [path.stem for path in sorted((walk / "images").iterdir())]
        self._depth = {path.stem: path for path in (walk / "depth").iterdir()}
        self._world_from_cam = np.loadtxt(walk / "poses.txt").reshape(-1, 4, 4)
        self.matrix = np.loadtxt(walk / "K.txt")

    def center(self, index: int) -> np.ndarray:
        """Of the camera, in the sensor's world."""
        return self._world_from_cam[index][:3, 3]

    def cloud(self, index: int) -> np.ndarray:
        """What the sensor saw here, or in the nearest image with depth, in this image's camera axes: (N, 3) metres."""
        near = [at for at in (index, index - 1, index + 1) if self._names[min(at, len(self._names) - 1)] in self._depth]
        if not near:
            return np.zeros((0, 3))
        depth_m = np.asarray(cv2.imread(str(self._depth[self._names[near[0]]]), cv2.IMREAD_UNCHANGED)) / 1000.0
        v, u = np.nonzero(depth_m)
        z = depth_m[v, u]
        rays = np.column_stack([u + 0.5, v + 0.5, np.ones(len(u))]) @ np.linalg.inv(self.matrix).T
        here_from_there = np.linalg.inv(self._world_from_cam[index]) @ self._world_from_cam[near[0]]
        return (rays * z[:, None]) @ here_from_there[:3, :3].T + here_from_there[:3, 3]


def _middle(
    cloud: np.ndarray, box: tuple[float, float, float, float], matrix: np.ndarray, percent: float
) -> np.ndarray | None:
    """The ray through the middle of a box, at a percentile of the depths of its middle half; None below 50 points."""
    cloud = cloud[cloud[:, 2] > 0.1]
    pixels = (cloud / cloud[:, 2:]) @ matrix.T
    x0, y0, x1, y1 = box
    center, quarter = np.array([x0 + x1, y0 + y1]) / 2, np.array([x1 - x0, y1 - y0]) / 4
    depths = cloud[(np.abs(pixels[:, :2] - center) <= quarter).all(axis=1), 2]
    if len(depths) < 50:
        return None
    return np.linalg.inv(matrix) @ [*center, 1.0] * float(np.percentile(depths, percent))


if __name__ == "__main__":
    raise SystemExit(main())

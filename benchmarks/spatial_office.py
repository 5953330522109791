"""Distances of spatial questions on a real walk against the depth of the headset's sensor.

    python benchmarks/spatial_office.py RUN... --walk WALK

Each RUN is a finished run of the image folder of WALK (with `depth/` in millimetres for every third image, and
`K.txt`). Of every view that has a sensor depth and two things, the distance that a question would be asked with is held
against the distance of the two as the sensor saw them: the rays through the middles of their boxes, at the median depth
of the middle half of each box; for the distance from the camera, which is to the nearest point, at the 10th percentile.
The sensor sees fronts and the question means centres, so sizes of things are in the errors. Printed as they are (the
run's scale is assumed), and with the scale that fits the cameras of the run to those of the sensor. Of left, right,
behind and in front, the order of the two as the sensor saw them; of how many times as far, the ratio of its two
distances.

Most pairs are never asked about because a name fits several things. That says nothing about lengths, so the same is
printed once more for all named things, each under a name of its own: every other gate stays.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from instructions.tour import Tour

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results_table import write_table
from instructions.questions.core.options import ChoiceOptions, SpatialOptions
from instructions.questions.core.records import Question
from instructions.questions.writers.views import write_questions
from instructions.records import Observation, SceneObject
from recon.geometry import Sim3
from roomtour.run import Run

AXES = {"left": (0, -1), "right": (0, 1), "behind": (2, 1), "front": (2, -1), "in front of": (2, -1)}
"""By word: axis of the camera and sign."""
UNCAPPED = SpatialOptions(choice=ChoiceOptions(rows_per_view=0, rows_per_pair=0, again_m=0, halves=False))
LENGTHS = ("distance", "camera_distance", "ratio_distance")
WITHIN = (0.10, 0.20, 0.30)
NEAREST_PERCENT = 10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+", help="finished runs of the walk's images")
    parser.add_argument("--walk", type=Path, required=True, help="folder with images/, depth/ and K.txt")
    parser.add_argument("--fps", type=float, default=10.0, help="pictures per second that the run took the folder at")
    args = parser.parse_args()
    sensor = Sensor(args.walk)
    for title, apart in (("as asked", False), ("all named things, each under a name of its own", True)):
        told = Told()
        for folder in args.runs:
            told.compare(Run(folder), sensor, args.fps, apart=apart)
        print(f"\n{title}")
        told.print()
    write_table(
        "spatial_office", ("what", "rows", "figure"), told.figures(), note="Each thing under a name of its own."
    )
    return 0


@dataclass(eq=False)
class Told:
    """What rows tell beside what the sensor saw, over all runs."""

    views: set[tuple[int, int]] = field(default_factory=set)
    words: Counter[tuple[str, bool]] = field(default_factory=Counter)
    lengths: dict[str, list[tuple[float, float, float]]] = field(default_factory=lambda: defaultdict(list))
    """By type: as told, by the sensor, and what fits the run's cameras to the sensor's."""
    runs: list[str] = field(default_factory=list)

    def compare(self, run: Run, sensor: Sensor, fps: float, *, apart: bool) -> None:
        """Hold every row of a run about a view with sensor depth against the sensor."""
        objects, observations, detections = run.objects, run.observations, run.detections
        if apart:
            objects, observations, detections = *name_apart(objects, observations), ()
        written = write_questions(Tour(run.scene, objects, observations, detections), UNCAPPED)
        times = {frame.index: frame.time_s for frame in run.scene.frames}
        poses = run.scene.models[0].world_from_cam
        centers = [(sensor.center(round(times[frame] * fps)), pose.center) for frame, pose in poses.items()]
        factor = Sim3.fit(*zip(*centers, strict=True)).scale
        number = len(self.runs)
        self.runs.append(f"{run.scene.scale_status}, times {factor:.2f} it fits the sensor's")
        for row in written.rows:
            first, holds = find_claim(row)
            if first is None and row.type not in LENGTHS:
                continue
            index = round(times[row.views[0]] * fps)
            share = NEAREST_PERCENT if row.type == "camera_distance" else 50
            points = [sensor.find_middle(index, one.box_xyxy, share) for one in row.references if one.box_xyxy]
            found = [point for point in points if point is not None]
            if len(found) < len(points):
                continue
            self.views.add((number, row.views[0]))
            if first is not None:
                axis, sign = AXES[first]
                self.words[first, bool((found[0][axis] - found[1][axis]) * sign > 0) == holds] += 1
            elif row.measured is not None:
                far = [float(np.linalg.norm(point)) for point in found]
                between = float(np.linalg.norm(found[-1] - found[0]))
                seen = {"distance": between, "camera_distance": far[0], "ratio_distance": far[0] / far[-1]}[row.type]
                by = 1.0 if row.type == "ratio_distance" else factor
                self.lengths[row.type].append((row.measured.value, seen, by))

    def figures(self) -> list[tuple[str, int, str]]:
        """Shares of words that agree with the sensor, and errors of lengths at the sensor's scale."""
        agree = sum(number for (_, right), number in self.words.items() if right)
        rows = [("left, right, behind, in front agree with the sensor", self.words.total(), str(agree))]
        for kind in LENGTHS:
            if self.lengths[kind]:
                said, seen, factor = np.array(self.lengths[kind]).T
                off = np.abs(said * factor - seen) / seen
                shares = ", ".join(f"within {bar:.0%} {np.mean(off <= bar):.0%}" for bar in WITHIN)
                rows.append((kind.replace("_", " "), len(off), f"median error {np.median(off):.1%}; {shares}"))
        return rows

    def print(self) -> None:
        """Shares and errors."""
        print(f"views with sensor depth and questions: {len(self.views)}; scales: {'; '.join(self.runs)}")
        agree, against = (sum(n for (_, right), n in self.words.items() if right is flag) for flag in (True, False))
        print(
            f"left, right, behind, in front: {agree} rows agree with the sensor, {against} do not; {dict(self.words)}"
        )
        for kind in LENGTHS:
            if not self.lengths[kind]:
                print(f"{kind}: no row")
                continue
            said, seen, factor = np.array(self.lengths[kind]).T
            for name, by in (("as told", np.ones_like(factor)), ("at the sensor's scale", factor)):
                off = np.abs(by * said - seen) / seen
                shares = ", ".join(f"within {bar:.0%} {np.mean(off <= bar):.0%}" for bar in WITHIN)
                print(f"{kind} ({len(off)} rows) {name}: median error {np.median(off):.1%}; {shares}")


def name_apart(
    objects: Sequence[SceneObject], observations: Sequence[Observation]
) -> tuple[list[SceneObject], list[Observation]]:
    """The things that have a category, each under a made-up name that fits nothing else."""
    named = {one.id: f"thing{number}" for number, one in enumerate(objects) if one.category is not None}
    things = [
        replace(one, category=named[one.id], alias=named[one.id], categories=(), ambiguous=False)
        for one in objects
        if one.id in named
    ]
    return things, [replace(one, label=None) for one in observations if one.object in named]


def find_claim(row: Question) -> tuple[str | None, bool]:
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

    def _cloud(self, index: int) -> np.ndarray:
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

    @cache  # noqa: B019 (one sensor per program)
    def pixels(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """Where this image shows what the sensor saw, (N, 2), and how deep, (N,) metres."""
        cloud = self._cloud(index)
        cloud = cloud[cloud[:, 2] > 0.1]
        return ((cloud / cloud[:, 2:]) @ self.matrix.T)[:, :2], cloud[:, 2]

    def to_world(self, index: int, pixels: np.ndarray, depths_m: np.ndarray) -> np.ndarray:
        """Pixels (N, 2) of an image at depths (N,), in the sensor's world: (N, 3)."""
        rays = np.column_stack([pixels, np.ones(len(pixels))]) @ np.linalg.inv(self.matrix).T
        pose = self._world_from_cam[index]
        return (rays * depths_m[:, None]) @ pose[:3, :3].T + pose[:3, 3]

    @cache  # noqa: B019 (one sensor per program; the same box is in hundreds of rows)
    def find_middle(self, index: int, box: tuple[float, float, float, float], percent: float) -> np.ndarray | None:
        """The ray through the middle of a box, at a percentile of the depths of its middle half; None below 50."""
        pixels, depths_m = self.pixels(index)
        x0, y0, x1, y1 = box
        center, quarter = np.array([x0 + x1, y0 + y1]) / 2, np.array([x1 - x0, y1 - y0]) / 4
        inside = depths_m[(np.abs(pixels - center) <= quarter).all(axis=1)]
        if len(inside) < 50:
            return None
        return np.linalg.inv(self.matrix) @ [*center, 1.0] * float(np.percentile(inside, percent))


if __name__ == "__main__":
    raise SystemExit(main())

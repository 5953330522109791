"""Hard homes: what SIFT alone and `auto` make of tours, over seeds; and that nonsense never leaves quietly.

    python benchmarks/hard_homes.py TOUR... [--kinds sift auto] [--seeds 3] [--fps 10] [--still VIDEO]

Needs the light models (ROOMTOUR_MODELS). Each row is one tour and kind of features, medians over the seeds: frames,
models, frames in the largest model, the longest sound stretch over all frames, and CPU-seconds of the reconstruction
per second of video. A stretch is sound where no step is over 5 times the median of the model and of the 10 steps
around, and where the camera's height above the floor stays within a factor of 1.6: the segmenter's floor, and a plane
fitted to its points here, with no code of the product's own checks.

A video given with `--still` shows no walk: of its five runs those are counted that end with exit code 3 and are refused
by the export. Writes `results/hard_homes.md`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
import pycolmap

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results_table import write_table
from instructions.perception.models.light.folder import find_light_files, light_folder
from instructions.perception.models.light.labels import ade_words
from instructions.perception.models.light.mosaic import Mosaic
from roomtour.run import Run

STEP, HEIGHT, NEAR = 5.0, 1.6, 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tours", type=Path, nargs="*")
    parser.add_argument("--kinds", nargs="*", default=["sift", "auto"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--fps", type=float, help="pictures per second of folders")
    parser.add_argument("--still", type=Path)
    arguments = parser.parse_args()
    columns = ("tour", "features", "frames", "models", "in the largest", "sound share", "CPU-s per s")
    table: list[tuple[str, ...]] = []
    for tour in arguments.tours:
        for kind in arguments.kinds:
            rows = [measure(tour, kind, seed, arguments.fps) for seed in range(arguments.seeds)]
            frames, models, largest, sound, cost = (median(column) for column in zip(*rows, strict=True))
            shares = ", ".join(f"{row[3]:.2f}" for row in rows)
            cells = (tour.name, kind, f"{frames:g}", f"{models:g}", f"{largest:g}", f"{sound:.2f} ({shares})")
            table.append((*cells, f"{cost:.2f}"))
            print("|", " | ".join(table[-1]), "|", flush=True)
    still = ""
    if arguments.still:
        held = sum(is_held(arguments.still, seed) for seed in range(5))
        still = f"{arguments.still.name}: {held} of 5 runs end with exit code 3 and are not exported."
        print(still)
    note = f"Medians over {arguments.seeds} seeds; sound share: of each run in brackets. {still}".rstrip()
    write_table("hard_homes", columns, table, note=note)


def process(tour: Path, run: Path, seed: int, *more: str) -> int:
    """Exit code of `roomtour process`."""
    command = [sys.executable, "-m", "roomtour", "process", str(tour), "--out", str(run), "--seed", str(seed)]
    return subprocess.run([*command, "--workers", "1", *more], capture_output=True, check=False).returncode


def measure(tour: Path, kind: str, seed: int, fps: float | None) -> tuple[int, int, int, float, float]:
    """Frames, models, frames in the largest, sound share, CPU-seconds of the reconstruction per second of video."""
    with tempfile.TemporaryDirectory() as folder:
        rate = ["--input.fps", str(fps)] if tour.is_dir() else []
        path = Path(folder) / "run"
        process(tour, path, seed, "--until", "scene", "--perception", "landmarks", "--features.kind", kind, *rate)
        run = Run(path)
        outline = run.scene_outline
        sizes = [len(model.frames) for model in outline.models]
        cost = sum(run.stages[name].cpu_seconds or 0.0 for name in ("sample", "features", "sfm", "merge"))
        floors = find_floors(path / "frames")
        folders = sorted((path / "scene" / "models").glob("*"))
        sound = max((longest_sound(pycolmap.Reconstruction(one), floors) for one in folders), default=0)
        total = len(outline.frames)
        return total, len(sizes), max(sizes, default=0), sound / total, cost / outline.source.duration_s


def is_held(video: Path, seed: int) -> bool:
    """Whether a run ends with exit code 3 and its export is refused."""
    with tempfile.TemporaryDirectory() as folder:
        run, out = Path(folder) / "run", Path(folder) / "out"
        code = process(video, run, seed, "--perception", "landmarks")
        export = [sys.executable, "-m", "roomtour", "export", str(run), "--format", "tum", "--out", str(out)]
        refused = subprocess.run(export, capture_output=True, check=False).returncode
        return code == 3 and refused == 1 and not out.exists()


def find_floors(frames_dir: Path) -> dict[int, np.ndarray]:
    """Where each picture shows the floor, turned by the quarters that show most of it at the bottom of every eighth."""
    import cv2

    network = Mosaic(find_light_files(light_folder())["mosaic"])
    floor = ade_words().index("floor")
    paths = sorted(frames_dir.glob("*.jpg"))

    def look(path: Path, quarters: int) -> np.ndarray:
        image_bgr = cv2.imread(str(path))
        assert image_bgr is not None
        turned = np.rot90(image_bgr[:, :, ::-1], quarters)
        (classes,) = network.segment([np.ascontiguousarray(turned, dtype=np.uint8)])
        return classes == floor

    def measure_bottom(quarters: int) -> float:
        seen = [look(path, quarters) for path in paths[::8]]
        return float(np.mean([mask[len(mask) // 2 :].mean() for mask in seen]))

    best = max(range(4), key=measure_bottom)
    return {int(path.stem): np.rot90(look(path, best), -best) for path in paths}


def longest_sound(model: pycolmap.Reconstruction, floors: dict[int, np.ndarray]) -> int:
    """Frames of the longest stretch without a leap and with a steady height."""
    frames = sorted(model.reg_image_ids())
    if len(frames) < 4:
        return 0
    centers = {frame: model.image(frame).projection_center() for frame in frames}
    gaps = np.diff(frames)
    steps = np.linalg.norm(np.diff([centers[frame] for frame in frames], axis=0), axis=1) / gaps
    usual = np.median(steps)
    leaps = [
        step > STEP * usual and step > STEP * np.median(np.delete(steps[max(0, k - 5) : k + 6], min(k, 5)))
        for k, step in enumerate(steps)
    ]
    heights = measure_heights(model, floors, centers)
    known = sorted(heights)
    logs = np.interp(frames, known, [np.log(heights[frame]) for frame in known]) if known else np.zeros(len(frames))
    wide = max(3, min(12, len(frames) // 12))
    logs = np.array([np.median(logs[max(0, k - wide) : k + wide + 1]) for k in range(len(frames))])
    longest = 0
    for first in range(len(frames)):
        last = first
        while last + 1 < len(frames) and not leaps[last] and np.ptp(logs[first : last + 2]) <= np.log(HEIGHT):
            last += 1
        longest = max(longest, last - first + 1)
    return longest


def measure_heights(
    model: pycolmap.Reconstruction, floors: dict[int, np.ndarray], centers: dict[int, np.ndarray]
) -> dict[int, float]:
    """Of the camera above the points that most pictures show on the floor, near each frame."""
    votes: dict[int, list[bool]] = {}
    seen: dict[int, list[int]] = {}
    for frame in centers:
        image, mask = model.image(frame), floors[frame]
        camera = model.cameras[image.camera_id]
        for point in image.get_observation_points2D():
            x, y = int(point.xy[0] * mask.shape[1] / camera.width), int(point.xy[1] * mask.shape[0] / camera.height)
            if 0 <= y < mask.shape[0] and 0 <= x < mask.shape[1]:
                votes.setdefault(point.point3D_id, []).append(bool(mask[y, x]))
                seen.setdefault(frame, []).append(point.point3D_id)
    floor = {point for point, said in votes.items() if len(said) > 1 and np.mean(said) > 0.6}
    if len(floor) < 20:
        return {}
    xyz = {point: model.point3D(point).xyz for point in floor}
    cloud, rng = np.array(list(xyz.values())), np.random.default_rng(0)
    thick = 0.03 * np.median(np.linalg.norm(cloud - np.median(cloud, axis=0), axis=1))
    best = (0, np.zeros(3))
    for _ in range(1500):
        a, b, c = cloud[rng.choice(len(cloud), 3, replace=False)]
        normal = np.cross(b - a, c - a)
        if (length := np.linalg.norm(normal)) > 1e-12:
            best = max(
                best, (int((np.abs((cloud - a) @ normal / length) < thick).sum()), normal / length), key=lambda x: x[0]
            )
    heights = {}
    for frame, center in centers.items():
        near = {point for other in centers if abs(other - frame) <= NEAR for point in seen.get(other, [])} & floor
        if len(near) >= 15:
            heights[frame] = max(abs(float(np.median([(center - xyz[point]) @ best[1] for point in near]))), 1e-12)
    return heights


if __name__ == "__main__":
    main()

"""Reconstruct a folder of ordered images with known poses; frames, error and CPU per step (`results/office_walk.md`).

    python benchmarks/office_build.py FOLDER [--every 3] [--clip-frames 1000] [--overlap-frames 100]

FOLDER holds `images/` and `poses.txt` (one 4x4 camera-to-world per image in sorted name order, metres, OpenCV axes).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results_table import write_table
from recon.evaluate import pose_error
from recon.geometry import Pose
from recon.mapping.sfm import reconstruct_clips
from recon.matching.features import build_database
from recon.merging.merge import merge_sub_models
from recon.records import Clip, Frame, SubModel


@contextmanager
def step(name: str, frames: int, costs: dict[str, float] | None = None) -> Iterator[None]:
    """Print what a step cost, and note its CPU-seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    yield
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    if costs is not None:
        costs[name] = cpu
    print(f"{name:<10} {cpu:7.1f} CPU-s {wall:7.1f} s   {cpu / frames:.3f} CPU-s per frame")


def load_walk(folder: Path, every: int = 1) -> tuple[Path, list[Frame], dict[int, Pose]]:
    """The folder of images, every n-th of them as a frame, and its true world_from_cam."""
    images = sorted((folder / "images").iterdir())[::every]
    matrices = np.loadtxt(folder / "poses.txt").reshape(-1, 4, 4)[::every]
    truth = {}
    for index, matrix in enumerate(matrices, start=1):
        u, _, vt = np.linalg.svd(matrix[:3, :3])  # the file's rotations are rounded
        truth[index] = Pose(u @ vt, matrix[:3, 3])
    first = cv2.imread(str(images[0]))
    assert first is not None
    size = (first.shape[1], first.shape[0])
    frames = [Frame(k, k * every / 10, image.name, *size, 1.0, 0) for k, image in enumerate(images, start=1)]
    return folder / "images", frames, truth


def poses_of(model: SubModel) -> dict[int, Pose]:
    images = {frame: model.reconstruction.image(frame) for frame in model.frames}
    return {frame: Pose.from_rigid3d(image.cam_from_world().inverse()) for frame, image in images.items()}


def describe(model: SubModel, truth: dict[int, Pose]) -> str:
    error = pose_error(poses_of(model), truth)
    return (
        f"  {model.name:<10} {len(model.frames):4d} frames  RMSE {100 * error.rmse:.1f} cm  largest "
        f"{100 * error.largest:.1f} cm  reprojection {model.mean_reprojection_error_px:.2f} px"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1, help="use every n-th image")
    parser.add_argument("--first", type=int, help="and only this many of them")
    parser.add_argument("--clip-frames", type=int, default=1000)
    parser.add_argument("--overlap-frames", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    images, frames, truth = load_walk(arguments.folder, arguments.every)
    frames = frames[: arguments.first]
    stride = arguments.clip_frames - arguments.overlap_frames
    starts = range(0, max(1, len(frames) - arguments.overlap_frames), stride)
    clips = [
        Clip(f"{k:03d}", 0, tuple(range(start + 1, min(start + arguments.clip_frames, len(frames)) + 1)))
        for k, start in enumerate(starts)
    ]
    costs: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        work, database = Path(folder), Path(folder) / "database.db"
        with step("features", len(frames), costs):
            report = build_database(images, frames, clips, database, seed=arguments.seed)
        pairs = f"pairs {report.sequential_verified}, revisits {report.revisits_verified}"
        print(f"  focal {report.camera.fx:.0f} px, {pairs}")
        models: list[SubModel] = []
        with step("mapping", len(frames), costs):
            for clip in clips:
                (result,) = reconstruct_clips(database, images, [clip], work / clip.name, seed=arguments.seed)
                print(f"  clip {clip.name}: {result.sound_frames} frames in its longest consistent stretch")
                print(*[f"  {finding}" for finding in result.findings], sep="\n")
                models += result.sub_models
        print(*[describe(model, truth) for model in models], sep="\n")
        with step("merging", len(frames), costs):
            merged = merge_sub_models(models, database, seed=arguments.seed)
        for attempt in merged.attempts:
            print(f"  {attempt.first} + {attempt.second}: {attempt.verdict}, {attempt.reason}")
        print(*[f"  {finding}" for finding in merged.findings], sep="\n")
        print(*[describe(model, truth) for model in merged.models], sep="\n")
        errors = [(model, pose_error(poses_of(model), truth)) for model in merged.models]
    write_table(
        "office_walk",
        ("frames", "in the model", "error cm", "largest error cm"),
        [(len(frames), len(model.frames), *(f"{100 * x:.1f}" for x in (e.rmse, e.largest))) for model, e in errors],
        note="CPU-seconds: " + ", ".join(f"{name} {cpu_s:.1f}" for name, cpu_s in costs.items()) + ".",
    )


if __name__ == "__main__":
    main()

"""Our stages against COLMAP's own command on the same frames: CPU-seconds, registered frames, error of the cameras.

    QT_QPA_PLATFORM=offscreen python benchmarks/colmap_comparison.py FOLDER [--every 1] [--frames 100]

FOLDER holds `images/` and `poses.txt`, as for `office_build.py`. COLMAP (Debian package `colmap`) runs once, as the
field's reference paper ran it: `automatic_reconstructor --data_type individual --quality high --use_gpu 0`. That takes
ten minutes of CPU for 100 frames of 480x360. CPU time is the operating system's accounting of each process.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pycolmap

from recon.evaluate import pose_error
from recon.geometry import Pose


@dataclass(frozen=True)
class Outcome:
    """What one program made of the frames."""

    name: str
    cpu_s: float
    models: int
    poses: dict[str, Pose]
    """world_from_cam of the largest model, by image name."""

    @property
    def registered(self) -> int:
        """Frames of the largest model."""
        return len(self.poses)

    def rmse_cm(self, truth: dict[str, Pose], images: Collection[str]) -> float:
        """Of the camera centres of these images after the best similarity; not a number for fewer than three."""
        known = {number: name for number, name in enumerate(sorted(images)) if name in self.poses}
        if len(known) < 3:
            return float("nan")
        estimate = {number: self.poses[name] for number, name in known.items()}
        return 100.0 * pose_error(estimate, {number: truth[name] for number, name in known.items()}).rmse


def child_cpu_s(command: list[str]) -> float:
    """Run a command to its end; CPU-seconds of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def outcome(name: str, cpu_s: float, folders: list[Path]) -> Outcome:
    """The largest of some COLMAP models."""
    models = sorted((pycolmap.Reconstruction(folder) for folder in folders), key=lambda m: -m.num_reg_images())
    images = [models[0].image(index) for index in models[0].reg_image_ids()] if models else []
    poses = {image.name: Pose.from_rigid3d(image.cam_from_world().inverse()) for image in images}
    return Outcome(name, cpu_s, len(models), poses)


def run_colmap(images: Path, work: Path) -> Outcome:
    command = ["colmap", "automatic_reconstructor", "--workspace_path", str(work), "--image_path", str(images)]
    flags = ["--data_type", "individual", "--quality", "high", "--use_gpu", "0", "--dense", "0", "--single_camera", "1"]
    return outcome("colmap", child_cpu_s([*command, *flags]), sorted((work / "sparse").iterdir()))


def run_ours(images: Path, work: Path) -> Outcome:
    """Our features, mapping and merging, started as a process of its own so that start-up counts too."""
    cpu_s = child_cpu_s([sys.executable, __file__, "--only-ours", str(images), str(work)])
    return outcome("roomtour", cpu_s, sorted(work.glob("merged/*")))


def reconstruct(images: Path, work: Path) -> None:
    """Write `work/merged/K` from a folder of ordered images."""
    import cv2

    from recon.mapping.sfm import reconstruct_clips
    from recon.matching.features import build_database
    from recon.records import Clip, Frame

    names = sorted(path.name for path in images.iterdir())
    first = cv2.imread(str(images / names[0]))
    assert first is not None
    height, width = first.shape[:2]
    frames = [Frame(k, k / 3.0, name, width, height, 1.0, 0) for k, name in enumerate(names, start=1)]
    clip = Clip("000", 0, tuple(frame.index for frame in frames))
    build_database(images, frames, [clip], work / "database.db")
    (result,) = reconstruct_clips(work / "database.db", images, [clip], work / "clip")
    for number, model in enumerate(result.sub_models):
        folder = work / "merged" / str(number)
        folder.mkdir(parents=True)
        model.reconstruction.write(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--every", type=int, default=1, help="use every n-th image")
    parser.add_argument("--frames", type=int, default=100, help="and this many of them")
    parser.add_argument("--without-colmap", action="store_true", help="measure our side alone")
    parser.add_argument("--only-ours", nargs=2, type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.only_ours:
        reconstruct(*args.only_ours)
        return
    if args.folder is None:
        parser.error("FOLDER is needed")
    if not args.without_colmap and shutil.which("colmap") is None:
        parser.error("no `colmap` on the path; apt-get install colmap, or --without-colmap")
    chosen = sorted((args.folder / "images").iterdir())[:: args.every][: args.frames]
    matrices = np.loadtxt(args.folder / "poses.txt").reshape(-1, 4, 4)[:: args.every][: args.frames]
    truth = {}
    for path, matrix in zip(chosen, matrices, strict=True):
        u, _, vt = np.linalg.svd(matrix[:3, :3])  # the file's rotations are rounded
        truth[path.name] = Pose(u @ vt, matrix[:3, 3])
    with tempfile.TemporaryDirectory() as folder:
        images = Path(folder) / "images"
        for name in ("images", "ours", "ours/clip", "colmap"):
            (Path(folder) / name).mkdir()
        for path in chosen:
            shutil.copy(path, images / path.name)
        outcomes = [run_ours(images, Path(folder) / "ours")]
        if not args.without_colmap:
            outcomes.append(run_colmap(images, Path(folder) / "colmap"))
    for row in outcomes:
        print(
            f"{row.name:<9} {row.cpu_s:7.1f} CPU-s  {row.registered}/{len(chosen)} frames in the largest of "
            f"{row.models} models  RMSE {row.rmse_cm(truth, row.poses):.1f} cm"
        )
    if len(outcomes) == 2:
        ours, theirs = outcomes
        both = ours.poses.keys() & theirs.poses.keys()
        rmse_cm = [row.rmse_cm(truth, both) for row in outcomes]
        print(f"on the {len(both)} frames that both have: {rmse_cm[0]:.1f} and {rmse_cm[1]:.1f} cm")
        print(f"{theirs.cpu_s / ours.cpu_s:.1f} times less CPU")


if __name__ == "__main__":
    main()

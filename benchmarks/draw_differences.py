"""Does the difference between two draws of random numbers tell how far a walk is off?

    python benchmarks/bare_worlds.py FOLDER --quick --kinds auto --seeds 3
    python benchmarks/draw_differences.py FOLDER [--kind auto]

FOLDER holds the runs and truths of `bare_worlds.py`. Each row: a world; per seed the frames of the largest model and
its error, root mean square in per cent of the path; per two seeds the difference of these models, likewise.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

from recon.evaluate import pose_error
from recon.geometry import Pose, path_length
from recon.pose_sources.match import PictureIndex, match_poses
from recon.pose_sources.tum import read_tum
from roomtour.run import Run

Poses = Mapping[int, Pose]
LEAST_COMMON = 8
"""Frames that are compared."""


def measure(estimate: Poses, reference: Poses) -> float | None:
    """Root mean square distance over the path of the reference, in per cent."""
    common = sorted(estimate.keys() & reference.keys())
    if len(common) < LEAST_COMMON:
        return None
    length = path_length([reference[frame].center for frame in sorted(reference)])
    return 100 * pose_error(estimate, reference).rmse / length


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", default="auto")
    args = parser.parse_args()
    print("| world | frames: error, % | difference, % |", "|---|---|---|", sep="\n")
    for film in sorted(args.folder.glob("*.tum")):
        poses: list[Poses] = []
        errors: list[str] = []
        for path in sorted((args.folder / "runs").glob(f"{film.stem}_{args.kind}_[0-9]*")):
            scene = Run(path).scene
            if not scene.models:
                continue
            largest = max(scene.models, key=lambda model: len(model.world_from_cam)).world_from_cam
            truth = match_poses(read_tum(film), scene.frames, PictureIndex(())).world_from_cam
            error = measure(largest, truth)
            poses.append(largest)
            errors.append(f"{len(largest)}: {error:.2f}" if error is not None else f"{len(largest)}: -")
        found = [measure(one, other) for one, other in combinations(poses, 2)]
        differences = ", ".join("-" if share is None else f"{share:.2f}" for share in found)
        print(f"| {film.stem} | {', '.join(errors)} | {differences} |", flush=True)


if __name__ == "__main__":
    main()

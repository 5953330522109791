"""The made walk of the tests filmed badly (dark, blurred, a person in the way, six-second shots): frames and errors.

    python -m benchmarks.filmed_badly [--seeds 2] [--only dark shot] [--threads 1]

The changes are those of `tests/support/hard_tours.py`. Errors are of the camera centres after the best similarity.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

import roomtour
from recon.evaluate import pose_error
from recon.pose_sources.match import PictureIndex, match_poses
from recon.pose_sources.tum import read_tum
from roomtour.cli import main as roomtour_main
from tests.support import hard_tours as hard

WALK = Path(__file__).parents[1] / "tests" / "data" / "short_walk.mp4"


@dataclass(frozen=True)
class Tour:
    """One way to film the walk badly."""

    name: str
    change: hard.Change = lambda image, _: image
    end_s: float = 8.0

    def film(self, folder: Path) -> Path:
        """Write the video."""
        return hard.change_pictures(folder / "tour.mp4", WALK, self.change, self.end_s)


TOURS = [
    Tour("plain"),
    Tour("dark", hard.dark),
    Tour("blurred for a second", hard.blur_for_a_second),
    Tour("blank wall for a second", hard.blank_for_a_second),
    Tour("person", hard.person),
    Tour("bars and letters", hard.overlaid),
    Tour("portrait", hard.portrait),
    Tour("sideways", hard.sideways),
    Tour("shot of six seconds", end_s=6.0),
]


def row(tour: Tour, seed: int, threads: int) -> str:
    """What one reconstruction gave."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        flags = ["--until", "scene", "--seed", str(seed), "--workers", str(threads)]
        roomtour_main(["process", str(tour.film(Path(folder))), "--out", str(run), *flags])
        scene = roomtour.Run(run).scene
        truth = match_poses(read_tum(WALK.with_suffix("") / "trajectory.tum"), scene.frames, PictureIndex(()))
    errors = [pose_error(model.world_from_cam, truth.world_from_cam) for model in scene.models]
    models = ", ".join(
        f"{len(model.frames)} at {100 * error.rmse:.1f} cm (largest {100 * error.largest:.1f})"
        for model, error in zip(scene.models, errors, strict=True)
    )
    return f"{tour.name}, seed {seed}: {scene.registered} of {len(scene.frames)} frames; {models or 'no model'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", nargs="*", help="first words of the rows to measure, such as `shot`")
    args = parser.parse_args()
    chosen = [tour for tour in TOURS if args.only is None or any(tour.name.startswith(word) for word in args.only)]
    for tour in chosen:
        for seed in range(args.seeds):
            print(row(tour, seed, args.threads), flush=True)


if __name__ == "__main__":
    main()

"""What a last refinement at full resolution gives, and what it costs: error of the cameras before and after.

    python benchmarks/full_refine.py FOLDER [--every 1] [--first 100] [--seed 0]

FOLDER holds `images/` and `poses.txt` as for `office_walk.py`, such as a made tour of `examples/make_long_tour.py`. The
walk is mapped as one clip.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from office_walk import describe, load_walk, step

from recon.mapping.clips import reconstruct_clip
from recon.mapping.full_refine import refine_fully
from recon.matching.features import build_database
from recon.records import Clip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1, help="use every n-th image")
    parser.add_argument("--first", type=int, default=100, help="and this many of them")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    images, frames, truth = load_walk(arguments.folder, arguments.every)
    frames = frames[: arguments.first]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        clip = Clip("000", 0, tuple(frame.index for frame in frames))
        with step("usual", len(frames)):
            build_database(images, frames, [clip], work / "tour.db", seed=arguments.seed)
            found = reconstruct_clip(work / "tour.db", images, clip, work / "clip", seed=arguments.seed)
        for model in found.sub_models:
            print(describe(model, truth), flush=True)
            with step("full", len(model.frames)):
                refined = refine_fully(model, images, frames, work, seed=arguments.seed)
            print(
                describe(refined.model, truth), f" moved {refined.moved:.3%} of the walk {refined.reason}", flush=True
            )


if __name__ == "__main__":
    main()

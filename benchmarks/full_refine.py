"""What a last refinement at full resolution gives, and what it costs: error of the cameras before and after.

    python benchmarks/full_refine.py FOLDER [--every 1] [--first 100] [--seed 0] [--models MODELS]

FOLDER holds `images/` and `poses.txt` as for `office_walk.py`, such as a made tour of `examples/make_long_tour.py`. The
walk is mapped as one clip. A first call with MODELS only maps and writes the models there, the next ones refine them.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from unittest.mock import patch

from office_walk import describe, load_walk, step

from recon.colmap.read import read_model
from recon.known_poses.full_refine import refine_fully
from recon.mapping.clips import reconstruct_clips
from recon.matching.features import build_database
from recon.records import Clip, SubModel


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1, help="use every n-th image")
    parser.add_argument("--first", type=int, default=100, help="and this many of them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", type=Path, help="where the usual models are written, or lie already")
    arguments = parser.parse_args()
    images, frames, truth = load_walk(arguments.folder, arguments.every)
    frames = frames[: arguments.first]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        models = [] if arguments.models is None else read_models(arguments.models)
        if not models:
            clip = Clip("000", 0, tuple(frame.index for frame in frames))
            with step("usual", len(frames)):
                build_database(images, frames, [clip], work / "tour.db", seed=arguments.seed)
                # In rooms of even walls alone a homography explains most matches, although the camera walks.
                with patch("recon.mapping.flat_models.LEAST_SHARE", 0.0):
                    (found,) = reconstruct_clips(work / "tour.db", images, [clip], work / "clip", seed=arguments.seed)
            models = found.sub_models
            if arguments.models is not None:
                for place, model in enumerate(models):
                    (arguments.models / str(place)).mkdir(parents=True)
                    model.reconstruction.write(arguments.models / str(place))
                    print(describe(model, truth))
                return
        for model in models:
            print(describe(model, truth), flush=True)
            with step("full", len(model.frames)):
                refined = refine_fully(model, images, frames, work, seed=arguments.seed)
            print(
                describe(refined.model, truth), f" moved {refined.moved:.3%} of the walk {refined.reason}", flush=True
            )


def read_models(folder: Path) -> list[SubModel]:
    """What an earlier call wrote."""
    return [SubModel(f"000/{path.name}", ("000",), read_model(path)) for path in sorted(folder.glob("*"))]


if __name__ == "__main__":
    main()

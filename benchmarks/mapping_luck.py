"""How much of a reconstruction is luck: a walk sampled from its first, second, ... picture on, with several seeds.

    python benchmarks/mapping_luck.py FOLDER [--fps 10] [--skip 0 1 2 3] [--seeds 2] [--max-shift 0.15]

FOLDER holds `images/` and `poses.txt` as for `office_walk.py`. Each row is one mapping of the walk as the pipeline
samples it: why its mapper was taken, cost, and the error of its sub-models. The last line counts the runs
that were mapped more than once.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from office_walk import describe, load_walk

from recon.mapping.clips import reconstruct_clip
from recon.matching.features import build_database
from recon.records import Clip
from recon.video.sampling import SampleOptions, sample_tour


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fps", type=float, default=10.0, help="pictures per second of the folder")
    parser.add_argument("--skip", type=int, nargs="*", default=[0, 1, 2, 3], help="pictures left out at the start")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--max-shift", type=float, default=SampleOptions().max_shift)
    arguments = parser.parse_args()

    images, every, poses = load_walk(arguments.folder)
    again = runs = 0
    for skip in arguments.skip:
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            later = work / "later"
            later.mkdir()
            for frame in every[skip:]:
                (later / frame.image).symlink_to((images / frame.image).resolve())
            options = SampleOptions(max_shift=arguments.max_shift)
            frames = sample_tour(later, work / "frames", options, image_fps=arguments.fps).frames
            truth = {frame.index: poses[1 + skip + round(frame.time_s * arguments.fps)] for frame in frames}
            build_database(work / "frames", frames, [], work / "database.db")
            clip = Clip("000", 0, tuple(frame.index for frame in frames))
            for seed in range(arguments.seeds):
                cpu = time.process_time()
                result = reconstruct_clip(work / "database.db", work / "frames", clip, work / str(seed), seed=seed)
                cpu = time.process_time() - cpu
                print(
                    f"from picture {skip}, seed {seed}: {len(frames)} frames, {cpu:.1f} CPU-s, {result.mapper_reason}"
                )
                print(*[describe(model, truth) for model in result.sub_models], sep="\n", flush=True)
                runs += 1
                again += result.mapper_reason.startswith("longest sound stretch")
    print(f"mapped more than once in {again} of {runs} runs")


if __name__ == "__main__":
    main()

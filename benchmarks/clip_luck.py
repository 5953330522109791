"""How much of one clip's mapping is luck, and what placing frames by their matches does for it.

    roomtour process TOUR --clips.length-s 12 --clips.overlap-s 3 --out RUN --until features
    python benchmarks/clip_luck.py RUN --clip 1 --truth TRUTH [--fps 10] [--seeds 8] [--not-by-matches]

Maps the clip from the run's keypoints and matches, seed by seed: why its mapper was taken (with the frames that each
attempt held), frames and error of its sub-models, and CPU-seconds. TRUTH is a TUM file, or one pose per line of a
folder of `--fps` images per second.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from merging import read_truth

from recon.colmap.poses import read_pose
from recon.evaluate import pose_error
from recon.mapping.clips import reconstruct_clip
from recon.mapping.options import SfmOptions
from roomtour.files.frames import read_clips, read_source


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--clip", type=int, default=0, help="number, from 0")
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--fps", type=float)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--not-by-matches", action="store_true")
    args = parser.parse_args()
    truth = read_truth(args.truth, read_source(args.run / "source.json").frames, args.fps)
    clips = read_clips(args.run / "clips.json")
    if not 0 <= args.clip < len(clips):
        parser.error(f"--clip {args.clip}: {args.run} has clips 0 to {len(clips) - 1}")
    options = SfmOptions(register_by_matches=not args.not_by_matches)
    for seed in range(args.seeds):
        began = time.process_time()
        with tempfile.TemporaryDirectory() as scratch:
            result = reconstruct_clip(
                args.run / "recon" / "database.db", args.run / "frames", clips[args.clip], Path(scratch), options, seed
            )
        found = []
        for model in result.sub_models:
            poses = {frame: read_pose(model.reconstruction, frame) for frame in model.frames}
            found.append(f"{len(model.frames)} ({100 * pose_error(poses, truth).rmse:.1f} cm)")
        spent = time.process_time() - began
        print(
            f"seed {seed}: {' + '.join(found) or 'none'} of {len(clips[args.clip].frames)}, sound "
            f"{result.sound_frames}; {spent:.1f} CPU-s; {result.mapper_reason}",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""Cut a tour with known poses into clips of several lengths, map each clip, merge, and judge every model by the truth.

    python benchmarks/merging.py examples/apartment.mp4 --truth examples/apartment_truth/trajectory.tum
    python benchmarks/merging.py FOLDER/images --fps 10 --sample-fps 10 --truth FOLDER/poses.txt --clip-s 14.5,20

The truth is a TUM trajectory (times as in the video) or a text file with one 4x4 camera-to-world matrix per image.
A join is false if the joined model is worse than 10 cm while both of its parts were better.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from recon.evaluate import pose_error
from recon.geometry import Pose
from recon.mapping.options import SfmOptions
from recon.mapping.sfm import reconstruct_clips
from recon.matching.features import build_database
from recon.merging.merge import merge_sub_models
from recon.records import Frame, MergeAttempt, SubModel
from recon.video.sampling import SampleOptions, sample_tour
from recon.video.shots import ClipOptions, make_clips


def read_truth(path: Path, frames: Sequence[Frame], fps: float | None) -> dict[int, Pose]:
    """True world_from_cam per frame; `fps` are the images per second of a folder."""
    rows = np.loadtxt(path)
    if path.suffix == ".tum":
        turn = Slerp(rows[:, 0], Rotation.from_quat(rows[:, 4:8]))
        times = {frame.index: float(np.clip(frame.time_s, rows[0, 0], rows[-1, 0])) for frame in frames}
        return {
            index: Pose(
                turn(at).as_matrix(), np.array([np.interp(at, rows[:, 0], rows[:, axis]) for axis in (1, 2, 3)])
            )
            for index, at in times.items()
        }
    if fps is None:
        raise SystemExit(f"{path} has one matrix per image, which needs --fps, the images per second")
    truth = {}
    for frame in frames:
        matrix = rows.reshape(-1, 4, 4)[round(frame.time_s * fps)]
        left, _, right = np.linalg.svd(matrix[:3, :3])  # the file's rotations are rounded
        truth[frame.index] = Pose(left @ right, matrix[:3, 3])
    return truth


def error_cm(model: SubModel, truth: dict[int, Pose]) -> float:
    """RMSE of the camera centres after the best similarity."""
    images = {frame: model.reconstruction.image(frame) for frame in model.frames}
    poses = {frame: Pose.from_rigid3d(image.cam_from_world().inverse()) for frame, image in images.items()}
    return 100.0 * pose_error(poses, truth).rmse


def describe(models: Sequence[SubModel], truth: dict[int, Pose]) -> str:
    return ", ".join(
        f"{model.name} ({model.frames[0]}-{model.frames[-1]}, {len(model.frames)}) {error_cm(model, truth):.1f} cm"
        for model in models
    )


def describe_attempt(attempt: MergeAttempt) -> str:
    scale = "" if attempt.scale_disagreement is None else f", scale apart {attempt.scale_disagreement:.1%}"
    pairs = (
        "" if attempt.asked_pairs is None else f", {attempt.contradicting_pairs}/{attempt.asked_pairs} pairs against"
    )
    return (
        f"{attempt.first} + {attempt.second}: {attempt.verdict} by {attempt.joined_by}: {attempt.reason}{scale}{pairs}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", type=Path)
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--fps", type=float, help="of a folder of images")
    parser.add_argument("--sample-fps", type=float, default=SampleOptions().fps)
    parser.add_argument("--clip-s", default="100,25,15", help="clip lengths in seconds, comma separated")
    parser.add_argument("--overlap-s", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        frames_dir, database = work / "frames", work / "database.db"
        frames_dir.mkdir()
        sampled = sample_tour(
            arguments.input, frames_dir, SampleOptions(fps=arguments.sample_fps), image_fps=arguments.fps
        )
        truth = read_truth(arguments.truth, sampled.frames, arguments.fps)
        build_database(frames_dir, sampled.frames, [], database, seed=arguments.seed)
        for length_s in (float(text) for text in arguments.clip_s.split(",")):
            clips = make_clips(sampled.frames, ClipOptions(length_s=length_s, overlap_s=arguments.overlap_s))
            start, models = time.process_time(), []
            for clip in clips:
                (result,) = reconstruct_clips(
                    database,
                    frames_dir,
                    [clip],
                    work / f"{length_s:g}_{clip.name}",
                    SfmOptions(),
                    seed=arguments.seed,
                )
                models += result.sub_models
            mapped = time.process_time()
            merged = merge_sub_models(models, database, seed=arguments.seed)
            mapping_s, merging_s = mapped - start, time.process_time() - mapped
            print(f"clips of {length_s:g} s: {len(clips)}; mapping {mapping_s:.1f}, merging {merging_s:.1f} CPU-s")
            print(f"  sub-models: {describe(models, truth)}")
            print(*[f"  {describe_attempt(attempt)}" for attempt in merged.attempts], sep="\n")
            print(*[f"  {finding}" for finding in merged.findings], sep="\n")
            print(f"  merged: {describe(merged.models, truth)}", flush=True)


if __name__ == "__main__":
    main()

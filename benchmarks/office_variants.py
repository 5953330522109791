"""A real walk with known poses filmed otherwise (dark, few bits, small, grainy ...): how far off is what comes of it?

    python -m benchmarks.office_variants WALK FOLDER [--only dark "few bits"] [--seed 0]

WALK holds `images/` and `poses.txt` as for `benchmarks/office_build.py`; FOLDER keeps the videos and the runs, and what
is there is not made again. The ways are those of `benchmarks/home_variants.py` that keep the times. Each row: frames,
models, share of the frames in the largest, the longest sound stretch over all frames, error of each model of 8 frames
and more in per cent of its path (largest error in brackets), CPU-seconds per second of video, findings above a note.
A wrong model that carries no error finding is what must not be.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np

from benchmarks.home_variants import MORE, UNSEEN, VARIANTS, Variant, film, measure
from benchmarks.office_build import load_walk
from recon.evaluate import pose_error
from recon.geometry import Pose, path_length
from roomtour.run import Run

_RATE = 10
"""Pictures per second of the walk."""
_LEAST_FRAMES = 8


def keeps_times(variant: Variant) -> bool:
    """Whether a picture of the variant shows what the walk shows at the same time."""
    return not variant.backwards and variant.stretch == (0.0, 1.0) and variant.clock(7.3) == 7.3


def write_video(images: list[Path], path: Path) -> None:
    """The walk as a video that shows no loss."""
    part = path.with_suffix(".part.mp4")
    with av.open(str(part), "w") as container:
        out = container.add_stream("libx264", rate=_RATE, options={"preset": "veryfast", "crf": "10"})
        out.codec_context.time_base = Fraction(1, _RATE)
        out.codec_context.thread_count = 1
        for number, image in enumerate(images):
            picture = cv2.imread(str(image))
            assert picture is not None
            if number == 0:
                out.height, out.width, out.pix_fmt = *picture.shape[:2], "yuv420p"
            frame = av.VideoFrame.from_ndarray(np.asarray(picture, np.uint8), format="bgr24")
            frame.pts, frame.time_base = number, Fraction(1, _RATE)
            container.mux(out.encode(frame))
        container.mux(out.encode(None))
    part.replace(path)


def measure_errors(run_dir: Path, truth: dict[int, Pose]) -> str:
    """Of each model that is large enough, the largest first."""
    run = Run(run_dir)
    number_of = {frame.index: 1 + round(frame.time_s * _RATE) for frame in run.scene_outline.frames}
    cells = []
    for model in sorted(run.scene.models, key=lambda model: -len(model.frames)):
        if len(model.frames) < _LEAST_FRAMES:
            continue
        poses = {number_of[frame]: pose for frame, pose in model.world_from_cam.items() if number_of[frame] in truth}
        error = pose_error(poses, truth)
        way = path_length(np.array([truth[number].center for number in sorted(poses)]))
        cells.append(f"{100 * error.rmse / way:.2f} ({100 * error.largest / way:.2f})")
    return ", ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("walk", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", help="names, or their beginnings; all by default")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    images, frames, truth = load_walk(args.walk)
    video = args.folder / "walk.mp4"
    if not video.exists():
        write_video([images / frame.image for frame in frames], video)
    columns = (
        "variant, features, frames, models, in any, in the largest, sound share, CPU-s per s, told, error in % of path"
    )
    print(f"| {' | '.join(columns.split(', '))} |", "|" + 10 * "---|", sep="\n", flush=True)
    for variant in filter(keeps_times, (*VARIANTS, *MORE, *UNSEEN)):
        if args.only is not None and not any(variant.name.startswith(word) for word in args.only):
            continue
        path = args.folder / f"{variant.name.replace(' ', '_')}.mp4"
        if not path.exists():
            film(video, variant, path)
        row = measure(path, "auto", args.seed, args.folder)
        run_dir = args.folder / "runs" / f"{path.stem}_auto_{args.seed}"
        print(f"{row} {measure_errors(run_dir, truth)} |", flush=True)


if __name__ == "__main__":
    main()

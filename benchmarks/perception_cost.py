"""CPU-seconds that perception takes per second of video, by part.

    python benchmarks/perception_cost.py RUN

RUN was made by `roomtour process`. First what its stages took when they ran, as the manifest has it; then, for light
models, each part measured again on frames of the run: milliseconds per call, times how often the run called it. CPU
time of this process on one thread, so other work of the machine counts only as far as it slows the processor down; on
two runs of the same minute parts compare, between machines they do not.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

import roomtour
from instructions.perception.frames.results import FrameResults, VisionIndex
from instructions.perception.frames.view_flow import measure_flow, read_thumbnail
from instructions.perception.models.light.deeplab import Deeplab
from instructions.perception.models.light.folder import find_light_files, light_folder
from instructions.perception.models.light.labels import coco_words
from instructions.perception.models.light.mosaic import Mosaic
from instructions.perception.models.light.yolox import Yolox
from recon.records import Frame
from recon.tasks import fixed_threads
from roomtour.files.records import from_plain, read_json

PARTS = ("vision", "perception")
MEASURED = 16
"""Frames that each part is measured on."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="RUN")
    args = parser.parse_args()
    run = roomtour.Run(args.run)
    duration_s = run.scene.source.duration_s
    frames = run.scene.frames
    print(f"{run.manifest['tour']}: {duration_s:.1f} s of video, {len(frames)} frames, perception {run.perception}")
    taken = {name: run.stages[name].cpu_seconds for name in PARTS}
    for name, cpu_s in taken.items():
        counts = ", ".join(f"{key} {value}" for key, value in run.stages[name].counts.items())
        print(f"  stage {name:<12} {cpu_s:6.1f} CPU-s {cpu_s / duration_s:7.3f} per s of video   {counts}")
    print(
        f"  together           {sum(taken.values()):6.1f} CPU-s {sum(taken.values()) / duration_s:7.3f} per s of video"
    )
    if run.perception == "light":
        with fixed_threads():
            print_parts(run, frames, duration_s)


def print_parts(run: roomtour.Run, frames: Sequence[Frame], duration_s: float) -> None:
    """Each part of the stage vision, measured anew."""
    index = from_plain(read_json(run.path / "vision" / "index.json"), VisionIndex, "index.json")
    results = FrameResults(run.path / "vision", index)
    segmented = sum(results.segments(frame.index, frame.width, frame.height) is not None for frame in frames)
    folder = run.path / "frames"
    paths = [folder / frame.image for frame in frames][:: max(1, len(frames) // MEASURED)][:MEASURED]
    decoded = [image for path in paths if (image := cv2.imread(str(path))) is not None]
    images = [np.ascontiguousarray(image[:, :, ::-1], dtype=np.uint8) for image in decoded]
    files = find_light_files(light_folder())
    words = [sorted({word for word in coco_words() if word})]
    detector, segmenter, fine = Yolox(files["yolox"], 0.2), Mosaic(files["mosaic"]), Deeplab(files["deeplab"], 0.4)
    size = (frames[0].width, frames[0].height)
    small = [one for path in paths if (one := read_thumbnail(path, *size)) is not None]
    carried = len(frames) - segmented
    parts: list[tuple[str, float, int]] = [
        ("decoding", measure([lambda p=path: cv2.imread(str(p)) for path in paths]), segmented),
        ("detector", measure([lambda i=image: detector.detect([i], words) for image in images]), segmented),
        ("fine segmenter", measure([lambda i=image: fine.segment([i]) for image in images]), segmented),
        ("segmenter", measure([lambda i=image: segmenter.segment([i]) for image in images]), segmented),
        ("thumbnails", measure([lambda p=path: read_thumbnail(p, *size) for path in paths]), carried + segmented),
        ("flow", measure([lambda a=a, b=b: measure_flow(a, b) for a, b in pairwise(small)]), 2 * carried),
    ]
    print(f"  looked at {segmented} of {len(frames)} frames; {carried} got boxes from the looks on either side")
    for name, call_ms, calls in parts:
        cpu_s = call_ms * calls / 1000
        print(
            f"    {name:<16} {call_ms:6.1f} ms x {calls:<5} {cpu_s:6.2f} CPU-s {cpu_s / duration_s:7.3f} per s of video"
        )


def measure(calls: Sequence[Callable[[], object]]) -> float:
    """Mean CPU-milliseconds of a call, the first one (which loads and warms up) made twice."""
    calls[0]()
    start = time.process_time()
    for call in calls:
        call()
    return 1000 * (time.process_time() - start) / len(calls)


if __name__ == "__main__":
    main()

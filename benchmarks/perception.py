"""Learned models at full size with random weights: time and memory per frame; and how well detections become objects.

    python benchmarks/perception.py                          # CPU, one frame per model
    python benchmarks/perception.py --device cuda --frames 64 --batches 1 4 8 16 32
    python benchmarks/perception.py --objects                # needs no model: noisy truth of the made apartment

Random weights cost what trained ones cost, except that Florence-2 does not know when to stop: it is cut at 128 tokens,
about sixteen regions. Each model runs in a process of its own, so that its peak memory is its own. Time is that of the
adapter: preparing the image, the network, reading its output. CPU time counts all threads and is the figure to compare
on a CPU; on a GPU it is frames per second.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import av
import numpy as np
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
os.environ["HF_HUB_OFFLINE"] = "1"

from instructions.perception.frames.model_depth import depth_in_model  # noqa: E402
from instructions.perception.frames.results import DEPTH_STEP_PX  # noqa: E402
from instructions.perception.interfaces import RgbImage  # noqa: E402
from instructions.perception.models.catalog import Ability  # noqa: E402
from instructions.perception.models.depth_anything import DepthAnything  # noqa: E402
from instructions.perception.models.florence import Florence  # noqa: E402
from instructions.perception.models.grounding_dino import GroundingDino  # noqa: E402
from instructions.perception.models.options import ModelChoice  # noqa: E402
from instructions.perception.models.runtime import is_out_of_memory, pick_runtime  # noqa: E402
from instructions.perception.models.sam import SamMasks  # noqa: E402
from instructions.perception.models.siglip import Siglip  # noqa: E402
from instructions.perception.models.weights import find_model  # noqa: E402
from instructions.perception.things.objects import find_objects  # noqa: E402
from roomtour.trial.rendered import RenderedTour  # noqa: E402
from tests.support.judges.truth_score import score_objects  # noqa: E402
from tests.support.worlds.noisy_detector import Noise, frames_of, look, model_of  # noqa: E402

MODELS: dict[str, Ability] = {
    "siglip": "tags",
    "florence2": "regions",
    "grounding-dino": "boxes",
    "mm-grounding-dino": "boxes",
    "sam": "masks",
    "depth-anything-metric": "depth",
}
TAGS = [
    f"{color} {thing}" for color in ("red", "blue", "small") for thing in ("chair", "table", "lamp", "door", "sofa")
]
BOXES = [(40.0 * n, 30.0, 40.0 * n + 80.0, 200.0) for n in range(10)]
FLORENCE_TOKENS = 128
_MAKE = """
import sys
from pathlib import Path
from tests.support.doubles.made_checkpoints import write_checkpoint
write_checkpoint(sys.argv[1], Path(sys.argv[2]), "full")
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("auto", "cpu", "cuda", "mps"), default="cpu")
    parser.add_argument("--dtype", choices=("auto", "float32", "float16", "bfloat16"), default="auto")
    parser.add_argument("--frames", type=int, default=1, help="frames per measurement")
    parser.add_argument("--batches", type=int, nargs="+", default=[1])
    parser.add_argument("--only", choices=MODELS, nargs="+", default=list(MODELS))
    parser.add_argument("--objects", action="store_true", help="score the joining of detections instead")
    parser.add_argument("--one", choices=MODELS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.objects:
        _print_objects()
    elif args.one:
        print(json.dumps(_measure(args)))
    else:
        _print_models(args)
    return 0


def _print_models(args: argparse.Namespace) -> None:
    """One line per model and batch size, as soon as it is measured."""
    print(f"full size, random weights, {args.device}, {args.frames} frames of 640x360 per measurement")
    print(f"{'model':<24}{'million weights':>16}{'batch':>7}{'CPU s / frame':>15}{'frames / s':>12}{'peak MB':>9}")
    for kind in args.only:
        flags = ["--device", args.device, "--dtype", args.dtype, "--frames", str(args.frames)]
        command = [sys.executable, __file__, "--one", kind, *flags, "--batches", *map(str, args.batches)]
        answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        result = json.loads(answer.splitlines()[-1])
        for row in result["rows"]:
            start = f"{kind:<24}{result['weights'] / 1e6:>16.1f}{row['batch']:>7}"
            if row["peak_mb"] is None:
                print(f"{start}  out of memory", flush=True)
            else:
                print(f"{start}{row['cpu_s']:>15.2f}{row['fps']:>12.2f}{row['peak_mb']:>9.0f}", flush=True)


def _measure(args: argparse.Namespace) -> dict:
    """Build the checkpoint in another process, so that its memory does not count here; then load and run it."""
    runtime = pick_runtime(args.device, args.dtype)
    frames = _frames(args.frames)
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([sys.executable, "-c", _MAKE, args.one, scratch], check=True, cwd=ROOT, stdout=sys.stderr)
        local = find_model(MODELS[args.one], ModelChoice(model=scratch))
        weights = sum(path.stat().st_size for path in Path(scratch).glob("*.safetensors")) // 4
        run = _runner(args.one, local, runtime)
    run(frames[:1])  # the first call compiles, allocates and caches
    rows = [{"batch": batch, **_measure_rate(run, frames, batch, runtime.device)} for batch in args.batches]
    return {"weights": weights, "rows": rows}


def _runner(kind: str, local, runtime) -> Callable[[Sequence[RgbImage]], object]:
    if kind == "siglip":
        return Siglip(local, runtime).embed
    if kind == "florence2":
        return Florence(local, runtime, max_tokens=FLORENCE_TOKENS).regions
    if kind == "sam":
        sam = SamMasks(local, runtime)
        return lambda images: sam.masks(images, [BOXES] * len(images))
    if kind == "depth-anything-metric":
        depth = DepthAnything(local, runtime)
        return lambda images: depth.depth(images, DEPTH_STEP_PX)
    boxes = GroundingDino(local, runtime, threshold=0.3)
    return lambda images: boxes.detect(images, [TAGS] * len(images))


def _measure_rate(run: Callable[[Sequence[RgbImage]], object], frames: list[RgbImage], batch: int, device: str) -> dict:
    if device == "cuda":
        import torch

        torch.cuda.reset_peak_memory_stats()
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        for at in range(0, len(frames), batch):
            run(frames[at : at + batch])
    except (RuntimeError, MemoryError) as error:
        if is_out_of_memory(error):
            return {"cpu_s": None, "fps": None, "peak_mb": None}
        raise
    cpu_s, wall_s = time.process_time() - cpu, time.perf_counter() - wall
    return {"cpu_s": cpu_s / len(frames), "fps": len(frames) / wall_s, "peak_mb": _peak_mb(device)}


def _peak_mb(device: str) -> float:
    if device == "cuda":
        import torch

        return torch.cuda.max_memory_allocated() / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _frames(count: int) -> list[RgbImage]:
    """Frames of the example tour, three per second."""
    out = []
    with av.open(str(ROOT / "examples" / "apartment.mp4")) as video:
        for number, frame in enumerate(video.decode(video=0)):
            if number % 10 == 0:
                out.append(np.ascontiguousarray(frame.to_ndarray(format="rgb24")))
            if len(out) == count:
                break
    return out


def _print_objects() -> None:
    """Precision and recall of objects against the truth, for a detector that is wrong to a stated degree."""
    tour = RenderedTour()
    views = tour.views(np.arange(0.0, 74.0, 2 / 3))
    model = model_of(tour, views)
    table = Table(title=f"objects from {len(views)} views of the made apartment, mean of 3 seeds")
    for name in ("noise", "masks", "objects", "true things", "precision", "recall", "centre off m", "CPU s"):
        table.add_column(name, justify="right")
    for times in (0.0, 1.0, 2.0):
        for masks in (False, True):
            figures = [_objects(tour, views, model, Noise().times(times), masks, seed) for seed in range(3)]
            table.add_row(f"x{times:g}", str(masks), *(f"{value:.2f}" for value in np.mean(figures, axis=0)))
    Console(width=110).print(table)


def _objects(tour, views, model, noise: Noise, masks: bool, seed: int) -> tuple[float, ...]:
    with tempfile.TemporaryDirectory() as scratch:
        seen = look(tour, views, Path(scratch), noise, seed=seed, masks=masks)

        def depth_of(frame: int):
            raw = seen.results.raw_depth(frame)
            return None if raw is None else depth_in_model(model, frame, raw, DEPTH_STEP_PX, is_metric=True)

        started = time.process_time()
        found = find_objects(model, seen.results, depth_of, None, frames_of(tour, views))
        cpu_s = time.process_time() - started
    score = score_objects(tour, found.objects, seen.shown)
    return (score.found, score.wanted, score.precision, score.recall, score.center_error_m, cpu_s)


if __name__ == "__main__":
    raise SystemExit(main())

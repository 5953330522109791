"""Metres from things of known size against truth: who said what, what each says alone, and the made apartment.

    python benchmarks/scale.py run RUN [--poses POSES --up y --floor -1.53] [--tum TUM]
    python benchmarks/scale.py apartment [--heights 1.2 1.35 1.5 1.65 1.8] [--seeds 4]

`run` takes a finished run with light models, and true camera poses in metres: `poses.txt` (one 4x4 camera-to-world per
image in sorted name order; the run's images are in that order too) or a TUM trajectory by time. The scene is made anew
from the run's sub-models with and without what the pictures say; the factor that is still needed to fit the true path
is the error. `apartment` needs the `dev` extra (mujoco): the example's apartment, its tour at several camera heights,
true names or some wrong ones.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from instructions.perception.frames.results import FrameResults, VisionIndex
from instructions.perception.frames.segments import SegmentMap
from instructions.perception.interfaces import FoundBox
from instructions.perception.sizes.evidence import PictureSizes
from recon.geometry import Array, Sim3, angle_between_deg
from recon.records import Frame, SceneModel, SizeWitness, SourceInfo, SubModel
from recon.upright.metric_scale import camera_height_witness, weigh_witnesses
from recon.upright.scene import SceneEvidence, build_scene
from roomtour.artifacts import MERGED, SOURCE, VISION
from roomtour.files.frames import read_source
from roomtour.files.models import read_sub_models
from roomtour.files.records import from_plain, read_json

PRIOR_M, PRIOR_SIGMA = 1.5, 0.15


class SomeFrames(FrameResults):
    """Results of every n-th frame only, as where networks look at fewer of them."""

    def __init__(self, results: FrameResults, every: int, first: int) -> None:
        self._all, self._every, self._first = results, every, first

    def segments(self, frame: int, width: int, height: int) -> SegmentMap | None:
        """None for frames left out."""
        return self._all.segments(frame, width, height) if frame % self._every == self._first else None

    def boxes(self, frame: int) -> list[FoundBox]:
        """None for frames left out."""
        return self._all.boxes(frame) if frame % self._every == self._first else []


def stand(sub_model: SubModel, frames: Sequence[Frame], evidence: SceneEvidence | None) -> SceneModel:
    """The upright model, its scale weighed from what the pictures say."""
    source = SourceInfo("made", "images", frames[0].width, frames[0].height, 1.0, len(frames), 1.0, "", 0, "")
    (model,) = build_scene("made", source, frames, (), [sub_model], evidence=evidence).models
    return model


def true_over_told(model: SceneModel, truth: dict[int, Array]) -> float:
    """How many metres a metre of the model really is."""
    both = [frame for frame in model.frames if frame in truth]
    told = np.array([model.world_from_cam[frame].center for frame in both])
    return Sim3.fit(np.array([truth[frame] for frame in both]), told).scale


def measure_stand(model: SceneModel, truth: dict[int, Array], up: Array, floor_m: float) -> str:
    """How far the vertical and the floor below the cameras are off, in the truth's metres."""
    both = [frame for frame in model.frames if frame in truth]
    centers = np.array([truth[frame] for frame in both])
    told = np.array([model.world_from_cam[frame].center for frame in both])
    truth_from_model = Sim3.fit(centers, told)
    tilt = angle_between_deg(truth_from_model.rotation[:, 2], up)
    below = truth_from_model.scale * float(np.median(told[:, 2])) - (float(np.median(centers @ up)) - floor_m)
    return f"vertical off by {tilt:.2f} deg, floor by {-100 * below:+.1f} cm"


def describe(model: SceneModel, truth: dict[int, Array] | None) -> str:
    scale = model.scale
    words = f"{scale.status}, camera {np.median(model.centers[:, 2]):.2f} m, sigma {scale.sigma:.1%}"
    if truth is None:
        return words
    off = float(np.log(true_over_told(model, truth)))
    return f"{words}, off by {-off:+.1%} = {abs(off) / scale.sigma:.1f} sigma"


def print_witnesses(model: SceneModel, truth: dict[int, Array] | None) -> None:
    factor = model.scale.factor
    true = true_over_told(model, truth) if truth is not None else None
    last = "" if true is None else "  alone against truth"
    print(f"  {'witness':<20} things  measured  expected  spread  weight  residual{last}")
    for one in model.witnesses:
        alone = "" if true is None else f"  {one.factor / factor / true - 1.0:+.1%}"
        print(
            f"  {one.name:<20} {one.things:6d} {one.measured * factor:7.2f} m {one.expected_m:7.2f} m "
            f"{one.spread:7.1%} {one.weight:7.0%} {one.residual:+9.1f}{alone}"
        )


def ablate(model: SceneModel, sizes: Sequence[SizeWitness], truth: dict[int, Array]) -> None:
    """Each kind with the camera's height only, and all but each kind."""
    true, height = true_over_told(model, truth), float(np.median(model.centers[:, 2]))
    held = camera_height_witness(height, PRIOR_M, PRIOR_SIGMA)
    print(f"  {'':<20} {'prior and this':>22} {'all but this':>22}")
    for one in sizes:
        rest = [held, *(other for other in sizes if other is not one)]
        cells = []
        for chosen in ([held, one], rest):
            scale = weigh_witnesses(chosen).scale
            cells.append(f"{scale.factor / true - 1:+.1%} +- {scale.sigma:.1%}")
        print(f"  {one.name:<20} {cells[0]:>22} {cells[1]:>22}")
    print(f"  {'prior alone':<20} {PRIOR_M / height / true - 1:+.1%} +- {PRIOR_SIGMA:.0%}")


def measure_run(arguments: argparse.Namespace) -> None:
    folder: Path = arguments.folder
    frames = read_source(folder / SOURCE.path).frames
    vision = folder / VISION.path
    results = FrameResults(vision.parent, from_plain(read_json(vision), VisionIndex, str(vision)))
    truth = read_truth(arguments, frames)
    for sub_model in read_sub_models(folder / MERGED.path):
        pictures = PictureSizes(results, frames)
        before, after = stand(sub_model, frames, None), stand(sub_model, frames, pictures)
        print(f"{sub_model.name}: {len(sub_model.frames)} frames")
        for words, model in (("without pictures", before), ("with pictures", after)):
            held = model.centers[:, 2] if model.floor_z is not None else np.full(1, np.nan)
            steady = float(np.std(held) / np.median(held))
            print(f"  {words}: {describe(model, truth)}; height varies by {steady:.1%}; up: {model.up_source}")
            if truth is not None and model.floor_z is not None:
                print(f"    {measure_stand(model, truth, np.eye(3)['xyz'.index(arguments.up)], arguments.floor)}")
        print_witnesses(after, truth)
        if truth is not None:
            ablate(after, pictures.sizes(after), truth)
        for every in arguments.every:
            for first in range(every):
                some = stand(sub_model, frames, PictureSizes(SomeFrames(results, every, first), frames))
                print(f"  names of every {every}. frame: {describe(some, truth)}")


def read_truth(arguments: argparse.Namespace, frames: Sequence[Frame]) -> dict[int, Array] | None:
    """True camera centres in metres by frame, None where none were given."""
    if arguments.poses is not None:
        centers = np.loadtxt(arguments.poses).reshape(-1, 4, 4)[:, :3, 3]
        images = arguments.images or len(centers)
        every = {round(frame.time_s * arguments.fps): frame.index for frame in frames}
        return {index: centers[row] for row, index in every.items() if row < images}
    if arguments.tum is not None:
        rows = np.loadtxt(arguments.tum)
        at = np.clip(np.searchsorted(rows[:, 0], [frame.time_s - 1e-3 for frame in frames]), 0, len(rows) - 1)
        return {frame.index: rows[row, 1:4] for frame, row in zip(frames, at, strict=True)}
    return None


def measure_apartment(arguments: argparse.Namespace) -> None:
    from made_apartment_labels import Apartment, frames_of, reconstruct, write_labels

    apartment = Apartment()
    print("height  names        off   sigma  in sigmas  status")
    misses, told = 0, 0
    for height in arguments.heights:
        looks = apartment.walk(height)
        frames = frames_of(looks)
        truth = {number: look.world_from_cam.center for number, look in enumerate(looks, start=1)}
        for wrong in arguments.wrong:
            for seed in range(arguments.seeds):
                sub_model = reconstruct(apartment, looks, seed=seed)
                with tempfile.TemporaryDirectory() as folder:
                    results = write_labels(
                        apartment, looks, Path(folder), wrong=wrong, every=arguments.every, seed=seed
                    )
                    model = stand(sub_model, frames, PictureSizes(results, frames))
                off = -float(np.log(true_over_told(model, truth)))
                inside = abs(off) / model.scale.sigma
                told, misses = told + 1, misses + (abs(off) > 0.08 or inside > 2)
                names = f"{wrong:.0%} wrong" if wrong else "true"
                print(
                    f"{height:.2f} m  {names:<10} {off:+6.1%}  {model.scale.sigma:5.1%} "
                    f"{inside:9.1f}  {model.scale.status}"
                )
                if arguments.verbose:
                    print(f"  {measure_stand(model, truth, np.eye(3)[2], 0.0)}")
                    print_witnesses(model, truth)
    print(f"{told - misses} of {told} within 8 % and 2 sigma")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    run = commands.add_parser("run", help="a finished run with light models")
    run.add_argument("folder", type=Path)
    run.add_argument("--poses", type=Path, help="4x4 camera-to-world per image, in metres")
    run.add_argument("--images", type=int, help="how many of them are images")
    run.add_argument("--fps", type=float, default=10.0, help="images per second that the run was told")
    run.add_argument("--tum", type=Path, help="true trajectory by time, in metres")
    run.add_argument("--every", type=int, nargs="*", default=[], help="also with names of every n-th frame only")
    run.add_argument("--up", choices=["x", "y", "z"], default="z", help="axis of the true world that points up")
    run.add_argument("--floor", type=float, default=0.0, help="height of the true floor along it, in metres")
    run.set_defaults(do=measure_run)
    made = commands.add_parser("apartment", help="the example's apartment at several camera heights")
    made.add_argument("--heights", type=float, nargs="+", default=[1.2, 1.35, 1.5, 1.65, 1.8])
    made.add_argument("--wrong", type=float, nargs="+", default=[0.0, 0.2], help="shares of things with a wrong name")
    made.add_argument("--seeds", type=int, default=4)
    made.add_argument("--every", type=int, default=1, help="only every n-th frame has names")
    made.add_argument("--verbose", action="store_true")
    made.set_defaults(do=measure_apartment)
    arguments = parser.parse_args()
    arguments.do(arguments)


if __name__ == "__main__":
    main()

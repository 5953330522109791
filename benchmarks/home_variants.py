"""One real tour filmed otherwise (darker, in few bits, cropped, mirrored, backwards, shaken): what is left of it?

    python -m benchmarks.home_variants VIDEO FOLDER [--more | --unseen] [--only dark mirrored] [--kinds auto] [--seed 0]

Needs the light models (ROOMTOUR_MODELS). FOLDER keeps the videos, the runs and so the rows: what is there is not made
again. Each row: frames, models, share of the frames in any model and in the largest, the longest sound stretch over all
frames (`benchmarks/hard_homes.py` says what is sound), CPU-seconds of the reconstruction per second of video, and the
findings above a note. `--more` films it in twelve other ways, `--unseen` in twelve more, on which nothing was tuned
when they were written.
"""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pycolmap

from benchmarks.hard_homes import find_floors, longest_sound, process
from roomtour.run import Run

_CLOCK = Fraction(1, 12000)
Picture = Callable[[np.ndarray, int], np.ndarray]
"""From an RGB picture and its number to the picture that was filmed instead."""


@dataclass(frozen=True)
class Variant:
    """One way to film the tour otherwise."""

    name: str
    change: Picture = lambda image, _: image
    every: int = 1
    """Pictures of the video from one that is kept to the next."""
    stretch: tuple[float, float] = (0.0, 1.0)
    """Where it begins and ends, over the whole."""
    backwards: bool = False
    quality: int = 18
    """Rate factor of x264: 18 shows no loss, 36 blocks everywhere."""
    open_for: int = 1
    """Pictures of the video that are averaged to one: the shutter stays open longer."""
    clock: Callable[[float], float] = lambda time_s: time_s
    """From the time in the stretch to the time it is shown at."""


def dark(image: np.ndarray, number: int) -> np.ndarray:
    """Two fifths of the light, and the sensor's noise."""
    noise = np.random.default_rng(number).normal(0, 3, image.shape)
    return np.clip(0.4 * image + noise, 0, 255).astype(np.uint8)


def cropped(image: np.ndarray, _: int) -> np.ndarray:
    """The middle four fifths: a longer lens."""
    height, width = image.shape[0] // 20 * 2, image.shape[1] // 20 * 2
    return image[height:-height, width:-width]


def cropped_aside(image: np.ndarray, _: int) -> np.ndarray:
    """Without the uppermost and the rightmost fifth: the optical centre lies elsewhere."""
    height, width = image.shape[0] // 5, image.shape[1] // 5
    return image[height:, :-width]


def rolled(image: np.ndarray, _: int) -> np.ndarray:
    """Turned about the axis by 8 degrees, as a phone is held."""
    height, width = image.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 8, 1.15)
    return cv2.warpAffine(image, turn, (width, height), borderMode=cv2.BORDER_REFLECT)


def small(image: np.ndarray, _: int) -> np.ndarray:
    """The shorter side of 270 pixels."""
    scale = 270 / min(image.shape[:2])
    return cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def shaken(image: np.ndarray, number: int) -> np.ndarray:
    """Turned about the axis by up to 4 degrees and moved by up to a fiftieth, as by a hand, at 1 to 2 Hz."""
    height, width = image.shape[:2]
    time = 2 * np.pi * number / 30
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 4 * np.sin(1.3 * time), 1.1)
    turn[:, 2] += width / 50 * np.array([np.sin(1.9 * time), np.sin(1.1 * time + 1)])
    return cv2.warpAffine(image, turn, (width, height), borderMode=cv2.BORDER_REFLECT)


def bright(image: np.ndarray, _: int) -> np.ndarray:
    """A stop and a half more light: lamps, windows and white walls burn out."""
    return np.clip(2.0 * image.astype(np.float32) + 15, 0, 255).astype(np.uint8)


def two_exposures(image: np.ndarray, number: int) -> np.ndarray:
    """The automatic exposure goes between half and one and a half of the light, within half a second, every 2.5 s."""
    there = np.clip(5 * np.sin(2 * np.pi * number / 150), -1, 1)
    return np.clip((1.0 + 0.5 * there) * image, 0, 255).astype(np.uint8)


def warm(image: np.ndarray, _: int) -> np.ndarray:
    """Lamplight: little blue, and a steeper tone curve."""
    curve = 255 * np.linspace(0, 1, 256) ** 1.5
    return np.clip(curve[image] * (1.2, 1.0, 0.6), 0, 255).astype(np.uint8)


def grainy(image: np.ndarray, number: int) -> np.ndarray:
    """The sensor's noise at a high ISO, and what the phone smooths of it."""
    noise = np.random.default_rng(number).normal(0, 22, image.shape)
    return cv2.GaussianBlur(np.clip(image + noise, 0, 255).astype(np.uint8), (3, 3), 0)


def wobbling(image: np.ndarray, number: int) -> np.ndarray:
    """A rolling shutter over a trembling hand: rows are shifted and stretched by up to a hundredth."""
    height, width = image.shape[:2]
    rows = np.arange(height, dtype=np.float32)[:, None]
    phase = 2 * np.pi * (0.6 * rows / height + number / 30 * 3.7)
    right = np.broadcast_to(np.arange(width, dtype=np.float32), (height, width)) + width / 100 * np.sin(phase)
    down = np.broadcast_to(rows + height / 150 * np.cos(1.3 * phase), (height, width))
    return cv2.remap(image, right.astype(np.float32), down.astype(np.float32), cv2.INTER_LINEAR, borderMode=1)


def landscape(image: np.ndarray, _: int) -> np.ndarray:
    """The phone held across: four to three, from the middle of a portrait picture."""
    height, width = image.shape[:2]
    first = (height - 3 * width // 4) // 2
    return image[first : first + 3 * width // 4]


def cropped_below(image: np.ndarray, _: int) -> np.ndarray:
    """Without the lowest eighth and the leftmost quarter."""
    height, width = image.shape[0] // 8, image.shape[1] // 4
    return image[:-height, width:]


def lines_360(image: np.ndarray, _: int) -> np.ndarray:
    """The shorter side of 360 pixels."""
    scale = 360 / min(image.shape[:2])
    return cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def wide(image: np.ndarray, _: int) -> np.ndarray:
    """The barrel of a wide lens: corners are drawn in by a tenth."""
    height, width = image.shape[:2]
    middle = np.array([width - 1, height - 1], np.float32) / 2
    place = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).astype(np.float32) - middle
    radius = (place**2).sum(axis=-1, keepdims=True) / (middle**2).sum()
    source = middle + place * (0.9 + 0.1 * radius)
    return cv2.remap(image, source.astype(np.float32), None, cv2.INTER_LINEAR, borderMode=1)  # type: ignore[call-overload]


def tighter(image: np.ndarray, _: int) -> np.ndarray:
    """The middle seven tenths: a lens half as long again."""
    height, width = (3 * side // 20 for side in image.shape[:2])
    return image[height:-height, width:-width]


def flicker(image: np.ndarray, number: int) -> np.ndarray:
    """Lamps on the mains: a third of the light comes and goes from picture to picture."""
    light = 0.85 + 0.15 * np.sin(2 * np.pi * 0.37 * number)
    return np.clip(light * image, 0, 255).astype(np.uint8)


def hazy(image: np.ndarray, _: int) -> np.ndarray:
    """A greasy lens: half of the contrast, and a veil of all the light around."""
    seen = image.astype(np.float32)
    veil = cv2.GaussianBlur(seen, (0, 0), image.shape[1] / 20)
    return np.clip(0.5 * seen + 0.3 * veil + 40, 0, 255).astype(np.uint8)


def middle_half_small(image: np.ndarray, number: int) -> np.ndarray:
    """The middle half of the height, across, at 270 pixels."""
    height = image.shape[0] // 4
    return small(image[height:-height], number)


def chain(*changes: Picture) -> Picture:
    """One change after the other."""

    def change(image: np.ndarray, number: int) -> np.ndarray:
        for one in changes:
            image = one(image, number)
        return image

    return change


def slow_and_fast(time_s: float) -> float:
    """By turns of 3 s a third slower and half as fast again."""
    turn, rest = divmod(time_s, 6.0)
    return turn * (4.5 + 2.0) + 1.5 * min(rest, 3.0) + max(rest - 3.0, 0.0) / 1.5


MORE = (
    Variant("bright", bright),
    Variant("two exposures", two_exposures),
    Variant("warm", warm),
    Variant("grainy", grainy, quality=26),
    Variant("wobbling", wobbling),
    Variant("landscape", landscape),
    Variant("cropped below", cropped_below),
    Variant("360 lines in few bits", lines_360, quality=32),
    Variant("slow and fast", clock=slow_and_fast),
    Variant("from a fifth on, backwards", stretch=(0.2, 1.0), backwards=True),
    Variant("open shutter", open_for=2),
    Variant("wide lens", wide),
)
"""Other ways, for which nothing was changed before they were measured."""

UNSEEN = (
    Variant("dark and in few bits", dark, quality=36),
    Variant("shaken and grainy", chain(shaken, grainy), quality=26),
    Variant("tighter", tighter),
    Variant("mirrored and bright", chain(lambda image, _: image[:, ::-1], bright)),
    Variant("flickering", flicker),
    Variant("hazy", hazy),
    Variant("two exposures, backwards", two_exposures, backwards=True),
    Variant("rolled, wide lens", chain(rolled, wide)),
    Variant("middle half, small", middle_half_small),
    Variant("dark, open shutter", dark, open_for=2),
    Variant("cropped aside, warm", chain(cropped_aside, warm)),
    Variant("360 lines, eight pictures a second", lines_360, every=4),
)
"""Ways that were measured only after all work on the others was done."""

VARIANTS = (
    Variant("as filmed"),
    Variant("dark", dark),
    Variant("few bits", quality=36),
    Variant("mirrored", lambda image, _: image[:, ::-1]),
    Variant("270 lines", small),
    Variant("shaken", shaken),
    Variant("cropped", cropped),
    Variant("backwards", backwards=True),
    Variant("first half", stretch=(0.0, 0.5)),
    Variant("second half", stretch=(0.5, 1.0)),
    Variant("on its side", lambda image, _: np.rot90(image)),
    Variant("six pictures a second", every=5),
    Variant("crf 34", quality=34),
    Variant("off centre", cropped_aside),
    Variant("rolled", rolled),
    Variant("on its other side", lambda image, _: np.rot90(image, 3)),
)


def film(video: Path, variant: Variant, path: Path) -> None:
    """Write the variant; times are those of the video, turned round where it runs backwards."""
    with av.open(str(video)) as container:
        stream = container.streams.video[0]
        total = sum(1 for _ in container.decode(stream))
    first, last = (round(share * total) for share in variant.stretch)
    chosen = range(first, last, variant.every)
    if variant.backwards:
        kept = list(pictures(video, chosen))
        end_s = kept[-1][0]
        timed: Iterable[tuple[float, np.ndarray]] = [(end_s - time_s, image) for time_s, image in reversed(kept)]
    else:
        timed = pictures(video, chosen)
    timed = average(timed, variant.open_for) if variant.open_for > 1 else timed
    part = path.with_suffix(".part.mp4")
    with av.open(str(part), "w") as container:
        out = container.add_stream("libx264", rate=30, options={"preset": "veryfast", "crf": str(variant.quality)})
        out.codec_context.time_base = _CLOCK
        out.codec_context.thread_count = 1  # with more, the pictures depend on the machine
        begin_s = 0.0
        for number, (time_s, image) in enumerate(timed):
            shown = np.ascontiguousarray(variant.change(image, number))
            shown = shown[: shown.shape[0] // 2 * 2, : shown.shape[1] // 2 * 2]
            if number == 0:
                out.height, out.width, out.pix_fmt = *shown.shape[:2], "yuv420p"
                begin_s = time_s
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(shown), format="rgb24")
            frame.pts, frame.time_base = round(variant.clock(time_s - begin_s) / _CLOCK), _CLOCK
            container.mux(out.encode(frame))
        container.mux(out.encode(None))
    part.replace(path)


def pictures(video: Path, chosen: range) -> Iterator[tuple[float, np.ndarray]]:
    """Times and RGB pictures of the chosen numbers."""
    with av.open(str(video)) as container:
        for number, frame in enumerate(container.decode(video=0)):
            if number in chosen:
                assert frame.time is not None
                yield frame.time, frame.to_ndarray(format="rgb24")


def average(timed: Iterable[tuple[float, np.ndarray]], count: int) -> Iterator[tuple[float, np.ndarray]]:
    """Each picture with those before it that the open shutter saw, at its own time."""
    last: deque[np.ndarray] = deque(maxlen=count)
    for time_s, image in timed:
        last.append(image.astype(np.float32))
        yield time_s, np.mean(last, axis=0).astype(np.uint8)


def measure(video: Path, kind: str, seed: int, folder: Path) -> str:
    """One row of the table; the run is made where it is not there."""
    path = folder / "runs" / f"{video.stem}_{kind}_{seed}"
    if not (path / "scene").exists():
        process(video, path, seed, "--until", "scene", "--perception", "landmarks", "--features.kind", kind)
    run = Run(path)
    outline = run.scene_outline
    sizes = [len(model.frames) for model in outline.models]
    total = len(outline.frames)
    cost = sum(run.stages[name].cpu_seconds or 0.0 for name in ("sample", "features", "sfm", "merge"))
    floors = find_floors(path / "frames")
    models = sorted((path / "scene" / "models").glob("*"))
    sound = max((longest_sound(pycolmap.Reconstruction(one), floors) for one in models), default=0)
    told = sorted({finding.code for finding in run.findings if finding.severity != "info"})
    shares = (f"{part / total:.2f}" for part in (outline.registered, max(sizes, default=0), sound))
    cells = (video.stem, kind, str(total), str(len(sizes)), *shares, f"{cost / outline.source.duration_s:.2f}")
    return f"| {' | '.join((*cells, ', '.join(told)))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("video", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", help="names, or their beginnings; all by default")
    others = parser.add_mutually_exclusive_group()
    others.add_argument("--more", action="store_true", help="twelve other ways")
    others.add_argument("--unseen", action="store_true", help="twelve that nobody worked on")
    parser.add_argument("--kinds", nargs="*", default=["auto"])
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    columns = (
        "variant",
        "features",
        "frames",
        "models",
        "in any",
        "in the largest",
        "sound share",
        "CPU-s per s",
        "told",
    )
    print(f"| {' | '.join(columns)} |", "|" + len(columns) * "---|", sep="\n", flush=True)
    for variant in MORE if args.more else UNSEEN if args.unseen else VARIANTS:
        if args.only is not None and not any(variant.name.startswith(word) for word in args.only):
            continue
        path = args.folder / f"{variant.name.replace(' ', '_')}.mp4"
        if not path.exists():
            film(args.video, variant, path)
        for kind in args.kinds:
            print(measure(path, kind, args.seed, args.folder), flush=True)


if __name__ == "__main__":
    main()

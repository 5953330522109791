"""A hundred made candidates through `roomtour collect`: does each fall for its own reason, and none of the others?

    python benchmarks/collect_made.py --out FOLDER

Thirty are sound: pieces of the example that share no second, and pans over painted walls. Forty are the same footage as
one of them: smaller and coarser, mirrored, brighter, or begun later. Thirty have a fault: slides, black, bars, cuts, a
broken file. People, speech and titles need models or lists and are not among them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from batch_tours import ROOT, Picture, Piece, read_piece

from roomtour.collect.gather import collect
from roomtour.collect.records import CollectOptions

sys.path.insert(0, str(ROOT))
FPS = 10
PIECES, PANS = 9, 21
COPIES: dict[str, Callable[[Picture], Picture]] = {
    "small": lambda one: one[: one.shape[0] // 4 * 4 : 2, : one.shape[1] // 4 * 4 : 2],
    "mirrored": lambda one: one[:, ::-1],
    "brighter": lambda one: np.clip(one * 0.8 + 30.0, 0, 255).astype(np.uint8),
    "later": lambda one: one,
}
FAULTS = {"slides": "still", "black": "black", "bars": "bars", "cuts": "cuts", "broken": "unreadable"}
"""Kinds of faulty videos, and the code that each has to fall for."""
EACH = 6
"""Videos of each kind."""


def make_candidates(folder: Path) -> dict[str, str]:
    """Videos in a folder, and the code that each should fall for; empty for the sound ones."""
    from tests.support.tour_videos import change, pan_over, write_video

    folder.mkdir(parents=True)
    sound = {f"piece{k}": read_piece(Piece("examples/apartment.mp4", 8.0 * k, 8.0, FPS)) for k in range(PIECES)}
    sound |= {f"pan{k:02d}": pan_over(1000 + k, 12.0) for k in range(PANS)}
    expected = dict.fromkeys(sound, "")
    for name, pictures in sound.items():
        write_video(folder / f"{name}.mp4", pictures, FPS)
    for name in [*list(sound)[:5], *list(sound)[-5:]]:
        for kind, edit in COPIES.items():
            begun = sound[name][round(1.3 * FPS) :] if kind == "later" else sound[name]
            write_video(folder / f"{name}-{kind}.mp4", change(begun, edit), FPS, crf=30 if kind == "small" else 23)
            expected[f"{name}-{kind}"] = "duplicate"
    for k in range(EACH):
        slides = [picture for seed in range(3) for picture in pan_over(2000 + 10 * k + seed, 0.1) * 40]
        write_video(folder / f"slides{k}.mp4", slides)
        write_video(folder / f"black{k}.mp4", [np.full((270, 480, 3), k, np.uint8)] * 100)
        bars = change(pan_over(3000 + k, 10.0), lambda one: np.pad(one[:, 160:320], ((0, 0), (160, 160), (0, 0))))
        write_video(folder / f"bars{k}.mp4", bars)
        write_video(
            folder / f"cuts{k}.mp4", [one for seed in range(16) for one in pan_over(4000 + 100 * k + seed, 1.4)]
        )
        (folder / f"broken{k}.mp4").write_bytes((folder / f"pan{k:02d}.mp4").read_bytes()[: 1000 + 400 * k])
        expected |= {f"{kind}{k}": code for kind, code in FAULTS.items()}
    return expected


def main() -> int:
    """Make, collect, compare; 0 if every candidate fell as it should."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    expected = make_candidates(given.out / "videos")
    cpu_s = time.process_time()
    found = collect([given.out / "videos"], given.out / "set", CollectOptions(min_seconds=0.0, min_short_side=100.0))
    cpu_s = time.process_time() - cpu_s
    fell = {one.id: one.code for one in found.rejected}
    wrong = {name: (fell.get(name, ""), code) for name, code in expected.items() if fell.get(name, "") != code}
    strange = [
        f"{one.id} of {one.value}"
        for one in found.rejected
        if one.code == "duplicate" and not one.id.startswith(f"{one.value}-")
    ]
    for name, (got, wanted) in sorted(wrong.items()):
        print(f"WRONG {name}: {got or 'kept'}, should be {wanted or 'kept'}")
    wanted = Counter(expected.values())
    right = Counter(code for name, code in expected.items() if name not in wrong)
    for code in sorted(wanted):
        print(f"{code or 'kept':<12} {right[code]:>3} of {wanted[code]}")
    print(f"{len(expected)} candidates, {cpu_s:.1f} CPU-s; duplicates of another than their own: {strange or 'none'}")
    return 1 if wrong or strange else 0


if __name__ == "__main__":
    sys.exit(main())

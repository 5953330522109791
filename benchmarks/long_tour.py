"""Does the cost of a second of video grow with the length of a tour? A made tour of twelve rooms, whole and cut short.

    python benchmarks/long_tour.py CACHE [--minutes 10] [--clip-seconds 20 100] [--width 480]

CACHE is a folder outside the repository for the rendered frames (made once, at 3 per second; needs the `dev` extra).
Each measurement is a process of its own: `office_build.py` on the first minute, on the whole tour, and on the minute
once more, because a machine's speed changes in the minutes between; the whole is compared with the mean of the two.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FPS = 3
OVERLAP_S = {20: 2, 100: 10}


@dataclass(frozen=True)
class Cost:
    """Of one process."""

    seconds: float
    cpu_s: float
    peak_mb: float
    said: str

    @property
    def cpu_per_s(self) -> float:
        """CPU-seconds per second of tour."""
        return self.cpu_s / self.seconds


def measure(folder: Path, frames: int, clip_s: int) -> Cost:
    """Reconstruct the first `frames` frames in clips of `clip_s` seconds."""
    script = Path(__file__).with_name("office_build.py")
    clip = ["--clip-frames", str(clip_s * FPS), "--overlap-frames", str(OVERLAP_S.get(clip_s, clip_s // 10) * FPS)]
    command = [sys.executable, str(script), str(folder), "--first", str(frames), *clip]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Cost(frames / FPS, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--clip-seconds", type=int, nargs="*", default=[20, 100])
    parser.add_argument("--width", type=int, default=480)
    args = parser.parse_args()
    folder = args.cache / f"long_tour_{args.minutes:g}min_{args.width}"
    if not (folder / "poses.txt").exists():
        maker = Path(__file__).parents[1] / "examples" / "make_long_tour.py"
        size = ["--minutes", str(args.minutes), "--width", str(args.width)]
        subprocess.run([sys.executable, str(maker), str(folder), *size], check=True)
    total = len(list((folder / "images").iterdir()))
    for clip_s in args.clip_seconds:
        before, whole, after = (measure(folder, min(frames, total), clip_s) for frames in (60 * FPS, total, 60 * FPS))
        print(whole.said)
        for cost in (before, whole, after):
            what = f"clips of {clip_s} s, {cost.seconds:.0f} s of tour"
            print(f"{what}: {cost.cpu_per_s:.2f} CPU-s per second, peak {cost.peak_mb:.0f} MB")
        print(f"ratio {2 * whole.cpu_per_s / (before.cpu_per_s + after.cpu_per_s):.2f}")


if __name__ == "__main__":
    main()

"""Are videos that show no scene refused in words? Noise, pictures that stand still, screens, and things that fly about.

    python benchmarks/nonsense.py FOLDER [--only NAME ...] [--perception light]

Makes each video below FOLDER by code and a seed, processes it up to the scene, and prints how the command ended. A
video passes if the command ends with another code than 0 and says why.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.worlds.nonsense import NONSENSE, write_nonsense


def main() -> int:
    """Process all; 1 if one is taken for a scene."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=list(NONSENSE), choices=list(NONSENSE))
    parser.add_argument("--perception", default="auto")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    table, taken = Table("video", "ends with", "says"), 0
    for name in args.only:
        video = write_nonsense(name, args.folder)
        command = ["process", str(video), "--out", str(args.folder / name), "--until", "scene"]
        command += ["--perception", args.perception]
        ended = subprocess.run(
            [sys.executable, "-m", "roomtour", *command], capture_output=True, text=True, check=False
        )
        taken += ended.returncode == 0
        table.add_row(name, str(ended.returncode), find_verdict(ended.stdout + ended.stderr))
    Console(width=120).print(table)
    return 1 if taken else 0


def find_verdict(said: str) -> str:
    """The line of a command's output that judges the run."""
    words = ("Do not trust", "Usable with care", "Good", "roomtour: ")
    return next((line for line in said.splitlines() if line.startswith(words)), "nothing")


if __name__ == "__main__":
    sys.exit(main())

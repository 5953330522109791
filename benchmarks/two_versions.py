"""What a change did to the figures: two checkouts process the same tours, in turns.

    git worktree add ../before COMMIT
    python benchmarks/two_versions.py ../before . --runs 5 --tours example office office-dense home --data FOLDER
        [--made FOLDER] [--until scene]

--data holds `office_walk/` (images, poses.txt) and `home_walk.mp4`; --made the videos and truths of `bare_worlds.py
--film-only`, each a tour by the name of its file; `example`, `short` and `tiled` come with the project. Run k has the
seed k in both versions, for one seed repeats to the last bit. Prints per tour and version the median and the range over
the runs: registered frames, frames of the largest model, models, error of the largest model, error findings, and
CPU-seconds per stage. CPU-seconds count all processes; for these nothing else should run meanwhile.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from merging import read_truth

from recon.errors import ReconError
from recon.evaluate import pose_error
from recon.upright.scene_io import read_scene

BUNDLED = {
    "example": (Path("examples/apartment.mp4"), Path("examples/apartment_truth/trajectory.tum")),
    "short": (Path("tests/data/short_walk.mp4"), Path("tests/data/short_walk/trajectory.tum")),
    "tiled": (Path("tests/data/tiled_walk.mp4"), Path("tests/data/tiled_walk/trajectory.tum")),
}


@dataclass(frozen=True)
class Tour:
    """One that both versions process."""

    words: tuple[str, ...]
    """For `roomtour process`."""
    truth: Path | None
    fps: float | None = None
    """Of a folder of images, whose poses are numbered."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path, nargs=2, metavar="CHECKOUT")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--tours", nargs="+", default=["example"])
    parser.add_argument("--data", type=Path, help="folder of the real tours")
    parser.add_argument("--made", type=Path, help="folder of made videos")
    parser.add_argument("--until", help="stage after which runs end")
    args = parser.parse_args()
    checkouts = [checkout.resolve() for checkout in args.checkouts]
    tours = {name: _find_tour(name, args.data, args.made) for name in args.tours}
    until = ["--until", args.until] if args.until else []
    found: dict[tuple[str, Path], list[dict[str, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(args.runs):
            for name, tour in tours.items():
                for checkout in checkouts if number % 2 == 0 else checkouts[::-1]:
                    out = Path(scratch) / f"{name}-{checkouts.index(checkout)}-{number}"
                    words = [*tour.words, "--out", str(out), "--seed", str(number), *until]
                    found[name, checkout].append(_measure(tour, words, checkout, out))
                    print(name, checkout.name, json.dumps(found[name, checkout][-1]), flush=True)
                    shutil.rmtree(out)
    for name in tours:
        _print(name, [(checkout.name, found[name, checkout]) for checkout in checkouts])


def _find_tour(name: str, data: Path | None, made: Path | None) -> Tour:
    if name in BUNDLED:
        video, truth = (path.resolve() for path in BUNDLED[name])
        return Tour((str(video),), truth)
    if made is not None and (video := made.resolve() / f"{name}.mp4").is_file():
        return Tour((str(video),), video.with_suffix(".tum"))
    if data is None:
        raise SystemExit(f"--tours {name}: comes neither with the project nor is it in --made; --data is not given")
    if name == "home":
        return Tour((str(data.resolve() / "home_walk.mp4"),), None)
    more = {
        "office": (),
        "office-dense": ("--sample.fps", "10"),
        "office-clips": ("--clips.length-s", "12", "--clips.overlap-s", "3"),
    }
    if name not in more:
        raise SystemExit(f"--tours {name}: no such tour; there are {', '.join([*BUNDLED, *more, 'home'])}")
    walk = data.resolve() / "office_walk"
    return Tour((str(walk / "images"), "--input.fps", "10", *more[name]), walk / "poses.txt", 10.0)


def _measure(tour: Tour, words: Sequence[str], checkout: Path, run: Path) -> dict[str, float]:
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    command = [sys.executable, "-m", "roomtour", "process", *words]
    done = subprocess.run(command, cwd=checkout, env=environment, check=False, capture_output=True, text=True)
    if not (run / "manifest.json").exists():
        raise SystemExit(f"{checkout.name} did not begin with {words[0]}:\n{done.stderr.strip()[-2000:]}")
    entries = json.loads((run / "manifest.json").read_text())["stages"]
    counts = entries.get("scene", {}).get("counts", {})
    row: dict[str, float] = {"registered": counts.get("registered", 0), "models": counts.get("models", 0)}
    with contextlib.suppress(ReconError):  # what has no scene has no error
        scene = read_scene(run / "scene")
        row["in the largest"] = len(scene.models[0].world_from_cam) if scene.models else 0
        if tour.truth is not None and scene.models:
            truth = read_truth(tour.truth, scene.frames, tour.fps)
            row["error cm"] = round(100.0 * pose_error(scene.models[0].world_from_cam, truth).rmse, 2)
    findings = [finding for entry in entries.values() for finding in entry["findings"]]
    row["error findings"] = sum(finding["severity"] == "error" for finding in findings)
    if "perception" in entries:
        row["objects"] = entries["perception"]["counts"]["objects"]
    for name, entry in entries.items():
        row[f"{name} CPU-s"] = entry["cpu_seconds"]
    row["all CPU-s"] = round(sum(entry["cpu_seconds"] for entry in entries.values()), 2)
    row["all wall s"] = round(sum(entry["seconds"] for entry in entries.values()), 2)
    return row


def _print(tour: str, versions: Sequence[tuple[str, Sequence[Mapping[str, float]]]]) -> None:
    print(f"\n{tour}")
    names = list(dict.fromkeys(name for _, rows in versions for row in rows for name in row))
    for name in names:
        cells = []
        for version, rows in versions:
            values = [row[name] for row in rows if name in row]
            if values:
                middle = statistics.median(values)
                cells.append(f"{version} {middle:g} ({min(values):g} to {max(values):g})")
        print(f"  {name:<20}" + "   ".join(cells))


if __name__ == "__main__":
    main()

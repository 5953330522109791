"""What a change did to the figures: two checkouts process the same tours, in turns.

    git worktree add ../before COMMIT
    python benchmarks/two_versions.py ../before . --runs 5 --tours example office office-dense home --data FOLDER

FOLDER holds `office_walk/` (images, poses.txt) and `home_walk.mp4`; the example is the bundled one. Prints per tour and
version the median and the range over the runs: registered frames, models, error of the largest model, and CPU-seconds
per stage. CPU-seconds count all processes. Nothing else should run meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from merging import read_truth

from recon.errors import ReconError
from recon.evaluate import pose_error
from recon.upright.scene_io import read_scene

EXAMPLE = Path("examples/apartment.mp4")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path, nargs=2, metavar="CHECKOUT")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--tours", nargs="+", default=["example"])
    parser.add_argument("--data", type=Path, help="folder of the other tours")
    args = parser.parse_args()
    checkouts = [checkout.resolve() for checkout in args.checkouts]
    found: dict[tuple[str, Path], list[dict[str, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(args.runs):
            for tour in args.tours:
                for checkout in checkouts if number % 2 == 0 else checkouts[::-1]:
                    out = Path(scratch) / f"{tour}-{checkouts.index(checkout)}-{number}"
                    found[tour, checkout].append(_measure(tour, checkout, out, args.data))
                    print(tour, checkout.name, json.dumps(found[tour, checkout][-1]), flush=True)
    for tour in args.tours:
        _print(tour, [(checkout.name, found[tour, checkout]) for checkout in checkouts])


def _measure(tour: str, checkout: Path, out: Path, data: Path | None) -> dict[str, float]:
    words = _words(tour, checkout, data)
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    command = [sys.executable, "-m", "roomtour", "process", *words, "--out", str(out)]
    subprocess.run(command, cwd=checkout, env=environment, check=False, capture_output=True)
    stages = json.loads((out / "manifest.json").read_text())["stages"]
    counts = stages["scene"]["counts"]
    row: dict[str, float] = {"registered": counts["registered"], "models": counts["models"]}
    error_cm = _error_cm(tour, out, data)
    if error_cm is not None:
        row["error cm"] = round(error_cm, 2)
    row |= {"objects": stages["perception"]["counts"]["objects"]}
    for name, entry in stages.items():
        row[f"{'navigation' if name == 'instructions' else name} CPU-s"] = entry["cpu_seconds"]
    row["all CPU-s"] = round(sum(entry["cpu_seconds"] for entry in stages.values()), 2)
    row["all wall s"] = round(sum(entry["seconds"] for entry in stages.values()), 2)
    return row


def _words(tour: str, checkout: Path, data: Path | None) -> list[str]:
    if tour == "example":
        return [str(checkout / EXAMPLE)]
    if data is None:
        raise SystemExit(f"--tours {tour} needs --data")
    images = str(data.resolve() / "office_walk" / "images")
    return {
        "office": [images, "--input.fps", "10"],
        "office-dense": [images, "--input.fps", "10", "--sample.fps", "10"],
        "home": [str(data.resolve() / "home_walk.mp4")],
    }[tour]


def _error_cm(tour: str, run: Path, data: Path | None) -> float | None:
    """RMSE of the camera centres of the largest model after the best similarity; None without truth or model."""
    try:
        scene = read_scene(run / "scene")
    except ReconError:
        return None
    if tour == "example":
        truth = read_truth(Path("examples/apartment_truth/trajectory.tum"), scene.frames, None)
    elif tour.startswith("office") and data is not None:
        truth = read_truth(data / "office_walk" / "poses.txt", scene.frames, 10.0)
    else:
        return None
    return 100.0 * pose_error(scene.models[0].world_from_cam, truth).rmse if scene.models else None


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

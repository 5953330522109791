"""What whole runs give and cost, tour by tour; with a second checkout, what a change did to these figures.

    python benchmarks/two_versions.py . --runs 1 --tours example short tiled office home loop --data FOLDER
        [--kinds navigation spatial programs regions dialogues] [--keep RUNS]
    git worktree add ../before COMMIT
    python benchmarks/two_versions.py ../before . --runs 5 --tours example office office-dense home --data FOLDER
        [--made FOLDER] [--until scene]

--data holds the real tours; --made the videos and truths of `bare_worlds.py --film-only`, each a tour by the name of
its file; `example`, `short` and `tiled` come with the project. Run k has the seed k, for one seed repeats to the last
bit; two checkouts take turns. Prints per tour and version the median and the range over the runs: registered frames,
frames of the largest model, models, error of the largest model, error findings, rows of each kind of data, and
CPU-seconds per stage. CPU-seconds count all processes; for these nothing else should run meanwhile.

One checkout alone writes `results/tours.md` (poses and cost) and, with `--kinds`, `results/rows.md` (rows per tour).
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

import numpy as np
from merging import read_truth
from results_table import write_table

from recon.errors import ReconError
from recon.evaluate import pose_error
from recon.upright.scene_io import read_scene
from roomtour.kinds import KINDS

BUNDLED = {
    "example": (Path("examples/apartment.mp4"), Path("examples/apartment_truth/trajectory.tum")),
    "short": (Path("tests/data/short_walk.mp4"), Path("tests/data/short_walk/trajectory.tum")),
    "tiled": (Path("tests/data/tiled_walk.mp4"), Path("tests/data/tiled_walk/trajectory.tum")),
}
OFFICE = {
    "office": (),
    "office-dense": ("--sample.fps", "10"),
    "office-clips": ("--clips.length-s", "12", "--clips.overlap-s", "3"),
}
WITHOUT_TRUTH = {
    "home": ("home_walk.mp4",),
    "still": ("still_bedroom.mp4",),
    "loop": ("office_loop/images", "--input.fps", "3"),
    "flat": ("apartment_walk.mjpeg",),
    "corridor": ("corridor_square/images", "--input.fps", "30"),
    "workshop": ("robot_workshop.mp4",),
    "lift-hall": ("robot_lift_hall.mp4",),
}
"""In --data; the loop has a reference, but no truth."""
ROWS = {kind.name: kind.rows for kind in KINDS}
RECONSTRUCTION = ("sample", "features", "sfm", "merge", "scene")
PERCEPTION = ("vision", "perception")


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
    parser.add_argument("checkouts", type=Path, nargs="+", metavar="CHECKOUT", help="one or two")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--tours", nargs="+", default=["example"])
    parser.add_argument("--data", type=Path, help="folder of the real tours")
    parser.add_argument("--made", type=Path, help="folder of made videos")
    parser.add_argument("--until", help="stage after which runs end")
    parser.add_argument("--kinds", nargs="+", default=[], choices=list(ROWS), help="of data to make")
    parser.add_argument("--keep", type=Path, help="keep the runs there; what lies there is not made again")
    args = parser.parse_args()
    if len(args.checkouts) > 2:
        parser.error("one checkout or two")
    checkouts = [checkout.resolve() for checkout in args.checkouts]
    tours = {name: _find_tour(name, args.data, args.made) for name in args.tours}
    more = [*(["--until", args.until] if args.until else []), *(["--data", *args.kinds] if args.kinds else [])]
    found: dict[tuple[str, Path], list[dict[str, float]]] = defaultdict(list)
    with contextlib.ExitStack() as stack:
        folder = args.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for number in range(args.runs):
            for name, tour in tours.items():
                for checkout in checkouts if number % 2 == 0 else checkouts[::-1]:
                    out = folder.resolve() / f"{name}-{checkouts.index(checkout)}-{number}"
                    words = [*tour.words, "--out", str(out), "--seed", str(number), *more]
                    found[name, checkout].append(_measure(tour, words, checkout, out))
                    print(name, checkout.name, json.dumps(found[name, checkout][-1]), flush=True)
                    if args.keep is None:
                        shutil.rmtree(out)
                if len(checkouts) == 1:
                    _write({name: found[name, checkouts[0]] for name in tours}, args.kinds)
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
    if name in WITHOUT_TRUTH:
        path, *words = WITHOUT_TRUTH[name]
        return Tour((str(data.resolve() / path), *words), None)
    if name not in OFFICE:
        raise SystemExit(f"--tours {name}: no such tour; there are {', '.join([*BUNDLED, *OFFICE, *WITHOUT_TRUTH])}")
    walk = data.resolve() / "office_walk"
    return Tour((str(walk / "images"), "--input.fps", "10", *OFFICE[name]), walk / "poses.txt", 10.0)


def _measure(tour: Tour, words: Sequence[str], checkout: Path, run: Path) -> dict[str, float]:
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    command = [sys.executable, "-m", "roomtour", "process", *words]
    done = subprocess.run(command, cwd=checkout, env=environment, check=False, capture_output=True, text=True)
    if not (run / "manifest.json").exists():
        raise SystemExit(f"{checkout.name} did not begin with {words[0]}:\n{done.stderr.strip()[-2000:]}")
    entries = json.loads((run / "manifest.json").read_text())["stages"]
    counts = entries.get("scene", {}).get("counts", {})
    row: dict[str, float] = {
        "exit code": done.returncode,
        "frames": entries["sample"]["counts"]["frames"],
        "registered": counts.get("registered", 0),
        "models": counts.get("models", 0),
    }
    with contextlib.suppress(ReconError):  # what has no scene has no error
        scene = read_scene(run / "scene")
        row["video s"] = round(scene.source.duration_s, 2)
        row["in the largest"] = len(scene.models[0].world_from_cam) if scene.models else 0
        if tour.truth is not None and scene.models:
            truth = read_truth(tour.truth, scene.frames, tour.fps)
            error = pose_error(scene.models[0].world_from_cam, truth)
            centers = np.array([truth[frame].center for frame in sorted(truth)])
            row["error cm"] = round(100.0 * error.rmse, 2)
            row["largest error cm"] = round(100.0 * error.largest, 2)
            row["path m"] = round(float(np.linalg.norm(np.diff(centers, axis=0), axis=1).sum()), 2)
    findings = [finding for entry in entries.values() for finding in entry["findings"]]
    row["error findings"] = sum(finding["severity"] == "error" for finding in findings)
    if "perception" in entries:
        row["objects"] = entries["perception"]["counts"]["objects"]
    for name, counted in ROWS.items():
        if name in entries:
            row[f"{name} rows"] = entries[name]["counts"][counted]
    for name, entry in entries.items():
        row[f"{name} CPU-s"] = entry["cpu_seconds"]
    row["all CPU-s"] = round(sum(entry["cpu_seconds"] for entry in entries.values()), 2)
    row["all wall s"] = round(sum(entry["seconds"] for entry in entries.values()), 2)
    return row


def _write(found: Mapping[str, Sequence[Mapping[str, float]]], kinds: Sequence[str]) -> None:
    done = {name: rows for name, rows in found.items() if rows}

    def spread(rows: Sequence[Mapping[str, float]], key: str) -> str | None:
        values = [row[key] for row in rows if key in row]
        if not values:
            return None
        few = f"{statistics.median(values):g}"
        return few if min(values) == max(values) else f"{few} ({min(values):g} to {max(values):g})"

    def cost(rows: Sequence[Mapping[str, float]], stages: Sequence[str]) -> str | None:
        known = [row for row in rows if "video s" in row]
        values = [sum(row.get(f"{stage} CPU-s", 0.0) for stage in stages) / row["video s"] for row in known]
        return f"{statistics.median(values):.2f}" if values else None

    columns = ("video s", "frames", "in the largest", "models", "error cm", "largest error cm", "path m")
    end = ("error findings", "exit code")
    names = ("tour", *columns, *end, "reconstruction, CPU-s per s of video", "perception", "data")
    groups = (RECONSTRUCTION, PERCEPTION, tuple(ROWS))
    poses = [
        (tour, *(spread(rows, key) for key in (*columns, *end)), *(cost(rows, group) for group in groups))
        for tour, rows in done.items()
    ]
    many = max(map(len, done.values()))
    seeds = "seed 0" if many == 1 else f"seeds 0 to {many - 1}: median, and range in brackets"
    note = f"One run per tour and seed, {seeds}. Errors: camera centres of the largest model, RMSE and largest."
    write_table("tours", names, poses, note=note)
    if kinds:
        counts = ("objects", *(f"{kind} rows" for kind in kinds))
        data = [(tour, *(spread(rows, key) for key in counts)) for tour, rows in done.items()]
        write_table("rows", ("tour", "things", *kinds), data, note=f"Rows that were kept, per tour, {seeds}.")


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

"""What each repair of mapping and merging does: tours made with everything on, and without one repair at a time.

    python benchmarks/repair_ablation.py FOLDER --data DATA [--made MADE] [--jobs 16] [--tours NAME...] [--seeds 0 1 2]
    python benchmarks/repair_ablation.py FOLDER --tour INPUT [--fps 10] [--truth TRUTH] [--clip-s 12] [--kinds sift]
    python benchmarks/repair_ablation.py FOLDER --table

DATA holds `office_walk/` (images, poses.txt) and `home_walk.mp4`; MADE the videos of `bare_worlds.py --film-only` and
a folder `long` of `examples/make_long_tour.py`. Each tour, seed and kind of keypoints is processed as a user would have
it, up to merging; frames and matches are shared. The run with everything on notes which repairs acted, and only these
are left out one at a time, for the others could change nothing. FOLDER/rows.jsonl gets a line per run as it is done; a
call that was cut off goes on where it stopped. `--table` writes
`results/repairs.md` from the lines.

A row tells the models (frames, error by the truth), how far the largest moved from that of the whole run where there is
no truth, warnings and errors, CPU-seconds of what was made again. `the same`: all poses equal to the last bit, and what
is told.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from repair_rows import COLUMNS, WHOLE, Walk, describe_row, describe_runs, judge, make_table
from repair_switches import BY_NAME, noting, without
from results_table import read_commit, write_table

from recon.matching.interfaces import FeatureOptions
from recon.video.shots import ClipOptions
from roomtour.config import Config, InputOptions
from roomtour.pipeline import process_tour
from roomtour.sources import Tour
from roomtour.workers.local import LocalWorkers

_HERE = Path(__file__).parents[1]
_SHORT, _TILED, _STRAIGHT = (_HERE / "tests" / "data" / f"{name}_walk" for name in ("short", "tiled", "straight"))
_EXAMPLE = _HERE / "examples" / "apartment.mp4"


@dataclass(frozen=True)
class Task:
    """One run: a tour at a seed, whole or without a repair."""

    walk: Walk
    seed: int
    repair: str = ""
    """Empty: prepare frames and matches."""

    @property
    def stem(self) -> str:
        """Of its folder."""
        return f"{self.walk.name}_{self.walk.kind}_{self.seed}".replace(" ", "_").replace(",", "")


def list_walks(data: Path | None, made: Path | None) -> list[Walk]:
    """All tours that are at hand, the most telling first."""
    walks = [Walk("tiled walk", _TILED.with_suffix(".mp4"), truth=_TILED / "trajectory.tum")]
    if data is not None:
        office = Walk(
            "office, 12 s", data / "office_walk" / "images", "sift", data / "office_walk" / "poses.txt", 10.0, 12.0
        )
        home = Walk("home", data / "home_walk.mp4", "auto")
        walks += [
            office,
            replace(office, name="office, 14.5 s", clip_s=14.5),
            home,
            replace(home, kind="sift"),
            replace(office, name="office backwards, 12 s", backwards=True),
            replace(home, name="home, 10 s", clip_s=10.0),
            replace(office, kind="xfeat"),
            replace(office, name="office", clip_s=None),
            *(replace(office, name=f"office, {length} s", clip_s=float(length)) for length in (10, 17, 20)),
            *_list_further_walks(data),
        ]
    if made is not None:
        truths = {video: video.with_suffix(".tum") for video in sorted(made.glob("*.mp4"))}
        bare = {video: truth if truth.exists() else None for video, truth in truths.items()}
        walks += [Walk(video.stem.replace("_", " "), video, "auto", truth) for video, truth in bare.items()]
    walks.append(Walk("short walk, 8 s", _SHORT.with_suffix(".mp4"), "sift", _SHORT / "trajectory.tum", clip_s=8.0))
    if made is not None and (made / "long").is_dir():
        walks.append(Walk("long, 20 s", made / "long" / "images", "sift", made / "long" / "poses.txt", 3.0, 20.0))
    example = Walk(
        "example, 15 s", _EXAMPLE, "sift", _EXAMPLE.parent / "apartment_truth" / "trajectory.tum", clip_s=15.0
    )
    learned = [replace(walk, kind="xfeat") for walk in walks if walk.name in ("long, 20 s", "short walk, 8 s")]
    return [
        *walks,
        example,
        replace(example, name="example", clip_s=None),
        Walk("straight walk", _STRAIGHT.with_suffix(".mp4"), truth=_STRAIGHT / "trajectory.tum"),
        *learned,
        replace(example, kind="xfeat"),
    ]


def _list_further_walks(data: Path) -> list[Walk]:
    """Tours without truth that bars may be set on, of those that `data` holds."""
    walks = [
        Walk("apartment walk", data / "apartment_walk.mjpeg", "auto"),
        Walk("corridor square", data / "corridor_square" / "images", "auto", fps=30.0),
        Walk("robot workshop", data / "robot_workshop.mp4", "auto"),
        Walk("robot lift hall", data / "robot_lift_hall.mp4", "auto"),
    ]
    return [walk for walk in walks if walk.source.exists()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--made", type=Path)
    parser.add_argument("--tours", nargs="*", help="names, or their beginnings; all by default")
    parser.add_argument("--kinds", nargs="*", choices=["sift", "auto", "xfeat"], help="of keypoints; all by default")
    parser.add_argument("--only", nargs="*", help="words in the names of the repairs; all that acted by default")
    parser.add_argument("--first", nargs="*", default=[""], help="words in the names of the repairs that come first")
    parser.add_argument("--all", action="store_true", help="leave those out too that did not act")
    parser.add_argument("--seeds", type=int, nargs="*", default=[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tour", type=Path, help="this one, and none of the list")
    parser.add_argument("--fps", type=float, help="of its folder of images")
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--clip-s", type=float)
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if why := why_not(arguments):
        parser.error(why)
    rows = read_rows(arguments.folder)
    if arguments.table:
        print(write_table("repairs", COLUMNS, make_table(rows), note=describe_runs(rows)))
        return
    walks = _chosen(arguments)
    wanted = Wanted(arguments.only, arguments.first, arguments.all)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    work_off(arguments.folder, walks, arguments.seeds, arguments.jobs, wanted, rows)


def why_not(arguments: argparse.Namespace) -> str | None:
    """What is wrong with the first argument that is; None if none is."""
    if arguments.jobs < 1:
        return f"--jobs {arguments.jobs}: need 1 or more"
    if any(seed < 0 for seed in arguments.seeds):
        return f"--seeds {arguments.seeds}: need 0 or more"
    if arguments.data is not None and not (arguments.data / "home_walk.mp4").is_file():
        return f"--data {arguments.data}: holds no home_walk.mp4"
    for flag, path in (("--tour", arguments.tour), ("--truth", arguments.truth), ("--made", arguments.made)):
        if path is not None and not path.exists():
            return f"{flag} {path}: is not there"
    for word in (*(arguments.only or ()), *arguments.first):
        if not any(word in name for name in BY_NAME):
            return f"--only or --first {word}: in no name of a repair; they are: {', '.join(BY_NAME)}"
    return None if arguments.table or _chosen(arguments) else f"--tours {arguments.tours}: no such tour"


def _chosen(arguments: argparse.Namespace) -> list[Walk]:
    if arguments.tour is not None:
        kinds = arguments.kinds or ["sift"]
        one = Walk(arguments.tour.stem, arguments.tour, "", arguments.truth, arguments.fps, arguments.clip_s)
        return [replace(one, kind=kind) for kind in kinds]
    walks = list_walks(arguments.data, arguments.made)
    if arguments.tours is not None:
        walks = [walk for walk in walks if any(walk.name.startswith(word) for word in arguments.tours)]
    return [walk for walk in walks if arguments.kinds is None or walk.kind in arguments.kinds]


def read_rows(folder: Path) -> list[dict[str, Any]]:
    """The lines that are there."""
    path = folder / "rows.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


@dataclass(frozen=True)
class Wanted:
    """Which repairs are left out, and when."""

    only: Sequence[str] | None
    """Words in their names; all if None."""
    first: Sequence[str]
    """Words in the names of those that come before the others of all tours."""
    even_idle: bool
    """Those too that did not act."""

    def choose(self, acted: Sequence[str]) -> list[str]:
        """Of the repairs, given those that acted."""
        may = BY_NAME if self.even_idle else acted
        return [name for name in may if self.only is None or any(word in name for word in self.only)]

    def is_late(self, repair: str) -> bool:
        """Whether a run comes after those of all tours that are not."""
        return repair not in ("", WHOLE) and not any(word in repair for word in self.first)


def work_off(
    folder: Path,
    walks: Sequence[Walk],
    seeds: Sequence[int],
    jobs: int,
    wanted: Wanted,
    rows: list[dict[str, Any]],
) -> None:
    """Run everything, the first seed of all tours first, and append each row as it is done."""
    done = {(row["tour"], row["kind"], row["seed"], row["without"]): row for row in rows}
    waiting: list[tuple[tuple[bool, int, int, int], int, Task]] = []
    count = iter(range(10**9))

    def add(task: Task, rank: int) -> None:
        # What else a tour needs comes before the next tour, and what others wait for before what none waits for.
        order = 0 if not task.repair else 1 if task.repair == WHOLE else 2
        place = (wanted.is_late(task.repair), seeds.index(task.seed), rank, -order)
        heapq.heappush(waiting, (place, next(count), task))

    ranks = {walk: place for place, walk in enumerate(walks)}
    for seed in seeds:
        for walk in walks:
            add(Task(walk, seed), ranks[walk])
    running: dict[Future[dict[str, Any]], Task] = {}
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        while waiting or running:
            while waiting and len(running) < jobs:
                _, _, task = heapq.heappop(waiting)
                kept = done.get((task.walk.name, task.walk.kind, task.seed, task.repair))
                whole = done.get((task.walk.name, task.walk.kind, task.seed, WHOLE))
                is_whole_there = (folder / "runs" / task.stem / "whole" / "recon" / "merge_log.jsonl").exists()
                if kept is None or (task.repair == WHOLE and not is_whole_there):
                    running[pool.submit(run_task, task, folder, whole if task.repair else None)] = task
                else:
                    for repair in _next_repairs(task, kept, wanted):
                        add(replace(task, repair=repair), ranks[task.walk])
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                task = running.pop(future)
                try:
                    row = future.result()
                except Exception as error:  # one row that cannot be made must not cost the others
                    what = f"without {task.repair}" if task.repair else "frames and matches"
                    print(f"{task.stem}, {what}: failed: {type(error).__name__}: {error}", flush=True)
                    continue
                if task.repair:
                    key = (task.walk.name, task.walk.kind, task.seed, task.repair)
                    if key not in done:
                        done[key] = row
                        with (folder / "rows.jsonl").open("a", encoding="utf-8") as out:
                            out.write(json.dumps(row) + "\n")
                        print(describe_row(row), flush=True)
                for repair in _next_repairs(task, row, wanted):
                    add(replace(task, repair=repair), ranks[task.walk])


def _next_repairs(task: Task, row: Mapping[str, Any], wanted: Wanted) -> list[str]:
    if not task.repair:
        return [WHOLE]
    return wanted.choose(row["acted"]) if task.repair == WHOLE else []


def run_task(task: Task, folder: Path, whole: Mapping[str, Any] | None) -> dict[str, Any]:
    """Make one run. What all runs of a tour share lies in folders that stay."""
    began = time.process_time()
    os.environ["OMP_NUM_THREADS"] = "1"
    shared = folder / "runs" / task.stem
    if not task.repair:
        _process(task, shared / "matched", "features")
        return {}
    if task.repair == WHOLE:
        own = shared / "whole"
        if not own.exists():
            _copy(shared / "matched", own)
        with noting() as acted:
            _process(task, own, "merge", force="sfm")
    else:
        own = shared / task.repair.replace(" ", "_")
        shutil.rmtree(own, ignore_errors=True)
        _copy(shared / "whole", own)
        repair, acted = BY_NAME[task.repair], set[str]()
        with without(repair):
            _process(task, own, "merge", force="merge" if repair.sfm is None else "sfm")
    spent = time.process_time() - began
    row = {
        "tour": task.walk.name,
        "kind": task.walk.kind,
        "seed": task.seed,
        "without": task.repair,
        **judge(own, task.walk, None if task.repair == WHOLE else shared / "whole"),
        "cpu_s": round(spent, 1),
        "commit": read_commit(),
    }
    if task.repair == WHOLE:
        return {**row, "asked": list(BY_NAME), "acted": [name for name in BY_NAME if name in acted]}
    shutil.rmtree(own)
    assert whole is not None
    return {**row, "same": (row["mark"], row["told"]) == (whole["mark"], whole["told"])}


def _process(task: Task, run: Path, until: str, force: str | None = None) -> None:
    walk, repair = task.walk, BY_NAME.get(task.repair)
    clips = (
        ClipOptions() if walk.clip_s is None else ClipOptions(length_s=walk.clip_s, overlap_s=min(3.0, walk.clip_s / 3))
    )
    config = Config(
        input=InputOptions(fps=walk.fps),
        clips=clips,
        features=FeatureOptions(kind=walk.kind),  # type: ignore[arg-type]
        perception="landmarks",
        seed=task.seed,
        workers=1,
    )
    if repair is not None and repair.sfm is not None:
        config = replace(config, recon=repair.sfm)
    source = _turn_round(walk.source, run.parent / walk.name.replace(" ", "_")) if walk.backwards else walk.source
    with LocalWorkers(1) as workers:
        process_tour(Tour(run.parent.name, source, run), config, until=until, force=force, workers=workers)


def _turn_round(images: Path, folder: Path) -> Path:
    """A folder with links to the pictures, the last first."""
    if not folder.exists():
        folder.mkdir(parents=True)
        for number, image in enumerate(sorted(images.iterdir(), reverse=True)):
            (folder / f"{number:05d}{image.suffix}").symlink_to(image.resolve())
    return folder


def _copy(run: Path, other: Path) -> None:
    """Pictures are linked: nothing changes them."""
    copy = lambda one, to: os.link(one, to) if one.endswith((".jpg", ".png")) else shutil.copy2(one, to)  # noqa: E731
    shutil.copytree(run, other, copy_function=copy)


if __name__ == "__main__":
    main()

"""How well the slots of one machine are used, and what bad tours cost there: real children, real time, nothing else.

    python benchmarks/batch_slots.py --out FOLDER [--cores 16] [--seconds 12] [--until report]

Run it on a machine that does nothing else. First some pieces of the example are processed one after the other, alone:
what a single run takes. Then jobs of four times as many tours as there are slots, links to the same pieces, in all
slots of the machine, then in 8, 4 and 2 of them at the same time. Efficiency is the CPU-seconds of single runs over
slots times wall clock; the last tours of a job leave slots empty, so few tours per slot are a hard case.

Then fifty children that work for a while, ten of them bad (`batch_size.py --poison`, in small: a tour of the paper's
mean length takes 1.2 s here, and limits are as much shorter), beside the same fifty without a bad one: wall clock of
the first over the second.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
from batch_tours import PIECES, Piece, cut_piece

from roomtour.batch.driver import Job
from roomtour.batch.engines import local
from roomtour.batch.engines.local import LocalEngine
from roomtour.batch.job_options import JobOptions
from roomtour.batch.plan import plan_tasks
from roomtour.batch.records import Attempt, TourTask
from roomtour.config import Config
from roomtour.sources import Tour

PER_SLOT = 4
STARTS_S = (0.0, 16.0, 32.0, 48.0)
"""Of the pieces, in the example."""
WORK_S, SPREAD = 1.2, 0.2
"""CPU-seconds of a child that only works, and the standard deviation of their logarithm."""
STAND_S, SPIN_S = 0.8, 3.5
"""For a tour of the paper's mean length the limits are 0.5 and 2.9 times what it takes: the same here."""
LIMIT_MB, SLOT_MB = 250.0, 400.0
BAD = {"falls": 5, "eats": 3, "stands": 1, "spins": 1}
STATES = {"falls": "crashed", "eats": "out-of-memory", "stands": "timed-out", "spins": "timed-out"}
WORKS = """
import json, pathlib, sys, time
spec = json.load(open(sys.argv[1]))
told = 0.0
while time.process_time() < {seconds}:
    if time.monotonic() - told > 0.2:
        told = time.monotonic()
        pathlib.Path(spec["events"]).write_text('["stage_started", "works"]\\n')
{then}
json.dump({{"state": "done", "tour_s": 1.0}}, open(spec["outcome"], "w"))
"""
THEN = {
    "works": "",
    "falls": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "eats": "held = []\nwhile True: held.append(b'x' * 50_000_000); time.sleep(0.05)",
    "stands": "time.sleep(600)",
    "spins": "while True: pass",
}


class WorkingEngine(LocalEngine):
    """The local engine; children work, and some of them then meet a fault."""

    def __init__(self, slots: int, programs: dict[str, str]):
        super().__init__(slots, SLOT_MB * slots, SPIN_S)
        self._programs = programs

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        """Start a child."""
        attempt.folder.mkdir(parents=True, exist_ok=True)
        super().submit(attempt, ["-c", self._programs[attempt.task.tour.name], command[-1]])


def timed(call: Callable[[], object]) -> float:
    """Seconds of wall clock that it took."""
    started = time.monotonic()
    call()
    return time.monotonic() - started


def make_links(folder: Path, pieces: Sequence[Path], count: int) -> list[Path]:
    """So many tours of different names."""
    folder.mkdir(parents=True, exist_ok=True)
    links = [folder / f"t{number:03d}.mp4" for number in range(count)]
    for number, link in enumerate(links):
        if not link.is_symlink():
            link.symlink_to(pieces[number % len(pieces)].absolute())
    return links


def run_tours(job: Path, links: Sequence[Path], slots: int, until: str) -> tuple[float, float]:
    """Wall clock and CPU-seconds of a job."""
    config = Config(perception="landmarks", workers=1)
    tasks = plan_tasks(links, job, config, until)
    engine = LocalEngine(slots, 1e6)
    done = Job(job, tasks, config, JobOptions(until=until, workers=1), engine)
    wall_s = timed(done.run)
    status = done.status()
    assert sum(status.states.get(state, 0) for state in ("done", "done-with-errors")) == len(links), status.states
    return wall_s, status.cpu_s


def measure_slots(out: Path, pieces: Sequence[Path], cores: int, until: str) -> None:
    """Print what single runs take, then the efficiency of jobs."""
    wall_s, single_s = run_tours(out / "alone", make_links(out / "links-alone", pieces, len(pieces)), 1, until)
    each_s = single_s / len(pieces)
    print(f"alone, one after the other: {each_s:.1f} CPU-s a tour, {wall_s / len(pieces):.1f} s of wall", flush=True)

    def measure(slots: int) -> str:
        count = PER_SLOT * slots
        wall, cpu_s = run_tours(out / f"job-{slots}", make_links(out / f"links-{slots}", pieces, count), slots, until)
        return (
            f"{slots:>2} slots, {count} tours: wall {wall:.1f} s, {cpu_s / count:.1f} CPU-s a tour; efficiency "
            f"{each_s * count / slots / wall:.3f}, slots busy {cpu_s / slots / wall:.3f}"
        )

    print(measure(cores), flush=True)
    fewer = [slots for slots in (8, 4, 2) if slots < cores]
    while fewer:  # side by side as long as each slot has a core
        beside, free = [], cores
        for slots in list(fewer):
            if slots <= free:
                beside.append(slots)
                fewer.remove(slots)
                free -= slots
        with ThreadPoolExecutor(len(beside)) as pool:
            for line in pool.map(measure, beside):
                print(f"{line} (beside {len(beside) - 1} other jobs)", flush=True)


def run_children(job: Path, slots: int, seed: int, *, is_poisoned: bool) -> float:
    """Wall clock of fifty children that work, ten of them bad or not."""
    rng = np.random.default_rng(seed)
    kinds = [kind for kind, number in BAD.items() for _ in range(number)]
    names = [f"t{number:02d}" for number in range(50)]
    drawn = rng.permutation(len(names))[: len(kinds)] if is_poisoned else []
    bad = {names[place]: kind for place, kind in zip(drawn, kinds, strict=is_poisoned)}
    lengths = np.random.default_rng(seed).lognormal(0.0, 0.7, len(names))  # as those of the paper's tours
    works = WORK_S * np.clip(lengths / lengths.mean(), 0.4, 7.0)
    programs, tasks = {}, []
    for name, seconds in sorted(zip(names, works, strict=True), key=lambda pair: -pair[1]):
        kind = bad.get(name, "works")
        share = rng.uniform(0.1, 0.9) if kind != "works" else float(np.exp(rng.normal(0.0, SPREAD)))
        programs[name] = WORKS.format(seconds=round(seconds * share, 2), then=THEN[kind])
        tasks.append(TourTask(Tour(name, job / f"{name}.mp4", job / "runs" / name), f"key-{name}", float(seconds)))
    driver = Job(
        job, tasks, Config(perception="landmarks"), JobOptions(memory_mb=LIMIT_MB), WorkingEngine(slots, programs)
    )
    wall_s = timed(driver.run)
    states = {row.tour: row.state for row in driver.status().tours}
    expected = {name: STATES[bad[name]] if name in bad else "done" for name in names}
    wrong = {name: states[name] for name in names if states[name] != expected[name]}
    if wrong:  # a machine with other work may hold up a sound child for as long as the short limits here
        print(f"named wrongly, {slots} slots: {wrong}", flush=True)
    return wall_s


def measure_poison(out: Path, cores: int, seeds: int) -> None:
    """Print what ten bad tours among fifty cost, by number of slots."""
    for slots in (4, 8, 16):
        if slots > cores:
            continue
        told = []
        for seed in range(seeds):
            walls = [
                run_children(out / f"{word}-{slots}-{seed}", slots, seed, is_poisoned=word == "poisoned")
                for word in ("poisoned", "sound")
            ]
            told.append(walls[0] / walls[1])
        print(
            f"{slots:>2} slots, ten bad of fifty: wall over that without {np.mean(told):.2f} "
            f"({' '.join(f'{one:.2f}' for one in told)})",
            flush=True,
        )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=12.0, help="length of a tour")
    parser.add_argument("--until", default="report")
    parser.add_argument("--seeds", type=int, default=2, help="of the bad tours; 0 leaves them out")
    given = parser.parse_args()
    if given.seeds:
        usual = local._STANDS_S, local._STANDS_CPU_S, local._LOOK_EVERY_S
        local._STANDS_S, local._STANDS_CPU_S, local._LOOK_EVERY_S = STAND_S, 0.05, 0.02
        measure_poison(given.out / "poison", given.cores, given.seeds)
        local._STANDS_S, local._STANDS_CPU_S, local._LOOK_EVERY_S = usual
    pieces = [replace(PIECES[0], start_s=start, seconds=given.seconds) for start in STARTS_S]
    (given.out / "pieces").mkdir(parents=True, exist_ok=True)
    measure_slots(given.out, [_cut_once(given.out / "pieces", piece) for piece in pieces], given.cores, given.until)


def _cut_once(folder: Path, piece: Piece) -> Path:
    path = folder / f"{piece.name}.mp4"
    if not path.exists():
        cut_piece(path, piece, "cut")
    return path


if __name__ == "__main__":
    main()

"""What a job of thousands of tours costs where it is driven: plan, ledger, status, driver, a second run.

    python benchmarks/batch_size.py --out FOLDER [--tours 5000] [--slots 64]
    python benchmarks/batch_size.py --out FOLDER --tours 24 --slots 2 --sleep 15
    python benchmarks/batch_size.py --out FOLDER --poison

The driver, its ledger and its files are the real ones; tours are not processed. They take the time that they are
expected to, by a clock that jumps from one end to the next, with a spread. Lengths are drawn like those of the paper's
tours (1,847 of 243 hours). Sources are links to one short video, so that planning opens a real file for each.

Efficiency is CPU-seconds over slots times wall clock, both of the simulated job: what is lost where slots stand idle at
its end. Beside it, list order in place of longest first.

With `--sleep` children are real processes of the local engine that import what the child of a tour imports and then
sleep so many seconds: what starting, watching and ending a tour costs, on a machine with other work too.

With `--poison` ten of fifty tours are bad: five crash, three take memory without end, one stands still (stopped after
five minutes) and one works without getting on (after three times what its tour is expected to take, half an hour at
most). Printed is the wall clock of the job, over that of the same job with ten sound tours in their place and over that
of the forty alone, and when those that crash are given up; for some seeds and numbers of slots.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from heapq import heappop, heappush
from pathlib import Path

import numpy as np

from roomtour.batch.cost import plan_job
from roomtour.batch.driver import Job
from roomtour.batch.engines.engine import Engine
from roomtour.batch.engines.local import IDLE_S, LocalEngine, idle_limit_s
from roomtour.batch.job_options import JobOptions
from roomtour.batch.ledger import list_done, read_rows
from roomtour.batch.metrics import Metric
from roomtour.batch.plan import need_of, plan_tasks
from roomtour.batch.records import Attempt, Death, Ended, Need, Outcome, TourTask
from roomtour.batch.status import read_status
from roomtour.config import Config

VIDEO = Path(__file__).parents[1] / "tests" / "data" / "straight_walk.mp4"
MEAN_S, SHORTEST_S, LONGEST_S = 243 * 3600 / 1847, 180.0, 3600.0
SPREAD = 0.2
"""Standard deviation of the logarithm of a tour's cost about what is expected."""


BAD = {"falls": 5, "eats": 3, "stands": 1, "spins": 1}
"""Tours of each kind among the fifty."""


class SimulatedEngine(Engine):
    """Slots whose children end when a simulated clock says so."""

    def __init__(self, slots: int, seed: int = 0, memory_mb: float = 1e6, bad: Mapping[str, str] | None = None):
        """`bad` says which tours crash, eat memory or hang."""
        self.slots, self.memory_mb, self.sees_death = slots, memory_mb, True
        self._rng, self._bad = np.random.default_rng(seed), bad or {}
        self._running: list[tuple[float, int, Attempt, float]] = []
        self.clock_s = self.cpu_s = 0.0
        self.ends: dict[str, float] = {}
        """When the last attempt of each tour ended."""
        self.started = 0

    @property
    def most_slots(self) -> int:
        """One for each tour."""
        return 1

    def tell(self, metrics: Sequence[Metric]) -> None:
        """Nowhere."""

    def has_room(self, running: Sequence[Need], need: Need) -> bool:
        """As the local engine has it: whether a slot and expected memory are free; the first of all always starts."""
        fits = sum(one.memory_mb for one in running) + need.memory_mb <= self.memory_mb
        return not running or (len(running) < self.slots and fits)

    def probe(self, job: Path) -> None:
        """Nothing to ask."""

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        """Let a child end after what it is expected to take, more or less."""
        takes = attempt.need.seconds * float(np.exp(self._rng.normal(0.0, SPREAD)))
        kind = self._bad.get(attempt.task.tour.name)
        if kind is not None:  # each meets its fault somewhere on its way
            takes = takes * float(self._rng.uniform(0.1, 0.9)) + _stopped_after_s(kind, attempt.need)
        self.started += 1
        heappush(self._running, (self.clock_s + takes, self.started, attempt, takes))

    def wait(self, timeout_s: float) -> list[Ended]:
        """The child that ends next, with its outcome and a run folder."""
        if not self._running:
            return []
        self.clock_s, _, attempt, takes = heappop(self._running)
        self.cpu_s += takes
        self.ends[attempt.task.tour.name] = self.clock_s
        kind = self._bad.get(attempt.task.tour.name)
        if kind is not None:
            return [Ended(attempt, _DEATHS[kind], signal=11 * (kind == "falls"), seconds=takes, cpu_s=takes)]
        attempt.folder.mkdir(parents=True, exist_ok=True)
        attempt.outcome.write_text(json.dumps(asdict(Outcome("done", tour_s=attempt.task.seconds))))
        return [Ended(attempt, "exit", seconds=takes, cpu_s=takes, peak_mb=500.0)]

    def cancel(self) -> None:
        """Forget what runs."""
        self._running.clear()


_DEATHS: dict[str, Death] = {"falls": "signal", "eats": "memory", "stands": "idle", "spins": "idle"}
_STATES = {"falls": "crashed", "eats": "out-of-memory", "stands": "timed-out", "spins": "timed-out"}


def measure_poison(out: Path, tasks: Sequence[TourTask]) -> None:
    """Print what ten bad tours among fifty cost the job, by seed and number of slots."""
    kinds = [kind for kind, number in BAD.items() for _ in range(number)]
    config = Config(perception="landmarks")
    for slots in (4, 8, 16):
        told, ends = [], list[float]()
        for seed in range(5):
            lengths = draw_lengths(len(tasks), seed)
            listed = [replace(task, seconds=float(s)) for task, s in zip(tasks, lengths, strict=True)]
            drawn = np.random.default_rng(seed).permutation(len(tasks))[: len(kinds)]
            bad = {tasks[place].tour.name: kind for place, kind in zip(drawn, kinds, strict=True)}
            walls = []
            for name, chosen, poison in (
                ("poisoned", listed, bad),
                ("sound", listed, {}),
                ("forty", [task for task in listed if task.tour.name not in bad], {}),
            ):
                job = out / f"{name}-{slots}-{seed}"
                engine = SimulatedEngine(slots, seed, 4000.0 * slots, poison)
                ordered = sorted(chosen, key=lambda task: -task.seconds)
                own = [replace(task, tour=replace(task.tour, run=job / "runs" / task.tour.name)) for task in ordered]
                status = Job(job, own, config, JobOptions(), engine).run()
                states = {row.tour: row.state for row in status.tours}
                assert all(states[one] == _STATES[kind] for one, kind in poison.items()), states
                assert sum(state == "done" for state in states.values()) == len(chosen) - len(poison)
                walls.append(engine.clock_s)
                ends += [engine.ends[one] / engine.clock_s for one, kind in poison.items() if kind == "falls"]
            told.append((walls[0] / walls[1], walls[0] / walls[2]))
        over_sound, over_forty = zip(*told, strict=True)
        print(
            f"{slots:>2} slots: wall over that with ten sound tours {_list(over_sound)}, over that of the forty alone "
            f"{_list(over_forty)}; those that crash are told after {np.mean(ends):.0%} of the job",
            flush=True,
        )


def _stopped_after_s(kind: str, need: Need) -> float:
    return {"stands": 300.0, "spins": idle_limit_s(need, IDLE_S)}.get(kind, 0.0)


def _list(values: Sequence[float]) -> str:
    return " ".join(f"{value:.2f}" for value in values)


class SleepingEngine(LocalEngine):
    """The local engine; children load the stages as those of tours do, and sleep."""

    def __init__(self, slots: int, sleep_s: float):
        super().__init__(slots, 1e6, 3600.0)
        self._program = (
            f"import json, sys, time; import roomtour.pipeline; time.sleep({sleep_s:g}); "
            "json.dump({'state': 'done'}, open(json.load(open(sys.argv[1]))['outcome'], 'w'))"
        )

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        """Start a child that sleeps."""
        attempt.folder.mkdir(parents=True, exist_ok=True)
        super().submit(attempt, ["-c", self._program, command[-1]])


def sleep_through(job: Path, tasks: Sequence[TourTask], slots: int, sleep_s: float) -> None:
    """Run a job of sleeping children and print what it took beyond their sleep."""
    own_s, started = time.process_time(), time.monotonic()
    status = Job(job, tasks, Config(perception="landmarks"), JobOptions(), SleepingEngine(slots, sleep_s)).run()
    wall_s, driver_s = time.monotonic() - started, time.process_time() - own_s
    taken_s = sum(row.seconds for row in read_rows(job))
    print(
        f"{len(tasks)} children that sleep {sleep_s:g} s in {slots} slots: wall {wall_s:.1f} s, slots taken for "
        f"{taken_s / slots / wall_s:.3f} of it, slept through for {len(tasks) * sleep_s / slots / wall_s:.3f}\n"
        f"  per tour {status.cpu_s / len(tasks):.2f} CPU-s of child, {driver_s / len(tasks):.2f} of driver, which is "
        f"{driver_s / wall_s:.1%} of a core"
    )


def measure(what: str, call: Callable[[], object]) -> None:
    """Print CPU-seconds and wall clock of a call, and the most memory of this process so far."""
    cpu_s, wall_s = time.process_time(), time.monotonic()
    call()
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    print(
        f"{what:<36} {time.process_time() - cpu_s:7.2f} CPU-s {time.monotonic() - wall_s:7.2f} s {peak_mb:5.0f} MB",
        flush=True,
    )


def draw_lengths(count: int, seed: int = 0) -> np.ndarray:
    """Lengths of tours, in seconds: most of a few minutes, some of an hour."""
    lengths = np.random.default_rng(seed).lognormal(0.0, 0.7, count)
    return np.clip(lengths * MEAN_S / lengths.mean(), SHORTEST_S, LONGEST_S)


def simulate(tasks: Sequence[TourTask], slots: int, seed: int) -> float:
    """Efficiency of so many slots that take the tours in this order, by the rules of the simulated engine."""
    rng = np.random.default_rng(seed)
    work = [need_of(task).seconds * float(np.exp(rng.normal(0.0, SPREAD))) for task in tasks]
    ends = [0.0] * slots
    for seconds in work:
        heappush(ends, heappop(ends) + seconds)
    return sum(work) / (slots * max(ends))


def main() -> None:
    """Run the job and print what each part took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tours", type=int, default=5000)
    parser.add_argument("--slots", type=int, default=64)
    parser.add_argument("--sleep", type=float)
    parser.add_argument("--poison", action="store_true")
    given = parser.parse_args()
    given.tours = 50 if given.poison else given.tours
    videos, job, config = given.out / "tours", given.out / "job", Config(perception="landmarks")
    videos.mkdir(parents=True)
    own = videos / ".video"
    own.write_bytes(VIDEO.read_bytes())
    names = [videos / f"tour{number:05d}.mp4" for number in range(given.tours)]
    for name in names:
        os.link(own, name)
    tasks: list[TourTask] = []
    measure(f"plan {given.tours} tours", lambda: tasks.extend(plan_tasks(names, job, config, None)))
    if given.poison:
        measure_poison(given.out, tasks)
        return
    if given.sleep is not None:
        sleep_through(job, tasks, given.slots, given.sleep)
        return
    listed = [replace(task, seconds=float(s)) for task, s in zip(tasks, draw_lengths(len(tasks)), strict=True)]
    ordered = sorted(listed, key=lambda task: -task.seconds)
    for slots in (2, 64, 256):
        longest, in_list = simulate(ordered, slots, 1), simulate(listed, slots, 1)
        print(f"efficiency at {slots:>3} slots: {longest:.3f} longest first, {in_list:.3f} in list order")
    engine = SimulatedEngine(given.slots)
    before = time.process_time()
    measure("job, the driver's own work", lambda: Job(job, ordered, config, JobOptions(), engine).run())
    driver_s = time.process_time() - before
    print(
        f"  {1000 * driver_s / len(tasks):.1f} ms per tour; {driver_s / engine.clock_s:.2%} of a core over the "
        f"{engine.clock_s / 3600:.1f} simulated hours; efficiency {engine.cpu_s / given.slots / engine.clock_s:.3f} "
        f"at {given.slots} slots; ledger {(job / 'ledger.jsonl').stat().st_size / 1e6:.1f} MB"
    )
    measure("ledger read", lambda: read_rows(job))
    measure("status", lambda: read_status(job))
    done = list_done(job, [task.tour.name for task in ordered])
    measure("plan of what is left", lambda: plan_job(ordered, read_rows(job), done, given.slots))
    again = SimulatedEngine(given.slots)
    measure("second run of the done job", lambda: Job(job, ordered, config, JobOptions(), again).run())
    print(f"  children started: {again.started}")


if __name__ == "__main__":
    main()

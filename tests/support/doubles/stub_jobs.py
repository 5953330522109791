"""A line of Python in place of `roomtour.batch.children.phase`, as children of the real engine and driver."""

from collections.abc import Sequence
from pathlib import Path

from roomtour.batch.driver import Job
from roomtour.batch.engines.local import LocalEngine
from roomtour.batch.job_options import JobOptions
from roomtour.batch.records import Attempt, TourTask
from roomtour.config import Config
from roomtour.sources import Tour

GOOD = """
import json, pathlib, sys
spec = json.load(open(sys.argv[1]))
run = pathlib.Path(spec["run"]); run.mkdir(parents=True, exist_ok=True)
with open(run / "attempts.txt", "a") as file: print("here", file=file)
json.dump({"state": "done", "tour_s": 10.0}, open(spec["outcome"], "w"))
"""


SEGFAULT = "import os, signal; print('about to fall', flush=True); os.kill(os.getpid(), signal.SIGSEGV)"


HANG = "import time; time.sleep(600)"


EATER = "import time; held = bytearray(400_000_000); held[::4096] = b'x' * len(held[::4096]); time.sleep(600)"


SILENT = "import sys; sys.exit(3)"


class StubEngine(LocalEngine):
    """The local engine, with lines of Python in place of the tours' real children."""

    def __init__(self, programs: dict[str, str], slots: int = 4, memory_mb: float = 2000.0, idle_s: float = 60.0):
        super().__init__(slots, memory_mb, idle_s)
        self.programs = programs
        self.started: list[str] = []

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        name = attempt.task.tour.name
        self.started.append(name)
        super().submit(attempt, ["-c", self.programs.get(name, GOOD), command[-1]])


def make_tasks(job: Path, names: Sequence[str]) -> list[TourTask]:
    return [TourTask(Tour(name, job / f"{name}.mp4", job / "runs" / name), f"key-{name}", 10.0) for name in names]


def run_stubs(job: Path, names: Sequence[str], engine: StubEngine, **options) -> dict[str, str]:
    given = JobOptions(**{"memory_mb": 200.0, **options})
    status = Job(job, make_tasks(job, names), Config(), given, engine).run()
    return {row.tour: row.state for row in status.tours}

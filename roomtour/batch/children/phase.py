"""The child of one attempt: `python -m roomtour.batch.children.phase SPEC.json` processes one tour.

It says how that ended, dies with its parent, leaves no core file, and tells of its progress in a file: whoever watches
needs no pipe.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any

from instructions.perception.models.shelf import ModelShelf
from roomtour.batch.engines.gate import VARIABLE, GateAt
from roomtour.batch.records import MEMORY_WORDS, Outcome
from roomtour.errors import USER_ERRORS, DiskFullError, Unfinished
from roomtour.files.records import write_json
from roomtour.progress import EventFile

_PR_SET_PDEATHSIG = 1


def main(spec_path: str) -> int:
    """Process the tour that a specification names; 0 if an outcome was left, whatever it is."""
    die_with_parent()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    spec = json.loads(Path(spec_path).read_text(encoding="utf-8"))
    _pass_gate()
    return leave_outcome(spec, run_phase(spec))


def leave_outcome(spec: dict[str, Any], outcome: Outcome) -> int:
    """Write what is said of an attempt to where its specification wants it; gives the exit code, 0."""
    write_json(Path(spec["outcome"]), asdict(outcome))
    return 0


def _pass_gate() -> None:
    """Ask language servers through the gate of the job, if it has one."""
    address = os.environ.get(VARIABLE)
    if address:
        from instructions.language.connect import use_gate

        use_gate(GateAt(address))


def run_phase(spec: dict[str, Any], models: ModelShelf | None = None) -> Outcome:
    """Process one tour, with models that are kept or that are loaded for it."""
    progress = EventFile(Path(spec["events"]))
    from roomtour.config import config_from_dict
    from roomtour.pipeline import process_tour
    from roomtour.sources import Tour
    from roomtour.tour_facts import facts_from_dict

    run = Path(spec["run"])
    source, facts = Path(spec["source"]), facts_from_dict(spec["facts"], "the list of tours")
    tour = Tour(spec["tour"], source, run, facts)
    workers = None
    if spec["helpers"] is not None:
        from roomtour.workers.ray_workers import RayWorkers

        workers = RayWorkers(**spec["helpers"])
    try:
        config = config_from_dict(spec["config"])
        done = process_tour(
            tour,
            config,
            until=spec["until"],
            observer=progress,
            force=spec.get("force"),
            workers=workers,
            models=models,
            keys=spec["keys"],
            attempt=spec["attempt"],
            keep=spec["keep"],
        )
    except Unfinished as error:
        return Outcome("unfinished", str(error), progress.stage, _length(run), is_server_away=error.may_pass)
    except DiskFullError as error:  # the tour is not at fault
        return Outcome("lost", str(error), progress.stage)
    except USER_ERRORS as error:
        return Outcome("refused", " ".join([str(error), *getattr(error, "__notes__", ())]), progress.stage)
    except MemoryError as error:
        return Outcome("out-of-memory", f"MemoryError: {error}", progress.stage)
    except Exception as error:
        traceback.print_exc()  # into the log of the attempt
        words = f"{type(error).__name__}: {error}"
        is_memory = any(word in words for word in MEMORY_WORDS)
        return Outcome("out-of-memory" if is_memory else "failed", words[:500], progress.stage)
    finally:
        if workers is not None:
            workers.close()
    own = {name: entry for name, entry in done.stages.items() if entry.attempt == spec["attempt"]}
    gpu_s = sum(entry.gpu_seconds for entry in own.values())
    stage_s = {name: entry.seconds for name, entry in own.items()}
    errors = [finding for finding in done.findings if finding.severity == "error"]
    if errors:
        return Outcome("done-with-errors", f"{errors[0].message} [{errors[0].code}]", "", _length(run), gpu_s, stage_s)
    return Outcome("done", tour_s=_length(run), gpu_s=gpu_s, stage_s=stage_s)


def _length(run: Path) -> float:
    from roomtour.files.frames import read_source

    try:
        return read_source(run / "source.json").source.duration_s
    except (*USER_ERRORS, OSError):
        return 0.0


def die_with_parent() -> None:
    """Ask Linux to end this process when its parent is gone, so that no child of a killed driver goes on."""
    parent = os.getppid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it went before we asked
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

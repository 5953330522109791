"""A child that stays: `python -m roomtour.batch.children.looker` lets large models look at one tour after the other.

It reads a line `{"spec": ..., "log": ...}` per attempt and loads each model once. Whoever started it reads outcomes,
kills it when it takes too much, and starts another.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path

from instructions.perception.models.shelf import ModelShelf
from roomtour.batch.children.phase import die_with_parent, leave_outcome, run_phase
from roomtour.batch.children.staged import work_away


def main() -> int:
    """Work until there is nothing more to read."""
    die_with_parent()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    shelf = ModelShelf(keeps_on_cpu=True)
    for number, line in enumerate(sys.stdin, 1):
        asked = json.loads(line)
        _write_to(Path(asked["log"]))
        print(f"tour {number} of process {os.getpid()}", flush=True)
        spec = json.loads(Path(asked["spec"]).read_text(encoding="utf-8"))
        if spec["scratch"] is None:
            leave_outcome(spec, run_phase(spec, shelf))
        else:
            work_away(spec, shelf)
    return 0


def _write_to(log: Path) -> None:
    """Let all output from here on, that of libraries as well, go to the log of the attempt."""
    sys.stdout.flush()
    sys.stderr.flush()
    with log.open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)


if __name__ == "__main__":
    sys.exit(main())

"""CPU seconds of the commands that should answer at once.

    python benchmarks/startup.py [RUN]

Each is run five times in a process of its own; the median of user and system time counts. With a finished run, `show`
is measured too.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
from collections.abc import Sequence

from results_table import write_table

_ROUNDS = 5


def cpu_seconds(args: Sequence[str]) -> float:
    """Median of what `roomtour ARGS` costs."""
    spent = []
    for _ in range(_ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "roomtour", *args], stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(spent)


def main() -> None:
    commands = [["--version"], ["--help"], ["process", "--help"], ["options"]]
    commands += [["show", run] for run in sys.argv[1:2]]
    rows = []
    for args in commands:
        rows.append(
            (f"`roomtour {' '.join('RUN' if '/' in word else word for word in args)}`", f"{cpu_seconds(args):.2f}")
        )
        print(*rows[-1], "CPU-s", flush=True)
    write_table("startup", ("command", "CPU-s"), rows, note=f"Median of {_ROUNDS} calls.")


if __name__ == "__main__":
    main()

"""Children that stay, with the models that they loaded: one for each share of a GPU, given one tour after the other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_MOST_TOURS, _MOST_GROWTH = 200, 2.0
"""A child is replaced after so many tours, or so many times the memory that it had after its first: libraries leak."""
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass
class Looker:
    """One of them."""

    process: subprocess.Popen[bytes]
    tours: int = 0
    first_mb: float = 0.0
    """Of resident memory, after its first tour."""

    def give(self, spec: Path, log: Path) -> None:
        """Hand it an attempt; a process that is gone already shows by its end."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps({"spec": str(spec), "log": str(log)}).encode() + b"\n")
            self.process.stdin.flush()

    def cpu_s(self) -> float:
        """CPU-seconds of it and of children that ended, up to now."""
        try:
            words = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        except OSError:
            return 0.0
        return sum(int(word) for word in words[11:15]) / _TICKS_PER_S

    def is_worn(self, resident_mb: float) -> bool:
        """Whether it had better be replaced, after one more tour."""
        self.tours += 1
        self.first_mb = self.first_mb or resident_mb
        return self.tours >= _MOST_TOURS or resident_mb > _MOST_GROWTH * self.first_mb > 0

    def end(self) -> None:
        """Let it go by itself: there is nothing more to read."""
        if self.process.stdin is not None:
            with suppress(BrokenPipeError):
                self.process.stdin.close()


def start_looker(command: Sequence[str], environment: Mapping[str, str], log: Path) -> Looker:
    """Start one, by a command line without Python; what it says before its first tour goes to the log of that."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, *command],
            stdin=subprocess.PIPE,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            start_new_session=True,
        )
    return Looker(process)

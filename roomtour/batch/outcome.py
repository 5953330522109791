"""How an attempt came out: what its child said, or what its parent saw."""

from __future__ import annotations

import re

from roomtour.batch.records import Attempt, Ended, Outcome
from roomtour.errors import RoomtourError
from roomtour.files.records import from_plain, read_json
from roomtour.progress import read_reached

_MEMORY_WORDS = ("bad_alloc", "out of memory", "Cannot allocate memory")
_STACK_FRAME = re.compile(r"\s*@\s+0x")
"""As native libraries print them after the line that says what happened."""
_KILLED = 9
"""The system's own killer of what takes too much memory sends this; we were not the sender."""


def read_outcome(ended: Ended) -> Outcome:
    """What became of an attempt; by its words and signals, never by its exit code alone."""
    said = ended.said or read_said(ended.attempt)  # one that was given up may have come to its end all the same
    if said is not None and ended.death in ("exit", "lost"):
        return said
    stage = read_reached(ended.attempt.events).stage
    where = f" in {stage}" if stage else ""
    if ended.death == "lost":
        return Outcome("lost", f"{ended.last_words or 'its machine was lost'}{where}", stage)
    limit = ended.attempt.need.memory_mb
    if ended.death == "memory":
        return Outcome("out-of-memory", f"took {ended.peak_mb:.0f} MB{where}, more than {limit:.0f}", stage)
    if ended.death in ("idle", "time"):
        what = "no progress for too long" if ended.death == "idle" else "ran for too long"
        return Outcome("timed-out", f"{what}{where}, after {ended.seconds:.0f} s", stage)
    lines = [line for line in ended.last_words.splitlines() if not _STACK_FRAME.match(line)]
    last = (lines[-1:] or ["nothing"])[0][:300]
    how = f"signal {ended.signal}" if ended.signal else "no outcome"
    if ended.signal == _KILLED or any(word in ended.last_words for word in _MEMORY_WORDS):
        return Outcome("out-of-memory", f"ended by {how}{where} at {ended.peak_mb:.0f} MB; last words: {last}", stage)
    return Outcome("crashed", f"ended by {how}{where}; last words: {last}", stage)


def read_said(attempt: Attempt) -> Outcome | None:
    """The child's own words, on a machine that sees them; None if it left none, or half of them."""
    try:
        return from_plain(read_json(attempt.outcome), Outcome, str(attempt.outcome))
    except RoomtourError:
        return None

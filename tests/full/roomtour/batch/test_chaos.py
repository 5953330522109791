"""Tours while something is killed again and again: every one is done, once, out of one attempt.

Sixteen of them; `ROOMTOUR_CHAOS_TOURS=200 pytest tests/full/roomtour/batch/test_chaos.py` takes more.

What is asked of the ledger and of the runs is read from the files line by line, with nothing of the code that wrote
them.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.full.roomtour.batch.chaos_job import STAGES

SCRIPT = Path(__file__).with_name("chaos_job.py")
TOURS = int(os.environ.get("ROOMTOUR_CHAOS_TOURS", "16"))
IN_FLIGHT = 4
"""Attempts that a driver has handed out at once: one per slot."""


def run_job(folder: Path, every_rows: int, seed: int) -> dict[str, int]:
    """What was killed while the job ran."""
    words = [sys.executable, str(SCRIPT), str(folder), str(TOURS), str(every_rows), str(seed)]
    ran = subprocess.run(words, capture_output=True, text=True, check=False, cwd=Path.cwd())
    told = [line for line in ran.stdout.splitlines() if line.startswith("KILLED ")]
    assert told, ran.stdout + ran.stderr
    return json.loads(told[0].removeprefix("KILLED "))


def read_ledger(job: Path) -> dict[str, list[dict[str, Any]]]:
    """Rows by tour, in the order in which they were written."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (job / "ledger.jsonl").read_text().splitlines():
        row = json.loads(line)
        rows[row["tour"]].append(row)
    return rows


def require_sound_ledger(rows: list[dict[str, Any]]) -> int:
    """Attempts follow each other, each ends at most once and after it was started, and one is the last, done.

    Returns:
        The number of that attempt.
    """
    started: list[int] = []
    ended: list[int] = []
    done: list[int] = []
    for row in rows:
        assert not done or row["event"] == "superseded", f"something after the end: {row}"
        if row["event"] == "started":
            assert row["attempt"] > max(started, default=0), f"not a new attempt: {row}"
            started.append(row["attempt"])
        elif row["event"] == "ended":
            assert row["attempt"] == started[-1], f"ended, but was not the one at work: {row}"
            assert row["attempt"] not in ended, f"ended twice: {row}"
            ended.append(row["attempt"])
            assert row["state"] in ("waiting", "done"), row
            done += [row["attempt"]] if row["state"] == "done" else []
        else:
            assert row["event"] == "superseded", row
            assert row["attempt"] < started[-1], row
    assert len(done) == 1, f"done {len(done)} times"
    return done[0]


def require_whole_run(run: Path, tour: str, last: int) -> None:
    """Every stage holds what it holds after a quiet run, and all its files are of the attempt that the run names."""
    manifest = json.loads((run / "manifest.json").read_text())["stages"]
    assert list(manifest) == list(STAGES)
    text = tour
    for stage, outputs in STAGES.items():
        text = hashlib.sha256(f"{text} {stage}".encode()).hexdigest()
        held = [json.loads((run / name).read_text()) for name in outputs]
        assert [one["text"] for one in held] == [text] * len(outputs), stage
        assert {one["attempt"] for one in held} == {manifest[stage]["attempt"]}, stage
        assert manifest[stage]["attempt"] <= last


@pytest.mark.posix
def test_every_tour_is_done_once_whatever_is_killed(tmp_path):
    killed = run_job(tmp_path / "chaos", 6, seed=1)
    assert {"child", "driver"} <= set(killed), f"too little was killed: {killed}"
    job = tmp_path / "chaos" / "job"
    ledger = read_ledger(job)
    names = [f"t{number:03d}" for number in range(TOURS)]
    assert sorted(ledger) == names
    attempts = {name: require_sound_ledger(ledger[name]) for name in names}
    for name in names:
        require_whole_run(job / "runs" / name, name, attempts[name])
    assert sorted(path.name for path in (job / "runs").iterdir()) == names
    assert list((job / "attempts").iterdir()) == []
    assert max(attempts.values()) > 1, "nothing that was killed was at work"
    without_end = sum(
        row["event"] == "started" and row["attempt"] not in {one["attempt"] for one in rows if one["event"] == "ended"}
        for rows in ledger.values()
        for row in rows
    )
    assert without_end <= IN_FLIGHT * killed["driver"], "a killed driver cost more than what was in flight"

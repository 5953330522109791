"""Tours while a child or the driver is killed again and again: every one is done, once, out of one attempt.

What is asked of the ledger and of the runs is read from the files line by line, with nothing of the code that wrote
them. `ROOMTOUR_CHAOS_TOURS=200 pytest tests/full/roomtour/batch/test_chaos.py` takes more than sixteen tours.
"""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT

pytestmark = pytest.mark.posix
TOURS = int(os.environ.get("ROOMTOUR_CHAOS_TOURS", "16"))
SLOTS, EVERY_ROWS = 4, 6
"""Attempts at once; and something is killed each time the ledger has grown by so many rows, on any machine alike."""
STAGES = {"sample": ["frames", "source.json", "mask.png"], "clips": ["frames.parquet", "clips.json"]}
"""What the stub goes through; each output holds a digest of all before it."""
STUB = f"""
import hashlib, json, pathlib, sys, time
from roomtour.batch.children.phase import die_with_parent
from roomtour.store import RunStore, StageEntry
die_with_parent()
spec = json.load(open(sys.argv[1]))
before = spec["tour"]
with RunStore(pathlib.Path(spec["run"])).opened() as store:
    for stage, outputs in {STAGES!r}.items():
        before = hashlib.sha256(f"{{before}} {{stage}}".encode()).hexdigest()
        if store.is_done(stage, "k"):
            continue
        part = store.begin()
        time.sleep(0.2)
        for name in outputs:
            (part / name).write_text(json.dumps({{"text": before, "attempt": spec["attempt"]}}))
        store.commit(stage, StageEntry("k", 0.0, 0.0, "", attempt=spec["attempt"]), outputs, ())
json.dump({{"state": "done", "tour_s": 10.0}}, open(spec["outcome"], "w"))
"""
DRIVER = """
import sys
from pathlib import Path
from roomtour.batch.driver import Job
from roomtour.batch.job_options import JobOptions
from roomtour.config import Config
from tests.support.doubles.stub_jobs import StubEngine, make_tasks
job, slots, names = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[4:]
engine = StubEngine(dict.fromkeys(names, sys.argv[3]), slots, 8000.0, 600.0)
Job(job, make_tasks(job, names), Config(workers=1), JobOptions(memory_mb=300.0), engine).run()
"""


def list_children(job: Path) -> dict[str, int]:
    """The process at work for each tour."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # gone meanwhile
            spec = path.read_bytes().decode(errors="replace").rstrip("\0").rpartition("\0")[2]
            if spec.startswith(str(job)) and spec.endswith(".spec.json"):
                found[Path(spec).parent.name] = int(path.parent.name)
    return found


def run_through_chaos(job: Path, names: list[str], seed: int) -> Counter[str]:
    """Start drivers until one comes to its end, and kill something whenever the job has got on; what was killed."""
    rng, killed, hit, rows_before = random.Random(seed), Counter[str](), set[str](), 0
    words = [sys.executable, "-c", DRIVER, str(job), str(SLOTS), STUB, *names]
    driver = subprocess.Popen(words, cwd=ROOT)
    while driver.poll() != 0:
        if driver.poll() is not None:
            assert driver.returncode == -signal.SIGKILL, "the driver gave up"
            driver = subprocess.Popen(words, cwd=ROOT)
        time.sleep(rng.uniform(0.0, 1.0))  # at any point of what is at work
        ledger = job / "ledger.jsonl"
        rows = ledger.read_bytes().count(b"\n") if ledger.exists() else 0
        if rows < rows_before + EVERY_ROWS or driver.poll() is not None:
            continue
        # Each tour once: twice would be its own fault, by the rules of a job.
        children = {tour: pid for tour, pid in list_children(job).items() if tour not in hit}
        if killed["child"] <= killed["driver"] and children:
            tour = rng.choice(sorted(children))
            with suppress(ProcessLookupError):
                os.kill(children[tour], signal.SIGSEGV)
                hit.add(tour)
                killed["child"] += 1
        else:
            driver.kill()
            driver.wait()
            killed["driver"] += 1
        rows_before = rows
    return killed


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


def test_every_tour_is_done_once_whatever_is_killed(tmp_path):
    job, names = tmp_path / "job", [f"t{number:03d}" for number in range(TOURS)]
    job.mkdir()
    killed = run_through_chaos(job, names, seed=1)
    assert min(killed["child"], killed["driver"]) >= 1, f"too little was killed: {killed}"
    ledger = read_ledger(job)
    assert sorted(ledger) == names
    attempts = {name: require_sound_ledger(ledger[name]) for name in names}
    for name in names:
        require_whole_run(job / "runs" / name, name, attempts[name])
    assert sorted(path.name for path in (job / "runs").iterdir()) == names
    assert list((job / "attempts").iterdir()) == []
    assert max(attempts.values()) > 1, "nothing that was killed was at work"
    ended = {(row["tour"], row["attempt"]) for rows in ledger.values() for row in rows if row["event"] == "ended"}
    started = {(row["tour"], row["attempt"]) for rows in ledger.values() for row in rows if row["event"] == "started"}
    assert len(started - ended) <= SLOTS * killed["driver"], "a killed driver cost more than what was in flight"

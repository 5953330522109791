"""Kills: a run that was killed at a random moment and continued exports the very bytes of one that was not.

    python benchmarks/kills.py VIDEO --out FOLDER [--kills 50] [--seed 0] [--whole 5]

A moment is one of the events in which Python opens, makes, renames or deletes something, counted: the kill falls
before it, always at the same place of the same seed, and more often around the renames than a clock would. Most cases
begin with a copy of the finished run and make one stage and all that follow anew (`--force`, later stages more often,
as they cost less); the first `--whole` begin with nothing. Outcomes are appended to FOLDER/kills.jsonl; the same
command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from roomtour.run import Run

FORMATS = ("jsonl", "tum", "colmap", "nerfstudio", "gnm")
_CHILD = """
import os, signal, sys
left = int(sys.argv.pop(1))
EVENTS = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "shutil.rmtree", "shutil.copyfile"}

def count(event, args):
    global left
    if event in EVENTS and (event != "open" or "w" in str(args[1] or "")):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

from roomtour.cli import main
sys.addaudithook(count)
code = main()
print("events left:", left)
sys.exit(code)
"""
_ENDLESS = 10**9


def process(video: Path, run: Path, kill_at: int, *more: str) -> subprocess.CompletedProcess[str]:
    """Process the video in a child that is killed at an event."""
    words = ["process", str(video), "--out", str(run), "--workers", "1", *more]
    return subprocess.run(
        [sys.executable, "-c", _CHILD, str(kill_at), *words], capture_output=True, text=True, check=False
    )


def count_events(ended: subprocess.CompletedProcess[str]) -> int:
    """How many events a child had that was not killed.

    Raises:
        RuntimeError: If it did not come to its end.
    """
    if ended.returncode:
        raise RuntimeError(ended.stderr)
    return _ENDLESS - int(ended.stdout.rpartition("events left: ")[2])


def digest_exports(run: Path, work: Path) -> dict[str, str]:
    """By format, a digest of every file of an export."""
    out = {}
    for name in FORMATS:
        shutil.rmtree(work / name, ignore_errors=True)
        command = [sys.executable, "-m", "roomtour", "export", str(run), "--format", name, "--out", str(work / name)]
        subprocess.run(command, check=True, capture_output=True)
        digest = hashlib.sha256()
        for path in sorted(path for path in (work / name).rglob("*") if path.is_file()):
            digest.update(path.relative_to(work / name).as_posix().encode() + b"\0" + path.read_bytes())
        out[name] = digest.hexdigest()
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("video", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--whole", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    out: Path = given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    whole, log = out / "whole", out / "kills.jsonl"
    facts_file = out / "whole.json"
    if not facts_file.exists():
        shutil.rmtree(whole, ignore_errors=True)
        events = {"": count_events(process(given.video, whole, _ENDLESS))}
        facts_file.write_text(json.dumps({"exports": digest_exports(whole, out / "exports"), "events": events}))
    facts = json.loads(facts_file.read_text())
    stages = list(Run(whole).stages)
    done = {json.loads(line)["case"] for line in log.read_text().splitlines()} if log.exists() else set()
    for case in range(given.kills):
        if case in done:
            continue
        rng = random.Random(f"{given.seed} {case}")
        stage = "" if case < given.whole else rng.choices(stages, weights=range(1, len(stages) + 1))[0]
        force = ["--force", stage] if stage else []
        run = out / "run"
        shutil.rmtree(run, ignore_errors=True)
        if stage:
            shutil.copytree(whole, run)
        if stage not in facts["events"]:
            facts["events"][stage] = count_events(process(given.video, run, _ENDLESS, *force))
            facts_file.write_text(json.dumps(facts))
        at = rng.randrange(1, facts["events"][stage] + 1)
        killed = process(given.video, run, at, *force)
        resumed = process(given.video, run, _ENDLESS)
        sound = subprocess.run([sys.executable, "-m", "roomtour", "check", str(run)], capture_output=True, check=False)
        same = resumed.returncode == 0 and digest_exports(run, out / "exports") == facts["exports"]
        row = {
            "case": case,
            "stage": stage or "all",
            "event": at,
            "killed": killed.returncode == -signal.SIGKILL,
            "resumed": resumed.returncode,
            "sound": sound.returncode == 0,
            "same": same,
        }
        with log.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(row, flush=True)
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    told = Counter(name for row in rows for name in ("killed", "sound", "same") if row[name])
    resumed = sum(row["resumed"] == 0 for row in rows)
    counts = ", ".join(f"{told[name]} {name}" for name in ("killed", "sound", "same"))
    print(f"{len(rows)} cases: {resumed} resumed, {counts}")


if __name__ == "__main__":
    main()

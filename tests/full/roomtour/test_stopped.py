"""The main job while somebody stops it: killed in any stage, or by Ctrl-C, it goes on as if nothing had happened."""

import json
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

pytestmark = pytest.mark.posix
RESULTS = (
    "frames.parquet",
    "clips.json",
    "scene/scene.json",
    "trajectories/trajectories.jsonl",
    "perception/objects.jsonl",
    "navigation/rows.jsonl",
)


def stages(run: Path) -> list[str]:
    return list(json.loads((run / "manifest.json").read_text())["stages"])


def test_a_run_killed_in_one_stage_after_the_other_ends_as_if_nothing_happened(finished_run, short_walk, tmp_path):
    run = tmp_path / "run"
    command = [sys.executable, "-m", "roomtour", "process", str(short_walk), "--out", str(run), "--workers", "1"]
    for stage in ("sample", "features", "sfm", "scene", "perception", "navigation", "report"):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_stage(run, stage, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    assert [(run / name).read_bytes() for name in RESULTS] == [(finished_run / name).read_bytes() for name in RESULTS]


def wait_for_stage(run: Path, stage: str, process: subprocess.Popen) -> None:
    """Until the log says that this stage began, or the process ended because it is that quick."""
    log = run / "log.jsonl"
    while process.poll() is None:
        if log.exists() and any(
            entry.get("stage") == stage and entry["event"] == "stage started"
            for entry in map(json.loads, log.read_text().split("\n")[:-1])
        ):
            return
        time.sleep(0.02)


def test_ctrl_c_is_one_line_and_the_run_goes_on_later(short_walk, tmp_path):
    run = tmp_path / "run"
    command = [sys.executable, "-m", "roomtour", "process", str(short_walk), "--out", str(run), "--until", "features"]
    command += ["--sample.until-s", "6"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # A test run in the background of a shell ignores Ctrl-C, and its children inherit that.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    wait_for_stage(run, "features", process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert "interrupted" in errors
    assert "Traceback" not in errors
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert stages(run) == ["sample", "clips", "features"]

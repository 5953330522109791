"""The main job on a rendered walk: resuming, killing, forcing, several tours, and the typed Python side."""

import json
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import roomtour
from recon.geometry import Sim3
from recon.records import Scene
from roomtour.cli import main
from roomtour.errors import RoomtourError
from roomtour.stages.table import list_dependents
from tests.support.runs.run_folder import STAGES_RUN

RESULTS = (
    "frames.parquet",
    "clips.json",
    "scene/scene.json",
    "trajectories/trajectories.jsonl",
    "perception/objects.jsonl",
    "navigation/rows.jsonl",
)


def manifest(run: Path) -> dict:
    return json.loads((run / "manifest.json").read_text())


def results(run: Path) -> dict[str, bytes]:
    return {name: (run / name).read_bytes() for name in RESULTS}


def test_the_run_folder_holds_what_the_readme_says(finished_run):
    names = ("report.html", "manifest.json", "frames/000001.jpg", "recon/database.db", "recon/merge_log.jsonl")
    for name in (*RESULTS, *names):
        assert (finished_run / name).is_file(), name
    assert list(manifest(finished_run)["stages"]) == STAGES_RUN
    assert not (finished_run / ".part").exists()


def test_the_walk_is_reconstructed_as_it_was(finished_run, short_walk):
    run = roomtour.Run(finished_run)
    truth = np.loadtxt(short_walk.with_suffix("") / "trajectory.tum")
    model = run.scene.models[0]
    assert len(model.frames) >= 0.95 * len(run.scene.frames)
    times_s = np.array([run.scene.frame_by_index[index].time_s for index in model.frames])
    true_centers = np.column_stack([np.interp(times_s, truth[:, 0], truth[:, axis]) for axis in (1, 2, 3)])
    true_from_model = Sim3.fit(true_centers, model.centers)
    error_m = np.sqrt(((true_from_model @ model.centers - true_centers) ** 2).sum(axis=1).mean())
    length_m = np.linalg.norm(np.diff(truth[:, 1:4], axis=0), axis=1).sum()
    assert error_m < 0.01 * length_m
    up_of_model = true_from_model.rotation[2]
    assert np.degrees(np.arccos(up_of_model[2])) < 3.0
    assert model.scale.status == "assumed"
    assert true_from_model.scale == pytest.approx(1.0, abs=0.25)


def test_the_same_command_again_keeps_everything(finished_run, short_walk, tmp_path):
    before = manifest(finished_run)
    assert main(["process", str(short_walk), "--out", str(finished_run), "--workers", "1"]) == 0
    assert manifest(finished_run)["stages"] == before["stages"]


def test_a_changed_option_makes_anew_only_what_rests_on_it(finished_run, short_walk, tmp_path):
    copy = tmp_path / "run"
    subprocess.run(["cp", "-r", finished_run, copy], check=True)
    assert (
        main(["process", str(short_walk), "--out", str(copy), "--workers", "1", "--scene.camera-height-m", "1.6"]) == 0
    )
    old, new = manifest(finished_run)["stages"], manifest(copy)["stages"]
    kept = {name for name in STAGES_RUN if old[name] == new[name]}
    assert kept == set(STAGES_RUN) - {"scene", *list_dependents("scene")}


def test_force_runs_a_stage_and_what_rests_on_it(finished_run, short_walk, tmp_path):
    copy = tmp_path / "run"
    subprocess.run(["cp", "-r", finished_run, copy], check=True)
    assert main(["process", str(short_walk), "--out", str(copy), "--workers", "1", "--force", "perception"]) == 0
    old, new = manifest(finished_run)["stages"], manifest(copy)["stages"]
    assert old["trajectories"] == new["trajectories"]
    assert old["perception"]["seconds"] != new["perception"]["seconds"]
    assert results(copy) == results(finished_run)


@pytest.mark.posix
def test_a_run_killed_in_every_stage_ends_as_if_nothing_happened(finished_run, short_walk, tmp_path):
    run = tmp_path / "run"
    command = [sys.executable, "-m", "roomtour", "process", str(short_walk), "--out", str(run), "--workers", "1"]
    for stage in STAGES_RUN:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_stage(run, stage, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    assert results(run) == results(finished_run)


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


@pytest.mark.slow
@pytest.mark.posix
def test_ctrl_c_is_one_line_and_the_run_goes_on_later(short_walk, tmp_path):
    run = tmp_path / "run"
    command = [sys.executable, "-m", "roomtour", "process", str(short_walk), "--out", str(run), "--until", "features"]
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
    assert list(manifest(run)["stages"]) == ["sample", "clips", "features"]


def test_several_inputs_make_a_run_each_and_one_bad_one_does_not_stop_the_others(short_walk, tmp_path, capsys):
    bad = tmp_path / "bad.mp4"
    bad.write_text("no video")
    code = main(["process", str(bad), str(short_walk), "--out", str(tmp_path / "runs"), "--until", "clips"])
    captured = capsys.readouterr()
    assert code == 1
    assert "bad.mp4" in captured.err
    assert "1 of 2 tours done" in captured.out
    assert list(manifest(tmp_path / "runs" / "short_walk")["stages"]) == ["sample", "clips"]


def test_python_returns_typed_objects(finished_run):
    run = roomtour.Run(finished_run)
    assert isinstance(run.scene, Scene)
    assert run.summary().registered == run.scene.registered
    assert run.instructions
    assert all(check.true for row in run.instructions for check in row.claims)
    assert run.files["report"].is_file()


def test_counts_of_the_texts_add_up(finished_run):
    run = roomtour.Run(finished_run)
    counts = json.loads((finished_run / "navigation" / "counts.json").read_text())
    assert counts["written"] == counts["kept"] + counts["rejected"]
    assert (counts["kept"], counts["rejected"]) == (len(run.instructions), len(run.rejected_instructions))
    assert sum(counts["rejected_because"].values()) == counts["rejected"]
    besides = counts["besides"]
    assert besides["further_instructions"]["written"] == len(run.further_instructions) > 0
    assert besides["further_instructions"]["rejected"] == sum(not row.accepted for row in run.further_instructions)
    assert besides["view_descriptions"]["kept"] == len(run.view_descriptions) > 0
    files = {path.name for path in (finished_run / "navigation").iterdir()}
    assert files == {
        "rows.jsonl",
        "rejected.jsonl",
        "further_rows.jsonl",
        "views.jsonl",
        "unposed.jsonl",
        "counts.json",
    }
    assert {row.tour for row in run.texts} == {run.scene.id}


def test_asking_for_what_is_not_there_yet_is_one_line(short_walk, tmp_path):
    assert main(["process", str(short_walk), "--out", str(tmp_path / "run"), "--until", "clips"]) == 0
    with pytest.raises(RoomtourError, match="stage scene is not done"):
        _ = roomtour.Run(tmp_path / "run").scene


def test_show_prints_the_summary_again(finished_run, capsys):
    assert main(["show", str(finished_run)]) == 0
    out = capsys.readouterr().out
    for word in (
        "frames",
        "registered",
        "models",
        "assumed",
        "view changes",
        "instructions",
        "findings",
        "report.html",
    ):
        assert word in out


def test_printed_paths_are_whole_lines_in_a_narrow_terminal(finished_run, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    assert main(["show", str(finished_run)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.endswith(str(finished_run / "report.html")) for line in lines)


@pytest.mark.parametrize("format", ["roomtour3d", "tum", "colmap", "jsonl"])
def test_exports_of_a_real_run_validate(finished_run, tmp_path, format):
    assert main(["export", str(finished_run), "--format", format, "--out", str(tmp_path / "out")]) == 0
    assert main(["validate", str(tmp_path / "out")]) == 0


def test_the_report_asks_no_other_host(finished_run):
    page = (finished_run / "report.html").read_text()
    assert 'src="http' not in page
    assert "url(http" not in page

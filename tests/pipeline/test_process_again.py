"""The main job on a rendered walk: what it gives, on disk and in Python, and what another command makes anew."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import roomtour
from recon.geometry import Sim3
from roomtour.batch.ledger import add_row
from roomtour.batch.records import LedgerRow
from roomtour.cli import main
from roomtour.export.core.folder import MARKER
from roomtour.stages.table import list_dependents
from roomtour.tour_facts import TourFacts
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
    names = ("report.html", "manifest.json", "frames/000001.jpg", "recon/merge_log.jsonl")
    for name in (*RESULTS, *names):
        assert (finished_run / name).is_file(), name
    assert list(manifest(finished_run)["stages"]) == STAGES_RUN
    assert not (finished_run / ".part").exists()
    assert not (finished_run / "recon" / "database.db").exists()
    recon = sum(path.stat().st_size for path in (finished_run / "recon").rglob("*") if path.is_file())
    assert recon < 0.5 * sum(path.stat().st_size for path in finished_run.rglob("*") if path.is_file())


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


def test_only_what_rests_on_a_change_is_made_anew(finished_run, short_walk, tmp_path):
    copy = shutil.copytree(finished_run, tmp_path / "run")
    command = ["process", str(short_walk), "--out", str(copy), "--workers", "1"]
    old = manifest(finished_run)["stages"]
    assert main(command) == 0
    assert manifest(copy)["stages"] == old
    assert main([*command, "--force", "perception"]) == 0
    new = manifest(copy)["stages"]
    assert old["trajectories"] == new["trajectories"]
    assert old["perception"]["finished"] != new["perception"]["finished"]
    assert results(copy) == results(finished_run)
    assert main([*command, "--scene.camera-height-m", "1.6"]) == 0
    new = manifest(copy)["stages"]
    assert {name for name in STAGES_RUN if old[name]["key"] == new[name]["key"]} == set(STAGES_RUN) - {
        "scene",
        *list_dependents("scene"),
    }
    assert {name for name in STAGES_RUN if old[name] == new[name]} == set(STAGES_RUN) - {
        "scene",
        *list_dependents("scene"),
    }


def test_facts_of_a_tour_stay_in_the_run_and_only_the_report_is_made_anew(finished_run, short_walk, tmp_path):
    given = TourFacts(licence="CC-BY-4.0", title="A flat", author="Ann", url="https://a.example/1", home="h1")
    copy = shutil.copytree(finished_run, tmp_path / "run")
    run = roomtour.process(short_walk, copy, roomtour.Config(tour=given))
    assert run.facts == run.data.facts == given
    assert run.scene.source.licence == "CC-BY-4.0"
    page = (run.path / "report.html").read_text()
    assert "CC-BY-4.0" in page
    assert "https://a.example/1" in page
    again = roomtour.process(short_walk, copy, roomtour.Config(tour=TourFacts(consent="given")))
    assert again.facts == replace(given, consent="given")
    old, new = manifest(finished_run)["stages"], manifest(copy)["stages"]
    assert {name for name in new if new[name] != old[name]} <= {"report"}


def test_a_job_is_exported_without_what_it_gave_up(tmp_path, finished_run, capfd):
    """One refused tour among its runs ends no export, whether the job is named or all that lies in its folder."""
    job, names = tmp_path / "job", ("good", "gone", "again")
    job.mkdir()
    tours = {name: {"source": f"{name}.mp4", "key": "k", "seconds": 30.0} for name in names}
    (job / "job.json").write_text(json.dumps({"options": {}, "job": {}, "tours": tours}))
    for name, state in zip(names, ("done", "refused", "waiting"), strict=True):
        event = "again" if state == "waiting" else "ended"
        add_row(job, LedgerRow("2026-01-01T00:00:00+00:00", name, 1, "n", event, state))
    shutil.copytree(finished_run, job / "runs" / "good")
    runs = [job / "runs" / name for name in names]
    words = ["--format", "tum", "--out", str(tmp_path / "set")]
    for named in ([job], runs):
        for run in runs:
            run.mkdir(exist_ok=True)
        assert main(["export", *map(str, named), *words]) == 0
        said = capfd.readouterr().out
        assert "left out, refused: 1 tour: gone" in said
        assert "left out, waiting: 1 tour: again" in said
        assert [tour["tour"] for tour in json.loads((tmp_path / "set" / MARKER).read_text())["tours"]] == ["short_walk"]
    shutil.rmtree(runs[0])
    assert main(["export", str(job), *words]) == 1
    assert "none of these tours" in capfd.readouterr().err


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


def test_printed_paths_are_whole_lines_in_a_narrow_terminal(finished_run, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    assert main(["show", str(finished_run)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.endswith(str(finished_run / "report.html")) for line in lines)

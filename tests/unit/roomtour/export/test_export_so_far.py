"""A run that was stopped after any stage leaves in every format that needs no more; the others name what makes it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from roomtour.cli import main
from roomtour.errors import RoomtourError
from roomtour.export import RunData, export_runs, validate_export
from roomtour.run import Run
from roomtour.stages.table import STAGE_NAMES
from tests.support.export.made_datasets import FORMATS_HERE, MadeDatasets
from tests.support.export.made_run import make_run
from tests.support.runs.run_folder import write_run

FIRST = STAGE_NAMES.index("scene")
POSES_ONLY = {"tum", "colmap", "nerfstudio", "rerun", "hf", "jsonl"}
AFTER = {
    "gnm": "trajectories", "sprite": "perception", "r2r": "navigation", "lerobot": "navigation", "llava": "navigation",
    "vlmeval": "spatial", "verl": "spatial", "lskd": "regions", "lamm": "dialogues", "pointllm": "dialogues",
}  # fmt: skip


def stop_after(stage: str, made: MadeDatasets, folder: Path) -> Run:
    frames = made.walk[0].frames_dir
    (folder / stage).mkdir(parents=True)
    (folder / stage / "frames").symlink_to(frames)
    done = STAGE_NAMES[: STAGE_NAMES.index(stage) + 1]
    return Run(write_run(folder / stage, make_run(frames_dir=frames), stages=done))


def made_by(message: str) -> str:
    """The stage that the command at the end of a message makes."""
    words = shlex.split(message.rpartition("Make it with: ")[2])
    assert words[:2] in (["roomtour", "make"], ["roomtour", "process"])
    return words[words.index("--data" if words[1] == "make" else "--until") + 1]


def export_or_name_need(run: RunData, format: str, out: Path) -> str | None:
    """None for a dataset that is written and valid; else the stage whose command the refusal names."""
    try:
        export_runs([run], format, out)
    except RoomtourError as error:
        return made_by(str(error))
    assert validate_export(out) == []
    return None


def test_each_format_needs_the_stages_of_what_it_writes_and_no_other(
    made: MadeDatasets, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    stages = STAGE_NAMES[FIRST:]
    runs = {stage: stop_after(stage, made, tmp_path / "runs").data for stage in stages}
    for name in FORMATS_HERE:
        with subtests.test(name):
            needed = export_or_name_need(runs["scene"], name, tmp_path / name) or "scene"
            assert (needed == "scene") == (name in POSES_ONLY)
            assert AFTER.get(name, needed) == needed
            for stage in stages[1 : stages.index(needed)]:
                assert export_or_name_need(runs[stage], name, tmp_path / name) == needed
                assert not (tmp_path / name).exists()
            assert export_or_name_need(runs[needed], name, tmp_path / name) is None


def test_what_a_format_would_hold_and_is_not_made_is_told(
    made: MadeDatasets, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = stop_after("scene", made, tmp_path)
    (finding,) = export_runs([run.data], "jsonl", tmp_path / "jsonl").findings
    assert finding.code == "export.not_made"
    assert "trajectories, perception, plan, navigation" in finding.message
    assert "--until navigation" in finding.message  # versions that did not ask made navigation texts
    assert export_runs([run.data], "colmap", tmp_path / "colmap").findings == ()
    (finding,) = export_runs([run.data], "hf", tmp_path / "hf", kinds=["regions"]).findings
    assert "--until regions" in finding.message
    card = (tmp_path / "hf" / "README.md").read_text() + (tmp_path / "hf" / "export.json").read_text()
    assert "export.not_made" in card
    assert str(tmp_path) not in card
    assert main(["export", str(run.path), "--format", "hf", "--out", str(tmp_path / "said")]) == 0
    assert "export.not_made" in capsys.readouterr().out

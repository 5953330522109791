"""A tour with an error finding leaves only when asked, and then the card begins with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from recon.findings import Finding
from roomtour.errors import RoomtourError
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.registry import FORMATS
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_run import make_run

ERROR = Finding("error", "scene.contradicted", "model 0", "20 of 43 pairs contradict the model")


@pytest.fixture
def wrong(tmp_path: Path) -> RunData:
    run = make_run(frames_dir=frames_on_disk(tmp_path / "frames"))
    return replace(run, scene=replace(run.scene, findings=(*run.scene.findings, ERROR)))


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_no_format_takes_it(tmp_path: Path, wrong: RunData, format: str) -> None:
    with pytest.raises(RoomtourError, match=r"20 of 43 pairs .*\[scene.contradicted\]; .*--allow-errors"):
        export_runs([wrong], format, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("format", ["hf", "tum"])
def test_when_asked_the_card_begins_with_it(tmp_path: Path, wrong: RunData, format: str) -> None:
    export_runs([wrong], format, tmp_path / "out", allow_errors=True)

    card = (tmp_path / "out" / "README.md").read_text()
    body = card.split("---\n", 2)[-1] if card.startswith("---") else card  # the hub wants its own lines first
    assert body.lstrip().startswith("> **Errors")
    assert ERROR.message in body.partition("# ")[0]
    assert validate_export(tmp_path / "out") == []


def test_sound_tours_beside_it_are_written(tmp_path: Path, wrong: RunData) -> None:
    report = export_runs([make_run("sound", frames_dir=wrong.frames_dir), wrong], "tum", tmp_path / "out")

    assert report.counts["tours"] == 1
    assert report.dropped == {"tour with an error finding": 1}
    assert "Errors" not in (tmp_path / "out" / "README.md").read_text()

"""`roomtour models check --try`: real light models pass on the example, random weights of large ones fail."""

from pathlib import Path

import pytest

from roomtour.cli import main
from tests.support.doubles.made_checkpoints import write_checkpoint
from tests.support.one_line import one_line

KINDS = {
    "tags": "siglip",
    "regions": "florence2",
    "boxes": "mm-grounding-dino",
    "masks": "sam",
    "depth": "depth-anything-metric",
}


def test_light_models_pass(light_models: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["models", "check", "light", "--try", "--vision.folder", str(light_models)]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert len([row for row in rows if row.startswith(("detect-", "segment-", "tags-", "depth-"))]) == 6
    assert not [row for row in rows if "FAILED" in row]


def test_random_weights_of_every_ability_fail_and_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    words = ["models", "check", "--try", "--vision.device", "cpu"]
    for ability, kind in KINDS.items():
        words += [f"--vision.{ability}.model", str(write_checkpoint(kind, tmp_path / kind))]
    assert main(words) == 1
    rows = capsys.readouterr().out.splitlines()
    for kind in KINDS.values():
        own = [row for row in rows if row.startswith(kind)]
        assert own
        assert all("FAILED" in row for row in own)


def test_try_belongs_to_check(capsys: pytest.CaptureFixture[str]):
    assert "--try belongs to check" in one_line(capsys, "models", "list", "--try")

"""Models of the catalogue come at one commit, and their weights must be the pinned bytes. No hub is asked."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from instructions.errors import InstructionError
from instructions.perception.models import catalog, weights
from instructions.perception.models.catalog import KNOWN_MODELS
from instructions.perception.models.options import ModelChoice
from instructions.perception.models.weights import find_cached_folder, pull
from roomtour.cli.app import main

SAM = "facebook/sam-vit-base"


@pytest.fixture
def hub(tmp_path, monkeypatch) -> Path:
    """A cache of its own, and a hub that "downloads" whatever lies in `served` as the revision it is asked for."""
    served = tmp_path / "served"
    served.mkdir()
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    real = weights._hub().snapshot_download

    def download(name: str, *, revision: str | None, local_files_only: bool = False, **_: object) -> str:
        if local_files_only:
            return real(name, revision=revision, local_files_only=True, cache_dir=tmp_path / "cache")
        folder = tmp_path / "cache" / f"models--{name.replace('/', '--')}" / "snapshots" / str(revision)
        folder.mkdir(parents=True, exist_ok=True)
        for file in served.iterdir():
            (folder / file.name).write_bytes(file.read_bytes())
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    return served


def pin(monkeypatch, content: bytes) -> str:
    """Let the catalogue pin this content for SAM; returns the commit."""
    digest = hashlib.sha256(content).hexdigest()
    changed = [replace(model, sha256=digest) if model.name == SAM else model for model in KNOWN_MODELS]
    monkeypatch.setattr(catalog, "KNOWN_MODELS", tuple(changed))
    return next(model.revision for model in changed if model.name == SAM)


def test_pull_takes_the_pinned_commit_and_accepts_the_pinned_bytes(hub, monkeypatch):
    commit = pin(monkeypatch, b"right")
    (hub / "model.safetensors").write_bytes(b"right")
    folder = pull(ModelChoice(model=SAM))
    assert folder.name == commit
    assert find_cached_folder(ModelChoice(model=SAM)) == folder


def test_pull_refuses_other_bytes_and_says_what_to_do(hub, monkeypatch):
    pin(monkeypatch, b"right")
    (hub / "model.safetensors").write_bytes(b"wrong")
    with pytest.raises(InstructionError, match=r"sam-vit-base: .*model\.safetensors has sha256 .* is pinned.*Delete"):
        pull(ModelChoice(model=SAM))


def test_a_model_cached_at_another_commit_is_not_taken_for_the_pinned_one(hub, tmp_path):
    other = tmp_path / "cache" / "models--facebook--sam-vit-base"
    (other / "snapshots" / ("0" * 40)).mkdir(parents=True)
    (other / "refs").mkdir()
    (other / "refs" / "main").write_text("0" * 40)
    assert find_cached_folder(ModelChoice(model=SAM)) is None


def test_the_command_ends_with_one_line(hub, monkeypatch, capfd):
    pin(monkeypatch, b"right")
    (hub / "model.safetensors").write_bytes(b"right")
    assert main(["models", "pull", SAM]) == 0
    assert "as pinned" in capfd.readouterr().out
    (hub / "model.safetensors").write_bytes(b"wrong")
    assert main(["models", "pull", SAM]) == 1
    assert "is pinned" in capfd.readouterr().err

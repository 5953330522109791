"""One copy of the finished run with every kind of data, for all tests of this folder."""

import shutil
from pathlib import Path

import pytest
from filelock import FileLock

from roomtour.kinds import KIND_NAMES
from tests.support.screens import capture


@pytest.fixture(scope="session")
def whole_run(finished_run: Path) -> Path:
    """The short walk with every kind, and beside it in `make.txt` what was told meanwhile. Do not write to it."""
    run = finished_run.parents[1] / "whole" / "run"
    screen = run.parent / "make.txt"
    with FileLock(f"{run.parent}.lock"):
        if not screen.is_file():
            shutil.copytree(finished_run, run)
            told = capture("make", str(run), "--data", *KIND_NAMES)
            assert "[exit code" not in told, told
            screen.write_text(told, encoding="utf-8")
    return run


@pytest.fixture
def copy(finished_run: Path, tmp_path: Path) -> Path:
    """The finished run, to change."""
    shutil.copytree(finished_run, tmp_path / "run")
    return tmp_path / "run"

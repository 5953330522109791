"""A browser for the pages that the application writes and serves, and a run that still has its matches."""

import shutil
from pathlib import Path

import pytest
from filelock import FileLock

from roomtour.cli import main
from tests.support.browser import browser, browser_page

__all__ = ["browser", "browser_page", "kept_run"]


@pytest.fixture(scope="session")
def kept_run(finished_run: Path, short_walk: Path) -> Path:
    """The finished run with what is dropped by default made again and kept. Read it; do not write to it."""
    run = finished_run.parents[1] / "kept" / "run"
    done = run.parent / "done"
    with FileLock(f"{run.parent}.lock"):
        if not done.is_file():
            shutil.copytree(finished_run, run, dirs_exist_ok=True)
            words = ["--workers", "1", "--force", "merge", "--keep", "all"]
            assert main(["process", str(short_walk), "--out", str(run), *words]) == 0
            done.touch()
    return run

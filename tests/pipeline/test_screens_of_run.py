"""The screens of commands that make and read a run are as they were read, but for what a machine measures."""

from pathlib import Path

import pytest

from tests.support.screens import require_screen, screens_of_run


def test_screens_are_as_they_were_read(finished_run: Path, whole_run: Path, tmp_path: Path, subtests: pytest.Subtests):
    process = finished_run.with_name("process.txt").read_text(encoding="utf-8")
    make = whole_run.with_name("make.txt").read_text(encoding="utf-8")
    for name, screen in screens_of_run(finished_run, whole_run, process, make, tmp_path):
        with subtests.test(name):
            require_screen(name, screen, measured=True)

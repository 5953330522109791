"""Packages of other projects under our names: one line says whose files they are and what to do."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT


def start(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A Python that looks for packages in `path` first."""
    environment = {"PYTHONPATH": f"{path}:{ROOT}", "PATH": "/usr/bin:/bin"}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment, cwd=path)


@pytest.mark.parametrize("name", ["recon", "trajectories", "instructions"])
@pytest.mark.parametrize("words", [("-m", "roomtour", "--version"), ("-c", "from roomtour.cli import main; main()")])
def test_a_package_that_comes_first_is_named(tmp_path, name, words):
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("raise SystemExit('foreign code ran')")
    ended = start(tmp_path, *words)
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert f"{tmp_path / name / '__init__.py'} is imported in place of our package {name}" in ended.stderr

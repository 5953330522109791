"""Packages of other projects under our names: one line says whose files they are and what to do."""

import shutil
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


def test_files_that_another_project_wrote_over_ours_are_named_with_their_project(tmp_path):
    """Both were installed into one folder, and theirs came last."""
    for name in ("roomtour", "recon", "trajectories", "instructions"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.pyc"))
    assert start(tmp_path, "-m", "roomtour", "--version").returncode == 0
    (tmp_path / "recon" / "__init__.py").write_text("VERSION = 3")
    known = tmp_path / "recon-3.0.dist-info"
    known.mkdir()
    (known / "METADATA").write_text("Metadata-Version: 2.1\nName: recon\nVersion: 3.0\n")
    (known / "RECORD").write_text("recon/__init__.py,,\nrecon-3.0.dist-info/METADATA,,\n")
    ended = start(tmp_path, "-m", "roomtour", "--version")
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    for told in ("overwritten by another project", "pip uninstall recon", "--force-reinstall"):
        assert told in ended.stderr
    (tmp_path / "recon" / "__init__.py").unlink()  # as that takes ours along
    ended = start(tmp_path, "-m", "roomtour", "--version")
    assert "our package recon is not in" in ended.stderr
    assert ended.stderr.count("\n") == 1

"""A family of questions is added by two files: its module, and the registry that lists it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

TOY = Path(__file__).parent / "toy_family"
REGISTRY = "instructions/questions/marks/registry.py"


def test_a_new_family_is_asked_documented_exported_and_scored(tmp_path: Path, subtests: pytest.Subtests):
    home = tmp_path / "copy"
    for package in ("recon", "trajectories", "instructions", "roomtour", "docs", "tests"):
        shutil.copytree(ROOT / package, home / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(TOY / "toy.py", home / "instructions/questions/marks/toy.py")
    text = (home / REGISTRY).read_text(encoding="utf-8")
    text, found = re.subn(r"(?m)^from instructions\.questions\.marks import (.*)$", r"\g<0>, toy", text)
    listed, also = re.subn(r"(?m)^_FAMILIES = \(", "_FAMILIES = (toy, ", text)
    assert (found, also) == (1, 1)
    (home / REGISTRY).write_text(listed, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(TOY / "ask.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=home,
        env=os.environ | {"PYTHONPATH": str(home)},
    )
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert told.pop("rows") >= told.pop("exported") > 4
    assert "| `toy_half` |" in told.pop("docs")
    figures = told.pop("figures")
    assert figures["success"]["mean"] == 1.0, figures
    for name, problems in told.items():
        with subtests.test(name):
            assert problems == []

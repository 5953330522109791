"""Libraries do not report to their makers, whichever of our packages is imported first."""

import ast
import os
import runpy
import sys

import pytest

from recon.telemetry import SWITCHES
from tests.support.paths import ROOT


def test_reports_are_off_unless_somebody_asked_for_them(monkeypatch, subtests):
    for name, value in SWITCHES.items():
        for was, becomes in ((None, value), ("as they wish", "as they wish")):
            with subtests.test(name=name, was=was), monkeypatch.context() as patch:
                patch.delenv(name, raising=False) if was is None else patch.setenv(name, was)
                runpy.run_path(str(ROOT / "recon" / "telemetry.py"))
                assert os.environ[name] == becomes
                patch.setenv(name, value)  # so that it is taken away again


@pytest.mark.parametrize("package", ["recon", "trajectories", "instructions", "roomtour"])
def test_every_package_turns_them_off_before_it_imports_anything_of_others(package):
    body = ast.parse((ROOT / package / "__init__.py").read_text(encoding="utf-8")).body
    modules = [line for line in body if isinstance(line, ast.ImportFrom | ast.Import)]
    alone = ("__future__", "typing", "roomtour.importing")  # which import nothing of others
    first = next(line for line in modules if getattr(line, "module", "") not in alone)
    assert ast.unparse(first) == "import recon.telemetry"


def test_what_comes_before_them_imports_nothing_of_others():
    tree = ast.parse((ROOT / "roomtour" / "importing.py").read_text(encoding="utf-8"))
    names = [one.name for line in ast.walk(tree) if isinstance(line, ast.Import) for one in line.names]
    names += [line.module or "" for line in ast.walk(tree) if isinstance(line, ast.ImportFrom)]
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names

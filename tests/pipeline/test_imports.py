"""The import rule: recon, trajectories, instructions, roomtour; never backwards, and across a border only records."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

ORDER = ("recon", "trajectories", "instructions", "roomtour")
BORDER_MODULES = {
    "geometry",
    "records",
    "findings",
    "conventions",
    "errors",
    "ranges",
    "tasks",
    "pictures",
    "arrays",
    "picture_faults",
}
HEAVY = {"torch", "transformers", "openai", "ray", "mujoco", "viser"}


def list_imported_modules(path: Path) -> set[str]:
    out: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            out.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            out.add(node.module)
    return out


SOURCES = [path for package in ORDER for path in sorted((ROOT / package).rglob("*.py"))]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_never_go_backwards(path):
    package = path.relative_to(ROOT).parts[0]
    for module in list_imported_modules(path):
        top, *rest = module.split(".")
        if top not in ORDER or top == package:
            continue
        assert ORDER.index(top) < ORDER.index(package), f"{path} imports {module}"
        if package != "roomtour":
            assert rest, f"{path} imports the whole package {module}"
            assert rest[0] in BORDER_MODULES, f"{path} imports {module}; only {sorted(BORDER_MODULES)} cross a border"


def test_records_never_import_a_stage():
    for package in ORDER[:3]:
        for module in list_imported_modules(ROOT / package / "records.py"):
            top, *rest = module.split(".")
            assert top not in ORDER or rest[0] in BORDER_MODULES


def test_importing_roomtour_loads_nothing_heavy():
    code = "import sys, roomtour; print('\\n'.join(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert not HEAVY.intersection(out.split())

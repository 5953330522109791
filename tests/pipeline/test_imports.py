"""What import contracts do not say: across a border only records pass, and quick commands import nothing heavy."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT

CORE = ("recon", "trajectories", "instructions")
BORDER = {
    "geometry", "given_files", "records", "findings", "conventions", "errors", "ranges", "tasks", "pictures", "arrays",
    "picture_faults", "telemetry", "numerals", "floor_masks", "planes",
}  # fmt: skip
ARRAYS = {"numpy", "pyarrow"}
HEAVY = {
    "scipy", "sklearn", "networkx", "cv2", "pycolmap", "av", "pandas", "torch", "transformers", "structlog", "viser",
    "openai", "ray", "mujoco",
}  # fmt: skip
"""Each costs a tenth of a second of CPU time or more."""


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def test_across_a_border_only_records_pass():
    """Of the packages below, the core imports these modules alone; its own records import nothing else either."""
    wrong = []
    for package in CORE:
        for path in (ROOT / package).rglob("*.py"):
            is_records = path == ROOT / package / "records.py"
            for module in imports_of(path):
                top, _, rest = module.partition(".")
                if top in CORE and (top != package or is_records) and rest.partition(".")[0] not in BORDER:
                    wrong.append(f"{path.relative_to(ROOT)}: {module}")
    assert wrong == []


RUN = "import sys\nfrom roomtour.cli import main\nassert main(sys.argv[1:]) == 0\n"
PACKAGES = "import roomtour, roomtour.export, roomtour.report\n"
DRIVER = "import roomtour.batch.driver, roomtour.batch.plan\n"


def test_quick_commands_import_nothing_heavy(finished_run: Path, subtests: pytest.Subtests):
    for script, words, unwanted in (
        (PACKAGES, [], HEAVY | ARRAYS),
        (RUN, ["--version"], HEAVY | ARRAYS),
        (RUN, ["--help"], HEAVY | ARRAYS),
        (RUN, ["process", "--help"], HEAVY | ARRAYS),
        (RUN, ["options", "clips"], HEAVY | ARRAYS),
        (RUN, ["show", str(finished_run)], HEAVY | {"pyarrow"}),
        (DRIVER, [], {"sklearn", "pandas", "torch"}),
    ):
        with subtests.test(" ".join(words) or script):
            tell = "import json, sys; print('\\n' + json.dumps(sorted(sys.modules)))"
            command = [sys.executable, "-c", script + tell, *words]
            ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
            assert unwanted.intersection(json.loads(ran.stdout.splitlines()[-1])) == set()

"""A kind of data is added by touching four files: its code, its stage, its row of the table, and its options."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

TOY = Path(__file__).parent / "toy_kind"

NEW_FILES = {"instructions/toy.py": TOY / "records_and_writer.py", "roomtour/stages/kinds/toy.py": TOY / "stage.py"}
CHANGES = {
    "roomtour/kinds.py": (
        (
            "from instructions.rows import Row\n",
            "from instructions.rows import Row\nfrom instructions.toy import ToyRow\n",
        ),
        (
            "KINDS: tuple[DataKind, ...] = (\n",
            "KINDS: tuple[DataKind, ...] = (\n"
            '    DataKind(name="toy", title="Toy questions", rows="toy", noun="toys", record=ToyRow,\n'
            '        text="counts of things",\n'
            '        needs=("perception",), reads=("toy", "seed")),\n',
        ),
    ),
    "roomtour/config.py": (
        (
            "from recon.matching.interfaces import",
            "from instructions.toy import ToyOptions\nfrom recon.matching.interfaces import",
        ),
        (
            "    seed: Seed = 0\n",
            '    toy: ToyOptions = ToyOptions()\n    """Toy questions (--data toy)"""\n    seed: Seed = 0\n',
        ),
    ),
}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project with the toy kind in it."""
    home = tmp_path / "copy"
    for package in ("recon", "trajectories", "instructions", "roomtour"):
        shutil.copytree(ROOT / package, home / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, source in NEW_FILES.items():
        shutil.copy(source, home / name)
    for name, changes in CHANGES.items():
        text = (home / name).read_text(encoding="utf-8")
        for old, new in changes:
            assert text.count(old) == 1, f"{name}: {old!r} stands there {text.count(old)} times"
            text = text.replace(old, new)
        (home / name).write_text(text, encoding="utf-8")
    return home


def roomtour(copy: Path, *words: object) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "roomtour", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(copy)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_new_kind_is_made_reported_exported_and_checked(copy: Path, finished_run: Path, tmp_path: Path):
    run = shutil.copytree(finished_run, tmp_path / "run")
    before = json.loads((run / "manifest.json").read_text())["stages"]
    assert "toy" in roomtour(copy, "make", run, "--data", "toy")
    after = json.loads((run / "manifest.json").read_text())["stages"]
    assert {name for name in after if after[name] != before.get(name)} == {"toy", "report"}
    counts = json.loads((run / "toy" / "counts.json").read_text())
    rows = (run / "toy" / "rows.jsonl").read_text().splitlines()
    assert counts["written"] == counts["kept"] + counts["rejected"] > 0
    assert counts["kept"] == len(rows)

    page = (run / "report.html").read_text(encoding="utf-8")
    assert "toy" in {cell.strip() for cell in re.findall(r"<td[^>]*>([^<]*)</td>", page)}  # the table of stages

    roomtour(copy, "export", run, "--format", "jsonl", "--data", "toy", "--out", tmp_path / "toys")
    exported = [json.loads(line) for line in (tmp_path / "toys" / "toy.jsonl").read_text().splitlines()]
    assert sum(row["accepted"] for row in exported) == counts["kept"]
    assert {row["images"][0] for row in exported} <= {path.name for path in (run / "frames").iterdir()}
    assert (tmp_path / "toys" / "instructions.jsonl").read_text() == ""
    assert "valid" in roomtour(copy, "validate", tmp_path / "toys")
    assert "toy.least" in roomtour(copy, "options", "toy")

"""Tables of measured figures as files, `benchmarks/results/NAME.md`, which the pages of `docs/` link.

A table tells the command, commit, date and machine that made it, so that nobody has to trust a figure by its age.
"""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def write_table(
    name: str, columns: Sequence[str], rows: Sequence[Sequence[object]], command: str | None = None, note: str = ""
) -> Path:
    """Write a Markdown table over the earlier one of this name.

    Args:
        name: Of the file, without suffix.
        columns: Their headings.
        rows: As many cells each as there are columns; None is an empty cell.
        command: That measured it; by default the one that runs now, without the folders of this machine.
        note: What a reader must know to understand the columns.

    Returns:
        The file.
    """
    wrong = [row for row in rows if len(row) != len(columns)]
    if wrong:
        raise ValueError(f"{name}: row {wrong[0]} has {len(wrong[0])} cells for {len(columns)} columns")
    lines = [columns, ["---"] * len(columns), *rows]
    table = "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)
    measured = f"`{command or this_command()}`, commit {read_commit()}, {datetime.now(UTC):%d %B %Y}, {_machine()}."
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.md"
    path.write_text("\n\n".join(filter(None, (measured, note, table))) + "\n", encoding="utf-8")
    return path


def this_command() -> str:
    """The command line as it would be typed in the project; of absolute paths only the last part."""
    words = [Path(word).name if word.startswith("/") else word for word in sys.argv[1:]]
    return shlex.join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *words])


def _cell(cell: object) -> str:
    return "" if cell is None else str(cell).replace("|", "\\|")


def read_commit() -> str:
    """The commit that runs, and whether the packages have changes beside it."""
    root = Path(__file__).parents[1]

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False).stdout.strip()

    changed = git(
        "status", "--porcelain", "--untracked-files=no", "--", "recon", "trajectories", "instructions", "roomtour"
    )
    return (git("rev-parse", "--short=8", "HEAD") or "unknown") + (" with changes" if changed else "")


def _machine() -> str:
    python = ".".join(platform.python_version_tuple()[:2])
    return f"{os.cpu_count()} cores ({platform.machine()}), {platform.system()}, Python {python}"

"""Sums of all files of a dataset, as `sha256sum -c SHA256SUMS` reads them: what was changed since then is found."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import file_digest
from pathlib import Path

from roomtour.export.core.folder import SUMS
from roomtour.export.core.records import Problem

_FOUND = {False: "other contents", True: "no such file"}


def write_sums(folder: Path) -> None:
    """Write the sums of every file that lies in the folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    lines = [f"{_digest(path)}  {path.relative_to(folder).as_posix()}\n" for path in files]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def check_sums(folder: Path) -> Iterator[Problem]:
    """Files that are not as they were exported; none where the dataset has no sums."""
    path = folder / SUMS
    if not path.is_file():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        digest, _, name = line.partition("  ")
        file = folder / name
        if not name or ".." in Path(name).parts or Path(name).is_absolute():
            yield Problem(SUMS, number, "sha256", "a sum and the name of a file of the dataset", line[:80])
        elif not file.is_file() or _digest(file) != digest:
            yield Problem(name, None, "sha256", "as it was exported", _FOUND[not file.is_file()])


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()

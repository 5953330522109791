"""Sums of all files of a dataset, as `sha256sum -c SHA256SUMS` reads them: what was changed since then is found."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import file_digest
from pathlib import Path

from roomtour.export.core.records import Problem

SUMS = "SHA256SUMS"
"""Of every other file of a dataset."""
_FOUND = {False: "other contents", True: "no such file"}


def write_sums(folder: Path) -> None:
    """Write the sums of every file that lies in the folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    lines = [f"{_digest(path)}  {path.relative_to(folder).as_posix()}\n" for path in files]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def list_changed(folder: Path) -> list[str]:
    """Names of files that were added or changed since the export; none where the dataset has no sums."""
    if not (folder / SUMS).is_file():
        return []
    written = {name: digest for digest, name in _read_sums(folder)}
    files = [path for path in folder.rglob("*") if path.is_file() and path != folder / SUMS]
    return sorted(name for path in files if written.get(name := path.relative_to(folder).as_posix()) != _digest(path))


def check_sums(folder: Path) -> Iterator[Problem]:
    """Files that are not as they were exported; none where the dataset has no sums."""
    if not (folder / SUMS).is_file():
        return
    for number, (digest, name) in enumerate(_read_sums(folder), start=1):
        file = folder / name
        if not name or ".." in Path(name).parts or Path(name).is_absolute():
            found = f"{digest}  {name}"[:80]
            yield Problem(SUMS, number, "sha256", "a sum and the name of a file of the dataset", found)
        elif not file.is_file() or _digest(file) != digest:
            yield Problem(name, None, "sha256", "as it was exported", _FOUND[not file.is_file()])


def _read_sums(folder: Path) -> Iterator[tuple[str, str]]:
    """Digest and name of each line."""
    for line in (folder / SUMS).read_text(encoding="utf-8", errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        yield digest, name


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()

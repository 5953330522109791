"""The folder of an export: written aside, renamed when whole, with the sum of every file, and never put over files that
are not ours.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import Any

from roomtour.errors import RoomtourError
from roomtour.export.core.records import Problem
from roomtour.files.paths import require_usable_path
from roomtour.files.records import parse_json

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
            line = f"{digest}  {name}"[:80]
            yield Problem(SUMS, number, "sha256", "a sum and the name of a file of the dataset", line)
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


MARKER = "export.json"
"""Names a folder as an export of ours, and lists what lies in it."""
CARD = "README.md"


@contextmanager
def fresh_folder(out: Path) -> Iterator[Path]:
    """Hand out an empty folder beside `out` that takes its place when the block ends well.

    The block must write the marker. A block that fails leaves `out` as it was and nothing aside; a killed one leaves
    `out` as it was and a `.part` folder that the next export removes.

    Raises:
        RoomtourError: If `out` holds anything but an earlier export as it was written, or cannot be written.
    """
    require_usable_path(out, "--out")
    out = out.absolute()
    part, old = out.with_name(out.name + ".part"), out.with_name(out.name + ".old")
    try:
        _require_ours(out)
        _refuse_foreign(out, set(list_changed(out)) if read_marker(out) is not None else set())
        for leftover in (part, old):
            _require_ours(leftover)
            if leftover.exists():
                shutil.rmtree(leftover)
        part.mkdir(parents=True)
        write_marker(part, {"unfinished": True}, [])
        try:
            yield part
            if out.exists():
                out.rename(old)
            part.rename(out)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            if old.exists() and not out.exists():
                old.rename(out)
            raise
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise RoomtourError(
            f"--out {out}: cannot be written: {error.strerror or error}. "
            "Nothing was changed; choose another folder or make room."
        ) from error


def write_marker(folder: Path, facts: dict[str, Any], files: list[str]) -> None:
    """Write the marker with the names of the top-level entries of the folder."""
    text = json.dumps({"made_by": "roomtour", **facts, "files": files}, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / MARKER).write_text(text + "\n", encoding="utf-8")


def read_marker(folder: Path) -> dict[str, Any] | None:
    """The marker of an export of ours, or None for any other folder."""
    try:
        facts = parse_json((folder / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return facts if isinstance(facts, dict) and facts.get("made_by") == "roomtour" else None


def has_sums(folder: Path) -> bool:
    """Whether the sums of an export of ours are there; other folders need none."""
    return read_marker(folder) is None or bool((folder / SUMS).is_file() and (folder / SUMS).stat().st_size)


def _require_ours(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise RoomtourError(f"--out {folder}: is a link or a file, need a folder")
    if not folder.exists():
        return
    present = {entry.name for entry in folder.iterdir()}
    marker = read_marker(folder)
    if marker is None:
        foreign = present
    elif marker.get("unfinished"):
        foreign = set()
    else:
        foreign = present - {MARKER, SUMS} - set(marker.get("files", ()))
    _refuse_foreign(folder, foreign)


def _refuse_foreign(folder: Path, foreign: set[str]) -> None:
    if foreign:
        raise RoomtourError(
            f"--out {folder}: holds {len(foreign)} files that no export wrote, or that were changed since (such as "
            f"{min(foreign)!r}). Choose an empty or new folder."
        )

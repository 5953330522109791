"""Check any dataset of ours against the rules of its format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roomtour.errors import RoomtourError
from roomtour.export.chat_marks import check_texts
from roomtour.export.contents import check_contents
from roomtour.export.core.checking import check_pictures
from roomtour.export.core.folder import CARD, MARKER, read_marker
from roomtour.export.core.records import Problem
from roomtour.export.core.sums import check_sums
from roomtour.export.registry import FORMATS, get_format
from roomtour.files.paths import require_plain_files
from roomtour.files.records import parse_json

_CARD_SECTIONS = (
    "## Convention",
    "## Counts",
    "## Splits",
    "## Label balance",
    "## Dropped",
    "## Provenance and licence",
    "## Checks",
)


def validate_export(path: Path | str, format: str | None = None) -> list[Problem]:
    """Check a dataset.

    Args:
        path: Its folder.
        format: Name of its format; read from `export.json`, else told from the files, if None.

    Returns:
        Every broken rule, in file order; where none is broken, rows and pictures that are fewer or more than were
        exported; else the files that are not as they were. Empty for a valid dataset; one in which texts were changed
        on purpose goes without its `SHA256SUMS`.

    Raises:
        RoomtourError: If there is no such folder, its format is unknown, or it holds a pipe, a socket or a device.
    """
    path = Path(path)
    if not path.is_dir():
        raise RoomtourError(f"{path}: no such folder; name a folder made by roomtour export")
    require_plain_files(path)
    kind = get_format(format or _detect(path))
    try:
        problems = kind.find_problems(path)
    except OSError as error:
        raise RoomtourError(f"{path}: cannot be read: {error.strerror or error}") from error
    problems += _check_card(path) if read_marker(path) is not None else list(_check_marker(path))
    problems += [*check_pictures(path), *check_texts(path)]
    problems = problems or list(check_contents(path, (read_marker(path) or {}).get("contents")))
    return problems or (list(check_sums(path)) if (path / MARKER).exists() else [])


def _detect(path: Path) -> str:
    marker = read_marker(path)
    if marker is not None:
        if marker.get("unfinished"):
            raise RoomtourError(f"{path}: the export was not finished; export again")
        return str(marker.get("format"))
    for kind in FORMATS.values():
        if kind.recognises(path):
            return kind.name
    raise RoomtourError(f"{path}: looks like no known format ({', '.join(FORMATS)}); name it with --format")


def _check_marker(path: Path) -> Iterator[Problem]:
    """A marker that is none of ours may be another's file, but is no piece of JSON."""
    if (path / MARKER).is_file():
        try:
            parse_json((path / MARKER).read_bytes())
        except ValueError as error:
            yield Problem(MARKER, None, "json", "valid JSON", str(error))


def _check_card(path: Path) -> list[Problem]:
    """The card must be there and whole, and the files listed in the marker must be there."""
    marker = read_marker(path) or {}
    problems = [
        Problem(MARKER, None, "files", f"{name} in the folder", "no such file")
        for name in marker.get("files", ())
        if not (path / str(name)).exists()
    ]
    if not (path / CARD).is_file():
        return [*problems, Problem(CARD, None, "card", "a dataset card", "no such file")]
    text = (path / CARD).read_text(encoding="utf-8", errors="replace")
    return problems + [
        Problem(CARD, None, "card", f"a section {section!r}", "no such section")
        for section in _CARD_SECTIONS
        if section not in text
    ]

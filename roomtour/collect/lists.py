"""Candidates out of lists: text, CSV or JSONL of paths and addresses, a downloader's info files, folders of videos."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from recon.given_files import is_system_file
from roomtour.collect.records import Candidate, Heard
from roomtour.errors import RoomtourError
from roomtour.files.records import from_plain, parse_given, read_given
from roomtour.sources import VIDEO_SUFFIXES
from roomtour.tour_facts import INFO, SIDE_CAR, UNKNOWN, facts_from_info, read_facts_beside

_MAX_BYTES = 1 << 26
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)


def read_candidates(lists: Sequence[Path]) -> list[Candidate]:
    """The videos that lists name, each once, in their order.

    Args:
        lists: Text files with a path or address per line, CSV files with a head, `*.jsonl`, `*.info.json` of a
            downloader (yt-dlp), videos, and folders of videos and info files. Paths are sought beside the list.

    Raises:
        RoomtourError: Naming the file and line that cannot be read, or two different videos of one id.
    """
    seen: dict[str, Candidate] = {}
    for path in lists:
        for candidate in _read_list(path):
            before = seen.setdefault(candidate.id, candidate)
            if (before.path, before.url) != (candidate.path, candidate.url):
                raise RoomtourError(
                    f"{path}: id {candidate.id} stands for {before.path or before.url} already; name it anew"
                )
    if not seen:
        raise RoomtourError(f"{', '.join(map(str, lists)) or 'no list'}: names no video")
    return list(seen.values())


def _read_list(path: Path) -> Iterable[Candidate]:
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file() and not is_system_file(file.name))
        described = {file.name.removesuffix(INFO) for file in files if file.name.endswith(INFO)}
        for file in files:
            if file.name.endswith(INFO) or (file.suffix.lower() in VIDEO_SUFFIXES and file.stem not in described):
                yield from _read_list(file)
        return
    if path.suffix.lower() in VIDEO_SUFFIXES:
        yield _of_file(path)
    elif path.name.endswith(INFO):
        yield read_info_file(path)
    elif path.suffix.lower() == ".jsonl":
        for number, line in enumerate(_read_text(path).splitlines(), 1):
            if line.strip():
                yield _of_row(_parse_object(line, f"{path}: line {number}"), path, f"{path}: line {number}")
    elif path.suffix.lower() == ".csv":
        for number, row in enumerate(csv.DictReader(io.StringIO(_read_text(path))), 2):
            cells = {key: value for key, value in row.items() if key and value}
            yield _of_row(cells, path, f"{path}: line {number}")
    else:
        for line in _read_text(path).splitlines():
            if line.strip() and not line.lstrip().startswith("#"):
                yield _of_word(line.strip(), path)


def read_info_file(path: Path) -> Candidate:
    """A video by the file that a downloader left of it.

    Raises:
        RoomtourError: If it cannot be read.
    """
    return candidate_from_info(_parse_object(_read_text(path), str(path)), path)


def candidate_from_info(info: Mapping[str, Any], path: Path) -> Candidate:
    """As a downloader describes it; the video is sought beside its info file."""

    def number(name: str) -> float:
        value = info.get(name)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0

    facts = facts_from_info(info)
    stem = path.name.removesuffix(INFO)
    video = next((file for end in VIDEO_SUFFIXES if (file := path.with_name(stem + end)).is_file()), None)
    said = {name: getattr(facts, name) for name in ("url", "title", "author", "retrieved", "licence")}
    said |= {name: _text(info.get(name)) for name in ("channel", "availability")}
    return Candidate(
        _safe(str(info.get("id") or stem)), str(video.absolute()) if video else "", **said,
        published=_text(info.get("upload_date")), seconds=number("duration"), width=int(number("width")),
        height=int(number("height")), licence_source=INFO[1:] if facts.licence != UNKNOWN else "",
        has_speech=_has_speech(info), tool=_name_tool(info), age_limit=int(number("age_limit")),
        is_live=info.get("is_live") is True or info.get("live_status") in ("is_live", "is_upcoming"),
        description=_text(info.get("description"))[:2000],
    )  # fmt: skip


def add_told(candidate: Candidate, described: Candidate) -> Candidate:
    """A candidate with what another description says where its own says nothing; its name and file stay."""
    blank = Candidate("")
    new = {
        field.name: getattr(described, field.name)
        for field in fields(Candidate)
        if field.name not in ("id", "path") and getattr(candidate, field.name) == getattr(blank, field.name)
    }
    if candidate.licence != UNKNOWN:
        new.pop("licence_source", None)  # of the other's licence
    return replace(candidate, **new)


def _of_file(path: Path) -> Candidate:
    """What is beside a video tells of it: our own file first, then the downloader's."""
    candidate = Candidate(_safe(path.stem), str(path.absolute()))
    stem = path.with_suffix("") if path.is_file() else path
    if stem.with_name(stem.name + SIDE_CAR).is_file():
        facts = read_facts_beside(path)
        source = SIDE_CAR[1:] if facts.licence != UNKNOWN else ""
        candidate = replace(candidate, licence_source=source, **asdict(facts))
    info = stem.with_name(stem.name + INFO)
    return add_told(candidate, read_info_file(info)) if info.is_file() else candidate


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _has_speech(info: Mapping[str, Any]) -> Heard:
    """A platform makes subtitles of what it hears; without a word about them nobody knows. Chats are no speech."""
    tracks = [info[name] for name in ("subtitles", "automatic_captions") if isinstance(info.get(name), Mapping)]
    if not tracks:
        return UNKNOWN
    return "yes" if any(set(track) - {"live_chat"} for track in tracks) else "no"


def _name_tool(info: Mapping[str, Any]) -> str:
    version = info.get("_version")
    number = _text(version.get("version")) if isinstance(version, Mapping) else ""
    return f"yt-dlp {number}" if number else ""


def _of_word(word: str, path: Path) -> Candidate:
    if _ADDRESS.fullmatch(word):
        return Candidate(_id_of(word), url=word)
    return _of_file(path.parent / word)


def _of_row(row: Mapping[str, Any], path: Path, where: str) -> Candidate:
    """A row by the names of our fields; `source` stands for path or address."""
    values = dict(row)
    source = values.pop("source", values.pop("path", values.get("url", "")))
    if not isinstance(source, str) or not source:
        raise RoomtourError(f'{where}: need "source" (or "path", "url"): the path or address of a video')
    known = {field.name for field in fields(Candidate)} - {"path", "is_live", "home_source"}
    unknown = sorted(set(values) - known)
    if unknown:
        raise RoomtourError(f"{where}: unknown {unknown[0]!r}; a video has {', '.join(sorted(known))}")
    if values.get("licence", UNKNOWN) != UNKNOWN:
        values.setdefault("licence_source", "list")
    base = _of_word(source, path)
    candidate = from_plain({**asdict(base), **values}, Candidate, where)
    return replace(candidate, id=_safe(candidate.id))


def _id_of(address: str) -> str:
    """A name for an address: its last readable part and a hash, for parts are not unique."""
    last = re.split(r"[/?=&#]+", address.rstrip("/"))[-1]
    return f"{_safe(last)[:60]}-{sha256(address.encode()).hexdigest()[:6]}"


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:120] or "tour"


def _read_text(path: Path) -> str:
    return read_given(path, "a list of videos", _MAX_BYTES)


def _parse_object(text: str, where: str) -> dict[str, Any]:
    return parse_given(text, where, f"a JSON object per video (or a {SIDE_CAR} beside it)")

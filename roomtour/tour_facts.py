"""What is known of a tour besides its pictures: whose it is, under what licence, and whether they agreed.

Facts change no result, so they are part of no stage's key but that of the report. They come from the command line, from
a row of a list of tours, from a file beside the tour, or from what the run knows already, in this order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from roomtour.errors import RoomtourError, did_you_mean
from roomtour.files.records import parse_given, read_given

Consent = Literal["unknown", "given", "refused"]
UNKNOWN = "unknown"
SIDE_CAR, INFO = ".tour.json", ".info.json"
"""Ends of the names of files beside a tour: ours, and that of a downloader (yt-dlp)."""
_MAX_BYTES = 1 << 24
"""A side-car is a few lines; the downloader's is some hundred kilobytes."""


@dataclass(frozen=True, kw_only=True)
class TourFacts:
    """What is known of a tour; empty or `unknown` where nobody said."""

    licence: str = UNKNOWN
    """Under which the tour may be used, word for word as its owner or platform says; stands in every dataset."""
    title: str = ""
    """Of the video."""
    author: str = ""
    """Who filmed or published it."""
    url: str = ""
    """Where it was published."""
    consent: Consent = UNKNOWN
    """Whether those whose home it shows agreed to its use; a tour with `refused` leaves in no export."""
    retrieved: str = ""
    """Day it was fetched, such as 2026-05-01."""
    home: str = ""
    """Name of the home: tours of one home fall into one split."""

    @property
    def is_known(self) -> bool:
        """Whether anything is said at all."""
        return self != TourFacts()

    def or_else(self, other: TourFacts) -> TourFacts:
        """These facts, with those of `other` where nothing is said."""
        ours, theirs, blank = asdict(self), asdict(other), asdict(TourFacts())
        return TourFacts(**{name: ours[name] if ours[name] != blank[name] else theirs[name] for name in ours})


def read_facts_beside(source: Path) -> TourFacts:
    """The facts in `NAME.tour.json` beside a tour `NAME.mp4` or a folder `NAME`, else in a downloader's
    `NAME.info.json`; nothing if there is neither.

    Raises:
        RoomtourError: If the file is no such JSON, naming it and what is wrong.
    """
    stem = source.with_suffix("") if source.is_file() else source
    ours, theirs = (stem.with_name(stem.name + end) for end in (SIDE_CAR, INFO))
    if ours.is_file():
        return facts_from_dict(_read_object(ours), str(ours))
    if theirs.is_file():
        return facts_from_info(_read_object(theirs))
    return TourFacts()


def facts_from_dict(values: Mapping[str, Any], where: str) -> TourFacts:
    """Facts by their names.

    Raises:
        RoomtourError: For another name, or a value that is no text.
    """
    known = [field.name for field in fields(TourFacts)]
    for name, value in values.items():
        if name not in known:
            raise RoomtourError(f"{where}: unknown {name!r}; a tour has {', '.join(known)}.{did_you_mean(name, known)}")
        if not isinstance(value, str):
            raise RoomtourError(f"{where}: {name} is {value!r}, need a text")
    consent = values.get("consent", UNKNOWN)
    if consent not in ("unknown", "given", "refused"):
        raise RoomtourError(f"{where}: consent is {consent!r}, need unknown, given or refused")
    return TourFacts(**values)


def read_info(path: Path) -> TourFacts:
    """Facts out of a file that a downloader wrote.

    Raises:
        RoomtourError: If it cannot be read.
    """
    return facts_from_info(_read_object(path))


def facts_from_info(info: Mapping[str, Any]) -> TourFacts:
    """Facts as yt-dlp writes them. The licence is the platform's field word for word; absent stays unknown."""

    def text(*names: str) -> str:
        return next((str(info[name]) for name in names if isinstance(info.get(name), str) and info[name]), "")

    epoch = info.get("epoch")
    when = datetime.fromtimestamp(epoch, UTC) if isinstance(epoch, int) and 0 < epoch < 2**33 else None
    return TourFacts(
        licence=text("license") or UNKNOWN,
        title=text("title"),
        author=text("uploader", "channel"),
        url=text("webpage_url", "original_url"),
        retrieved=when.date().isoformat() if when else "",
    )


def _read_object(path: Path) -> Mapping[str, Any]:
    text = read_given(path, "facts of a tour", _MAX_BYTES)
    return parse_given(text, str(path), "one JSON object with the facts of a tour")

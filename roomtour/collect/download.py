"""Fetching the videos of a list with yt-dlp, slowly, and never past a block.

No cookies, accounts, tokens or proxies are used. A platform that asks for a sign-in is obeyed: fetching stops.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from roomtour.collect.lists import INFO, add_told, read_info_file
from roomtour.collect.records import Candidate, Judgement
from roomtour.errors import RoomtourError
from roomtour.sources import VIDEO_SUFFIXES

INSTALL = 'pip install "roomtour[collect]"'
_FORMAT = "bestvideo[height<=720]/best[height<=720]/best"
_FORMAT_WITH_SOUND = "bestvideo[height<=720]+bestaudio/best[height<=720]/best"
_ASKS_TO_WAIT = ("429", "rate-limit", "rate limit", "too many requests")
_ASKS_TO_STOP = ("sign in", "login required", "confirm you're not a bot", "confirm you’re not a bot")
_WAIT_S = 3600.0
_LEAST_PAUSE_S, _MOST_BYTES = 5.0, 4_000_000_000
"""Between two videos, and of one."""


class BlockedError(RoomtourError):
    """The platform does not want to be asked any more."""


class Downloader:
    """Fetches one video after the other into a folder; what is there is not fetched again."""

    def __init__(
        self, folder: Path, per_hour: float = 100.0, sound: bool = False, sleep: Callable[[float], None] = time.sleep
    ):
        """Begin, with files in `folder`.

        Args:
            folder: Made if absent.
            per_hour: So many videos at most.
            sound: Fetch sound too, which nothing here hears; where it comes apart from the picture, FFmpeg joins them.
            sleep: Waits so many seconds.

        Raises:
            RoomtourError: If yt-dlp is not installed.
        """
        try:
            import yt_dlp
        except ImportError as error:
            raise RoomtourError(f"--download needs yt-dlp: {INSTALL}") from error
        self._tool: Any = yt_dlp
        self._folder, self._sleep = folder, sleep
        self._pause_s, self._sound = max(_LEAST_PAUSE_S, 3600.0 / per_hour), sound
        self._last: float | None = None
        self._told: dict[str, Any] = {}
        """What the platform said of videos that were described and not yet fetched."""

    def describe(self, candidate: Candidate) -> tuple[Candidate, Judgement]:
        """What the platform tells of a video before it is fetched, and the verdict.

        All that it tells is kept as `ID.info.json`; what was told before is not asked for again.

        Raises:
            BlockedError: As `fetch` does.
        """
        path = self._folder / f"{candidate.id}{INFO}"
        if not path.is_file():
            info, judgement = self._ask_politely(
                candidate, lambda tool: tool.extract_info(candidate.url, download=False)
            )
            if info is None:
                return candidate, judgement
            self._told[candidate.id] = info
            self._keep(candidate, info)
        return add_told(candidate, read_info_file(path)), Judgement(candidate.id, "download", "")

    def fetch(self, candidate: Candidate) -> tuple[Candidate, Judgement]:
        """The video with the path of its file, if that could be had, and the verdict.

        Raises:
            BlockedError: If the platform asks for a sign-in: then nothing more is to be asked of it.
        """
        there = self._find(candidate.id)
        if there is not None:
            return replace(candidate, path=str(there)), Judgement(candidate.id, "download", "")
        described = self._told.pop(candidate.id, None)

        def load(tool: Any) -> Any:
            if described is not None:  # a moment ago: it need not be asked for twice
                return tool.process_ie_result(described, download=True)
            return tool.extract_info(candidate.url, download=True)

        info, judgement = self._ask_politely(candidate, load)
        if info is None:
            return candidate, judgement
        self._keep(candidate, info)
        there = self._find(candidate.id)
        if there is None:
            return candidate, Judgement(
                candidate.id, "download", "not-available", "no video came", "a video that can be fetched"
            )
        figures = {"megabytes": there.stat().st_size / 1e6}
        return replace(candidate, path=str(there)), Judgement(candidate.id, "download", "", figures=figures)

    def _ask_politely(self, candidate: Candidate, call: Callable[[Any], Any]) -> tuple[Any | None, Judgement]:
        """What yt-dlp gives, None if it does not; after "too many requests" once more an hour later."""
        if urlsplit(candidate.url).scheme not in ("http", "https"):
            return None, Judgement(candidate.id, "download", "no-address", candidate.url[:200], "an http(s) address")
        for tries_left in (1, 0):
            self._pause()
            try:
                info = self._ask(candidate, call)
            except self._tool.utils.DownloadError as error:
                words = " ".join(str(error).split())[:300]
                if any(word in words.lower() for word in _ASKS_TO_STOP):
                    raise BlockedError(f"{candidate.url}: {words}; nothing more is fetched") from error
                if tries_left and any(word in words.lower() for word in _ASKS_TO_WAIT):
                    self._sleep(_WAIT_S)
                    continue
                return None, Judgement(candidate.id, "download", "not-available", words, "a video that can be fetched")
            if info.get("_type", "video") != "video":
                return None, Judgement(
                    candidate.id, "download", "not-a-video", info["_type"], "the address of one video"
                )
            return info, Judgement(candidate.id, "download", "")
        raise AssertionError("the second try always comes to an end")

    def _find(self, name: str) -> Path | None:
        files = (self._folder / f"{name}{end}" for end in VIDEO_SUFFIXES)
        return next((file.absolute() for file in files if file.is_file()), None)

    def _pause(self) -> None:
        if self._last is not None:
            self._sleep(max(0.0, self._pause_s - (time.monotonic() - self._last)))
        self._last = time.monotonic()

    def _ask(self, candidate: Candidate, call: Callable[[Any], Any]) -> Any:
        self._folder.mkdir(parents=True, exist_ok=True)
        name = str(self._folder.absolute() / candidate.id).replace("%", "%%")  # a percent sign begins a field there
        asked = {
            "format": _FORMAT_WITH_SOUND if self._sound else _FORMAT,
            "outtmpl": {"default": f"{name}.%(ext)s"},
            "noplaylist": True,
            "extract_flat": "in_playlist",  # a list that names a channel is told so; nobody walks through it
            "playlist_items": "1",
            "max_filesize": _MOST_BYTES,
            "quiet": True,
            "no_warnings": True,
            "noprogress": True,
            "retries": 2,
            "cachedir": False,
            "ignoreconfig": True,
            "enable_file_urls": False,
            "proxy": "",
        }
        with self._tool.YoutubeDL(asked) as tool:
            return tool.sanitize_info(call(tool))

    def _keep(self, candidate: Candidate, info: Any) -> None:
        path = self._folder / f"{candidate.id}{INFO}"
        path.write_text(json.dumps(info, ensure_ascii=False), encoding="utf-8")

"""Addresses are described, judged and fetched once, slowly, and as the platform wants it."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from roomtour.collect.download import BlockedError, Downloader
from roomtour.collect.gather import TOURS, collect
from roomtour.collect.records import Candidate, CollectOptions, Judgement
from tests.support.tour_videos import pan_over, write_video

LOOSE = CollectOptions(min_seconds=0.0, min_short_side=100.0)


@pytest.fixture(scope="module")
def pan(tmp_path_factory) -> Path:
    """A sound video of twelve seconds."""
    video = tmp_path_factory.mktemp("videos") / "pan.mp4"
    write_video(video, pan_over(1, 12.0))
    return video


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder; some addresses answer as a platform does that does not want to be asked."""

    asked: ClassVar[list[str]] = []
    refuse: ClassVar[int] = 0

    def do_GET(self) -> None:
        Handler.asked.append(self.path)
        if self.path.startswith("/busy") and Handler.refuse > 0:
            Handler.refuse -= 1
            self.send_error(429, "Too Many Requests")
        elif self.path.startswith("/gone"):
            self.send_error(404)
        else:
            super().do_GET()

    def log_message(self, *words: object) -> None:  # type: ignore[override]
        pass


@pytest.fixture
def server(pan, tmp_path) -> Iterator[str]:
    pytest.importorskip("yt_dlp", reason="needs the extra collect")
    for name in ("flat", "busy"):
        (tmp_path / f"{name}.mp4").write_bytes(pan.read_bytes())
    Handler.asked, Handler.refuse = [], 0
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(tmp_path))) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()


def test_an_address_is_fetched_once_and_slowly(server, tmp_path):
    slept: list[float] = []
    downloader = Downloader(tmp_path / "videos", 60.0, sleep=slept.append)
    listed = tmp_path / "list.txt"
    listed.write_text(f"{server}/flat.mp4\n{server}/gone.mp4\n")
    found = collect([listed], tmp_path / "set", LOOSE, until="probe", downloader=downloader)
    assert [one.id.split("-")[0] for one in found.kept] == ["flat_mp4"]
    assert {one.code for one in found.rejected} == {"not-available"}
    assert sum(slept) > 50
    before = len(Handler.asked)
    again = collect([listed], tmp_path / "set", LOOSE, until="probe", downloader=downloader)
    assert [one.path for one in again.kept] == [one.path for one in found.kept]
    assert not any("flat" in path for path in Handler.asked[before:])


def test_nobody_walks_through_a_channel_and_only_the_web_is_fetched(server, tmp_path, monkeypatch):
    downloader = Downloader(tmp_path / "videos", sleep=lambda seconds: None)
    for url in ("file:///etc/passwd", "ftp://a.example/x.mp4", "-o/tmp/x", ""):
        got, judgement = downloader.fetch(Candidate("x", url=url))
        assert (got.path, judgement.code) == ("", "no-address")
    import yt_dlp

    told = {"_type": "playlist", "id": "c", "entries": [{"id": "v"}]}
    monkeypatch.setattr(yt_dlp.YoutubeDL, "extract_info", lambda self, url, download: told)
    downloader = Downloader(tmp_path / "videos", sleep=lambda seconds: None)
    _, judgement = downloader.describe(Candidate("c", url=f"{server}/channel"))
    assert judgement.code == "not-a-video"


def test_a_platform_that_asks_to_wait_is_asked_again_an_hour_later(server, tmp_path):
    slept: list[float] = []
    downloader = Downloader(tmp_path / "videos", sleep=slept.append)
    Handler.refuse = 50
    _, judgement = downloader.fetch(Candidate("busy", url=f"{server}/busy.mp4"))
    assert judgement.code == "not-available"
    assert slept.count(3600.0) == 1
    Handler.refuse = 0
    got, judgement = downloader.fetch(Candidate("busy", url=f"{server}/busy.mp4"))
    assert judgement.code == ""
    assert Path(got.path).is_file()


def test_a_platform_that_asks_for_a_sign_in_is_left_alone(server, tmp_path, monkeypatch):
    downloader = Downloader(tmp_path / "videos", sleep=lambda seconds: None)
    import yt_dlp
    from yt_dlp.utils import DownloadError

    def refuse(self: object, url: str, download: bool) -> None:
        raise DownloadError("ERROR: Sign in to confirm you're not a bot")

    monkeypatch.setattr(yt_dlp.YoutubeDL, "extract_info", refuse)
    with pytest.raises(BlockedError, match="nothing more is fetched"):
        downloader.fetch(Candidate("flat", url=f"{server}/flat.mp4"))
    (tmp_path / "list.txt").write_text(f"{server}/flat.mp4\n{server}/busy.mp4\n")
    found = collect([tmp_path / "list.txt"], tmp_path / "set", LOOSE, downloader=downloader)
    assert len(found.waiting) == 2
    assert "Sign in" in found.stopped


class Teller:
    """A downloader that knows what a platform tells of two videos, and counts what it is asked for."""

    def __init__(self, video: Path):
        self.described: list[str] = []
        self.fetched: list[str] = []
        self._video = video

    def describe(self, candidate: Candidate):
        self.described.append(candidate.id)
        licence = "CC-BY" if candidate.id == "free" else "All rights reserved"
        return replace(candidate, licence=licence, title="12 Elm Street", channel="A"), Judgement(
            candidate.id, "download", ""
        )

    def fetch(self, candidate: Candidate):
        self.fetched.append(candidate.id)
        return replace(candidate, path=str(self._video)), Judgement(candidate.id, "download", "")


def test_what_the_platform_tells_is_judged_before_anything_is_fetched(pan, tmp_path):
    rows = [{"id": name, "source": f"https://a.example/{name}"} for name in ("free", "owned")]
    rows += [{"id": "listed", "source": "https://a.example/listed", "seconds": 5}]
    (tmp_path / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    teller = Teller(pan)
    options = CollectOptions(min_seconds=6.0, min_short_side=100.0, licences=("CC-BY",))
    found = collect([tmp_path / "list.jsonl"], tmp_path / "set", options, until="probe", downloader=teller)
    assert {one.id: one.code for one in found.rejected} == {"owned": "licence", "listed": "too-short"}
    assert (teller.described, teller.fetched) == (["free", "owned"], ["free"])
    tour = json.loads((tmp_path / "set" / TOURS).read_text())
    assert (tour["licence"], tour["title"], tour["home"][:5]) == ("CC-BY", "12 Elm Street", "home-")

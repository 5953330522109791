"""A hundred made candidates, listed, on disk and behind addresses: each falls for its reason, and no other does."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np
import pytest

from roomtour.collect.download import Downloader, DownloadOptions
from roomtour.collect.gather import collect
from roomtour.collect.lists import read_candidates
from roomtour.collect.records import CollectOptions
from tests.support.tour_videos import Picture, change, move_slides, pan_over, read_pictures, write_video

pytestmark = pytest.mark.proof
LOOSE = CollectOptions(
    min_minutes=0.0, min_short_side=100.0, licences=("CC-BY", "unknown"), forbidden_words=("reaction",)
)
FACTS = [
    *[({"title": f"House Reaction {number}"}, "words") for number in range(4)],
    *[({"licence": "All rights reserved"}, "licence")] * 4,
    *[({"consent": "refused"}, "consent-refused")] * 3,
    *[({"age_limit": 18}, "age-limit")] * 3,
    *[({"seconds": 4000}, "too-long")] * 3,
    *[({"width": 90, "height": 160}, "too-small")] * 3,
]
SOUND, FETCHED = 30, 6


def make_slides(seed: int) -> Iterator[Picture]:
    """Pages of text, four seconds each."""
    rng = np.random.default_rng(seed)
    for page in range(3):
        picture = np.full((270, 480, 3), 255 - 20 * page, np.uint8)
        for line in range(6):
            words = "".join(chr(97 + one) for one in rng.integers(0, 26, 22))
            cv2.putText(picture, words, (20, 40 + 36 * line), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (20, 20, 60), 2)
        yield from [picture] * 40


def make_standing(seed: int) -> Iterator[Picture]:
    """A wall before a camera on a tripod, with light that flickers: no two pictures are equal, and nobody walks."""
    rng = np.random.default_rng(seed)
    wall = pan_over(seed, 0.1)[0].astype(np.int16)
    for number in range(100):
        yield np.clip(wall + rng.integers(-6, 7, wall.shape) + number // 10 % 2, 0, 255).astype(np.uint8)


def make_shots(seed: int) -> Iterator[Picture]:
    """Sixteen short shots, each in a light of its own: one painter's walls under one lamp are alike to a cut finder."""
    rng = np.random.default_rng(seed)
    for number in range(16):
        dark, tint = rng.uniform(0.3, 0.5) if number % 2 else 1.0, rng.uniform(0.6, 1.0, 3)
        yield from change(pan_over(seed + number, 1.2), lambda one, by=dark * tint: one * by)


def copy_of(number: int, pictures: list[Picture]) -> Iterator[Picture] | list[Picture]:
    """Some copy of a video, by turns."""
    edits = (
        lambda: change(pictures, lambda one: one[:264:2, ::2]),
        lambda: change(pictures, lambda one: one[:, ::-1]),
        lambda: change(pictures, lambda one: np.clip(one * 0.8 + 30.0, 0, 255)),
        lambda: pictures[13:],
        lambda: change(pictures[7:-7], lambda one: one[:, ::-1]),
    )
    return iter(edits[number % len(edits)]())


@pytest.fixture(scope="module")
def candidates(tmp_path_factory) -> tuple[Path, dict[str, str]]:
    """A folder with videos and a list of all, and the code that each has to fall with; empty for sound ones."""
    folder = tmp_path_factory.mktemp("hundred")
    expected: dict[str, str] = {}

    def add(name: str, pictures, code: str, **how) -> None:
        write_video(folder / f"{name}.mp4", pictures, **how)
        expected[name] = code

    for number in range(SOUND):
        add(f"sound{number}", pan_over(100 + number, 9.0), "")
    for number in range(14):
        source = read_pictures(folder / f"sound{number}.mp4")
        add(f"copy{number}", copy_of(number, source), "duplicate", crf=30)
    for number in range(10):
        add(f"cuts{number}", make_shots(1000 + 20 * number), "cuts")
    for number in range(8):
        add(f"slides{number}", make_slides(number), "still")
    for number in range(6):
        lights = (0.5, 1.0, 0.4, 0.9)  # so that the cuts between them are found
        slides = [(pan_over(7000 + 10 * number + k, 0.1)[0] * by).astype(np.uint8) for k, by in enumerate(lights)]
        add(f"moving{number}", move_slides(slides), "moving-slides")
    for number in range(4):
        add(f"black{number}", [np.full((270, 480, 3), 3 + number, np.uint8)] * 60, "black")
        bars = partial(np.pad, pad_width=((0, 0), (150, 150), (0, 0)))
        add(f"bars{number}", change(pan_over(300 + number, 8.0), lambda one, pad=bars: pad(one[:, 150:330])), "bars")
        blur = change(pan_over(400 + number, 8.0), lambda one: cv2.GaussianBlur(one, (0, 0), 12))
        add(f"blurred{number}", blur, "blurred")
        (folder / f"broken{number}.mp4").write_bytes((folder / "sound0.mp4").read_bytes()[: 1500 + 300 * number])
        expected[f"broken{number}"] = "unreadable"
    for number in range(6):
        add(f"standing{number}", make_standing(501 + number), "standing", crf=12)
    rows = [{"source": f"{name}.mp4"} for name in expected]
    for number, (facts, code) in enumerate(FACTS):
        rows.append({"source": f"https://videos.example/watch?v={number}", "id": f"listed{number}", **facts})
        expected[f"listed{number}"] = code
    (folder / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder, expected


def test_each_of_a_hundred_candidates_falls_for_its_own_reason(candidates, tmp_path):
    folder, expected = candidates
    assert len(expected) == 110
    found = collect([folder / "list.jsonl"], tmp_path / "set", LOOSE)
    fell = {one.id: one.code for one in found.rejected}
    assert {name: (code, fell.get(name, "")) for name, code in expected.items() if code != fell.get(name, "")} == {}
    assert {one.id for one in found.kept} == {name for name, code in expected.items() if not code}
    copied = {one.id: one.value for one in found.rejected if one.code == "duplicate"}
    assert copied == {f"copy{number}": f"sound{number}" for number in range(14)}
    told = [json.loads(line) for line in (tmp_path / "set" / "rejected.jsonl").read_text().splitlines()]
    assert all(row["value"] != "" and row["bar"] != "" for row in told)
    assert Counter(row["code"] for row in told) == Counter(code for code in expected.values() if code)


def test_addresses_are_fetched_and_judged_as_files_are(candidates, tmp_path):
    """yt-dlp itself fetches from loopback, and what it says of a video is read back from its own info files."""
    pytest.importorskip("yt_dlp", reason="needs the extra collect")
    folder, expected = candidates
    names = [*[f"sound{number}" for number in range(FETCHED)], "cuts0", "slides0", "broken0", "copy0"]
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        rows = [{"source": f"http://127.0.0.1:{httpd.server_port}/{name}.mp4", "id": name} for name in names]
        (tmp_path / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        slept: list[float] = []
        downloader = Downloader(tmp_path / "set" / "videos", DownloadOptions(per_hour=100.0), slept.append)
        found = collect([tmp_path / "list.jsonl"], tmp_path / "set", LOOSE, downloader=downloader)
        httpd.shutdown()
    assert {one.id: one.code for one in found.rejected} == {name: expected[name] for name in names if expected[name]}
    assert sum(slept) > 30 * (len(names) - 1) - 10  # at most a hundred an hour
    described = {one.id: one for one in read_candidates([tmp_path / "set" / "videos"])}
    assert set(described) >= {f"sound{number}" for number in range(FETCHED)}
    assert all(one.url.startswith("http://127.0.0.1") for one in described.values())


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass

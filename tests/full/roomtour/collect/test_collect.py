"""Made candidates fall for their own reason, and for no other; the same footage is found under other names."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from roomtour.cli import main
from roomtour.collect.funnel import LEDGER
from roomtour.collect.gather import TOURS, collect
from roomtour.collect.lists import read_candidates
from roomtour.collect.records import CollectOptions
from tests.support.paths import DATA
from tests.support.tour_videos import Picture, change, pan_over, read_pictures, write_video

LOOSE = CollectOptions(min_seconds=0.0, min_short_side=100.0)


@pytest.fixture(scope="module")
def videos(tmp_path_factory, request) -> Path:
    """One folder: sound ones, copies of them, and one for each fault of the pictures."""
    folder = tmp_path_factory.mktemp("videos")
    walk = DATA / "short_walk.mp4"
    (folder / "walk.mp4").write_bytes(walk.read_bytes())
    pictures = read_pictures(walk)
    rate = max(1, round(len(pictures) / 15.0))
    write_video(folder / "copy_small.mp4", change(pictures, lambda one: one[:264:2, ::2]), rate, crf=30)
    write_video(folder / "copy_mirrored.mp4", change(pictures, lambda one: one[:, ::-1]), rate)
    write_video(folder / "copy_bright.mp4", change(pictures, lambda one: np.clip(one * 0.8 + 30.0, 0, 255)), rate)
    write_video(folder / "copy_cut.mp4", pictures[round(1.3 * rate) :], rate)
    write_video(folder / "pan.mp4", pan_over(1, 12.0))
    write_video(folder / "other_pan.mp4", pan_over(2, 12.0))
    slides = [picture for seed in (3, 4, 5) for picture in pan_over(seed, 0.1) * 40]
    write_video(folder / "slides.mp4", slides)
    write_video(folder / "black.mp4", [np.full((270, 480, 3), 4, np.uint8)] * 100)
    bars = change(pan_over(6, 10.0), lambda one: np.pad(one[:, 160:320], ((0, 0), (160, 160), (0, 0))))
    write_video(folder / "bars.mp4", bars)
    write_video(folder / "cuts.mp4", [one for seed in range(10, 26) for one in pan_over(seed, 1.4)])
    write_video(folder / "blurred.mp4", change(pan_over(7, 8.0), lambda one: cv2.GaussianBlur(one, (0, 0), 12)))
    write_video(folder / "standing.mp4", stand_before_wall(), crf=12)
    (folder / "broken.mp4").write_bytes(walk.read_bytes()[:2000])
    return folder


def stand_before_wall() -> Iterator[Picture]:
    """A camera on a tripod, with light that flickers: no two pictures are equal, and nobody walks."""
    rng = np.random.default_rng(501)
    wall = pan_over(501, 0.1)[0].astype(np.int16)
    for number in range(100):
        yield np.clip(wall + rng.integers(-6, 7, wall.shape) + number // 10 % 2, 0, 255).astype(np.uint8)


def test_each_video_falls_for_its_own_reason(videos, tmp_path):
    found = collect([videos], tmp_path / "set", LOOSE)
    fell = {one.id: one.code for one in found.rejected}
    assert fell == {
        "slides": "still",
        "black": "black",
        "bars": "bars",
        "broken": "unreadable",
        "cuts": "cuts",
        "blurred": "blurred",
        "standing": "standing",
        **dict.fromkeys(("copy_small", "copy_mirrored", "copy_bright", "copy_cut"), "duplicate"),
    }
    assert all(one.value == "walk" for one in found.rejected if one.code == "duplicate")
    tours = [json.loads(line) for line in (tmp_path / "set" / TOURS).read_text().splitlines()]
    assert {tour["name"] for tour in tours} == {"walk", "pan", "other_pan"}
    assert all(Path(tour["source"]).is_file() for tour in tours)
    told = [json.loads(line) for line in (tmp_path / "set" / "rejected.jsonl").read_text().splitlines()]
    assert all(row["value"] != "" and row["bar"] != "" for row in told)


def test_a_recheck_reads_figures_and_no_video(videos, tmp_path, capfd):
    """With the videos gone: other bars change who falls, copies are still copies, and who was not measured is told."""
    there = tmp_path / "videos"
    there.mkdir()
    for name in ("walk", "copy_cut", "bars", "pan"):
        (there / f"{name}.mp4").write_bytes((videos / f"{name}.mp4").read_bytes())
    out, bars = tmp_path / "set", ["--min-seconds", "0", "--min-short-side", "100"]
    assert main(["collect", str(there), "--out", str(out), "--perception", "none", *bars]) == 0
    for path in there.iterdir():
        path.unlink()
    ledger = (out / LEDGER).read_text()

    def recheck(*more: str) -> dict[str, str]:
        assert main(["collect", "--out", str(out), "--recheck", *bars, *more]) == 0
        rows = map(json.loads, (out / "rejected.jsonl").read_text().splitlines())
        return {row["id"]: row["code"] for row in rows}

    assert recheck() == {"copy_cut": "duplicate", "bars": "bars"}
    assert recheck("--min-sharpness", "1e6")["walk"] == "blurred"
    capfd.readouterr()
    assert recheck("--max-bars-share", "0.9") == {"copy_cut": "duplicate"}  # it fell before its first stage was run
    said = capfd.readouterr().out
    assert "collect.not_measured" in said
    assert "bars" in said
    assert {json.loads(line)["name"] for line in (out / TOURS).read_text().splitlines()} == {"walk", "pan"}
    assert (out / LEDGER).read_text() == ledger


def test_a_command_that_makes_no_sense_is_one_line(subtests, videos, tmp_path, capfd):
    pan = str(videos / "pan.mp4")
    for words, code, told in (
        (["--recheck"], 1, "nothing was collected here"),
        ([], 2, "no list given"),
        ([pan, "--until", "end"], 2, "end"),
        ([pan, "--max-still-share", "2"], 2, "max-still-share"),
        ([pan, "--min-seconds", "-1"], 2, "min-seconds"),
    ):
        with subtests.test(told):
            assert main(["collect", *words, "--out", str(tmp_path)]) == code
            said = capfd.readouterr().err
            assert told in said
            assert said.count("\n") == 1


def test_the_command_writes_list_and_page(videos, tmp_path, capfd):
    words = ["collect", str(videos / "pan.mp4"), str(videos / "black.mp4"), "--out", str(tmp_path / "set")]
    assert main([*words, "--min-seconds", "0", "--min-short-side", "100", "--until", "probe"]) == 0
    assert "1 of 2 videos kept; rejected: 1 black" in capfd.readouterr().out
    page = (tmp_path / "set" / "collect.html").read_text()
    assert "1 of 2 videos kept" in page
    assert "data:image/jpeg;base64," in page
    assert main(["batch", "plan", str(tmp_path / "set" / TOURS), "--out", str(tmp_path / "job")]) == 0
    assert "1 tour" in capfd.readouterr().out


INFO = {
    "id": "abc",
    "title": "House tour, 12 Elm Street",
    "uploader": "A. Author",
    "channel": "Homes of A",
    "channel_id": "UC1",
    "license": "CC-BY",
    "webpage_url": "https://a.example/watch?v=abc",
    "upload_date": "20260102",
    "epoch": 1769000000,
    "duration": 412.5,
    "width": 1280,
    "height": 720,
    "availability": "public",
    "subtitles": {"live_chat": []},
    "automatic_captions": {"en": [{"ext": "vtt"}]},
    "_version": {"version": "2026.01.31"},
}


def test_all_that_a_downloader_says_reaches_the_row_and_what_nobody_tells_is_measured(videos, tmp_path):
    (tmp_path / "abc.info.json").write_text(json.dumps(INFO))
    (tmp_path / "abc.mp4").write_bytes((videos / "pan.mp4").read_bytes())
    collect([tmp_path / "abc.mp4"], tmp_path / "set", LOOSE, until="probe")
    row = json.loads((tmp_path / "set" / "candidates.jsonl").read_text())
    expected = {
        "id": "abc",
        "author": "A. Author",
        "channel": "Homes of A",
        "licence": "CC-BY",
        "licence_source": "info.json",
        "url": "https://a.example/watch?v=abc",
        "published": "20260102",
        "seconds": 412.5,
        "width": 1280,
        "availability": "public",
        "has_speech": "yes",
        "tool": "yt-dlp 2026.01.31",
        "sha256": hashlib.sha256((videos / "pan.mp4").read_bytes()).hexdigest(),
    }
    assert {name: row[name] for name in expected} == expected
    (tmp_path / "abc.tour.json").write_text(json.dumps({"licence": "with the owner's leave", "consent": "given"}))
    (ours,) = read_candidates([tmp_path / "abc.mp4"])
    assert (ours.licence, ours.licence_source, ours.channel) == ("with the owner's leave", "tour.json", "Homes of A")
    collect([videos / "pan.mp4"], tmp_path, LOOSE, until="probe")
    row = json.loads((tmp_path / "candidates.jsonl").read_text())
    assert (row["seconds"], row["width"], row["height"], row["has_speech"]) == (12.0, 480, 270, "unknown")
    assert (row["licence"], row["licence_source"]) == ("unknown", "")


def test_what_nobody_said_and_nobody_looked_at_is_told(videos, tmp_path, capfd):
    (tmp_path / "list.txt").write_text(f"{videos / 'pan.mp4'}\nhttps://a.example/1\n")
    words = ["collect", str(tmp_path / "list.txt"), "--out", str(tmp_path / "set"), "--until", "probe"]
    assert main([*words, "--min-seconds", "0", "--min-short-side", "100"]) == 0
    told = [json.loads(line) for line in (tmp_path / "set" / "findings.jsonl").read_text().splitlines()]
    assert [one["code"] for one in told] == ["collect.unknown_licence", "collect.without_file", "collect.not_looked_at"]
    assert "pan" in told[0]["message"]
    assert "[collect.without_file]" in capfd.readouterr().out
    assert "collect.unknown_licence" in (tmp_path / "set" / "collect.html").read_text()

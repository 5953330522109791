"""Made candidates fall for their own reason, and for no other; the same footage is found under other names."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recon.video.sampling import SampleOptions
from roomtour.cli import main
from roomtour.collect.duplicates import find_duplicates
from roomtour.collect.facts import judge_facts
from roomtour.collect.gather import LEDGER, TOURS, collect
from roomtour.collect.lists import candidate_from_info, read_candidates
from roomtour.collect.probe import hash_video
from roomtour.collect.records import Candidate, CollectOptions
from roomtour.config import Config
from roomtour.errors import RoomtourError
from tests.support.paths import DATA
from tests.support.tour_videos import change, pan_over, read_pictures, write_video

LOOSE = CollectOptions(min_minutes=0.0, min_short_side=100.0)


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
    (folder / "broken.mp4").write_bytes(walk.read_bytes()[:2000])
    return folder


def test_each_video_falls_for_its_own_reason(videos, tmp_path):
    found = collect([videos], tmp_path / "set", LOOSE)
    fell = {one.id: one.code for one in found.rejected}
    assert fell == {
        "slides": "still",
        "black": "black",
        "bars": "bars",
        "broken": "unreadable",
        "cuts": "cuts",
        **dict.fromkeys(("copy_small", "copy_mirrored", "copy_bright", "copy_cut"), "duplicate"),
    }
    assert all(one.value == "walk" for one in found.rejected if one.code == "duplicate")
    tours = [json.loads(line) for line in (tmp_path / "set" / TOURS).read_text().splitlines()]
    assert {tour["name"] for tour in tours} == {"walk", "pan", "other_pan"}
    assert all(Path(tour["source"]).is_file() for tour in tours)


def test_copies_are_found_and_nothing_else(videos):
    names = ["walk", "copy_small", "copy_mirrored", "copy_bright", "copy_cut", "pan", "other_pan", "cuts"]
    pairs = find_duplicates({name: hash_video(videos / f"{name}.mp4") for name in names})
    assert {name for first, name in pairs if first == "walk"} == set(names[1:5])
    assert not {name for pair in pairs for name in pair} & {"pan", "other_pan", "cuts"}


def test_other_bars_look_at_no_video_again(videos, tmp_path):
    chosen = [videos / "pan.mp4", videos / "bars.mp4"]
    collect(chosen, tmp_path, LOOSE, until="probe")
    ledger = (tmp_path / LEDGER).read_text()
    again = collect(chosen, tmp_path, replace(LOOSE, max_bars_share=0.9), until="probe")
    assert [one.id for one in again.kept] == ["pan", "bars"]
    strict = collect(chosen, tmp_path, CollectOptions(), until="probe")
    assert {one.code for one in strict.rejected} == {"too-short"}
    assert (tmp_path / LEDGER).read_text() == ledger


def test_a_recheck_reads_figures_and_no_video(videos, tmp_path, capfd):
    """With the videos gone: other bars change who falls, copies are still copies, and who was not measured is told."""
    there = tmp_path / "videos"
    there.mkdir()
    for name in ("walk", "copy_cut", "bars", "pan"):
        (there / f"{name}.mp4").write_bytes((videos / f"{name}.mp4").read_bytes())
    out, bars = tmp_path / "set", ["--min-minutes", "0", "--min-short-side", "100"]
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


def test_a_recheck_of_nothing_is_one_line(tmp_path, capfd):
    assert main(["collect", "--out", str(tmp_path), "--recheck"]) == 1
    assert "nothing was collected here" in capfd.readouterr().err
    assert main(["collect", "--out", str(tmp_path)]) == 2
    assert "no list given" in capfd.readouterr().err


def test_the_same_command_again_decodes_no_video(videos, tmp_path, monkeypatch):
    chosen = [videos / "walk.mp4", videos / "copy_cut.mp4"]
    before = collect(chosen, tmp_path, LOOSE, until="duplicates")
    monkeypatch.setattr("roomtour.collect.funnel.hash_video", lambda path: pytest.fail("decoded"))
    again = collect(chosen, tmp_path, LOOSE, until="duplicates")
    assert again.rejected == before.rejected
    assert [one.code for one in again.rejected] == ["duplicate"]


def test_other_options_of_the_first_stage_look_again(videos, tmp_path):
    def look(fps: float) -> int:
        collect([videos / "pan.mp4"], tmp_path, LOOSE, Config(sample=SampleOptions(fps=fps)))
        return len((tmp_path / LEDGER).read_text().splitlines())

    assert [look(fps) for fps in (3.0, 3.0, 2.0, 3.0)] == [2, 2, 3, 3]


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({}, ""),
        ({"seconds": 600.0, "width": 1280, "height": 720, "licence": "CC-BY"}, ""),
        ({"seconds": 179.0}, "too-short"),
        ({"seconds": 3601.0}, "too-long"),
        ({"width": 640, "height": 358}, "too-small"),
        ({"is_live": True}, "live"),
        ({"age_limit": 18}, "age-limit"),
        ({"consent": "refused"}, "consent-refused"),
        ({"title": "House TOUR Compilation"}, "words"),
        ({"description": "a compilation"}, "words"),
    ],
)
def test_facts_reject_what_they_say_and_nothing_that_is_unknown(facts, code):
    options = CollectOptions(forbidden_words=("compilation",))
    assert judge_facts(Candidate("a", **facts), options).code == code


def test_only_asked_licences_pass_word_for_word():
    options = CollectOptions(licences=("CC-BY",))
    codes = [judge_facts(Candidate("a", licence=one), options).code for one in ("CC-BY", "cc-by", "unknown")]
    assert codes == ["", "licence", "licence"]


def test_lists_of_every_form_name_the_same_video(tmp_path):
    (tmp_path / "flat.mp4").write_bytes(b"x")
    info = {"id": "flat", "duration": 200, "license": "CC-BY", "webpage_url": "https://a.example/1", "title": "T"}
    (tmp_path / "a.txt").write_text("# mine\n\nflat.mp4\nhttps://a.example/watch?v=1\n")
    (tmp_path / "a.csv").write_text("source,licence\nflat.mp4,CC-BY\n")
    (tmp_path / "a.jsonl").write_text(json.dumps({"source": "flat.mp4", "seconds": 200, "home": "h"}) + "\n")
    path = str((tmp_path / "flat.mp4").absolute())
    text, csv, rows = (read_candidates([tmp_path / f"a.{end}"]) for end in ("txt", "csv", "jsonl"))
    assert [(one.path, one.url) for one in text] == [(path, ""), ("", "https://a.example/watch?v=1")]
    assert (csv[0].path, csv[0].licence) == (path, "CC-BY")
    assert (rows[0].path, rows[0].seconds, rows[0].home) == (path, 200.0, "h")
    (tmp_path / "flat.info.json").write_text(json.dumps(info))
    (described,) = read_candidates([tmp_path])
    assert (described.path, described.seconds, described.licence) == (path, 200.0, "CC-BY")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.jsonl", "{", "a.jsonl: line 1: not valid JSON"),
        ("a.jsonl", "[]", "line 1: need a JSON object"),
        ("a.jsonl", "{}", 'line 1: need "source"'),
        ("a.jsonl", '{"source": "a.mp4", "wdith": 3}', "unknown 'wdith'"),
        ("a.jsonl", '{"source": "a.mp4", "width": "wide"}', "width is 'wide', need a number"),
        ("a.jsonl", '{"source": "a.mp4", "title": 3}', "title is 3, need a text"),
        ("a.jsonl", '{"source": "a.mp4", "consent": "yes"}', "consent is 'yes'"),
        ("a.csv", "source,colour\na.mp4,red\n", "line 2: unknown 'colour'"),
        ("a.txt", "", "names no video"),
        ("a.txt", "a/x.mp4\nb/x.mp4\n", "id x stands for"),
    ],
)
def test_a_broken_list_is_one_line(tmp_path, name, text, told):
    (tmp_path / name).write_text(text)
    with pytest.raises(RoomtourError, match=told):
        read_candidates([tmp_path / name])


def test_the_command_writes_list_and_page(videos, tmp_path, capfd):
    words = ["collect", str(videos / "pan.mp4"), str(videos / "black.mp4"), "--out", str(tmp_path / "set")]
    assert main([*words, "--min-minutes", "0", "--min-short-side", "100", "--until", "probe"]) == 0
    assert "1 of 2 videos kept; rejected: 1 black" in capfd.readouterr().out
    page = (tmp_path / "set" / "collect.html").read_text()
    assert "1 of 2 videos kept" in page
    assert "data:image/jpeg;base64," in page
    assert main(["batch", "plan", str(tmp_path / "set" / TOURS), "--out", str(tmp_path / "job")]) == 0
    assert "1 tour" in capfd.readouterr().out


@pytest.mark.parametrize("words", [["--until", "end"], ["--max-still-share", "2"], ["--min-minutes", "-1"]])
def test_a_wrong_command_line_is_one_line(videos, tmp_path, words, capfd):
    assert main(["collect", str(videos / "pan.mp4"), "--out", str(tmp_path / "x"), *words]) == 2
    assert capfd.readouterr().err.count("\n") == 1


def test_a_dry_run_reads_lists_alone(videos, tmp_path, capfd):
    rows = [{"source": str(videos / "pan.mp4")}, {"source": "https://a.example/1", "seconds": 20}]
    (tmp_path / "list.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert main(["collect", str(tmp_path / "list.jsonl"), "--out", str(tmp_path / "set"), "--dry-run"]) == 0
    said = capfd.readouterr().out
    assert "too-short" in said
    assert "1 of 2 videos would be looked at; 1 video without a file" in said
    assert not (tmp_path / "set").exists()


def test_the_first_stage_takes_its_options_from_a_file(videos, tmp_path):
    (tmp_path / "config.yaml").write_text("sample: {fps: 1}\n")
    words = [
        "collect",
        str(videos / "pan.mp4"),
        "--out",
        str(tmp_path / "set"),
        "--config",
        str(tmp_path / "config.yaml"),
    ]
    assert main([*words, "--min-minutes", "0", "--min-short-side", "100", "--until", "sample"]) == 0
    manifest = json.loads((tmp_path / "set" / "runs" / "pan" / "manifest.json").read_text())
    assert manifest["options"]["sample"]["fps"] == 1.0


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


def test_all_that_a_downloader_says_reaches_the_row(videos, tmp_path):
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


def test_a_file_of_which_nobody_tells_is_measured(videos, tmp_path):
    collect([videos / "pan.mp4"], tmp_path, LOOSE, until="probe")
    row = json.loads((tmp_path / "candidates.jsonl").read_text())
    assert (row["seconds"], row["width"], row["height"], row["has_speech"]) == (12.0, 480, 270, "unknown")
    assert (row["licence"], row["licence_source"]) == ("unknown", "")


@pytest.mark.parametrize(
    ("captions", "heard"),
    [
        ({}, "unknown"),
        ({"subtitles": {}}, "no"),
        ({"subtitles": {"live_chat": []}, "automatic_captions": {}}, "no"),
        ({"subtitles": {"de": []}}, "yes"),
    ],
)
def test_speech_is_what_the_platform_has_words_for(captions, heard, tmp_path):
    assert candidate_from_info({"id": "a", **captions}, tmp_path / "a.info.json").has_speech == heard


@pytest.mark.parametrize("closed", ["needs_auth", "subscriber_only", "premium_only", "private"])
def test_what_needs_an_account_falls(closed):
    assert judge_facts(Candidate("a", availability=closed), CollectOptions()).code == "not-available"


def test_what_nobody_said_and_nobody_looked_at_is_told(videos, tmp_path, capfd):
    (tmp_path / "list.txt").write_text(f"{videos / 'pan.mp4'}\nhttps://a.example/1\n")
    words = ["collect", str(tmp_path / "list.txt"), "--out", str(tmp_path / "set"), "--until", "probe"]
    assert main([*words, "--min-minutes", "0", "--min-short-side", "100"]) == 0
    told = [json.loads(line) for line in (tmp_path / "set" / "findings.jsonl").read_text().splitlines()]
    assert [one["code"] for one in told] == [
        "collect.unknown_licence",
        "collect.without_file",
        "collect.not_looked_at",
    ]
    assert "pan" in told[0]["message"]
    assert "[collect.without_file]" in capfd.readouterr().out
    assert "collect.unknown_licence" in (tmp_path / "set" / "collect.html").read_text()

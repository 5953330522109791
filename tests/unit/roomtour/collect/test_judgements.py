"""What falls by what is said of a video, by its title, by its looks, and which videos show one home."""

import json
from dataclasses import replace

import numpy as np
import pytest

from roomtour.collect.bars import BARS, advise, describe_rejection, hold, judge_facts
from roomtour.collect.homes import (
    Vectors,
    group_homes,
    list_alike,
    measure_likeness,
    name_homes_by_pictures,
    without_guess,
)
from roomtour.collect.lists import candidate_from_info, read_candidates
from roomtour.collect.look import judge_look
from roomtour.collect.records import Candidate, CollectOptions, Judgement
from roomtour.errors import RoomtourError


def test_facts_reject_what_they_say_and_nothing_that_is_unknown(subtests):
    options = CollectOptions(forbidden_words=("compilation",))
    for facts, code in (
        ({}, ""),
        ({"seconds": 600.0, "width": 1280, "height": 720, "licence": "CC-BY"}, ""),
        ({"seconds": 4.9}, "too-short"),
        ({"seconds": 5.0}, ""),
        ({"seconds": 3600.0}, ""),
        ({"seconds": 3601.0}, "too-long"),
        ({"width": 240, "height": 426}, ""),
        ({"width": 426, "height": 238}, "too-small"),
        ({"is_live": True}, "live"),
        ({"age_limit": 18}, "age-limit"),
        ({"consent": "refused"}, "consent-refused"),
        ({"title": "House TOUR Compilation"}, "words"),
        ({"description": "a compilation"}, "words"),
    ):
        with subtests.test(**facts):
            assert judge_facts(replace(Candidate("a"), **facts), options).code == code


def test_a_rejection_says_figure_bar_unit_and_the_option_that_moves_the_bar():
    options = CollectOptions()
    for code, bar in BARS.items():
        value = getattr(options, bar.option) + (-0.05 if bar.is_least else 0.05)
        judged = hold(Judgement("a", "look", ""), {code: value}, options)
        assert (judged.code, judged.bar) == (code, getattr(options, bar.option))
        told = describe_rejection(judged)
        assert f"({bar.flag})" in told
        assert bar.show(value) in told and bar.show(value) != f"{value:g}"  # noqa: PT018
        assert hold(judged, {code: getattr(options, bar.option)}, options).code == ""
    assert hold(Judgement("a", "look", ""), dict.fromkeys(BARS), options).code == ""  # unknown rejects nothing


def test_advice_names_a_bar_that_half_of_what_fell_passes(subtests):
    short = [Judgement("a", "facts", "too-short", value, 5.0) for value in (4.0, 2.0, 1.0)]
    cuts = [Judgement("a", "sample", "cuts", value, 0.8) for value in (0.7, 0.6)]
    copies = [Judgement("a", "duplicates", "duplicate", "b", "") for _ in range(4)]
    titles = [Judgement("a", "titles", "title", "news", "") for _ in range(4)]
    for rejected, words in (
        (short, ("too-short", "3", "--min-seconds 2 lets 2 of those")),
        ([*short, *copies], ("duplicate", "too-short", "--min-seconds 2")),
        ([*cuts, *titles], ("title", "--titles")),
        (copies, ("duplicate", "no option")),
    ):
        with subtests.test(words[0]):
            assert all(word in advise(rejected) for word in words), advise(rejected)


def test_only_asked_licences_and_open_videos_pass():
    options = CollectOptions(licences=("CC-BY",))
    codes = [judge_facts(Candidate("a", licence=one), options).code for one in ("CC-BY", "cc-by", "unknown")]
    assert codes == ["", "licence", "licence"]
    for closed in ("needs_auth", "subscriber_only", "premium_only", "private"):
        assert judge_facts(Candidate("a", availability=closed), CollectOptions()).code == "not-available", closed


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


def test_a_broken_list_is_one_line(subtests, tmp_path):
    for name, text, told in (
        ("a.jsonl", "{", "a.jsonl: line 1: not valid JSON"),
        ("a.jsonl", "[]", "line 1: need a JSON object"),
        ("a.jsonl", "{}", 'line 1: need "source"'),
        ("a.jsonl", '{"source": "a.mp4", "wdith": 3}', "unknown 'wdith'"),
        ("a.jsonl", '{"source": "a.mp4", "width": "wide"}', "field width"),
        ("a.jsonl", '{"source": "a.mp4", "title": 3}', "field title"),
        ("a.jsonl", '{"source": "a.mp4", "consent": "yes"}', "field consent"),
        ("a.csv", "source,colour\na.mp4,red\n", "line 2: unknown 'colour'"),
        ("a.txt", "", "names no video"),
        ("a.txt", "a/x.mp4\nb/x.mp4\n", "id x stands for"),
    ):
        with subtests.test(told):
            (tmp_path / name).write_text(text)
            with pytest.raises(RoomtourError, match=told):
                read_candidates([tmp_path / name])


def test_speech_is_what_the_platform_has_words_for(tmp_path):
    for captions, heard in (
        ({}, "unknown"),
        ({"subtitles": {}}, "no"),
        ({"subtitles": {"live_chat": []}, "automatic_captions": {}}, "no"),
        ({"subtitles": {"de": []}}, "yes"),
    ):
        assert candidate_from_info({"id": "a", **captions}, tmp_path / "a.info.json").has_speech == heard, captions


def turned(degrees: float, pictures: int = 6) -> Vectors:
    """Pictures that are all alike, so far from those at 0 degrees."""
    angle = np.radians(degrees)
    return np.tile(np.array([np.cos(angle), np.sin(angle)], np.float32), (pictures, 1))


def test_likeness_is_that_of_the_best_pictures():
    assert measure_likeness(turned(0), turned(60)) == pytest.approx(0.5, abs=1e-6)
    mixed = np.concatenate([turned(90, 40), turned(0, 5)])
    assert measure_likeness(turned(0), mixed) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(("least", "pairs"), [(0.86, [("a", "b")]), (0.87, [])])
def test_the_bar_of_likeness_has_two_sides(least, pairs):
    assert list_alike({"a": turned(0), "b": turned(30)}, least) == pairs  # 0.866


POINTS = {("a", "b"): 20, ("b", "c"): 40, ("a", "c"): 0, ("c", "d"): 19}


def group(homes: dict[str, str], least: float = 20.0) -> list[tuple[str, ...]]:
    return group_homes(list(POINTS), homes, lambda one, other: POINTS[one, other], least)


def test_shared_points_join_and_homes_of_different_names_never():
    assert group({}) == [("a", "b", "c")]  # a and c show other rooms of it
    assert group({}, 19.0) == [("a", "b", "c", "d")]
    assert group({}, 21.0) == [("b", "c")]
    assert group({"a": "flat-1", "b": "flat-2"}) == [("b", "c")]
    assert group({"a": "flat-1", "c": "flat-2"}) == [("a", "b")]


def test_what_a_list_says_stays_and_is_taken_over():
    candidates = [Candidate("a"), Candidate("b", home="flat-12", home_source="list"), Candidate("c"), Candidate("d")]
    named = name_homes_by_pictures(candidates, [("a", "b", "c")])
    assert [one.home for one in named] == ["flat-12"] * 3 + [""]
    assert [one.home_source for one in named] == ["pictures", "list", "pictures", ""]
    assert [without_guess(one) for one in named] == candidates


def test_each_bar_has_two_sides(subtests):
    for changed, code in (
        ({}, ""),
        ({"people_share": 0.41}, "people"),
        ({"people_share": 0.4}, ""),
        ({"outdoors_share": 0.51}, "outdoors"),
        ({"outdoors_share": 0.5}, ""),
        ({"indoors_share": 0.29}, "no-home"),
        ({"indoors_share": 0.3}, ""),
        ({"text_share": 0.51}, "text-slides"),
        ({"text_share": 0.5}, ""),
    ):
        with subtests.test(**changed):
            figures = {"people_share": 0.0, "outdoors_share": 0.0, "indoors_share": 0.9, "text_share": 0.0, **changed}
            assert judge_look(Judgement("a", "look", "", figures=figures), CollectOptions()).code == code


def test_each_video_of_enough_pictures_is_compared_with_those_most_like_it():
    near = {f"v{k}": turned(float(k)) for k in range(8)}
    pairs = list_alike(near, 0.5)
    assert ("v0", "v7") not in pairs
    assert all(sum(name in pair for pair in pairs) >= 5 for name in near)
    assert list_alike({"a": turned(0, 4), "b": turned(0, 4)}, 0.5) == []

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import UndefinedError
from markupsafe import Markup

import roomtour
from instructions.navigation.records import Instruction
from instructions.questions.core.records import Question
from instructions.questions.quality.explain import explain
from roomtour.drawing import pages
from roomtour.drawing.pages import render
from roomtour.drawing.svg import element, join, number
from roomtour.drawing.thumbnails import spread
from roomtour.report.instructions import MAX_PICTURES, MAX_STRIP, choose_strips, group_ways
from roomtour.report.kinds import SECTIONS, draw_kind
from roomtour.report.merge_log import merge_graph
from roomtour.report.page import build_page
from roomtour.report.timeline import draw_timeline
from tests.support.runs.made_tour import make_facts, make_merge_log, make_run
from tests.support.runs.read_page import ReadPage

ITEM = {
    "title": "", "token": "", "row": 0, "total": 1, "done": 0, "rater": "", "tour": "", "kind": "", "words": [],
    "frames": [], "way": None, "score_words": {}, "accuracy_words": {}, "max_note": 9, "score": None, "accurate": None,
    "wrong_words": (), "note": "", "question": None, "is_way_back": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def base() -> Instruction:
    return make_run(Path(), pictures=False).instructions[0]


@given(st.text())
def test_text_and_attributes_survive_escaping_in_drawings(text: str):
    text = text.replace("\r", "").replace("\x00", "")
    page = ReadPage(element("text", text, aria_label=text))
    assert page.elements == [("text", {"aria-label": text})]
    assert page.text == " ".join(text.split())


@given(st.text())
def test_text_and_attributes_survive_escaping_in_templates(text: str):
    text = text.replace("\r", "").replace("\x00", "")
    page = ReadPage(render("review/item.html", **{**ITEM, "note": text, "rater": "", "token": text, "words": [text]}))
    assert {"name": "review-token", "content": text} in page.named("meta")
    assert [found for found in page.elements if found[0] == "textarea"]
    if text.isprintable():  # others are shown by their names
        assert page.text.count(" ".join(text.split())) >= 2  # the words and the note
    assert len(page.named("script")) == 1  # the page's own
    assert len(page.named("button")) == 1


def test_templates_escape_and_know_every_name():
    templates = list(Path(roomtour.__file__).parent.glob("*/templates/*.html"))
    assert len(templates) > 15
    for template in templates:
        assert not re.search(r"\bsafe\b|autoescape|Markup", template.read_text(encoding="utf-8")), template.name
    with pytest.raises(UndefinedError, match="total"):
        render("review/item.html", **{name: value for name, value in ITEM.items() if name != "total"})
    assert join([Markup("<b>x</b>"), "<b>", None, ["&", 3]]) == "<b>x</b>&lt;b&gt;&amp;3"
    assert element("rect", rx=None, data_x=1.5) == '<rect data-x="1.5"></rect>'


def test_no_handlers_or_odd_names_as_attributes(subtests: pytest.Subtests):
    for name in ("onload", "ONCLICK", "a b", "x=y", ""):
        with subtests.test(str(name)), pytest.raises(ValueError, match=f"^{re.escape(repr(name))} is no name"):
            element("g", **{name: "1"})


@given(st.floats(-1e6, 1e6))
def test_numbers_are_short_and_plain(value: float):
    assert float(number(value)) == pytest.approx(value, abs=0.0501)
    assert "e" not in number(value)
    assert number(value) != "-0"


def test_timeline_follows_the_time_of_the_file_and_shows_what_has_no_pose():
    run = make_run(Path(), models=2, pictures=False)
    page = ReadPage(draw_timeline(run.scene, run.trajectories))
    lost = [(float(bar["x"][:-1]), float(bar["width"][:-1])) for bar in page.of_class("bar", "lost")]
    assert len(lost) == 2
    assert lost[0][0] == 0.0
    assert sum(width for _, width in lost) == pytest.approx(100 * 11 / 81, abs=0.2)
    model_bars = page.of_class("bar", "model")
    assert [float(bar["width"][:-1]) for bar in model_bars] == pytest.approx([100 * 46 / 81, 100 * 24 / 81], abs=0.2)
    assert len(page.of_class("turn")) == 2
    assert len(page.of_class("bar", "clip")) == 2
    run = make_run(Path(), pictures=False)
    frames = tuple(replace(frame, time_s=frame.time_s * (1 if frame.index < 40 else 3)) for frame in run.scene.frames)
    clips = (replace(run.scene.clips[0], frames=tuple(range(1, 40))),)
    page = ReadPage(draw_timeline(replace(run.scene, frames=frames, clips=clips), ()))
    (bar,) = page.of_class("bar", "clip")
    start, end = frames[0].time_s, frames[-1].time_s
    assert float(bar["width"][:-1]) == pytest.approx(100 * (frames[39].time_s - start) / (end - start), abs=1.0)


def test_merge_graph_ends_in_what_is_left():
    attempts, sub_models = make_merge_log()
    page = ReadPage(merge_graph([entry.name for entry in sub_models], attempts))
    assert len(page.of_class("node")) == 6
    assert len(page.of_class("node", "merged")) == 2
    assert len(page.of_class("link", "apart")) == 2
    assert len(page.of_class("link")) - 2 == 4
    boxes = [(found["x"], found["y"]) for found in page.named("rect")]
    assert len(set(boxes)) == 6
    names = ["a", "b", "c", "d"]  # a name may be used again
    log = [replace(attempts[0], first="a", second=name, result="a") for name in names[1:]]
    page = ReadPage(merge_graph(names, log))
    assert len(page.of_class("node")) == 7
    assert "4 sub-models became 1 model" in page.named("svg")[0]["aria-label"]


def rejected(is_rejected: bool) -> dict[str, object]:
    words = {"rejected_because": "false_claim", "rejection": "not true"} if is_rejected else {}
    return {"accepted": not is_rejected, **words}


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 40)), max_size=90))
def test_strips_are_bounded_and_in_time_order(base: Instruction, ways: list[tuple[int, int]]):
    texts = [
        replace(base, id=str(row), views=tuple(range(first, first + length)), **rejected(row % 5 == 4))
        for row, (first, length) in enumerate(ways)
    ]
    strips = choose_strips(texts, {})
    assert set(strips) == {text.id for text in texts if text.accepted}
    assert len({frame for strip in strips.values() for frame in strip}) <= MAX_PICTURES
    for text in texts:
        strip = strips.get(text.id, ())
        assert len(strip) <= MAX_STRIP
        assert list(strip) == sorted(set(strip))
        assert set(strip) <= set(text.views)


def test_many_ways_share_the_pictures_evenly(base: Instruction, subtests: pytest.Subtests):
    for ways, each in ((5, 6), (10, 6), (20, 3), (60, 1)):
        with subtests.test(str(ways)):
            texts = [replace(base, id=str(row), views=tuple(range(100 * row, 100 * row + 30))) for row in range(ways)]
            assert {len(strip) for strip in choose_strips(texts, {}).values()} == {each}


def test_strips_prefer_frames_that_show_the_objects():
    run = make_run(Path(), pictures=False)
    seen = {(found.frame, found.object): found for found in run.observations}
    text = run.instructions[0]
    strip = choose_strips(run.instructions, seen)[text.id]

    def shown(frame: int) -> float:
        return sum(seen[frame, name].visible_fraction for name in text.objects if (frame, name) in seen)

    sixth = text.views[: len(text.views) // 6]
    best = max(sixth, key=shown)
    assert shown(best) > min(map(shown, sixth))
    assert len(strip) == 6
    assert strip[0] == best


@given(st.integers(0, 500), st.integers(2, 60))
def test_spread_keeps_the_ends(length: int, limit: int):
    kept = spread(list(range(length)), limit)
    assert len(kept) == min(length, limit)
    assert kept == sorted(set(kept))
    if length:
        assert (kept[0], kept[-1]) == (0, length - 1)


def test_texts_of_one_way_share_a_film_strip():
    first, *_ = make_run(Path(), pictures=False).instructions
    texts = (
        first,
        replace(first, id="same", text="The same way."),
        replace(first, id="other", views=first.views[1:]),
        replace(first, id="elsewhere", model="7"),
        replace(first, id="rejected", accepted=False, rejected_because="false_claim", rejection="One claim is false."),
    )
    ways = group_ways(texts)
    assert [[told.id for told in way.texts] for way in ways] == [[first.id, "same"], ["other"], ["elsewhere"]]
    strips = choose_strips(texts, {})
    assert strips[first.id] == strips["same"]
    assert "rejected" not in strips


def test_the_frames_of_a_way_stand_once_above_its_texts(tmp_path: Path):
    data = make_run(tmp_path)
    told = data.instructions[0]
    rows = tuple(replace(told, id=f"text{number}") for number in range(4))
    page = ReadPage(build_page(replace(data, rows={"navigation": rows}), make_facts()))
    assert len(page.of_class("instruction")) == 1
    assert len(page.of_class("strip")) == 1
    assert all(f"text{number}" in page.text for number in range(4))


(PROGRAMS,) = (section for section in SECTIONS if section.kind == "programs")
ROW = Question(
    id="q1", tour="t", model="0", views=(), scale_status="metric", perception="made", writer="embedded", seed=0,
    accepted=True, type="path_length", family="walks", level="2d", medium="video", question="How far?\nA. 1\nB. 2",
    answer="B\x1b. 2", form="number", truth=2.6327787012549573, truth_source="reference", answer_unit="m",
    references=(), template="t",
)  # fmt: skip


def test_options_keep_their_lines_and_control_characters_are_shown():
    page = draw_kind(PROGRAMS, [ROW], [ROW], {}, None, cast(Any, None), {})
    (turn,) = (line for line in page.split("<blockquote>")[1:])
    assert turn.startswith("How far?\nA. 1\nB. 2 <strong>B?. 2</strong></blockquote>")
    assert "?A. 1" not in ReadPage(page).text
    style = (Path(pages.__file__).parent / "style.css").read_text(encoding="utf-8")
    assert "white-space: pre-line" in next(line for line in style.splitlines() if line.startswith("blockquote "))


def test_truth_is_told_in_four_digits_and_whole_where_it_counts_or_names():
    told = {value: explain(replace(ROW, truth=value))[3] for value in (2.6327787012549573, 12345, "0_4", ("a", "b"))}
    assert [line.split(" m ")[0] for line in told.values()] == [
        "truth: 2.633",
        "truth: 12345",
        "truth: 0_4",
        "truth: a, b",
    ]

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import UndefinedError
from markupsafe import Markup

import roomtour
from instructions.navigation.records import Instruction
from roomtour.drawing.pages import render
from roomtour.drawing.svg import element, join, number
from roomtour.drawing.thumbnails import spread
from roomtour.report.instructions import MAX_PICTURES, MAX_STRIP, choose_strips, group_ways
from roomtour.report.timeline import draw_timeline
from tests.support.runs.made_tour import make_run
from tests.support.runs.read_page import ReadPage

ITEM = {
    "title": "", "token": "", "row": 0, "total": 1, "done": 0, "rater": "", "tour": "", "kind": "", "words": [],
    "frames": [], "way": None, "score_words": {}, "accuracy_words": {}, "max_note": 9, "given": None,
    "note": "", "question": None, "is_way_back": False,
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

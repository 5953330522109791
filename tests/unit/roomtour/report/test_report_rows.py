"""Rows of a kind of data on the page: what was asked and answered, as it was written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from instructions.questions.core.records import Question
from instructions.questions.quality.explain import explain
from roomtour.drawing import pages
from roomtour.report.kinds import SECTIONS, draw_kind
from tests.support.runs.read_page import ReadPage

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

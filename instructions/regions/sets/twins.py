"""Twins: a kept row with an answer that is false by one change, checked to be false, with the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence

from instructions.asking.draws import Draw
from instructions.regions.options import RegionOptions
from instructions.regions.records import KIND, Pair, Qar
from instructions.rows import row_id
from instructions.truth.views import check_view_answer, has_false
from instructions.view import View
from instructions.wording.colors import OPTIONS
from instructions.wording.english import with_article

_SWAPS: tuple[tuple[str, str, str], ...] = (
    ("side", "left", "right"),
    ("nearer", "closer to the viewer", "farther from the viewer"),
    ("nearer", "nearer to the viewer", "farther from the viewer"),
    ("nearer", "nearer than", "farther than"),
    ("taller", "taller", "shorter"),
    ("on", " on ", " under "),
)


def twist_rows(
    view: View, rows: Sequence[Qar], options: RegionOptions = RegionOptions(), *, seed: int = 0
) -> list[Pair]:
    """A twin for every kept row that has one: the first change, in an order drawn by chance, that is measured false.

    Args:
        view: That all rows are about.
        rows: Whoever wrote them.
        options: Bars.
        seed: Of the order of changes.
    """
    return [pair for row in rows if row.accepted and (pair := _twist(view, row, options, seed)) is not None]


def _twist(view: View, row: Qar, options: RegionOptions, seed: int) -> Pair | None:
    draw = Draw(seed, view.tour, KIND, "twin", row.id)
    changes = sorted(find_changes(view, row, draw), key=lambda _: draw.uniform())
    for change, answer in changes:
        verdicts = check_view_answer(row.question, answer, view, options.bars)
        false = has_false(verdicts)
        if false is not None and answer != row.answer:
            because = f"{false.claim.words!r}: {false.reason}"
            name = f"{view.tour}_p{row_id(row.id, change, answer)}"
            return Pair(name, row.id, row.view, change, row.question, row.answer, answer, because, verdicts)
    return None


def find_changes(view: View, row: Qar, draw: Draw) -> list[tuple[str, str]]:
    """Answers that differ from a row's by one change, with its name; whether they are false is not known here."""
    text = row.answer
    out: list[tuple[str, str]] = []
    for name, one, other in _SWAPS:
        for a, b in ((one, other), (other, one)):
            # Looking for the letters first is cheaper than a pattern.
            changed = re.sub(rf"(?<![a-z]){re.escape(a)}(?![a-z])", b, text, count=1) if a in text else text
            if changed != text:
                out.append((name, changed))
    if "in the middle" in text:
        out.append(("side", text.replace("in the middle", draw_one(draw, ("on the left", "on the right")))))
    for colour in () if any(word in row.question.split() for word in OPTIONS) else OPTIONS:
        if colour in text and re.search(rf"\b{colour}\b", text):
            out.append(("colour", re.sub(rf"\b{colour}\b", draw_one(draw, [c for c in OPTIONS if c != colour]), text)))
            break
    numbers = list(dict.fromkeys(int(one) for one in re.findall(r"\[(\d+)\]", text)))
    if len(numbers) == 2:
        a, b = numbers
        out.append(("id", re.sub(r"\[(\d+)\]", lambda m: f"[{b if int(m.group(1)) == a else a}]", text)))
    elif len(numbers) == 1:
        asked = [int(one) for one in re.findall(r"\[(\d+)\]", row.question) if int(one) != numbers[0]]
        if asked:
            out.append(("id", text.replace(f"[{numbers[0]}]", f"[{draw_one(draw, asked)}]")))
    out += _change_length(text)
    out += _change_yes(text)
    nouns = sorted({thing.category for thing in view.things if thing.category})
    for noun in nouns:
        if noun in text and re.search(rf"\b(?:a|an) {re.escape(noun)}\b", text):
            invented = sorted(word for word in view.looked_for if word not in nouns)
            if invented:
                word = draw_one(draw, invented)
                out.append(("kind", re.sub(rf"\b(?:a|an) {re.escape(noun)}\b", with_article(word), text)))
            break
    return out


def _change_length(text: str) -> list[tuple[str, str]]:
    """Every length doubled: beyond what `about` allows."""
    changed = re.sub(r"(\d+(?:\.\d+)?) (m|cm)\b", lambda m: f"{float(m.group(1)) * 2:g} {m.group(2)}", text)
    return [("length", changed)] if changed != text else []


def _change_yes(text: str) -> list[tuple[str, str]]:
    if re.fullmatch(r"Yes\.", text):
        return [("answer", "No.")]
    return [("answer", "Yes.")] if re.fullmatch(r"No\.", text) else []


def draw_one(draw: Draw, options: Sequence):
    """One of several, evenly."""
    return options[int(draw.uniform() * len(options))]

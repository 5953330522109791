"""Questions answered by programs on the page: some with their pictures, counts by type, why others were not asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256

from markupsafe import Markup

from instructions.asking.gates import REASONS as SHARED_REASONS
from instructions.programs.explain import explain
from instructions.programs.judge.truths import REASONS
from instructions.programs.picture import find_pictures
from instructions.programs.records import ProgramQuestion
from instructions.records import Box
from roomtour.drawing.colors import object_color, text_on
from roomtour.drawing.pages import render
from roomtour.drawing.svg import element
from roomtour.drawing.text import printable
from roomtour.drawing.thumbnails import Thumbnails

EXAMPLES = 12
MOST_REASONS = 12


def pick_program_examples(rows: Sequence[ProgramQuestion]) -> list[ProgramQuestion]:
    """Accepted rows by chance, one per type as long as there are types, of a row and its twin only one."""
    picked: list[ProgramQuestion] = []
    seen: Counter[str] = Counter()
    order = sorted((row for row in rows if row.accepted), key=lambda row: sha256(row.id.encode()).digest())
    for row in sorted(order, key=lambda row: row.medium == "image"):
        if not seen[row.type] and len(picked) < EXAMPLES:
            picked.append(row)
            seen[row.type] += 1
    return picked


def draw_programs(
    rows: Sequence[ProgramQuestion],
    examples: Sequence[ProgramQuestion],
    not_asked: Mapping[str, Mapping[str, int]],
    thumbnails: Thumbnails,
    width_px: Mapping[int, int],
) -> Markup:
    """The section.

    Args:
        rows: All of the kind.
        examples: Those to draw; their frames are embedded.
        not_asked: By reason and type.
        thumbnails: Of the page.
        width_px: Of the sampled frames.
    """
    kept = [row for row in rows if row.accepted]
    shown = [(_draw_pictures(row, thumbnails, width_px), row, explain(row)[3:]) for row in examples]
    told = {**SHARED_REASONS, **REASONS}
    reasons = [(reason, told.get(reason, ""), sum(types.values())) for reason, types in not_asked.items()]
    groups = Counter((row.medium, row.type) for row in kept)
    return render(
        "report/programs.html",
        kept=len(kept),
        groups=[(*key, count) for key, count in sorted(groups.items())],
        reasons=reasons[:MOST_REASONS],
        asked_not=sum(count for _, _, count in reasons),
        examples=shown,
    )


def _draw_pictures(row: ProgramQuestion, thumbnails: Thumbnails, width_px: Mapping[int, int]) -> list[Markup]:
    return [
        thumbnails.show(
            frame,
            f"Frame {frame}: {printable(row.question)}",
            *(_draw_box(letter, box, width_px.get(frame, 480)) for letter, box in boxes),
        )
        for frame, boxes in find_pictures(row)
    ]


def _draw_box(letter: str, box: Box, width_px: int) -> Markup:
    x0, y0, x1, y1 = box
    size, color = width_px * 0.066, object_color("ABCDEF".index(letter) + 1)
    tab = size * 1.25
    return element(
        "g",
        element("rect", x=x0, y=y0, width=x1 - x0, height=y1 - y0, stroke=color, class_="box"),
        element("rect", x=x0, y=y0, width=tab, height=tab, fill=color),
        element(
            "text", letter, x=x0 + tab / 2, y=y0 + tab * 0.54, fill=text_on(color), font_size=size, class_="box-key"
        ),
    )  # fmt: skip

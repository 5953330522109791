"""Spatial questions on the page: how many of each type, why others were not asked, and some with their boxes drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256

from markupsafe import Markup

from instructions.asking.gates import REASONS
from instructions.records import Box
from instructions.spatial.explain import explain
from instructions.spatial.records import SpatialQuestion
from roomtour.drawing.colors import object_color, text_on
from roomtour.drawing.pages import render
from roomtour.drawing.svg import element
from roomtour.drawing.text import printable
from roomtour.drawing.thumbnails import Thumbnails

EXAMPLES = 20
MOST_REASONS = 12


def pick_examples(rows: Sequence[SpatialQuestion]) -> list[SpatialQuestion]:
    """Accepted rows by chance, the same for the same rows; of a row and its twin only one."""
    picked: list[SpatialQuestion] = []
    twins: set[str | None] = set()
    for row in sorted(rows, key=lambda row: sha256(row.id.encode()).digest()):
        if row.accepted and row.id not in twins:
            picked.append(row)
            twins.add(row.twin)
        if len(picked) == EXAMPLES:
            break
    return picked


def draw_spatial(
    rows: Sequence[SpatialQuestion],
    examples: Sequence[SpatialQuestion],
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
    shown = [
        (
            thumbnails.show(row.views[0], f"Frame {row.views[0]}: {printable(row.question)}", *_boxes(row, width_px)),
            row,
            explain(row)[3:],
        )
        for row in examples
    ]
    reasons = [(reason, REASONS.get(reason, ""), sum(types.values())) for reason, types in not_asked.items()]
    return render(
        "report/spatial.html",
        kept=len(kept),
        types=sorted(Counter(row.type for row in kept).items(), key=lambda one: (-one[1], one[0])),
        reasons=reasons[:MOST_REASONS],
        asked_not=sum(count for _, _, count in reasons),
        examples=shown,
    )


def _boxes(row: SpatialQuestion, width_px: Mapping[int, int]) -> list[Markup]:
    width = width_px.get(row.views[0], 480)
    return [_box(key, one.box_xyxy, width) for key, one in enumerate(row.references, start=1)]


def _box(key: int, box: Box, width_px: int) -> Markup:
    x0, y0, x1, y1 = box
    letter, color = width_px * 0.066, object_color(key)
    tab = letter * 1.25
    return element(
        "g",
        element("rect", x=x0, y=y0, width=x1 - x0, height=y1 - y0, stroke=color, class_="box"),
        element("rect", x=x0, y=y0, width=tab, height=tab, fill=color),
        element(
            "text", "AB"[key - 1], x=x0 + tab / 2, y=y0 + tab * 0.54, fill=text_on(color), font_size=letter,
            class_="box-key",
        ),
    )  # fmt: skip

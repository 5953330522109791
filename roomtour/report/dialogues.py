"""Dialogues on the page: how many of each kind and task, and six of them with their boxes drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256

from markupsafe import Markup

from instructions.dialogues.explain import explain
from instructions.dialogues.records import Dialogue, TalkBox
from roomtour.drawing.colors import object_color
from roomtour.drawing.pages import render
from roomtour.drawing.svg import element
from roomtour.drawing.text import printable
from roomtour.drawing.thumbnails import Thumbnails

EXAMPLES = 6


def pick_dialogues(rows: Sequence[Dialogue]) -> list[Dialogue]:
    """Accepted rows about views by chance, kinds in turn, the same for the same rows."""
    by_kind: dict[str, list[Dialogue]] = {}
    for row in sorted(rows, key=lambda row: sha256(row.id.encode()).digest()):
        if row.accepted and row.views:
            by_kind.setdefault(row.kind, []).append(row)
    picked: list[Dialogue] = []
    while len(picked) < EXAMPLES and any(by_kind.values()):
        for kind in sorted(by_kind):
            if by_kind[kind] and len(picked) < EXAMPLES:
                picked.append(by_kind[kind].pop(0))
    return picked


def draw_dialogues(
    rows: Sequence[Dialogue], examples: Sequence[Dialogue], thumbnails: Thumbnails, width_px: Mapping[int, int]
) -> Markup:
    """The section.

    Args:
        rows: All of the kind.
        examples: Those to draw; their frames are embedded.
        thumbnails: Of the page.
        width_px: Of the sampled frames.
    """
    kept = [row for row in rows if row.accepted]
    shown = [
        (
            thumbnails.show(row.views[0], f"Frame {row.views[0]}", *_boxes(row.boxes)),
            row,
            [(printable(turn.question), printable(turn.answer)) for turn in row.turns],
            explain(row)[1 + 2 * len(row.turns) :],
        )
        for row in examples
    ]
    kinds = Counter((row.kind, row.task or "", row.medium) for row in kept)
    return render(
        "report/dialogues.html",
        kept=len(kept),
        kinds=[(*key, count) for key, count in sorted(kinds.items())],
        rejected=sorted(Counter(row.rejected_because for row in rows if row.rejected_because).items()),
        examples=shown,
    )


def _boxes(boxes: Sequence[TalkBox]) -> list[Markup]:
    return [
        element(
            "rect",
            x=one.box_xyxy[0],
            y=one.box_xyxy[1],
            width=one.box_xyxy[2] - one.box_xyxy[0],
            height=one.box_xyxy[3] - one.box_xyxy[1],
            stroke=object_color(key),
            class_="box",
        )
        for key, one in enumerate(boxes, start=1)
    ]

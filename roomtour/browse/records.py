"""What the page is told of a row, whatever it lies in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from instructions.records import Box
from roomtour.drawing.colors import object_color, text_on
from roomtour.drawing.text import printable

MOST_PICTURES = 8
"""Of a walk with more of them, so many are shown, evenly over it."""
_MOST_LETTERS = 400
"""Of a folded value; a mask or the poses of a walk are longer."""


@dataclass(frozen=True)
class Picture:
    """A picture or a video of a row, or why it is not shown."""

    address: str = ""
    """Relative to the page; empty where there is nothing to show."""
    told: str = ""
    """Its name, or why it is not shown."""
    boxes: tuple[tuple[str, float, float, float, float, str, str], ...] = ()
    """Mark, corners in pixels, color of the box and of the mark; a point has both corners at its place."""


@dataclass(frozen=True, kw_only=True)
class PageRow:
    """One row. Those texts that are the same for many rows can be filtered by."""

    id: str
    kind: str = ""
    type: str = ""
    tour: str = ""
    split: str = ""
    state: str = "kept"
    reason: str = ""
    """Code of a rejected row."""
    pictures: tuple[Picture, ...] = ()
    turns: tuple[tuple[str, str], ...] = ()
    """Who says what, or what it is called in the row."""
    lines: tuple[str, ...] = ()
    """What explains the row."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Everything else that it holds, folded on the page."""


def color_boxes(
    boxes: Iterable[tuple[str, Box]], points: Iterable[tuple[str, tuple[float, float]]] = ()
) -> tuple[tuple[str, float, float, float, float, str, str], ...]:
    """Boxes and points with the colors of their marks: the same mark has one color in every picture."""
    colored = []
    for mark, (x0, y0, x1, y1) in (*boxes, *((mark, (*xy, *xy)) for mark, xy in points)):
        color = object_color(sum(map(ord, mark)))
        colored.append((mark, round(x0, 1), round(y0, 1), round(x1, 1), round(y1, 1), color, text_on(color)))
    return tuple(colored)


def show_text(text: str) -> str:
    """The text as a page may show it; lines stay lines."""
    return "\n".join(map(printable, text.splitlines()))


def fold(fields: Mapping[str, Any]) -> dict[str, str]:
    """Values as short texts; those that say nothing are left out."""
    told = {name: value if isinstance(value, str) else _to_json(value) for name, value in fields.items()}
    cut = {name: text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}…" for name, text in told.items()}
    return {printable(name): show_text(text) for name, text in cut.items() if fields[name] not in (None, "", [], {})}


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=lambda one: f"{len(one)} bytes")

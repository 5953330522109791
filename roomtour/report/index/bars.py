"""Horizontal bars as inline SVG. Widths are shares of the picture, so its letters keep their size on any screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from roomtour.drawing.svg import element, number
from roomtour.drawing.text import printable

ROW_PX, BAR_PX = 36, 10


@dataclass(frozen=True)
class Bar:
    """One bar: what it stands for, how long it is, and its value in words."""

    label: str
    value: float
    words: str
    kind: str = "plain"
    """Class of its colour: plain, good, warn or bad."""


def draw_bars(title: str, bars: Sequence[Bar]) -> Markup:
    """A figure with a title; the longest bar fills the width. Screen readers get every value."""
    longest = max((bar.value for bar in bars), default=0.0) or 1.0
    told = "; ".join(f"{printable(bar.label)}: {bar.words}" for bar in bars)
    return element(
        "svg", [_draw(bar, row * ROW_PX, 100 * bar.value / longest) for row, bar in enumerate(bars)],
        class_="bars", width="100%", height=max(len(bars), 1) * ROW_PX, role="img", aria_label=f"{title}. {told}",
    )  # fmt: skip


def _draw(bar: Bar, top: int, percent: float) -> Markup:
    width = max(percent, 0.6) if bar.value else 0.0
    return element(
        "g",
        element("text", printable(bar.label), x=0, y=top + 14),
        element("text", bar.words, x="100%", y=top + 14, text_anchor="end", class_="amount"),
        element("rect", x=0, y=top + 20, width="100%", height=BAR_PX, rx=3, class_="ground"),
        element("rect", x=0, y=top + 20, width=f"{number(width, 2)}%", height=BAR_PX, rx=3, class_=f"bar {bar.kind}"),
    )

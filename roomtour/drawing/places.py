"""Boxes and points over a picture, as SVG in its pixels; each with a mark, so that color alone tells nothing."""

from __future__ import annotations

from markupsafe import Markup

from instructions.records import Box
from roomtour.drawing.colors import object_color, text_on
from roomtour.drawing.svg import element

_LETTER_SHARE, _RADIUS_SHARE = 0.066, 0.022
"""Of the width of the picture."""


def draw_box(place: int, mark: str, box: Box, width_px: int, *, is_dashed: bool = False) -> Markup:
    """A box in the color of a place, from 1, with its mark in a corner."""
    x0, y0, x1, y1 = box
    color, letter = object_color(place), _LETTER_SHARE * width_px
    dashes = {"stroke_dasharray": f"{0.5 * letter:.0f} {0.3 * letter:.0f}"} if is_dashed else {}
    size = {"width": max(x1 - x0, 0.0), "height": max(y1 - y0, 0.0)}
    frame = element("rect", x=x0, y=y0, **size, stroke=color, class_="box", **dashes)
    return element("g", frame, _draw_key(mark, (x0, max(y0, 0.0)), color, width_px))


def draw_point(place: int, mark: str, xy: tuple[float, float], width_px: int) -> Markup:
    """A ring around a point in the color of a place, from 1, with its number beside it, inside the picture."""
    x, y = xy
    color, radius, tab = object_color(place), _RADIUS_SHARE * width_px, 1.25 * _LETTER_SHARE * width_px
    beside = x + radius if x + radius + tab <= width_px else x - radius - tab
    return element(
        "g",
        element("circle", cx=x, cy=y, r=radius, fill="none", stroke="#fff", stroke_width=radius * 0.8),
        element("circle", cx=x, cy=y, r=radius, fill="none", stroke=color, stroke_width=radius * 0.4),
        _draw_key(mark, (beside, max(y - radius - tab, 0.0)), color, width_px),
    )


def _draw_key(mark: str, corner: tuple[float, float], color: str, width_px: int) -> Markup:
    letter = _LETTER_SHARE * width_px
    wide, tab = letter * (0.75 * len(mark) + 0.5), letter * 1.25
    x, y = corner
    return element(
        "g",
        element("rect", x=x, y=y, width=wide, height=tab, fill=color, stroke="none"),
        element(
            "text", mark, x=x + wide / 2, y=y + tab * 0.54, fill=text_on(color), font_size=letter, class_="box-key"
        ),
    )

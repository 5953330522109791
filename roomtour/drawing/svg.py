"""Build SVG so that text cannot become markup: whatever is not `Markup` is escaped where it enters.

Boxes and points over a picture each have a mark, so that color alone tells nothing; labels do not cover each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup, escape

from instructions.records import Box
from roomtour.drawing.colors import object_color, text_on

_NAME = re.compile(r"(?!(?i:on))[a-zA-Z][a-zA-Z0-9-]*")
"""Event handlers (`on...`) are no marks of a drawing."""

Child = Markup | str | int | None | Iterable["Child"]


def element(name: str, /, *children: Child, **attributes: str | float | None) -> Markup:
    """One element.

    Args:
        name: Element name.
        children: Text (escaped), Markup (kept), numbers, or lists of them; None is left out.
        attributes: Values are escaped, None is left out. A trailing `_` is cut and other `_` become `-`, so `class_`
            and `aria_label` work.

    Raises:
        ValueError: For a name that is no element or attribute name, or an event handler.
    """
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    for known in (name, *given):
        if not _NAME.fullmatch(known):
            raise ValueError(f"{known!r} is no name of an element or attribute to draw with")
    head = "".join(
        f' {key}="{escape(value if isinstance(value, str) else number(value, 2))}"' for key, value in given.items()
    )
    return Markup(f"<{name}{head}>{join(children)}</{name}>")


def join(children: Iterable[Child]) -> Markup:
    """Children after one another; text is escaped, Markup kept, None left out."""
    return Markup("").join(_flat(children))


def number(value: float, digits: int = 1) -> str:
    """A coordinate: short, and never in exponents."""
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _flat(children: Iterable[Child]) -> Iterator[str]:
    for child in children:
        if isinstance(child, str | int):
            yield child if isinstance(child, str) else str(child)
        elif child is not None:
            yield from _flat(child)


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


LETTER_SHARE = 0.58
"""Mean width of a letter relative to the font size, on the safe side for system fonts."""


class LabelPlacer:
    """Remembers what is taken on a drawing of a given size; first come, first served."""

    def __init__(self, width: float, height: float) -> None:
        self._width = width
        self._height = height
        self._taken: list[Box] = []

    def reserve(self, box: Box) -> None:
        """Mark x0, y0, x1, y1 as taken."""
        self._taken.append(box)

    def place(self, text: str, size: float, anchors: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
        """Find room for a text that is centred on one of the anchors, best first.

        Args:
            text: What will be written, in one line.
            size: Font size.
            anchors: Possible centres of the text.

        Returns:
            The centre (x, y) with that place now taken, or None if every anchor is covered or outside.
        """
        half_width, half_height = len(text) * size * LETTER_SHARE / 2 + 2, size * 0.6
        for x, y in anchors:
            box = (x - half_width, y - half_height, x + half_width, y + half_height)
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= self._width and box[3] <= self._height
            if inside and not any(_overlap(box, other) for other in self._taken):
                self._taken.append(box)
                return x, y
        return None


def around(x: float, y: float, reach_x: float, reach_y: float) -> list[tuple[float, float]]:
    """Eight anchors around a point: below, above, right, left, then the corners."""
    steps = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1))
    return [(x + dx * reach_x, y + dy * reach_y) for dx, dy in steps]


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]

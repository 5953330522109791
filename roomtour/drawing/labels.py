"""Put labels on a drawing so that they do not cover each other; one that finds no room is left out."""

from __future__ import annotations

from collections.abc import Sequence

LETTER_SHARE = 0.58
"""Mean width of a letter relative to the font size, on the safe side for system fonts."""

Box = tuple[float, float, float, float]


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

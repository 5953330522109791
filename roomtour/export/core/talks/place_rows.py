"""What a talk points at as a column of its row, and the rules of that column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from recon.pictures import find_picture_size
from roomtour.export.core.checking import Finite, Row, RowCheck, Text
from roomtour.export.core.talks.talk import Talk

PLACES = """\
`places` say what the texts point at: `words` as the run has them, `number` as it is drawn, `picture` (from 0) and
  `spot`: a point or the corners of a box in pixels of that picture."""
"""A line of the convention of every format with the column."""


class PlaceRow(Row):
    """One entry of the column."""

    words: Text
    number: Annotated[int, Field(ge=0)]
    picture: Annotated[int, Field(ge=0)]
    spot: Annotated[list[Finite], Field(min_length=2, max_length=4)]


def list_places(talk: Talk) -> list[dict[str, Any]]:
    """The column of a talk; what is out of view is not in it."""
    return [
        {
            "words": one.words,
            "number": one.number,
            "picture": one.picture,
            "spot": [round(float(value), 2) for value in one.spot],
        }
        for one in talk.places
        if one.spot is not None
    ]


_HEAD_BYTES = 1 << 16
"""Of a picture: its size stands in them."""


def read_sizes(folder: Path, names: Iterable[str]) -> list[tuple[int, int] | None]:
    """Width and height of pictures; None for one that is not there or whose head says none."""
    sizes: list[tuple[int, int] | None] = []
    for name in names:
        try:
            with (folder / name).open("rb") as file:
                sizes.append(find_picture_size(file.read(_HEAD_BYTES)))
        except OSError:
            sizes.append(None)
    return sizes


def check_places(row: RowCheck, places: Sequence[PlaceRow], sizes_px: Sequence[tuple[int, int] | None]) -> None:
    """Each entry lies in a picture of its row.

    Args:
        row: That has the column.
        places: Its entries.
        sizes_px: Width and height of each of its pictures; None where nobody knows.
    """
    for one in places:
        if one.picture >= len(sizes_px):
            row.bad("places.picture", f"one of {len(sizes_px)} pictures, from 0", one.picture)
            continue
        check_spot(row, "places.spot", one.spot, sizes_px[one.picture])


def check_spot(row: RowCheck, field: str, spot: Sequence[float], size_px: tuple[int, int] | None) -> None:
    """A point or a box is inside its picture, the lower corner last."""
    width, height = size_px or (float("inf"), float("inf"))
    corners = list(zip(spot[::2], spot[1::2], strict=False))
    is_ordered = len(corners) == 1 or (corners[0][0] < corners[1][0] and corners[0][1] < corners[1][1])
    if len(spot) == 3 or not is_ordered or not all(0 <= x <= width and 0 <= y <= height for x, y in corners):
        row.bad(field, f"a point, or corners in order, inside {width:g} x {height:g}", spot)

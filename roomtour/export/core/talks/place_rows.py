"""What a talk points at as a column of its row."""

from __future__ import annotations

from typing import Any

from roomtour.export.core.talks.talk import Talk

PLACES = """\
`places` say what the texts point at: `words` as the run has them, `number` as it is drawn, `picture` (from 0) and
  `spot`: a point or the corners of a box in pixels of that picture."""
"""A line of the convention of every format with the column."""


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

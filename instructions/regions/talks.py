"""A row as turns of talk: what formats of conversations write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from instructions.regions.records import Qar, Region, RegionView


@dataclass(frozen=True)
class RegionTalk:
    """An accepted row with what is shown for it."""

    id: str
    frame: int
    view: RegionView
    regions: tuple[Region, ...]
    """All of the view, by number: what is drawn."""
    question: str
    answer: str
    """Answer and rationale, as one reply."""
    type: str
    solution: str | None
    row: Qar


def find_talks(rows: Iterable[Qar], views: Mapping[str, RegionView]) -> Iterator[RegionTalk]:
    """Accepted rows as talks, in their order.

    Args:
        rows: Of one tour.
        views: By id.

    Raises:
        KeyError: For a row about a view that is not there.
    """
    for row in rows:
        if row.accepted:
            view = views[row.view]
            reply = f"{row.answer} {row.rationale}"
            yield RegionTalk(row.id, row.views[0], view, view.regions, row.question, reply, row.type, row.solution, row)

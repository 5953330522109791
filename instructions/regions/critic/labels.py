"""What a critic learns: targets of ratings by people, and of rows that were made false."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from instructions.regions.records import Pair, Qar, Rating3


@dataclass(frozen=True)
class Targets:
    """Of one row."""

    accepted: bool
    """Nobody rejected the answer or the rationale."""
    qa: float
    """0 if anybody rejected the answer, else the mean rating, 2 to 3."""
    rationale: float
    """0 if anybody rejected the rationale, else the mean rating, 2 to 3."""


@dataclass(frozen=True)
class Labelled:
    """A row with what it should be given."""

    row: Qar
    targets: Targets


def find_targets(ratings: Sequence[Rating3]) -> Targets:
    """Of all ratings of one row.

    Raises:
        ValueError: For none.
    """
    if not ratings:
        raise ValueError("a row without ratings has no targets")
    qa, rationale = [rating.qa for rating in ratings], [rating.rationale for rating in ratings]
    means = [0.0 if min(told) == 1 else sum(told) / len(told) for told in (qa, rationale)]
    return Targets(all(means), *means)


def label_by_people(rows: Iterable[Qar], ratings: Iterable[Rating3]) -> list[Labelled]:
    """The rated ones of the rows, in their order."""
    of_row: dict[str, list[Rating3]] = defaultdict(list)
    for rating in ratings:
        of_row[rating.qar].append(rating)
    return [Labelled(row, find_targets(of_row[row.id])) for row in rows if of_row[row.id]]


def label_made(rows: Sequence[Qar], pairs: Sequence[Pair]) -> list[Labelled]:
    """Kept rows as they are, their twins with a false answer, and rows with the rationale of another row of the view.

    Made labels are no opinion of people and are marked `made` wherever they are used.
    """
    kept: Mapping[str, Qar] = {row.id: row for row in rows if row.accepted}
    out = [Labelled(row, Targets(True, 3.0, 3.0)) for row in kept.values()]
    for pair in pairs:
        if pair.row in kept:
            row = kept[pair.row]
            false = replace(row, id=pair.id, answer=pair.rejected, verdicts=pair.verdicts, solution=None)
            out.append(Labelled(false, Targets(False, 0.0, 0.0)))
    of_view: dict[tuple[str, str], list[Qar]] = defaultdict(list)
    for row in kept.values():
        of_view[row.view, row.mode].append(row)
    for group in of_view.values():
        for one, other in zip(group[::3], [*group[1::3]], strict=False):
            if one.type != other.type and one.rationale != other.rationale:
                strange = replace(one, id=f"{one.id}_r", rationale=other.rationale)
                out.append(Labelled(strange, Targets(False, 3.0, 0.0)))
    return out

"""What the card says of answers that can be guessed without a picture, from rows drawn so that memory ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from heapq import heappush, heappushpop

from instructions.asking.blind import BlindItem, BlindScore, guess_blind
from instructions.asking.draws import Draw
from recon.numerals import count

MOST_ROWS = 4000
"""Of a type: the share of right guesses is then known to 0.8 points, and a forest takes seconds."""

Items = tuple[BlindItem, ...]


@dataclass(eq=False)
class BlindSample:
    """Of each type at most `most` rows. Which they are hangs on their ids and on no order."""

    most: int = MOST_ROWS
    _rows: dict[str, list[tuple[float, str, Items]]] = field(default_factory=lambda: defaultdict(list))
    """Heaps by type: the row that goes next is first."""

    def add(self, kind: str, name: str, make: Callable[[], Items]) -> None:
        """Take a row of a type by its id; `make` is called if it is among those drawn so far."""
        heap, rank = self._rows[kind], -Draw("blind", name).uniform()
        if len(heap) < self.most:
            heappush(heap, (rank, name, make()))
        elif (rank, name) > heap[0][:2]:
            heappushpop(heap, (rank, name, make()))

    def items(self, gone: Collection[str]) -> list[BlindItem]:
        """What is drawn less the rows that are gone, in the order of ids."""
        rows = sorted((name, made) for heap in self._rows.values() for _, name, made in heap if name not in gone)
        return [item for _, made in rows for item in made]


def tell_blind_test(items: Sequence[BlindItem]) -> list[str]:
    """Lines of the card: the blind test type by type, or why there is none."""
    scores = guess_blind(items)
    if not scores:
        return ["Blind test: not made, it needs more rows, of two tours at least."]
    how = "forest on the texts alone, folds by tour; guess / chance, numbers by mean relative accuracy"
    return [f"Blind test ({how}):", *(_tell(score) for score in scores)]


def _tell(score: BlindScore) -> str:
    few = "" if score.is_tested else ", too few to judge"
    asked = f"{count(score.rows, 'row')}, {count(score.tours, 'tour')}"
    return f"`{score.kind}`: {score.score:.2f} / {score.chance:.2f} ({asked}{few})"

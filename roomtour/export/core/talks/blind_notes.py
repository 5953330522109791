"""What the card of a dataset says of answers that can be guessed without a picture."""

from __future__ import annotations

from collections.abc import Sequence

from instructions.asking.blind import BlindItem, BlindScore, guess_blind
from recon.numerals import count


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

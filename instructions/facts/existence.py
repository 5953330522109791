"""What may be said of how many there are: the only one, so many, or none, from what perception can miss.

The shares were measured with the light models on the two labeled tours that bars may be set on (`benchmarks/labels`,
142 views): how often a person sees a thing of a noun where no detection of that view is one, and how often there is a
second where one was found and nothing else hinted at more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from instructions.facts.verdict import Verdict
from instructions.wording.english import head_noun

MOST_WRONG = 0.03
"""Share of such statements that may be wrong."""
_MISSED: Mapping[str, float] = {
    "sofa": 0.29, "couch": 0.29, "chair": 0.21, "cabinet": 0.20, "table": 0.14, "desk": 0.14, "door": 0.12,
    "window": 0.09, "plant": 0.08, "curtain": 0.07, "microwave": 0.05, "shelf": 0.05, "picture": 0.04,
}  # fmt: skip
"""By noun, the share of views that were said to show none and show one."""
_SECOND_MISSED: Mapping[str, float] = {
    "plant": 0.28, "table": 0.26, "desk": 0.26, "door": 0.19, "cabinet": 0.14, "chair": 0.09, "window": 0.06,
    "picture": 0.04,
}  # fmt: skip
"""By noun, the share of views that were said to show one and show more."""
_OF_ONE_COLOR = frozenset({"cabinet"})
"""Nouns of which the things of a room mostly have one color, which tells none from another: of cabinets named with
theirs, 3 of 21 were not the only ones."""
CONFUSED = (
    {"chair", "armchair", "bench", "sofa", "stool"},
    {"cabinet", "shelf", "refrigerator", "oven", "wardrobe", "dresser", "microwave"},
    {"screen", "laptop", "picture", "mirror", "window", "television", "tv"},
    {"bed", "sofa"},
    {"table", "desk", "bench"},
    {"door", "window", "wardrobe", "cabinet"},
    {"bag", "backpack", "suitcase"},
    {"plant", "stuffed toy"},
    {"rug", "curtain"},
    {"sink", "toilet", "bathtub"},
    {"sink", "counter", "cabinet", "shelf"},
)
"""Nouns that a detector takes for each other, or of which one is built into the other and easily missed."""
_WIDE = frozenset({"bag", "box", "book"})
"""Words that mean more than a detector looks for (a bag on the table may be of plastic)."""


def judge_alone(phrase: str, others: int, *, is_detected: bool, has_color: bool) -> Verdict:
    """Whether a name means one thing.

    Args:
        phrase: The name.
        others: How many other things that are shown, or may be, it fits.
        is_detected: Only perception says what there is.
        has_color: The name has a color, which tells the thing from most that may have been missed.
    """
    noun = head_noun(phrase)
    is_told_apart = has_color and noun not in _OF_ONE_COLOR
    missed = _SECOND_MISSED.get(noun, 0.0) if is_detected and not is_told_apart else 0.0
    state = False if others else True if missed <= MOST_WRONG else None
    return Verdict(state, missed, MOST_WRONG, unit="ratio", reason="not_unique" if state is None else "")


def judge_count(noun: str, found: int, doubtful: int, *, is_detected: bool) -> Verdict:
    """Whether as many of a kind as were found are all: unknown where more may be in view, or perception misses some.

    Args:
        noun: The kind.
        found: How many are surely there.
        doubtful: How many more there may be.
        is_detected: Only perception says what there is.
    """
    missed = (_SECOND_MISSED if found else _MISSED).get(head_noun(noun), 0.0) if is_detected else 0.0
    is_known = not doubtful and missed <= MOST_WRONG
    return Verdict(True if is_known else None, float(found), missed, unit="", reason="" if is_known else "missed_often")


def judge_absence(kind: str, shown: Collection[str], *, is_looked_for: bool, is_detected: bool) -> Verdict:
    """Whether there is none of a kind.

    Args:
        kind: The kind.
        shown: Nouns of everything that is shown or may be.
        is_looked_for: Perception knows the kind.
        is_detected: Only perception says what there is.
    """
    noun = head_noun(kind)
    if noun in shown:
        return Verdict(None if is_detected else False, 1.0, MOST_WRONG, unit="ratio", reason="shown")
    missed = 0.0
    if is_detected:
        is_hidden = noun in _WIDE or any(noun in group and not group.isdisjoint(shown) for group in CONFUSED)
        missed = 1.0 if is_hidden or not is_looked_for else _MISSED.get(noun, 0.0)
    state = True if missed <= MOST_WRONG else None
    return Verdict(state, missed, MOST_WRONG, unit="ratio", reason="" if state else "missed_often")

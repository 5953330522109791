"""What may be said of how many there are: the only one, so many, or none, from what perception can miss.

Measured with the light models on ten tours that bars may be set on (`benchmarks/counts.py`, `benchmarks/labels`): how
often a person sees a thing of a noun where the view would say that there is none, and of which nouns a view hardly ever
shows two.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from instructions.facts.verdict import Verdict
from instructions.wording.english import head_noun

MOST_WRONG = 0.03
"""Share of such statements that may be wrong."""
_MISSED: Mapping[str, float] = {
    "screen": 0.56, "picture": 0.55, "rug": 0.42, "mirror": 0.36, "sofa": 0.29, "couch": 0.29, "table": 0.28,
    "chair": 0.21, "cabinet": 0.20, "can": 0.16, "desk": 0.14, "door": 0.12, "backpack": 0.11, "sink": 0.10,
    "window": 0.09, "armchair": 0.08, "plant": 0.08, "curtain": 0.07, "microwave": 0.05, "shelf": 0.05,
}  # fmt: skip
"""By noun, the share of views that were said to show none and show one: the greater of what the ten tours and, with an
earlier detector, two of them gave."""
_HARDLY_TWICE = frozenset(["refrigerator", "stove", "toilet", "counter", "faucet", "towel", "whiteboard"])
"""Nouns that at least two labeled tours show, no labeled moment twice, and that are not often missed. Of the others
seen for long, 4 to 100 % of the moments that show one show more; where one was found a second was missed more often
than not, and where two, a third."""
UNNAMED = "object"
"""What has no name is told by its size and color, and no label says how often these fit a second."""
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


def judge_alone(phrase: str, others: int, *, is_detected: bool) -> Verdict:
    """Whether a name means one thing, beside so many others that are shown, or may be, and that it fits; perception
    alone says what there is, or not.
    """
    missed = _miss_second(head_noun(phrase), is_detected)
    state = False if others else True if missed <= MOST_WRONG else None
    return Verdict(state, missed, MOST_WRONG, unit="ratio", reason="not_unique" if state is None else "")


def judge_count(noun: str, found: int, doubtful: int, *, is_detected: bool) -> Verdict:
    """Whether as many of a kind as were surely found are all: unknown where doubtful ones may be in view, or
    perception, if it alone says what there is, misses some.
    """
    head = head_noun(noun)
    missed = _miss_second(head, is_detected) if found else _MISSED.get(head, 0.0) * is_detected
    is_known = not doubtful and missed <= MOST_WRONG
    return Verdict(True if is_known else None, float(found), missed, unit="", reason="" if is_known else "missed_often")


def judge_absence(
    kind: str, shown: Collection[str], elsewhere: Collection[str] = (), *, is_looked_for: bool, is_detected: bool
) -> Verdict:
    """Whether there is none of a kind.

    Args:
        kind: A word for it.
        shown: Nouns of everything that has a box here; the kind may hide under one that is confused with it.
        elsewhere: Nouns of what is known of other frames and may be here without a box.
        is_looked_for: Whether perception knows the kind.
        is_detected: Whether perception alone says what there is.
    """
    noun = head_noun(kind)
    if noun in shown or noun in elsewhere:
        return Verdict(None if is_detected else False, 1.0, MOST_WRONG, unit="ratio", reason="shown")
    missed = 0.0
    if is_detected:
        is_hidden = noun in _WIDE or any(noun in group and not group.isdisjoint(shown) for group in CONFUSED)
        missed = 1.0 if is_hidden or not is_looked_for else _MISSED.get(noun, 0.0)
    state = True if missed <= MOST_WRONG else None
    return Verdict(state, missed, MOST_WRONG, unit="ratio", reason="" if state else "missed_often")


def _miss_second(noun: str, is_detected: bool) -> float:
    """Share of statements that there is no further one which nobody vouches for: none or all."""
    return float(is_detected and noun not in _HARDLY_TWICE and noun != UNNAMED)

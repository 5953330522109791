"""Which kind of room holds these things: Bayes' rule over the table, with doubts about every name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import factorial

from instructions.perception.rooms.priors import RoomPrior, mean_share, room_priors

UNKNOWN = "unknown"
"""None of the kinds in the table, or a place of which too little is known: its things are those of any room."""
_UNKNOWN_PRIOR = 0.15
"""How often a place is none of the kinds: a store room, a landing, a corner of an open floor."""
_NAMED_BY = 0.6
"""What gives a room its name counts at least so much: it stands near, and is more than a tag."""
_WITNESS, _USUAL = 0.3, 0.5
"""A witness of a kind of room counts at least so much, and at least this share of such rooms have one."""
_WORDS = 40
"""Words that a misnamed thing may get: so many does a detector of homes tell apart."""
_FOUND = 0.6
"""Of the things of a place, the share that perception finds: what is asked of it for things over 40 cm."""
_MISNAMED = 0.2
"""Of the names that it gives, the share that is wrong: a little more than is asked of it."""
_MOST_STRAY = 0.9
"""However many things there are, a word is not sure to be said of one of them by mistake."""
_SETS: Mapping[str, tuple[str, ...]] = {"table with chairs": ("table", "chair"), "several desks": ("desk",)}
"""A set of things speaks instead of its parts: they are no independent witnesses."""


@dataclass(frozen=True)
class Sighting:
    """What speaks for a word: how many things bear it, and how much the best of them counts."""

    count: int
    weight: float
    """1 for a thing of this place; less for what is far off on an open floor, and for tags of pictures."""


def weigh_rooms(
    seen: Mapping[str, Sighting], things: float, forms: Mapping[str, bool], *, witnesses: int = 0
) -> dict[str, float]:
    """Probability of each kind of room, `UNKNOWN` included.

    A word is seen where such a thing is there and found, or where another thing is misnamed. The more things a place
    has, the more of them are misnamed, and the less a single name means. What is not seen says nothing: with its
    absence weighed, half as many rooms of a made home were known.

    Args:
        seen: By word of the table. Other words speak for nothing.
        things: How many things the place has, whatever their names.
        forms: By form of the table (`narrow`, `long`, `many doorways`), whether the place is so; empty where its
            walls were not seen.
        witnesses: Words that must speak for a kind of room, the one that gives it its name among them.

    Returns:
        Probabilities that add up to 1. A kind that nothing seen gives its name to, or with fewer witnesses, has none.
    """
    whole = {word for word in _SETS if word in seen}
    parts = {part for word in whole for part in _SETS[word]}
    priors, mean = room_priors(), mean_share()
    stray = min(things * _MISNAMED / _WORDS, _MOST_STRAY)

    def likely(word: str, share: float) -> float:
        """Of what was seen of a word, in a room of which a share has such things."""
        if word in forms:
            return share if forms[word] else 1.0 - share
        count = seen[word].count
        return _FOUND * share + (1.0 - _FOUND * share) * stray**count / factorial(count)

    weights: dict[str, float] = {UNKNOWN: _UNKNOWN_PRIOR}
    for prior in priors:
        if _is_named(prior, seen, forms) and _count_witnesses(prior, seen) >= witnesses:
            weight = (1.0 - _UNKNOWN_PRIOR) / len(priors)
            for word, share in prior.share.items():
                if word in parts or not (word in forms or word in seen):
                    continue
                factor = likely(word, share) / likely(word, mean[word])
                trust = seen[word].weight if word in seen else 1.0
                weight *= trust * factor + 1.0 - trust
            weights[prior.name] = weight
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


def _is_named(prior: RoomPrior, seen: Mapping[str, Sighting], forms: Mapping[str, bool]) -> bool:
    return any(forms.get(word, False) or (word in seen and seen[word].weight >= _NAMED_BY) for word in prior.named_by)


def _count_witnesses(prior: RoomPrior, seen: Mapping[str, Sighting]) -> int:
    usual = prior.named_by | {word for word, share in prior.share.items() if share >= _USUAL}
    parts = {part for word in _SETS if word in seen for part in _SETS[word]}
    return sum(seen[word].weight >= _WITNESS for word in usual - parts if word in seen)

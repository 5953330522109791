"""Random choices that hang on what they are about: one row never moves another, nor does the number of workers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from math import exp
from typing import TypeVar

Item = TypeVar("Item")
TEMPERATURE_WORDS = 4.0
"""Of the softmax over minus the count of words: shorter is likelier, and four words more are drawn e times less."""


class Draw:
    """A stream of uniform numbers named by what it is about."""

    def __init__(self, *about: str | int) -> None:
        self._key = json.dumps(about, ensure_ascii=False).encode()
        self._count = 0

    def uniform(self) -> float:
        """The next number in [0, 1)."""
        digest = blake2b(self._key + self._count.to_bytes(4, "big"), digest_size=8).digest()
        self._count += 1
        return int.from_bytes(digest, "big") / 2**64

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items, each as likely."""
        return items[int(self.uniform() * len(items))]

    def shuffle(self, items: Iterable[Item]) -> list[Item]:
        """All of the items in an order by chance; the first number drawn is that of the first item."""
        return sorted(items, key=lambda _: self.uniform())

    def take(self, items: Iterable[Item], count: int) -> list[Item]:
        """So many different items, or all, in an order by chance."""
        left = list(items)
        return [left.pop(int(self.uniform() * len(left))) for _ in range(min(count, len(left)))]

    def draw_weighted(self, weights: Sequence[float]) -> int:
        """An index, by weights that are not negative and not all 0."""
        at = self.uniform() * sum(weights)
        for index, weight in enumerate(weights):
            at -= weight
            if at < 0:
                return index
        return len(weights) - 1

    def shorter(self, texts: Sequence[str]) -> int:
        """An index of a text; the fewer words, the likelier."""
        return self.draw_weighted([exp(-len(text.split()) / TEMPERATURE_WORDS) for text in texts])

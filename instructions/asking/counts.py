"""What was not asked, as counts for people."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

NotAsked = Counter[tuple[str, str]]
"""How often something was not asked, by type and reason."""


def count_not_asked(not_asked: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    """By reason and type, from counts by type and reason; most frequent reason first."""
    by_reason: dict[str, Counter[str]] = defaultdict(Counter)
    for (kind, reason), count in not_asked.items():
        by_reason[reason][kind] += count
    order = sorted(by_reason, key=lambda reason: (-by_reason[reason].total(), reason))
    return {reason: dict(sorted(by_reason[reason].items())) for reason in order}

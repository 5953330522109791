"""Every kind of data says the same of the same things: some made pairs of the 500 that `tests/full` asks about."""

from __future__ import annotations

from collections import defaultdict

from tests.support.judges.told_relations import find_contradictions, make_pairs

PAIRS = 60


def test_every_kind_says_the_same_of_the_same_things():
    told: dict[str, set[str]] = defaultdict(set)
    for number, room in enumerate(make_pairs(PAIRS)):
        for sigma in (0.0, 0.02):
            said, torn = find_contradictions(room, sigma)
            assert not torn, (number, sigma, torn)
            for relation, who in said:
                told[relation].add(who)
    assert all(len(who) > 1 for who in told.values()), told

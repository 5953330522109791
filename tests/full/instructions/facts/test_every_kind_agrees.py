"""Every kind of data, `ask` and the checks of texts say the same of the same 500 made pairs."""

from __future__ import annotations

from collections import Counter

from tests.support.judges.told_relations import find_contradictions, make_pairs

PAIRS = 500
RELATIONS = {"right", "behind", "above", "tall", "wide", "big", "on", "under", "next", "nearer", "between"}


def test_every_kind_says_the_same_of_the_same_things():
    said: Counter[tuple[str, str]] = Counter()
    for number, room in enumerate(make_pairs(PAIRS)):
        for sigma in (0.0, 0.02):
            told, torn = find_contradictions(room, sigma)
            assert not torn, (number, sigma, torn)
            said += told
    assert {relation for relation, _ in said} == RELATIONS
    assert {who for _, who in said} == {
        "spatial", "programs", "ask", "regions", "dialogues", "dialogues of places", "lines", "the check of texts",
    }  # fmt: skip
    for relation in RELATIONS:
        assert len({who for one, who in said if one == relation}) > 1, relation

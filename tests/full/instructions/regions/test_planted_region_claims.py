"""Planted false claims and answers about regions that do not tell their claims are caught; our own hold."""

import numpy as np
import pytest

from instructions.claims.stated import PlaceClaims
from instructions.claims.view_claims import ViewBars
from instructions.regions.facts_qar import write_facts
from instructions.regions.judge import know_view
from instructions.regions.options import RegionOptions, ViewCoverOptions
from instructions.regions.writer import prepare_views
from tests.support.planted import Case, count_caught, list_faults
from tests.support.worlds.apartment_surfaces import Surfaces, know_apartment

OPTIONS = RegionOptions(views=ViewCoverOptions(most=20))
UNCLAIMED = ("Is it right to", " ahead.", "measure more", "more height", "_")
"""Words of our own that are a side too, or no word of the claim's; and labels of rooms that nobody says."""


@pytest.fixture(scope="module")
def own() -> list[tuple[PlaceClaims, Case]]:
    """Answers of our own grammar about the views of the apartment, with their claims."""
    found: list[tuple[PlaceClaims, Case]] = []
    for one in prepare_views(know_apartment(Surfaces(), np.arange(0.0, 74.7, 2.0).tolist()).tour, OPTIONS):
        for written in write_facts(one.facts, one.record, "made"):
            row, told = written.row, list(written.fact.claims)
            if not told or row.task == "kind_on" or any(word in row.text for word in UNCLAIMED):
                continue  # what stands on a thing is told by the question
            if " away" in row.answer:
                told.append(written.fact.reasons[-1])
            claims = know_view(one.facts, row.mode, ViewBars())
            if claims.find_fault(row.answer, told, row.question) is not None:
                told.append(told[-1])  # `One finds it on the left: [0] is on the left.`
            found.append((claims, Case(row.question, row.answer, tuple(told))))
    return found


def test_own_rows_hold(own: list[tuple[PlaceClaims, Case]]):
    assert len(own) > 150
    assert list_faults(own) == []


def test_what_is_planted_is_caught(own: list[tuple[PlaceClaims, Case]]):
    planted, missed = count_caught(own)
    assert len(planted) >= 20
    assert len(missed) <= 0.02 * planted.total(), missed[:10]

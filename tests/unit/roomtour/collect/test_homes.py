"""Videos of one home by the address in their titles."""

from __future__ import annotations

from roomtour.collect.homes import find_address, name_home
from roomtour.collect.records import Candidate


def test_an_address_has_one_spelling(subtests):
    for title, address in (
        ("House Tour | 12 Elm Street, Springfield", "12 elm street"),
        ("12 elm st. walkthrough", "12 elm street"),
        ("1400 N. Lake Shore Dr #5B", "1400 n lake shore drive"),
        ("Touring 221b Baker Street", "221b baker street"),
        ("Lindenstraße 12, Berlin", "12 lindenstrasse"),
        ("Wohnung Lindenstr. 12", "12 lindenstrasse"),
        ("Via Roma 4 Milano", "4 via roma"),
        ("3 bedroom house walk through", ""),
        ("2400 sq ft home tour", ""),
        ("My $5,000,000 home", ""),
        ("", ""),
    ):
        with subtests.test(str(title)):
            assert find_address(title) == address


def test_one_home_is_one_address_of_one_channel():
    first = name_home(Candidate("a", title="12 Elm Street, the kitchen", channel="A"))
    assert first.startswith("home-")
    assert "elm" not in first
    assert name_home(Candidate("b", title="Back at 12 Elm St", channel="a")) == first
    assert name_home(Candidate("c", title="Back at 12 Elm St", channel="B")) != first
    assert name_home(Candidate("d", title="Back at 14 Elm St", channel="A")) != first
    assert name_home(Candidate("e", title="12 Elm Street", channel="")) == ""
    assert name_home(Candidate("f", title="12 Elm Street", channel="A", home="mine")) == "mine"

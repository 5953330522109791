"""The one plural of all messages."""

import pytest

from recon.wording import count


@pytest.mark.parametrize(
    ("number", "noun", "told"),
    [
        (1, "sub-model", "1 sub-model"),
        (0, "tour", "0 tours"),
        (2, "trajectory", "2 trajectories"),
        (2, "way", "2 ways"),
        (3, "box", "3 boxes"),
        (1, "query", "1 query"),
        (2, "floor or ceiling plane", "2 floor or ceiling planes"),
    ],
)
def test_a_number_takes_its_noun_along(number, noun, told):
    assert count(number, noun) == told

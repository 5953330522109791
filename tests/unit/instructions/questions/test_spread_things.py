"""No thing whose name was found carries too many of a tour's rows."""

from __future__ import annotations

from collections import Counter

import pytest

from instructions.questions.core.options import SpatialOptions
from instructions.questions.quality.evening import LEAST_OF_THING
from tests.support.worlds.box_rooms import Block, ask_about, make_room

NAMES = ("chair", "lamp", "table", "bed", "sofa", "sink", "oven", "clock", "plant")
EYES = [(0.25 * step, 0.0, 1.5) for step in range(8)]


def ask(count: int, *, exact: bool):
    spots = [(5.0 + at % 3, 0.9 * (at - count / 2)) for at in range(count)]
    blocks = [Block(name, (x, y, 0.6), (0.4, 0.4, 1.2)) for name, (x, y) in zip(NAMES, spots, strict=False)]
    return ask_about(make_room(blocks, eyes=EYES), SpatialOptions(), exact=exact)


@pytest.mark.parametrize("count", [1, 2, 3, 9])
def test_a_detected_thing_is_in_a_third_of_the_rows_at_most_or_in_few(count: int):
    told = ask(count, exact=False)
    rows = [row for row in told.rows if row.type != "unseen"]
    assert rows
    most = max(Counter(one.object for row in rows for one in row.references).values())
    assert most <= max(LEAST_OF_THING, SpatialOptions().choice.thing_share * len(rows))
    assert {row.twin for row in rows if row.twin} <= {row.id for row in rows}
    assert count > 3 or any(reason == "thing_full" for _, reason in told.not_asked)


def test_what_was_given_with_its_name_is_asked_about_as_often_as_views_allow():
    told = ask(2, exact=True)
    assert max(Counter(one.object for row in told.rows for one in row.references).values()) > LEAST_OF_THING
    assert not any(reason == "thing_full" for _, reason in told.not_asked)

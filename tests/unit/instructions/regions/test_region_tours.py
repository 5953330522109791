"""Region knowledge of several tours: ids, counts and choices of one do not hang on the others."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from instructions.regions.options import RegionOptions, ViewCoverOptions
from instructions.regions.writer import RegionRows, prepare_views, write_measured
from tests.support.worlds.apartment_surfaces import KnownWorld, Surfaces, know_apartment

OPTIONS = RegionOptions(views=ViewCoverOptions(most=4), choices=3)


@pytest.fixture(scope="module")
def world() -> KnownWorld:
    return know_apartment(Surfaces(), np.arange(0.0, 74.7, 8.0).tolist())


def write(world: KnownWorld, tour: str) -> RegionRows:
    made = replace(world.tour, scene=replace(world.scene, id=tour))
    return write_measured(made, prepare_views(made, OPTIONS), OPTIONS)


@pytest.fixture(scope="module")
def tours(world: KnownWorld) -> dict[str, RegionRows]:
    return {name: write(world, name) for name in ("first", "second")}


def test_ids_are_of_one_row_in_all_tours(tours: dict[str, RegionRows]):
    for of in ("rows", "views", "pairs"):
        ids = Counter(one.id for made in tours.values() for one in getattr(made, of))
        assert max(ids.values()) == 1
        assert len(ids) > 4
    for name, made in tours.items():
        assert {row.tour for row in made.rows} == {name}
        assert {row.view for row in made.rows} <= {view.id for view in made.views}
        assert {pair.row for pair in made.pairs} <= {row.id for row in made.rows if row.accepted}


def test_a_tour_is_the_same_whatever_was_made_before_it(world: KnownWorld, tours: dict[str, RegionRows]):
    assert write(world, "first") == tours["first"]
    # Every choice hangs on the tour: the same rooms under another name are asked about otherwise.
    assert [row.text for row in tours["first"].rows] != [row.text for row in tours["second"].rows]

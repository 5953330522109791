"""The made apartment as dialogues know it, with a view every 12 s, for all tests of this folder."""

import numpy as np
import pytest

from benchmarks.dialogues import know_tour
from instructions.dialogues.tour import TalkTour
from tests.support.worlds.apartment_surfaces import Surfaces


@pytest.fixture(scope="session")
def surfaces() -> Surfaces:
    return Surfaces()


@pytest.fixture(scope="session")
def few_views(surfaces: Surfaces) -> TalkTour:
    return know_tour(surfaces, np.arange(0.0, 74.7, 12.0).tolist())[0]

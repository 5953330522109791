"""Dialogues of the made apartment with a view every 3 s about views, walks and clouds, for all tests of this folder."""

import numpy as np
import pytest

from benchmarks.dialogues import cast_depth, know_tour
from instructions.dialogues.options import CloudOptions, DialogueOptions
from instructions.dialogues.records import Dialogue
from instructions.dialogues.tour import TalkTour
from instructions.dialogues.writer import write_dialogues
from tests.support.judges.dialogue_judge import Judge
from tests.support.worlds.apartment_surfaces import TRUTH, Surfaces

TIMES_S = np.arange(0.0, 74.7, 3.0).tolist()
OPTIONS = DialogueOptions(clouds=CloudOptions(step_px=8, voxel_m=0.03, agree_m=0.3))


@pytest.fixture(scope="session")
def surfaces() -> Surfaces:
    return Surfaces()


@pytest.fixture(scope="session")
def tour(surfaces: Surfaces) -> TalkTour:
    return know_tour(surfaces, TIMES_S)[0]


@pytest.fixture(scope="session")
def rows(surfaces: Surfaces, tour: TalkTour) -> tuple[Dialogue, ...]:
    return write_dialogues(tour, OPTIONS, depth_of=lambda model: cast_depth(surfaces, model)).rows


@pytest.fixture
def judge(surfaces: Surfaces) -> Judge:
    return Judge(TRUTH, surfaces, TIMES_S)

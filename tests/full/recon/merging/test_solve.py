"""Sub-models placed by links between them, against a world where everybody's place is known."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from recon.colmap.fuse import Alignment
from recon.geometry import Sim3
from recon.merging.links import Link, solve
from tests.support.recon.made_models import random_similarity


@dataclass(frozen=True, eq=False)
class Model:
    """As far as the solve looks into one."""

    frames: tuple[int, ...]


def make_models(count: int) -> list[Any]:
    """The first is the largest."""
    return [Model(tuple(range(count - number))) for number in range(count)]


def make_link(first: Any, second: Any, first_from_second: Sim3, spread: float = 0.0) -> Link:
    return Link(first, second, "shared frames", (1,), Alignment(first_from_second, 0.0, 0.0, 50, 1.0, 0.0, spread))


@pytest.fixture
def world() -> tuple[list[Any], list[Sim3]]:
    """Four models and where each stands, world_from_model."""
    rng = np.random.default_rng(5)
    return make_models(4), [random_similarity(rng) for _ in range(4)]


def relate(places: list[Sim3], one: int, other: int) -> Sim3:
    return places[one].inverse() @ places[other]


def assert_same(found: Sim3, true: Sim3, rel: float = 1e-6) -> None:
    assert found.scale == pytest.approx(true.scale, rel=rel)
    assert np.allclose(found.rotation, true.rotation, atol=rel)
    assert np.allclose(found.translation, true.translation, atol=rel * max(1.0, true.scale))


@pytest.mark.parametrize(
    "pairs", [[(0, 1), (1, 2), (3, 2)], [(0, 1), (1, 2), (2, 3), (3, 0)], [(3, 0), (2, 0), (1, 0)]]
)
def test_links_that_agree_place_every_model_where_it_is(world, pairs):
    models, places = world
    links = [make_link(models[a], models[b], relate(places, a, b)) for a, b in pairs]
    (group,) = solve(models, links)
    assert next(iter(group)) is models[0]
    for number, model in enumerate(models):
        assert_same(group[model], relate(places, 0, number))


def test_what_no_link_connects_is_a_group_of_its_own(world):
    models, places = world
    groups = solve(models, [make_link(models[1], models[3], relate(places, 1, 3))])
    assert [set(group) for group in groups] == [{models[0]}, {models[1], models[3]}, {models[2]}]


def test_an_error_around_a_loop_is_shared_by_its_links():
    """Each of three links is too long by 3 %, so the way round grows by 9 %: none keeps the whole of it."""
    models = make_models(3)
    grown = Sim3(1.03, np.eye(3), np.zeros(3))
    (group,) = solve(models, [make_link(models[a], models[b], grown, 0.05) for a, b in ((0, 1), (1, 2), (2, 0))])
    assert [group[model].scale for model in models] == pytest.approx([1.0, 1.0, 1.0], abs=1e-6)


def test_the_link_that_is_known_better_counts_more():
    models = make_models(2)
    exact, vague = Sim3(2.0, np.eye(3), np.zeros(3)), Sim3(2.2, np.eye(3), np.zeros(3))
    (group,) = solve(
        models, [make_link(models[0], models[1], exact, 0.01), make_link(models[0], models[1], vague, 0.2)]
    )
    assert group[models[1]].scale == pytest.approx(2.0, rel=0.005)


def test_a_link_that_is_far_off_hardly_moves_what_the_others_say():
    models = make_models(2)
    turn = Rotation.from_rotvec([0.0, np.radians(20.0), 0.0]).as_matrix()
    links = [make_link(models[0], models[1], Sim3(1.0, np.eye(3), np.zeros(3))) for _ in range(3)]
    (group,) = solve(models, [*links, make_link(models[0], models[1], Sim3(1.0, turn, np.zeros(3)))])
    assert np.degrees(Rotation.from_matrix(group[models[1]].rotation).magnitude()) < 0.1

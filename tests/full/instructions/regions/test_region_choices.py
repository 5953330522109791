"""Comparison tasks of a made apartment: their shapes, one truth in each, and falsehoods that hold against the world."""

import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.regions import INVENTED
from instructions.regions.options import RegionOptions, ViewCoverOptions
from instructions.regions.records import Qar
from instructions.regions.sets.choice_sets import ChoiceSets, make_choice_sets
from instructions.regions.writer import prepare_views, write_measured
from instructions.view import View
from tests.support.worlds.apartment_surfaces import TRUTH, Surfaces, know_apartment

OPTIONS = RegionOptions(views=ViewCoverOptions(most=8), choices=12)
Tour = tuple[list[View], tuple[Qar, ...]]


@pytest.fixture(scope="module")
def tour() -> Tour:
    world = know_apartment(Surfaces(), np.arange(0.0, 74.7, 4.0).tolist())
    looked = frozenset({one.category for one in world.objects if one.category} | set(INVENTED))
    made = replace(world.tour, looked_for=looked)
    views = list(prepare_views(made, OPTIONS))
    rows = write_measured(made, views, OPTIONS).rows
    return [view.facts for view in views], rows


@pytest.fixture(scope="module")
def made(tour: Tour) -> ChoiceSets:
    return make_choice_sets(*tour, OPTIONS, seed=3)


def test_shapes_are_those_of_the_benchmarks(made: ChoiceSets):
    assert Counter(one.task for one in made.sets) == {"vcr": 12, "comparison": 12, "acc50": 12}
    for one in made.sets:
        truths = [option.truth for option in one.answers]
        assert (
            len({option.text for option in one.answers})
            == len(truths)
            == {"vcr": 4, "comparison": 10, "acc50": 50}[one.task]
        )
        assert set(truths) == {0.0, 1.0}
        assert all((option.because is None) == (option.truth == 1.0) for option in (*one.answers, *one.rationales))
        if one.task == "comparison":
            assert 1 <= sum(truths) <= 3
        else:
            assert sum(truths) == 1
        if one.task == "vcr":
            assert len({option.text for option in one.rationales}) == len(one.rationales) == 4
            assert sum(option.truth for option in one.rationales) == 1


def test_wrong_kinds_and_colours_are_wrong_in_the_world(tour: Tour, made: ChoiceSets):
    """By the truth file and patterns of this test; our own measures are not asked."""
    truth = {one["id"]: one for one in json.loads((TRUTH / "truth.json").read_text())["objects"]}
    views, rows = tour
    view_of = {row.view: next(v for v in views if v.frame == row.views[0]) for row in rows}
    checked = Counter()
    for one in made.sets:
        for option in one.answers:
            found = re.fullmatch(r"\[(\d+)\] is an? ([a-z ]+)\.", option.text)
            if found is None:
                continue
            category = truth[view_of[one.view].numbers[int(found.group(1))]]["category"]
            if option.truth == 1.0 or category == found.group(2):
                assert (category == found.group(2)) == (option.truth == 1.0), option.text
            checked[option.truth] += 1
    assert checked[0.0] >= 20


def test_the_same_again_and_others_by_another_seed(tour: Tour, made: ChoiceSets):
    assert make_choice_sets(*tour, OPTIONS, seed=3) == made
    assert {one.row for one in make_choice_sets(*tour, OPTIONS, seed=4).sets} != {one.row for one in made.sets}
    places = Counter(next(i for i, o in enumerate(one.answers) if o.truth) for one in made.sets if one.task == "vcr")
    assert len(places) >= 3


def test_a_tour_with_little_in_it_counts_what_it_cannot_ask(tour: Tour):
    views, rows = tour
    few = [row for row in rows if row.view == rows[0].view][:4]
    made = make_choice_sets(views, few, OPTIONS)
    assert all(one.task != "comparison" for one in made.sets)
    assert made.left_out["vcr: too few answers that are false here"] >= 1
    assert make_choice_sets(views, rows, replace(OPTIONS, choices=0)) == ChoiceSets((), {})

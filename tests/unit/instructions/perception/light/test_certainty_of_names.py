"""How sure a name is: no clue for it counts against it, one bar decides, and what is not sure has no name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from instructions.perception.frames.brighten import brighten
from instructions.perception.frames.segments import SegmentMap
from instructions.perception.models.light.labels import ade150_words, ade_words
from instructions.perception.things.certainty import (
    estimate_certainty,
    is_open,
    keep_sure_names,
    shows_whole,
    spread_certainty,
)
from instructions.perception.things.clues import (
    NEUTRAL,
    NEUTRAL_BOTH,
    NEUTRAL_TAG,
    measure_close_segments,
    measure_close_tags,
    measure_clues,
)
from instructions.perception.things.lift import Lifted
from instructions.records import Detection, SceneObject
from recon.geometry import Pose
from tests.support.worlds.boxworld import make_world, true_objects

BASE = true_objects(make_world())[0][0]
CLUES: dict[str, float] = dict.fromkeys(("share", "views", "close", "tag", "fine", "both"), 0.5)


def thing(probability: float, width: float = 0.8) -> SceneObject:
    box = replace(BASE.obb, half_extents=(0.9, width / 2, 0.4))
    told = (("sofa", probability), ("bed", (1.0 - probability) / 2))
    return replace(BASE, category="sofa", alias="sofa", obb=box, color="red", size_word="wide", categories=told)


@pytest.mark.parametrize("clue", CLUES)
@pytest.mark.parametrize("word", ["door", "cabinet", "chair"])
def test_more_of_a_clue_never_makes_a_name_less_sure(word: str, clue: str):
    found = [estimate_certainty(word, CLUES | {clue: value}) for value in (0.0, 0.5, 1.0)]
    assert found == sorted(found)
    assert 0.0 < found[0] <= found[-1] < 1.0


def test_a_box_shows_the_whole_only_with_a_sure_detector_its_own_outline_and_two_segmenters():
    good = {"score": 0.6, "outline": 0.7, "both": 0.5}
    assert shows_whole(**good)
    for clue, poor in (("score", 0.3), ("outline", 0.3), ("both", 0.0)):
        assert not shows_whole(**good | {clue: poor})
        assert shows_whole(**good | {clue: 1.0})


def test_kinds_of_a_word_are_judged_like_it():
    assert estimate_certainty("armchair", CLUES) == estimate_certainty("chair", CLUES)


def test_probabilities_leave_room_for_what_nobody_said():
    told = spread_certainty((("sofa", 0.6), ("bed", 0.3), ("chair", 0.1)), 0.8)
    assert told == (("sofa", 0.8), ("bed", pytest.approx(0.075)), ("chair", pytest.approx(0.025)))
    assert spread_certainty((("sofa", 1.0),), 0.8) == (("sofa", 0.8),)


def test_only_a_sure_name_that_its_box_allows_is_kept():
    metre_of = {BASE.model: 1.0}
    sure, unsure, narrow = keep_sure_names((thing(0.99), thing(0.5), thing(0.99, 0.2)), metre_of)
    assert sure == thing(0.99)
    for one in (unsure, narrow):
        assert (one.category, one.alias, one.likely_category) == (None, "wide red object", "sofa")
        assert one.possible_names == ("wide red object", "sofa", "bed"), "it may be what another name is taken for"
    assert sure.possible_names == ("sofa",)
    given = replace(thing(0.5), categories=())
    assert keep_sure_names((given,), metre_of) == (given,), "nobody weighed names"


def look_at(*x_m: float) -> dict[str, float]:
    """Clues of a sofa at the origin, seen from 2 m off at places beside it."""
    level = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    poses = {n: Pose(level, np.array([x, -2.0, 0.0])) for n, x in enumerate(x_m, 1)}
    rows = [Detection(n, "sofa", 0.6, (200.0, 150.0, 440.0, 330.0), (), (), None) for n in poses]
    members = [Lifted(row, one.frame, "sofa", 0.6, np.zeros((1, 3)), 2.0) for row, one in enumerate(rows)]
    model = replace(make_world().model, world_from_cam=poses)
    return measure_clues("sofa", {"sofa": 0.8, "bed": 0.2}, members, rows, model)


def test_views_from_several_sides_and_close_looks_speak_for_a_name():
    same, apart = look_at(0.0, 0.0, 0.0), look_at(-0.8, 0.0, 0.8)
    assert same["views"] < 0.01 < 0.5 < apart["views"]
    assert same["share"] == 0.8
    assert (same["close"], same["tag"]) == (NEUTRAL, NEUTRAL_TAG)
    assert [measure_close_segments("sofa", {word: 0.6}) for word in ("sofa", "wall")] == [1.0, 0.0]
    assert [measure_close_tags("sofa", {word: 0.5}) for word in ("sofa", "desk")] == [1.0, 0.0]


def test_a_close_look_is_worth_it_where_it_decides_whether_a_name_is_sure():
    none, some, all_ = (dict.fromkeys(CLUES, value) for value in (0.0, 0.6, 1.0))
    asked = ("tag", "close")
    assert [is_open("sofa", clues, asked) for clues in (none, some)] == [False, True]
    assert not is_open("sofa", all_, ())
    sure = keep_sure_names((thing(estimate_certainty("sofa", some | dict.fromkeys(asked, 1.0))),), {BASE.model: 1.0})
    assert sure[0].category == "sofa"


def test_segmenters_speak_for_a_name_where_they_fill_its_boxes_and_where_they_agree():
    def look(word: str, coarse: list[str], fine: list[str]) -> tuple[float, float]:
        """Clues of a thing that fills a picture, of which each segmenter names the left and the right half."""
        maps = [
            SegmentMap(np.array([[names.index(one) for one in halves]], np.uint8), 640, 480, names)
            for halves, names in ((coarse, ade_words()), (fine, ade150_words()))
        ]
        rows = [Detection(1, word, 0.6, (0.0, 0.0, 640.0, 480.0), (), (), None)]
        members = [Lifted(0, 1, word, 0.6, np.zeros((1, 3)), 2.0)]
        model = make_world().model
        of_map = [lambda _, one=one: one for one in maps]
        found = measure_clues(
            word, {word: 1.0}, members, rows, replace(model, world_from_cam={1: Pose.identity()}), of_map
        )
        return found["fine"], found["both"]

    assert look("sofa", ["sofa", "sofa"], ["sofa", "sofa"]) == (1.0, 1.0)
    assert look("sofa", ["sofa", "wall"], ["sofa", "sofa"]) == (1.0, 0.5)
    assert look("sofa", ["sofa", "wall"], ["wall", "sofa"]) == (1.0, 0.0)
    assert look("sofa", ["sofa", "sofa"], ["wall", "wall"]) == (0.0, 0.0)
    assert look("sink", ["table", "table"], ["sink", "wall"]) == (1.0, 0.5), "one of them has no word for it"
    assert look("laptop", ["table", "table"], ["table", "table"]) == (NEUTRAL, NEUTRAL_BOTH), "neither has"


def test_dark_pictures_are_brightened_and_others_left_alone():
    bright = np.full((4, 4, 3), 120, dtype=np.uint8)
    assert brighten(bright) is bright
    dark = np.full((4, 4, 3), 40, dtype=np.uint8)
    assert brighten(dark).mean() == pytest.approx(0.45 * 255, abs=2)
    black = np.zeros((4, 4, 3), dtype=np.uint8)
    assert brighten(black) is black

"""Questions of a person about a whole tour: the walk, the floor, and how many there are at least."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from benchmarks.made_homes import make_home
from instructions.asking.gates import REASONS
from instructions.errors import InstructionError
from instructions.programs.ask.answering import read_question
from instructions.programs.ask.forms import read_form
from instructions.programs.ask.tour_questions import read_count
from instructions.programs.asked.writer import find_askers
from instructions.questions.core.asker import Surroundings
from instructions.questions.core.options import ProgramOptions, ViewSetOptions
from instructions.records import Detection
from instructions.tour import Tour
from tests.support.cases import each_case

HOME = make_home(3)
VIDEO = ProgramOptions(views=ViewSetOptions(images=0, image_sets=0))


@cache
def find(around: Surroundings = Surroundings(), detections: tuple[Detection, ...] = (), objects=HOME.objects):
    tour = Tour(HOME.scene, objects, HOME.observations, detections, exact=not detections)
    return list(find_askers(tour, {"0": around}, VIDEO))


@each_case("question", ["How long is the walk?", "How far does the camera go in all?", "How far did they walk"])
def test_the_walk_is_as_long_as_its_steps_over_the_floor(question):
    told = read_question(question, find())
    centers = np.array([pose.center for pose in HOME.scene.models[0].world_from_cam.values()])
    assert told[1].truth.value == pytest.approx(np.hypot(*np.diff(centers[:, :2], axis=0).T).sum(), rel=1e-6)


def test_the_floor_is_that_of_all_rooms_or_nobody_knows_it():
    assert read_question("How big is the room?", find(Surroundings(floor_area=61.5)))[1].truth.value == 61.5
    with pytest.raises(InstructionError, match=re.escape(REASONS["no_rooms"])):
        read_question("How big is the room?", find())


@each_case("question", ["How long is the video?", "How long is the sofa?", "How big is the lamp?", "walk"])
def test_other_questions_are_none_about_the_tour(question):
    assert all(read_form(question, (), asker) is None for asker in find(Surroundings(floor_area=61.5)))


def test_a_count_that_nobody_can_be_sure_of_is_told_from_below():
    """One more box of the detector that was joined to nothing: there may be one more, and surely are those known."""
    category = "picture"
    frames = sorted({one.frame for one in HOME.observations})
    spare = tuple(
        Detection(frame, category, 0.9, (1.0, 1.0, 60.0, 60.0), (), (), None) for frame in frames
    )  # in the corner of every view
    askers = find(detections=spare)
    counted = read_count("how many pictures are there", askers)
    assert counted is not None
    mine = [one for one in HOME.objects if one.category == category]
    assert 1 <= counted.least <= len(mine)
    assert counted.most > counted.least
    assert counted.question.truth.value == counted.least
    assert counted.question.instruction == "How many pictures are there at least?"
    there = read_count("Is there a picture?", askers)
    assert there is not None
    assert there.least == counted.least
    for other in (
        "How many pictures does the last view show?",
        "How many pictures are red?",
        "Is there a picture by the bed?",
    ):
        assert read_count(other, askers) is None


def test_things_of_no_sure_name_are_not_counted():
    unsure = tuple(
        replace(one, category=None, alias="flat object", categories=(("picture", 0.5), ("mirror", 0.5)))
        if one.category == "picture"
        else one
        for one in HOME.objects
    )
    spare = (Detection(1, "picture", 0.9, (1.0, 1.0, 60.0, 60.0), (), (), None),)
    assert read_count("how many pictures are there", find(detections=spare, objects=unsure)) is None

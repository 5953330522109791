"""What is said of whole scenes is true, from a stated place too, and where nobody knows how many things there are."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.dialogues import cast_depth
from instructions.asking.draws import Draw
from instructions.claims.view_claims import ViewClaim, ViewClaimKind
from instructions.dialogues.clouds.claim_places import place_cloud
from instructions.dialogues.clouds.cloud_kinds import find_absent_kinds
from instructions.dialogues.clouds.cloud_tasks import CloudThings, find_cloud_tasks
from instructions.dialogues.clouds.clouds import MadeCloud, make_cloud
from instructions.dialogues.options import CloudOptions, DialogueOptions
from instructions.dialogues.records import Dialogue
from instructions.dialogues.talks.describe_cloud import ask_from_places, describe_cloud, talk_about_cloud
from instructions.dialogues.talks.facts_talk import Talk
from instructions.dialogues.tour import TalkTour
from instructions.dialogues.writer import write_dialogues
from instructions.records import Detection
from roomtour.files.records import to_plain
from tests.support.cases import each_case
from tests.support.judges.dialogue_judge import Judge
from tests.support.worlds.apartment_surfaces import Surfaces

COARSE = CloudOptions(step_px=16, voxel_m=0.1, lone_m=0.5)
"""What is said rests on boxes; the points only make the frame of the cloud."""


@pytest.fixture(scope="module")
def made(surfaces: Surfaces, tour: TalkTour) -> MadeCloud:
    model = tour.scene.models[0]
    made = make_cloud(tour.scene.id, model, tour.objects, COARSE, cast_depth(surfaces, model))
    assert made is not None
    return made


@pytest.fixture(scope="module")
def things(tour: TalkTour, made: MadeCloud) -> CloudThings:
    return tour.know_cloud(made, DialogueOptions())


def judge_told(judge: Judge, kind: str, told: Talk) -> Judge:
    """Judge what was told of the whole cloud."""
    turns = [{"question": one.question, "answer": one.answer} for one in told.turns]
    row = {"turns": turns, "templates": told.templates, "task": None, "kind": kind, "views": [], "cloud": "c"}
    judge.judge({**row, "truth": None})
    return judge


def test_everything_said_is_true_whatever_it_is_said_of(judge: Judge, rows):
    clouds = [row for row in rows if row.medium == "cloud" and row.group is None]
    for some, least, most_unjudged, least_true in ((clouds, 150, 0.0, 0.995), (rows, 400, 0.15, 0.985)):
        for row in some:
            judge.judge(to_plain(row, Dialogue))
        share, judged, unjudged = judge.shares()
        assert judged >= least
        assert unjudged <= most_unjudged * judged
        assert share >= least_true, judge.wrong
    assert {(row.kind, row.medium) for row in rows} >= {("description", "cloud"), ("daily", "cloud"), ("task", "cloud")}


def test_a_scene_of_uncertain_counts_is_described_without_counts(judge: Judge, things: CloudThings):
    unsure = replace(things, unsure_kinds=frozenset(things.of_kind))
    assert find_cloud_tasks(unsure, Draw(0, "tasks")) == []
    described, talk = describe_cloud(unsure, Draw(0, "told")), talk_about_cloud(unsure, 8, Draw(0, "talk"))
    assert described is not None
    assert "at least three armchairs" in described.turns[0].answer
    assert talk is not None
    for kind, told in (("description", described), ("daily", talk)):
        judge_told(judge, kind, told)
    assert judge.wrong == []
    assert judge.shares()[2] == 0
    assert not any(turn.question.startswith("How many") for turn in talk.turns)


def test_a_changed_side_is_false_and_no_side_is_the_usual_one(judge: Judge, things: CloudThings):
    turns = [turn for turn, _ in ask_from_places(things, Draw(0, "placed"))]
    said = Counter(next(side for side in ("left", "right", "behind") if side in turn.answer) for turn in turns)
    assert min(said.values()) >= 5
    assert len(said) >= 2
    first = Counter(next(side for side in said if side in turn.answer) for turn in turns[:9])
    assert max(first.values()) - min(first[side] for side in said) <= 1
    for turn in turns[:12]:
        others = [f"It is {words}." for words in ("on your left", "on your right", "behind you")]
        told = [
            is_true(judge, turn.question, answer)
            for answer in [turn.answer, *(one for one in others if one[6:] not in turn.answer)]
        ]
        assert told == [True, False, False], turn


def is_true(judge: Judge, question: str, answer: str) -> bool:
    wrong, judged = len(judge.wrong), judge.shares()[1]
    turn = {"question": question, "answer": answer}
    judge.judge(
        {"turns": [turn], "templates": ["cloud grammar"], "task": None, "views": [], "cloud": "c", "truth": None}
    )
    assert judge.shares()[1] == judged + 1
    return len(judge.wrong) == wrong


@each_case(
    ("says", "subject", "other", "value", "state"),
    [
        # by truth.json: a red sofa at (-6.0, 3.5), a coffee table at (-4.9, 3.5), a tv at (-1.2, 4.9); a bed of 3.9 m3
        # and 1.1 m, a desk of 0.9 m3 and 0.8 m; four chairs
        ("color", "sofa", None, "red", "true"),
        ("color", "sofa", None, "blue", "false"),
        ("room", "sofa", None, "living room", "true"),
        ("room", "sofa", None, "kitchen", "false"),
        ("gap", "sofa", "tv", 5.0, "true"),
        ("gap", "sofa", "tv", 9.0, "false"),
        ("larger", "bed", "desk", None, "true"),
        ("larger", "desk", "bed", None, "false"),
        ("count", "chair", None, 4.0, "true"),
        ("count", "chair", None, 2.0, "false"),
        ("nearer", "sofa", "tv", None, "unknown"),
    ],
)
def test_every_claim_about_a_scene_is_measured(
    things: CloudThings, says: ViewClaimKind, subject: str, other: str | None, value: str | float | None, state: str
):
    one, two = ((things.of_kind[name][0].object,) if name else () for name in (subject, other))
    place = place_cloud(things, [*things.known])
    assert place.judge(ViewClaim(says, says, one, two, value))[0] == state
    turned = {"true": "false", "false": "true", "unknown": "unknown"}[state]
    assert place.judge(ViewClaim(says, says, one, two, value, denied=True))[0] == turned


def test_a_kind_is_absent_only_if_nothing_like_it_was_ever_seen():
    known = {"sofa", "bed", "piano", "giraffe"}
    assert find_absent_kinds(known, {"chair"}, is_detected=True) == ("bed", "piano")  # a chair may be the sofa
    assert find_absent_kinds(known, {"bed"}, is_detected=True) == ("piano",)
    assert find_absent_kinds(frozenset(), {"chair"}, is_detected=True) == ()


def test_nothing_is_said_of_what_the_cloud_does_not_show(surfaces: Surfaces, tour: TalkTour):
    """Without points in its box a thing is not named; with a box that is hardly known its kind is not counted."""
    tour = replace(tour, exact=False)
    options = DialogueOptions(medium="cloud")
    # Every frame is seen once, so points are not asked to agree closely.
    loose = replace(options, clouds=replace(options.clouds, step_px=8, voxel_m=0.03, agree_m=0.3))
    (made,) = write_dialogues(tour, loose, depth_of=lambda model: cast_depth(surfaces, model)).clouds
    many = replace(options, gates=replace(options.gates, min_views=1))
    before = tour.know_cloud(made, many)
    box = before.alone[0]
    inside = np.abs((made.xyz_rgb[:, :3] - np.array(box.obb.center)) @ np.array(box.obb.rotation))
    near = (inside <= np.array(box.obb.half_extents) + 0.1).all(axis=1)
    assert near.sum() >= 30
    emptied = replace(made, xyz_rgb=made.xyz_rgb[~near])
    after = tour.know_cloud(emptied, many)
    assert box.object not in after.known
    assert box.name not in after.of_kind
    assert all(box.name not in str(draft.truth) for draft in find_cloud_tasks(after, Draw(0)) if draft.right == "")
    assert len(after.known) >= len(before.known) - 3  # others, but for those that stand on it, stay
    strict = replace(many, clouds=replace(many.clouds, box_sigma=0.0))
    blurred = tour.know_cloud(made, strict)
    vague = {one.thing.category for one in blurred.known.values() if one.sigma > 0}
    assert vague
    assert vague <= blurred.unsure_kinds


def test_a_kind_that_was_joined_to_another_thing_is_not_counted(tour: TalkTour, made: MadeCloud):
    """A far door that the detector saw in several frames lay before a curtain and became part of it."""
    kind_of = {one.id: one.category for one in tour.objects}
    doors = [one for one in tour.observations if kind_of[one.object] == "front door"][:3]
    curtains = [one for one in tour.observations if kind_of[one.object] not in ("front door", "door")][:3]
    assert len(curtains) == 3
    assert doors

    def unsure(seen) -> frozenset[str]:
        found = tuple(Detection(one.frame, "front door", 0.5, one.box_xyxy, (), (), None) for one in seen)
        return replace(tour, detections=found).know_cloud(made, DialogueOptions()).unsure_kinds

    assert "front door" in unsure(curtains)
    assert "front door" not in unsure(doors)  # each is the door that is known
    assert "front door" not in unsure(curtains[:2])

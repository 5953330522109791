"""Dialogues of the made apartment: true by a judge of its own, the same again, within every limit."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.dialogues import cast_depth, know_tour
from instructions.dialogues.clouds.clouds import make_cloud, thin_points
from instructions.dialogues.options import CloudOptions, DialogueOptions, MixOptions
from instructions.dialogues.records import Dialogue, Turn
from instructions.dialogues.talks.conversation import build_text, cut_turns, estimate_tokens
from instructions.dialogues.tasks.balance import cap_shares, cut_surplus, find_uneven, tell_shares
from instructions.dialogues.tasks.formats import tell_turns
from instructions.dialogues.writer import write_dialogues
from recon.records import Scale
from roomtour.files.records import from_plain, to_plain
from tests.support.judges.dialogue_judge import Judge
from tests.support.worlds.apartment_surfaces import TRUTH, Surfaces

TIMES_S = np.arange(0.0, 74.7, 4.0).tolist()
VIEWS = DialogueOptions(medium="view")


@pytest.fixture(scope="module")
def tour(surfaces: Surfaces):
    return know_tour(surfaces, TIMES_S)[0]


@pytest.fixture(scope="module")
def written(tour):
    return write_dialogues(tour, VIEWS)


def test_shares_that_are_not_as_wanted_are_told(written):
    shares = tell_shares(written.rows, MixOptions())
    assert sum(one["got"] for one in shares.values()) == pytest.approx(1.0, abs=0.01)
    told = find_uneven(shares)
    assert {one.split(" ")[0] for one in told} == {
        kind for kind, one in shares.items() if abs(one["got"] - one["wanted"]) > 0.02
    }
    even = {kind: {"wanted": one["wanted"], "got": one["wanted"] + 0.015} for kind, one in shares.items()}
    assert find_uneven(even) == []


@pytest.mark.parametrize("mix", [MixOptions(), MixOptions(daily=0.1, factual=0.1, description=0.1, task=0.7)])
def test_a_surplus_is_cut_to_the_wanted_shares(written, mix: MixOptions):
    rows, gone = cut_surplus(written.rows, mix)
    assert len(rows) + gone == len(written.rows)
    assert gone > 0
    shares = tell_shares(rows, mix)
    assert max(abs(one["got"] - one["wanted"]) for one in shares.values()) <= 0.03
    assert [row for row in written.rows if row in rows] == rows  # in the same order
    assert cut_surplus(written.rows[::-1], mix)[0] == rows[::-1]  # by lot, not by place
    groups = Counter(row.group for row in rows if row.group)
    assert groups == Counter(row.group for row in written.rows if row.group in groups)
    said = Counter(row.truth.label for row in rows if row.task == "presence" and row.truth)
    assert said["yes"] == said["no"]
    got, stay = (Counter(row.kind for row in some) for some in (written.rows, rows))
    scarce = min(got, key=lambda kind: got[kind] / getattr(mix, kind))
    assert stay[scarce] >= 0.8 * got[scarce]


def test_rejected_rows_stay_and_kinds_that_are_not_there_are_not_waited_for(written):
    tasks = [row for row in written.rows if row.kind == "task"]
    assert cut_surplus(tasks, MixOptions())[0] == tasks
    lost = [
        replace(row, accepted=False, rejected_because="false_claim", rejection="it is not so") for row in written.rows
    ]
    assert cut_surplus(lost, MixOptions()) == (lost, 0)


def test_turns_are_true(surfaces: Surfaces, written):
    judge = Judge(TRUTH, surfaces, TIMES_S)
    for row in written.rows:
        judge.judge(to_plain(row, Dialogue))
    share, judged, unjudged = judge.shares()
    assert judged > 150
    assert unjudged < 0.15 * judged
    assert share >= 0.98, judge.wrong


def test_what_is_in_the_middle_reaches_the_middle_line(written):
    """A poster whose right edge ends left of the middle was told to be in the middle."""
    found = 0
    for row in written.rows:
        middles = {one.objects[0] for one in row.evidence if one.name.startswith("side ") and "middle" in one.words}
        for box in row.boxes:
            if box.object in middles and box.view is None and row.size_px is not None:
                found += 1
                assert box.box_xyxy[0] < row.size_px[0] / 2 < box.box_xyxy[2]
    assert found > 10


def test_the_judge_finds_changed_turns(surfaces: Surfaces, written):
    """A judge that cannot fail proves nothing: changed sides, counts, kinds and places are told."""
    changes = (("left", "right"), (" two ", " five "), (" one ", " four "), ("Yes", "No"))
    judge = Judge(TRUTH, surfaces, TIMES_S)
    caught = planted = 0
    for row in written.rows:
        plain = to_plain(row, Dialogue)
        for number, turn in enumerate(plain["turns"]):
            kind = plain["templates"][number]
            change = next(((old, new) for old, new in changes if old in turn["answer"]), None)
            if change is None or not kind.startswith(("talk.where/", "talk.count", "presence")):
                continue
            before = len(judge.wrong)
            said = {**turn, "answer": turn["answer"].replace(*change)}
            judge.judge({**plain, "turns": [said], "templates": [kind]})
            planted += 1
            caught += len(judge.wrong) > before
    assert planted > 20
    assert caught / planted >= 0.95


def test_the_same_again_and_through_json(tour, written):
    assert write_dialogues(tour, VIEWS) == written
    for row in written.rows:
        assert from_plain(to_plain(row, Dialogue), Dialogue, "row") == row


def test_rows_hold_what_they_say(written):
    ids = [row.id for row in written.rows]
    assert len(set(ids)) == len(ids)
    for row in written.rows:
        names = {one.name for one in row.evidence}
        assert len(names) == len(row.evidence)
        assert all(set(turn.facts) <= names for turn in row.turns)
        assert estimate_tokens(row.turns) <= VIEWS.text_tokens
        assert row.medium == "views" or tell_turns(row) is not None
        assert "{" not in "".join(turn.question + turn.answer for turn in row.turns)
        if row.kind == "daily":
            assert 3 <= len(row.turns) <= 8


def test_answers_cannot_be_guessed_by_frequency(written):
    yes = [row.truth.label for row in written.rows if row.task == "presence" and row.truth]
    assert yes.count("yes") == yes.count("no") > 0
    named: dict[tuple[str, str], int] = {}
    for row in written.rows:
        for thing in {name for one in row.evidence for name in one.objects}:
            named[row.medium, thing] = named.get((row.medium, thing), 0) + 1
    assert max(named.values()) <= VIEWS.rows_per_thing


def test_shares_are_capped():
    assert cap_shares({1: 50, 2: 10, 3: 10, 4: 10, 5: 10}, 0.3) == {1: 17, 2: 10, 3: 10, 4: 10, 5: 10}
    assert cap_shares({1: 50, 2: 4}, 0.3) == {1: 4, 2: 4}
    assert cap_shares({}, 0.3) == {}


def test_talks_are_cut_at_the_limit():
    turns = [Turn("What is it?", "word " * 40, "visible") for _ in range(7)]
    rows = cut_turns(turns, 3, 400)
    assert [len(row) for row in rows] == [3, 3, 1]
    assert all(estimate_tokens(row) <= 400 for row in rows)
    assert cut_turns([Turn("?", "long " * 1000, "visible")], 3, 400) == []


def test_a_cloud_lies_along_the_walls_and_its_boxes_hold_its_things(surfaces: Surfaces, tour):
    model = tour.scene.models[0]
    made = make_cloud("home", model, tour.objects, CloudOptions(), cast_depth(surfaces, model))
    assert made is not None
    assert made.xyz_rgb.dtype == np.float32
    assert made.xyz_rgb.shape == (made.cloud.count, 6)
    assert made.cloud.count <= 150_000
    turn = np.array(made.cloud.cloud_from_world)[:3, :3]
    angle = np.degrees(np.arctan2(turn[1, 0], turn[0, 0]))
    assert abs((angle + 45) % 90 - 45) < 1
    assert abs(np.percentile(made.xyz_rgb[:, 2], 2)) < 0.05
    shares = []
    for box in made.cloud.boxes:
        points = np.array(made.cloud.cloud_from_world)[:3, :3] @ surfaces.points[box.object].T
        points = points.T + np.array(made.cloud.cloud_from_world)[:3, 3]
        inside = (np.abs(points - box.center) <= np.array(box.lengths) / 2 + 0.02).all(axis=1)
        shares.append(inside.mean())
    assert np.mean(np.array(shares) >= 0.95) >= 0.95


def test_no_metres_no_cloud(tour):
    model = replace(tour.scene.models[0], scale=Scale("relative", 1.0, 0.5, "nothing"))
    assert make_cloud("home", model, tour.objects) is None
    found = write_dialogues(replace(tour, scene=replace(tour.scene, models=(model,))), DialogueOptions(medium="cloud"))
    assert found.findings[0].code == "dialogues.cloud_without_metres"


def test_points_are_thinned():
    rng = np.random.default_rng(0)
    dense = rng.uniform(0, 0.5, (5000, 3))
    lone = np.array([[5.0, 5.0, 5.0]])
    xyz, rgb = thin_points(np.concatenate([dense, lone]), np.full((5001, 3), 7.0), CloudOptions(most_points=1000))
    assert len(xyz) <= 1000
    assert xyz.max() < 1
    assert (rgb == 7).all()


def test_only_answers_are_learned():
    parts = build_text((("What?", "A chair."), ("Where?", "Here.")), "conversation", is_cloud=False)
    text = "".join(part.text for part in parts)
    assert text.endswith(
        "### Human: <Img></Img> What?\n### Assistant: A chair.\n###Human: Where?\n### Assistant: Here.\n###"
    )
    assert [part.text for part in parts if part.learned] == ["A chair.\n###", "Here.\n###"]

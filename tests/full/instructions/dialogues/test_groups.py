"""Rows of a group: the same turns about view, walk and cloud, and what cannot be seen from here with its twin."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from instructions.dialogues.records import TaskTruth
from instructions.dialogues.tasks.balance import Numbers, Placed, cap_wordings
from instructions.dialogues.tasks.formats import benchmark_row
from instructions.dialogues.tasks.tasks import Draft
from roomtour.scoring.dialogues.junk import answer_as
from roomtour.scoring.dialogues.reading import NOT_IN_VIEW, read_where
from roomtour.scoring.dialogues.right import score_unseen
from tests.support.judges.dialogue_judge import Judge


def test_the_same_turns_are_said_of_each_medium(rows):
    groups = defaultdict(list)
    for row in rows:
        if row.group is not None and row.kind == "daily":
            groups[row.group].append(row)
    assert len(groups) >= 2
    assert any({row.medium for row in found} == {"view", "views", "cloud"} for found in groups.values())
    for found in groups.values():
        assert len({row.medium for row in found}) == len(found) >= 2
        assert len({tuple((turn.question, turn.answer) for turn in row.turns) for row in found}) == 1
        assert len(found[0].turns) >= 3
        said = " ".join(f"{turn.question} {turn.answer}" for turn in found[0].turns)
        # Nothing that hangs on where one stands.
        assert not {"left", "right", "nearer", "closer", "front", "behind"} & set(
            said.lower().replace("right beside", "").split()
        )


def test_sizes_and_distances_of_the_same_turns_are_those_of_the_world(judge: Judge, rows):
    truth = {one["id"]: one["obb"] for one in judge.things}
    checked = 0
    for row in rows:
        if row.group is None or row.kind != "daily":
            continue
        for one in row.evidence:
            if one.name.startswith("distance "):
                a, b = (np.array(truth[_own(name, truth)]["center_m"]) for name in one.objects)
                assert one.value == pytest.approx(float(np.linalg.norm(a - b)), abs=0.05)
                checked += 1
    assert checked >= 3


def _own(name: str, truth) -> object:
    """The id that the world has for a thing of the run."""
    return next(key for key in truth if str(key) == name or name.endswith(f"_{key}"))


def test_unseen_things_are_out_of_sight_by_rays_and_their_twins_show_them(judge: Judge, rows):
    groups = defaultdict(list)
    for row in rows:
        if row.task == "unseen":
            groups[row.group].append(row)
    assert len(groups) >= 5
    for pair in groups.values():
        hidden, shown = sorted(pair, key=lambda row: row.truth.label != NOT_IN_VIEW)
        assert hidden.truth.label == NOT_IN_VIEW != shown.truth.label
        assert hidden.turns[0].question == shown.turns[0].question
        kind = shown.truth.objects[0].name
        places = [n for n, one in enumerate(judge.things) if one["category"] == kind]
        assert len(places) == 1
        assert not judge.view(hidden.views[0]).mask(places[0]).any()
        x0, _, x1, _ = judge.view(shown.views[0]).box(places[0])
        middle = (x0 + x1) / 2
        side = "left" if middle < 0.33 else "right" if middle > 0.67 else "middle"
        assert shown.truth.label == side
        for row in pair:
            assert read_where(row.turns[0].answer) == row.truth.label


def test_who_always_refuses_or_always_guesses_gets_half(rows):
    asked = [(row, meta) for row in rows if row.task == "unseen" and (meta := benchmark_row(row)) is not None]
    told = [{**meta, "answer": row.turns[0].answer} for row, meta in asked]
    assert score_unseen(told)["both"] == 1.0
    for answer in ("I cannot see it from here.", "It is on the left."):
        assert score_unseen([{**row, "answer": answer} for row in told])["both"] <= 0.75
    assert score_unseen([{**row, "answer": ""} for row in told]) == {
        "seen": 0.0,
        "unseen": 0.0,
        "both": 0.0,
        "unread": 1.0,
    }
    junk = answer_as("everything", "label", told)
    assert score_unseen([{**row, "answer": one} for row, one in zip(told, junk, strict=True)])["seen"] == 0.0


def test_no_class_has_a_wording_above_its_share():
    def placed(number: int, kind: str) -> Placed:
        return Placed(Draft("count", f"{kind} {number}", TaskTruth(number=2), (), names_class=kind), f"view {number}")

    drafts = [placed(n, "chair") for n in range(60)] + [placed(n, f"kind {n}") for n in range(140)]
    numbers = {one.lot: Numbers(0, n % 15, 0) for n, one in enumerate(drafts)}
    kept, gone = cap_wordings(drafts, numbers, 0.02)
    told = Counter((one.draft.names_class, numbers[one.lot].asked) for one in kept)
    assert len(kept) + gone == 200
    assert max(told.values()) <= max(1, 0.02 * len(kept))
    assert sum(one.draft.names_class != "chair" for one in kept) == 140
    assert kept == [one for one in drafts if one in kept]

"""Talks about several views: what was seen before is where they say, and who changes an answer is found out."""

from collections import Counter

import numpy as np
import pytest

from benchmarks.dialogues import know_tour
from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.records import Dialogue
from instructions.dialogues.writer import write_dialogues
from roomtour.files.records import from_plain, to_plain
from tests.support.judges.dialogue_judge import Judge
from tests.support.worlds.apartment_surfaces import TRUTH, Surfaces

TIMES_S = np.arange(0.0, 74.7, 2.0).tolist()
OPPOSITE = (
    ("behind us", "ahead of us"), ("ahead of us", "behind us"), ("to our left", "to our right"),
    ("to our right", "to our left"), ("Yes", "No"), ("No", "Yes"), ("icture 1", "icture 2"), ("icture 2", "icture 1"),
    ("icture 3", "icture 1"), ("icture 4", "icture 1"),
)  # fmt: skip


def find_rows(surfaces: Surfaces, noise_m: float = 0.0) -> list[Dialogue]:
    tour, _ = know_tour(surfaces, TIMES_S, noise_m)
    options = DialogueOptions(medium="view", views=0, apart_m=0.5)
    return [row for row in write_dialogues(tour, options).rows if row.medium == "views"]


@pytest.fixture(scope="module")
def rows(surfaces: Surfaces) -> list[Dialogue]:
    return find_rows(surfaces)


def test_turns_of_an_exact_tour_are_true(surfaces: Surfaces, rows: list[Dialogue]):
    judge = Judge(TRUTH, surfaces, TIMES_S)
    for row in rows:
        judge.judge(to_plain(row, Dialogue))
    share, judged, unjudged = judge.shares()
    assert judged >= 60
    assert unjudged <= 0.05 * judged
    assert share >= 0.995, judge.wrong
    topics = Counter(kind for kind, _ in judge.verdicts)
    wanted = {"walk_where", "walk_still", "walk_nearer", "compare_which", "compare_nearer", "compare_same"}
    assert {f"talk.{one}" for one in wanted} <= set(topics)


def test_the_judge_finds_changed_answers(surfaces: Surfaces, rows: list[Dialogue]):
    judge = Judge(TRUTH, surfaces, TIMES_S)
    caught = planted = 0
    for row in rows:
        plain = to_plain(row, Dialogue)
        for number, turn in enumerate(plain["turns"]):
            change = next(((old, new) for old, new in OPPOSITE if old in turn["answer"]), None)
            if change is None or plain["templates"][number].startswith("talk.what"):
                continue
            before = len(judge.wrong)
            said = {**turn, "answer": turn["answer"].replace(*change)}
            judge.judge({**plain, "turns": [said], "templates": [plain["templates"][number]]})
            planted += 1
            caught += len(judge.wrong) > before
    assert planted >= 40
    assert caught / planted >= 0.95


def test_turn_k_is_asked_at_picture_k_and_looks_back(rows: list[Dialogue]):
    walks = [row for row in rows if row.turns[0].view is not None]
    assert walks
    for row in walks:
        asked = [turn.view for turn in row.turns if turn.view is not None]
        assert len(asked) == len(row.turns)
        assert asked == sorted(set(asked))
        assert set(asked) <= set(row.views)
        assert row.views == tuple(sorted(row.views))
        assert len(row.turns) >= 3


def test_every_answer_has_its_measure_and_comes_back_from_json(rows: list[Dialogue]):
    for row in rows:
        known = {one.name for one in row.evidence}
        assert all(turn.facts and set(turn.facts) <= known for turn in row.turns)
        assert all(box.view in row.views for box in row.boxes)
        assert from_plain(to_plain(row, Dialogue), Dialogue, "row") == row

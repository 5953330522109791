"""What a thing is called: the words that its boxes were given, by the evidence behind each."""

from __future__ import annotations

import numpy as np
import pytest

from instructions.perception.things.clues import weigh_words
from instructions.perception.things.lift import Lifted
from instructions.records import Detection


def said(frame: int, label: str, score: float, *also: tuple[str, float]) -> Detection:
    return Detection(frame, label, score, (10.0, 10.0, 50.0, 50.0), (), (), None, also=also)


def weigh(*rows: Detection) -> dict[str, float]:
    members = [Lifted(row, one.frame, one.label, one.score, np.zeros((1, 3)), 2.0) for row, one in enumerate(rows)]
    return dict(weigh_words(members, rows))


def test_a_word_counts_once_per_frame_with_its_best_score():
    shares = weigh(said(1, "chair", 0.6), said(1, "chair", 0.4), said(2, "chair", 0.5, ("table", 0.3)))
    assert shares == pytest.approx({"chair": 1.1 / 1.4, "table": 0.3 / 1.4})


def test_kinds_of_one_word_stand_together_and_the_one_said_most_is_the_best():
    shares = weigh(said(1, "chair", 0.5), said(2, "armchair", 0.6), said(3, "sofa", 0.8))
    assert list(shares) == ["armchair", "sofa", "chair"]
    assert sum(shares.values()) == pytest.approx(1.0)


def test_words_with_next_to_no_evidence_are_left_out():
    assert list(weigh(*(said(frame, "chair", 0.9) for frame in range(9)), said(9, "bed", 0.1))) == ["chair"]

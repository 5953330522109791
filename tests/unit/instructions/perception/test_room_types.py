"""Room types over time: noise is smoothed away, real changes stay and become events, cuts are no stays."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from instructions.errors import InstructionError
from instructions.perception.frames.room_types import RoomOptions, label_rooms, smooth_states
from recon.records import Frame

OPTIONS = RoomOptions(types=("hall", "kitchen", "bedroom"))


def frames(count: int, shots: list[int] | None = None) -> list[Frame]:
    return [Frame(n + 1, n / 3, f"{n + 1:06d}.jpg", 64, 48, 1.0, shots[n] if shots else 0) for n in range(count)]


def logits(rooms: list[int], strength: float = 3.0) -> np.ndarray:
    return strength * np.eye(3, dtype=np.float32)[rooms]


def test_a_real_change_becomes_an_event_at_the_right_frame():
    rooms, spans = label_rooms(frames(40), logits([0] * 20 + [1] * 20), OPTIONS)
    assert [(span.room, span.first_frame, span.last_frame, span.changed_from) for span in spans] == [
        ("hall", 1, 20, None),
        ("kitchen", 21, 40, "hall"),
    ]
    assert [room.frame for room in rooms] == list(range(1, 41))
    assert min(room.probability for room in rooms[5:15]) > 0.9


def test_shots_are_smoothed_on_their_own_and_no_span_crosses_a_cut():
    shots = [0] * 10 + [1] * 3 + [2] * 10
    _, spans = label_rooms(frames(23, shots), logits([0] * 10 + [1] * 3 + [0] * 10), OPTIONS)
    assert [(span.room, span.first_frame, span.changed_from) for span in spans] == [
        ("hall", 1, None),
        ("kitchen", 11, None),
        ("hall", 14, None),
    ]


def test_the_way_is_the_best_of_all_ways():
    """Viterbi against trying every way, on a model small enough for that."""
    rng = np.random.default_rng(0)
    evidence, times = rng.random((5, 3)) + 0.05, np.array([0.0, 1.0, 1.5, 4.0, 4.2])
    options = RoomOptions(types=OPTIONS.types, mean_stay_s=2.0)
    leave = 1 - np.exp(-np.diff(times) / 2.0)

    def likelihood(way):
        value = evidence[0, way[0]]
        for step, (a, b) in enumerate(itertools.pairwise(way)):
            value *= (1 - leave[step] if a == b else leave[step] / 2) * evidence[step + 1, b]
        return value

    ways = list(itertools.product(range(3), repeat=5))
    weights = np.array([likelihood(way) for way in ways])
    states, posterior = smooth_states(evidence, times, options)
    assert tuple(states) == ways[int(np.argmax(weights))]
    for row, state in itertools.product(range(5), range(3)):
        expected = weights[[way[row] == state for way in ways]].sum() / weights.sum()
        assert posterior[row, state] == pytest.approx(expected)


def test_types_must_be_different():
    with pytest.raises(InstructionError, match="different"):
        RoomOptions(types=("hall", "hall"))

"""Room type per frame, smoothed over time by a hidden Markov model; changes of room become events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.records import FrameRoom, RoomSpan
from recon.geometry import Array
from recon.ranges import Positive, Share
from recon.records import Frame

ROOM_TYPES = (
    "living room",
    "kitchen",
    "dining room",
    "bedroom",
    "bathroom",
    "hallway",
    "entrance hall",
    "study",
    "staircase",
    "laundry room",
    "walk-in closet",
    "playroom",
    "home gym",
    "garage",
    "balcony",
    "terrace",
    "garden",
    "meeting room",
    "open-plan office",
    "lobby",
)


@dataclass(frozen=True, kw_only=True)
class RoomOptions:
    """How rooms are told apart over time."""

    types: tuple[str, ...] = ROOM_TYPES
    """Room types to choose from, lower case."""
    prompts: tuple[str, ...] = ("a photo of a {room}.", "a video frame taken inside a {room}.", "{room}")
    """What an image is compared with; {room} is replaced. Scores are averaged over them."""
    mean_stay_s: Positive = 15.0
    """Expected time in one room. A stay much shorter than this needs clearer pictures to be believed."""
    trust: Positive = 0.5
    """Exponent on a frame's probabilities: neighbouring frames show the same and are no independent witnesses."""
    least_probability: Share = 0.02
    """What a frame leaves to every room it does not look like, so that no single frame can rule a room out."""

    def __post_init__(self) -> None:
        if len(set(self.types)) != len(self.types) or not self.types or any(t != t.lower() for t in self.types):
            raise InstructionError("room options: types must be different and in lower case, at least one")
        if not (self.mean_stay_s > 0 and self.trust > 0 and 0 < self.least_probability < 1 / len(self.types)):
            raise InstructionError(
                f"room options: mean_stay_s {self.mean_stay_s} and trust {self.trust} must be positive, "
                f"least_probability {self.least_probability} between 0 and 1 / {len(self.types)} types"
            )


def label_rooms(
    frames: Sequence[Frame], logits: NDArray[np.float32], options: RoomOptions = RoomOptions()
) -> tuple[tuple[FrameRoom, ...], tuple[RoomSpan, ...]]:
    """Room type of each frame and the stays that follow from it.

    Args:
        frames: In time order. Shots are smoothed on their own: a cut may lead anywhere.
        logits: (N, R) fit of each frame to each room type of the options.
        options: Types and how sluggish the labels are.

    Returns:
        One label per frame, and the spans of equal labels. Nothing for no frames.

    Raises:
        ValueError: If shapes do not fit.
    """
    if logits.shape != (len(frames), len(options.types)):
        raise ValueError(f"label_rooms: logits {logits.shape} for {len(frames)} frames, {len(options.types)} types")
    rooms: list[FrameRoom] = []
    spans: list[RoomSpan] = []
    shots = np.array([frame.shot for frame in frames])
    for start, end in _runs(shots):
        part = range(start, end)
        own = _softmax(logits[start:end].astype(np.float64))
        times_s = np.array([frames[row].time_s for row in part])
        states, posterior = smooth_states(np.maximum(own, options.least_probability) ** options.trust, times_s, options)
        for row, state in zip(part, states, strict=True):
            label = options.types[state]
            alone = options.types[int(np.argmax(own[row - start]))]
            rooms.append(FrameRoom(frames[row].index, label, float(posterior[row - start, state]), alone))
        before: str | None = None
        for first, last in _runs(states):
            label = options.types[states[first]]
            mean = float(np.mean([room.probability for room in rooms[start + first : start + last]]))
            indices = frames[start + first].index, frames[start + last - 1].index
            spans.append(RoomSpan(f"s{len(spans)}", label, *indices, mean, before))
            before = label
    return tuple(rooms), tuple(spans)


def smooth_states(evidence: Array, times_s: Array, options: RoomOptions) -> tuple[NDArray[np.int64], Array]:
    """Most likely way through the states (Viterbi), and each state's probability at each time (forward-backward).

    Args:
        evidence: (N, R) likelihoods, positive; any factor per row.
        times_s: (N,) increasing.
        options: The mean stay: between two frames a room is left with probability 1 - exp(-dt / mean stay), for any
            other room alike.

    Returns:
        States (N,), probabilities (N, R).
    """
    count, states = evidence.shape
    if states == 1:
        return np.zeros(count, dtype=np.int64), np.ones((count, 1))
    leave = 1.0 - np.exp(-np.maximum(np.diff(times_s), 1e-3) / options.mean_stay_s)
    moves = [np.full((states, states), p / (states - 1)) + np.eye(states) * (1.0 - p - p / (states - 1)) for p in leave]
    likely = evidence / evidence.sum(axis=1, keepdims=True)
    forward = np.empty_like(likely)
    forward[0] = likely[0]
    for row, move in enumerate(moves, start=1):
        forward[row] = (forward[row - 1] @ move) * likely[row]
        forward[row] /= forward[row].sum()
    backward = np.ones_like(likely)
    for row in range(count - 2, -1, -1):
        backward[row] = moves[row] @ (likely[row + 1] * backward[row + 1])
        backward[row] /= backward[row].sum()
    posterior = forward * backward
    posterior /= posterior.sum(axis=1, keepdims=True)

    best = np.log(likely[0])
    came_from = np.zeros((count, states), dtype=np.int64)
    for row, move in enumerate(moves, start=1):
        arrived = best[:, None] + np.log(move)
        came_from[row] = np.argmax(arrived, axis=0)
        best = arrived[came_from[row], np.arange(states)] + np.log(likely[row])
    way = np.empty(count, dtype=np.int64)
    way[-1] = int(np.argmax(best))
    for row in range(count - 1, 0, -1):
        way[row - 1] = came_from[row, way[row]]
    return way, posterior


def _softmax(logits: Array) -> Array:
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def _runs(values: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Start and end (exclusive) of each run of equal values."""
    if not len(values):
        return []
    edges = np.flatnonzero(values[1:] != values[:-1]) + 1
    bounds = [0, *edges.tolist(), len(values)]
    return list(pairwise(bounds))

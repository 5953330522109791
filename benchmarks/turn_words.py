"""What notebook 9 asks where only the words tell the way: turns are told from where a way begins, before it turns.

By the loader's rules an agent is asked at the view just before the right one, which it faces already. Here the turn of
each candidate is told from the first view of the way, so at choices after a turn "turn least" says nothing, and the
turn that the text names first decides. The agent is given that word, and whether it has moved.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import torch

Lacks = Literal["", "text", "own text"]
MOST = 5
"""Candidates of a choice."""
_FIRST = {"left": 0, "right": 1, "around": 2, "half": 2}
_ASIDE = re.compile("on (your|the) (left|right)")
_EPOCHS, _BATCH, _HIDDEN, _RATE = 120, 32, 32, 1e-2
_NUMBERS = 6


def find_first_turn(text: str) -> int | None:
    """The turn that a text names first: 0 left, 1 right, 2 round; None for none. Sides of things are no turns."""
    words = re.findall("[a-z]+", _ASIDE.sub("", text.lower()))
    return next((_FIRST[word] for word in words if word in _FIRST), None)


def describe_choices(
    choices: Sequence[tuple[Any, Any]], places: Mapping[str, Any], lacks: Lacks, *, is_swapped: bool = False
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """What an agent is given at each choice, which candidates there are, the right one, and whether the way has begun.

    Args:
        choices: Episodes with a step that has several candidates.
        places: By view, its `yaw` in degrees.
        lacks: `text` for an agent that cannot read, `own text` for one that reads the text of another way.
        is_swapped: Whether left and right are exchanged in the texts.
    """
    rng = np.random.default_rng(0)
    texts = [episode.text for episode, _ in choices]
    if lacks == "own text":
        texts = [texts[place] for place in rng.permutation(len(texts))]
    given = torch.zeros(len(choices), MOST, _NUMBERS)
    is_there = torch.zeros(len(choices), MOST, dtype=torch.bool)
    answer, has_moved = torch.zeros(len(choices), dtype=torch.long), torch.zeros(len(choices), dtype=torch.bool)
    for row, ((episode, step), text) in enumerate(zip(choices, texts, strict=True)):
        start = episode.steps[0].view
        shuffled = [str(view) for view in rng.permutation(step.candidates)]
        answer[row], has_moved[row] = shuffled.index(step.action), start != step.view
        turn = find_first_turn(text)
        if is_swapped and turn in (0, 1):
            turn = 1 - turn
        for place, view in enumerate(shuffled):
            angle = np.radians(places[view]["yaw"] - places[start]["yaw"])
            given[row, place, :3] = torch.tensor([np.sin(angle), np.cos(angle), float(has_moved[row])])
            is_there[row, place] = True
            if turn is not None and lacks != "text":
                given[row, place, 3 + turn] = 1.0
    return given, is_there, answer, has_moved


def train_agent(choices: Sequence[tuple[Any, Any]], places: Mapping[str, Any], lacks: Lacks) -> torch.nn.Module:
    """A small network that scores candidates."""
    torch.manual_seed(0)
    given, is_there, answer, _ = describe_choices(choices, places, lacks)
    network = torch.nn.Sequential(torch.nn.Linear(_NUMBERS, _HIDDEN), torch.nn.ReLU(), torch.nn.Linear(_HIDDEN, 1))
    optimizer = torch.optim.Adam(network.parameters(), lr=_RATE)
    for _ in range(_EPOCHS):
        for batch in torch.randperm(len(answer)).split(_BATCH):
            scores = _score(network, given[batch], is_there[batch])
            loss = torch.nn.functional.cross_entropy(scores, answer[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return network


def measure_agent(
    network: torch.nn.Module,
    choices: Sequence[tuple[Any, Any]],
    places: Mapping[str, Any],
    lacks: Lacks,
    *,
    is_swapped: bool = False,
) -> tuple[float, int]:
    """The share of choices after a turn at which an agent is right, and how many those are."""
    given, is_there, answer, has_moved = describe_choices(choices, places, lacks, is_swapped=is_swapped)
    is_right = _score(network, given, is_there).argmax(dim=1) == answer
    return is_right[has_moved].float().mean().item(), int(has_moved.sum())


def _score(network: torch.nn.Module, given: torch.Tensor, is_there: torch.Tensor) -> torch.Tensor:
    return network(given).squeeze(-1).masked_fill(~is_there, -1e9)

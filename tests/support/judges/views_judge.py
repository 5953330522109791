"""The part of the judge of dialogues that reads talks about several views: bearings and distances from `truth.json`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tests.support.judges.dialogue_judge import Judge

ORDINALS = ("first", "second", "third", "fourth", "fifth")


def judge_views(judge: Judge, row: Mapping[str, Any], turn: Mapping[str, Any], kind: str) -> bool | None:
    """Whether a turn is true; None for a kind of turn that is not known here."""
    question, answer = turn["question"], turn["answer"]
    views = row["views"]
    if kind == "talk.what":
        seen = judge.view(turn["view"])
        return all(judge._seen(seen, noun) for noun in judge._nouns(answer))
    if kind.startswith("talk.walk_"):
        when = next(place for place, word in enumerate(ORDINALS) if re.search(rf"\b{word} picture\b", question))
        thing = judge._one(judge.view(views[when]), judge._phrases(question)[0])
        if views.index(turn["view"]) <= when:
            return False  # turn k looks back
        if kind == "talk.walk_nearer":
            was, now = (_range(judge, frame, thing) for frame in (views[when], turn["view"]))
            return (now < was) == answer.startswith("Yes")
        if kind == "talk.walk_still" and answer.startswith("Yes"):
            return bool(judge.view(turn["view"]).mask(thing).sum() >= 4)
        if kind == "talk.walk_still" and judge.view(turn["view"]).mask(thing).any():
            return False
        return _is_there(_bearing(judge, turn["view"], thing), answer)
    return None


def _range(judge: Judge, frame: int, thing: int) -> float:
    center = np.array(judge.things[thing]["obb"]["center_m"])
    return float(np.linalg.norm(center - judge.view(frame).eye))


def _bearing(judge: Judge, frame: int, thing: int) -> float:
    """Degrees clockwise from ahead, by the eye and the right-hand side of the view."""
    view = judge.view(frame)
    away = (np.array(judge.things[thing]["obb"]["center_m"]) - view.eye)[:2]
    right = view.right[:2]
    ahead = np.array([-right[1], right[0]])
    return float(np.degrees(np.arctan2(away @ right, away @ ahead)))


def _is_there(bearing: float, answer: str) -> bool:
    middle = {"ahead": 0.0, "right": 90.0, "left": -90.0, "behind": 180.0}
    said = next(value for word, value in middle.items() if word in answer)
    return abs((bearing - said + 180) % 360 - 180) <= 45

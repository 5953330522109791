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
    numbers = [int(one) - 1 for one in re.findall(r"\b[Pp]ictures? (\d)", question)]
    numbers += [int(one) - 1 for one in re.findall(r"\band (\d)\b", question)]
    if kind == "talk.compare_which":
        noun = judge._nouns(question)[-1]
        said = int(re.findall(r"[Pp]icture (\d)", answer)[0]) - 1
        return all(bool(judge._seen(judge.view(frame), noun)) == (place == said) for place, frame in enumerate(views))
    if kind == "talk.compare_nearer":
        said = int(re.findall(r"picture (\d)", answer.lower())[0]) - 1
        other = next(one for one in numbers if one != said)
        thing = judge._one(judge.view(views[said]), judge._phrases(question)[0])
        return _range(judge, views[said], thing) < _range(judge, views[other], thing)
    if kind == "talk.compare_same":
        # Which two things are meant is told by their boxes: the phrase names no more than their kind.
        first, second = (
            [_owner(judge, box) for box in row["boxes"] if box["view"] == views[place] and box["object"] in objects]
            for place, objects in zip(numbers[:2], _objects(row, turn), strict=True)
        )
        return (first == second) == answer.startswith("Yes")
    return None


def _objects(row: Mapping[str, Any], turn: Mapping[str, Any]) -> list[str]:
    (evidence,) = (one for one in row["evidence"] if one["name"] == turn["facts"][0])
    return list(evidence["objects"])


def _owner(judge: Judge, box: Mapping[str, Any]) -> int:
    """The thing that fills most of a box, by rays."""
    x0, y0, x1, y1 = (int(value) // 4 for value in box["box_xyxy"])
    inside = judge.view(box["view"]).owner[y0 : y1 + 1, x0 : x1 + 1]
    names, counts = np.unique(inside[inside >= 0], return_counts=True)
    of_kind = [n for n in names[np.argsort(-counts)] if judge.things[n]["category"] == box["name"]]
    return int(of_kind[0])


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

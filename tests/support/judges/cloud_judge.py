"""The part of the judge of dialogues that reads what is said of whole scenes: boxes, rooms and colours of `truth.json`.

A turn with `one of the chairs` holds if it holds of any of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tests.support.judges.dialogue_judge import Judge

WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def judge_cloud(judge: Judge, row: Mapping[str, Any], turn: Mapping[str, Any], kind: str) -> bool | None:
    """Whether a turn is true; None for one that is not known here."""
    question, answer = turn["question"], turn["answer"]
    if kind in ("detect_cloud", "ground_cloud"):
        told = [one["name"] for one in row["truth"]["cloud_objects"]]
        sizes = [sorted(map(float, one.split(",")))[-1] for one in re.findall(r"\(([-\d., ]+)\)", answer)]
        right = all(len(judge._of(name)) == told.count(name) for name in set(told))
        return right and len(sizes) == len(told)
    if row["truth"] is not None and row["truth"]["choices"]:
        choices, correct = row["truth"]["choices"], row["truth"]["correct"]
        if f"({chr(65 + correct)})" not in answer or choices[correct] not in answer:
            return False
        fits = [_fits_option(judge, question, choice) for choice in choices]
        return None if None in fits else fits == [place == correct for place in range(len(choices))]
    if kind.startswith("description"):
        told = [_judge_sentence(judge, one) for one in re.split(r"(?<=\.)\s+", answer)]
        return all(told)
    if placed := re.match(r"(?:Stand|Imagine standing) at (.+?)(?: and face|, looking towards) (.+?)[:.]", question):
        thing = re.search(r"(?:: (?:is|are)|side (?:is|are)) (.+?)(?: on your|,)", question)
        assert thing is not None
        return _is_side(judge, placed.group(1), placed.group(2), thing.group(1), answer)
    if asked := re.match(r"How many (.+?) does the scan show", question):
        return re.search(rf"\b{WORDS[len(judge._of(asked.group(1)))]}\b", answer) is not None
    if asked := re.match(r"(?:Is|Are) there (?:an? )?(.+?) in the scan", question):
        return bool(_found(judge, asked.group(1))) == answer.startswith("Yes")
    if asked := re.match(r"What do you find (on|next to) (.+)\?", question):
        one = re.match(r"(.+?) (?:is|are) (?:on|next to)", answer)
        return one is not None and _are(judge, one.group(1), asked.group(1), asked.group(2))
    if asked := re.match(r"Does the scan show anything (on|next to) (?:an? )?(.+)\?", question):
        said = re.match(r"Yes, (.+?) (?:is|are) (on|next to) (.+)\.", answer)
        same = (
            said is not None and said.group(2) == asked.group(1) and asked.group(2).split(" ")[-1][:4] in said.group(3)
        )
        return same and said is not None and _are(judge, said.group(1), said.group(2), said.group(3))
    if asked := re.match(r"If I walked straight from (.+) to (.+), how far", question):
        return _fits_distance(judge, asked.group(1), asked.group(2), answer)
    if question.startswith(("Where is", "Where are")):
        return _judge_sentence(judge, answer)
    return None


def _fits_option(judge: Judge, question: str, choice: str) -> bool | None:
    """Whether an option is a right answer to a question."""
    if asked := re.search(r"How many (.+?) are in this scene", question):
        return choice.split(" ")[0] == WORDS[len(judge._of(asked.group(1)))]
    if "does the scan show?" in question or "does the scan not show?" in question:
        return bool(_found(judge, choice)) == ("not show" not in question)
    if asked := re.search(r"About how (high|long) (?:is|are) (the .+?)\?", question):
        half = _half(judge, asked.group(2))
        true = 2 * half[2] if asked.group(1) == "high" else 2 * max(half[:2])
        values = {one: float(one) for one in re.findall(r"about ([\d.]+) m", question)}
        return choice.split(" ")[1] == min(values, key=lambda one: abs(values[one] - true))
    if asked := re.search(r"middle nearest to the middle of (the .+?)\?", question):
        here = _center(judge, asked.group(1))
        options = re.findall(r"\([A-F]\) (the [a-z ]+?)(?= \(|$)", question)
        away = {one: float(np.linalg.norm(_center(judge, one) - here)) for one in options}
        return choice == min(away, key=lambda one: away[one])
    if asked := re.search(r"What color (?:is|are) (the .+?)\?", question):
        return choice in judge.things[_only(judge, asked.group(1))]["color"].split()
    if asked := re.search(r"In which room (?:is|are) (the .+?)\?", question):
        room = judge.things[_only(judge, asked.group(1))]["room"]
        return choice.removeprefix("in the ") == room.replace("_", " ")
    if asked := re.search(r"What (?:does|do) (the .+?) stand on", question):
        return bool(_found(judge, choice)) and _are(judge, asked.group(1), "on", choice)
    return None


def _judge_sentence(judge: Judge, sentence: str) -> bool:
    """Of a description; a sentence that claims nothing is true, one that nothing here reads is not."""
    if sentence.startswith(("This is a scan of", "This scan shows")):
        return True
    if found := re.match(r"(?:It holds|Among other things it holds) (.+)\.", sentence):
        for part in re.split(r", | and ", found.group(1)):
            first = part.removeprefix("at least ").split(" ")[0]
            if first not in WORDS and not first.isdigit():
                return bool(_found(judge, part))
            number = int(first) if first.isdigit() else WORDS.index(first)
            true = len(judge._of(part.removeprefix("at least ")))
            if not (number <= true if part.startswith("at least") else number == true):
                return False
        return True
    if found := re.match(r"About (.+?) lie between the middle of (.+) and that of (.+)\.", sentence):
        return _fits_distance(judge, found.group(2), found.group(3), found.group(1))
    if found := re.match(r"(.+?) (?:is|are) (on|next to) (.+)\.", sentence):
        return _are(judge, found.group(1), found.group(2), found.group(3))
    if found := re.match(r"It shows (no .+)\.", sentence):
        return not any(_found(judge, one.removeprefix("no ")) for one in re.split(r", | and ", found.group(1)))
    if found := re.match(r"(The .+) (?:is|are) taller than (the .+) and about (.+) high", sentence):
        tall, low = (judge.things[_only(judge, one)]["obb"]["half_extents_m"][2] for one in found.group(1, 2))
        return tall > low and judge._fits_length(found.group(3), 2 * tall)
    return False


def _found(judge: Judge, words: str) -> list[int]:
    try:
        return judge._of(re.sub(r"^one of the ", "", words.lower()))
    except KeyError:
        return []


def _only(judge: Judge, words: str) -> int:
    (one,) = judge._of(words)
    return one


def _center(judge: Judge, words: str) -> np.ndarray:
    return np.array(judge.things[_only(judge, words)]["obb"]["center_m"])


def _half(judge: Judge, words: str) -> list[float]:
    return judge.things[_only(judge, words)]["obb"]["half_extents_m"]


def _are(judge: Judge, one: str, predicate: str, other: str) -> bool:
    """Whether any pair of things that fit stands so, and in one room."""
    for a, b in product(_found(judge, one), _found(judge, other)):
        first, second = judge._box_of(a), judge._box_of(b)
        apart = float(np.linalg.norm(np.maximum(np.maximum(first[0] - second[1], second[0] - first[1]), 0.0)))
        if a == b or judge.things[a]["room"] != judge.things[b]["room"] or apart > 0.6:
            continue
        if predicate == "next to" or abs(first[0][2] - second[1][2]) < 0.15:
            return True
    return False


def _fits_distance(judge: Judge, one: str, other: str, words: str) -> bool:
    for a, b in product(_found(judge, one), _found(judge, other)):
        apart = np.subtract(judge.things[a]["obb"]["center_m"], judge.things[b]["obb"]["center_m"])
        if judge._fits_length(words, float(np.linalg.norm(apart))):
            return True
    return False


def _is_side(judge: Judge, place: str, facing: str, thing: str, answer: str) -> bool:
    """By the cross product of where one looks and where the thing is."""
    stand, ahead, there = (_center(judge, one)[:2] for one in (place, facing, thing))
    look, way = (ahead - stand) / np.linalg.norm(ahead - stand), (there - stand) / np.linalg.norm(there - stand)
    cross, along = float(look[0] * way[1] - look[1] * way[0]), float(look @ way)
    if "behind" in answer:
        return along < -0.7
    return cross > 0.7 if "left" in answer else cross < -0.7

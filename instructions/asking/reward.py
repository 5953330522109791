"""Rewards that code can verify, for reinforcement learning: pure, deterministic, no model, never an exception.

A tenth for the form (exactly one `<think>` and one `<answer>`, in order, nothing between or after), nine tenths for the
answer inside `<answer>`. What hides elsewhere, comes twice or names several options earns nothing for the answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

THRESHOLDS = np.linspace(0.5, 0.95, 10)
FORM, ACCURACY = 0.1, 0.9
MOST_CHARACTERS = 20_000
"""A longer reply is not read: it earns nothing."""
_MARKS = re.compile(r"</?(?:think|answer)>", re.IGNORECASE)
_IN_ORDER = ["<think>", "</think>", "<answer>", "</answer>"]
_LETTER = re.compile(r"\(?([A-Z])\)?[.:)]?(?:\s+(.*))?", re.DOTALL)
_NUMBER = re.compile(r"([-+]?[0-9]{1,12}(?:\.[0-9]{1,12})?)(?:\s*([a-z°][a-z0-9^²³ ]{0,20}))?\.?")
_BREAK = re.compile(r",|;|\n|\bthen\b|\band\b")
_ARTICLE = re.compile(r"^(?:the|a|an) ")
_UNITS = {
    "m": ("m", "meter", "meters", "metre", "metres"),
    "cm": ("cm", "centimeter", "centimeters", "centimetre", "centimetres"),
    "m2": ("m2", "m^2", "m²", "square meter", "square meters", "square metres"),
    "m3": ("m3", "m^3", "m³", "cubic meter", "cubic meters", "cubic metres"),
    "deg": ("deg", "degree", "degrees", "°"),
    "ratio": ("times", "x"),
    "": (),
}


def mra(prediction: str, truth: float) -> float:
    """The accuracy of an answer as the published code reads it: strictly, by its first word.

    `2.5 meters` counts as 2.5; `2.5m`, `about 2.5`, `two` and a text that begins with a blank are no number and get 0.
    `grade_number` on what `read_number` reads is the lenient way.

    Args:
        prediction: What a model answered.
        truth: In the unit that the answer is asked for in.

    Raises:
        ZeroDivisionError: For a truth of 0.
    """
    try:
        value = float(prediction.split(" ")[0].rstrip(".").strip())
    except ValueError:
        return 0.0
    return grade_number(value, truth)


def grade_number(value: float, truth: float) -> float:
    """The share of the ten thresholds t of 0.5 to 0.95 with a relative error of at most 1 - t.

    The paper prints `<`; the published code has `<=`, and so do we.

    Raises:
        ZeroDivisionError: For a truth of 0.
    """
    return float((abs((value - truth) / truth) <= 1 - THRESHOLDS).mean())


def reward(completions: Sequence[Any], solution: Sequence[Any], **columns: Any) -> list[float]:
    """The reward of each completion, as ms-swift and TRL call it.

    Args:
        completions: Texts, or conversations whose last message counts.
        solution: Of each, a JSON object with `form`, `truth`, and where they apply `unit` and `choices` (as
            `write_solution` makes it), as text or as a mapping.
        **columns: Other columns of the dataset. Where there is `reward`, which exports write beside a `solution` in
            words, it stands for `solution`; no other counts.

    Returns:
        Values from 0 to 1, one per completion. What cannot be read, the solution too, earns 0.
    """
    told = columns.get("reward")
    return [_score(one, truth) for one, truth in zip(completions, solution if told is None else told, strict=False)]


def compute_score(
    data_source: str, solution_str: str, ground_truth: str, extra_info: Any = None, **columns: Any
) -> float:
    """The reward of one completion, as verl calls a `custom_reward_function`; only text and truth count."""
    return reward([solution_str], [ground_truth])[0]


def compute_scores(reward_inputs: Sequence[Any], **columns: Any) -> list[dict[str, float]]:
    """The rewards of a batch, as EasyR1 calls a `reward_function` of type `batch`.

    Args:
        reward_inputs: Each with `response` and `ground_truth`.
        **columns: Of no weight.

    Returns:
        `overall` of each from 0 to 1, the `format` that was kept (0 or 1) and the `accuracy` of the answer (0 to 1).
    """
    told = [dict(one) for one in reward_inputs]
    overall = reward([one.get("response") for one in told], [one.get("ground_truth") for one in told])
    return [
        {"overall": score, "format": float(score > 0.0), "accuracy": max(0.0, score - FORM) / ACCURACY}
        for score in overall
    ]


def write_solution(form: str, truth: Any, unit: str = "", choices: int = 0) -> str:
    """What `reward` needs of a row: for a multiple choice (`choices` options) `truth` is the letter."""
    value = list(truth) if isinstance(truth, tuple) else truth
    return json.dumps({"form": form, "truth": value, "unit": unit, "choices": choices}, ensure_ascii=False)


def _score(completion: Any, solution: Any) -> float:
    try:
        text = completion if isinstance(completion, str) else completion[-1]["content"]
        told = json.loads(solution) if isinstance(solution, str) else dict(solution)
        answer = _find_answer(text)
        return 0.0 if answer is None else FORM + ACCURACY * _grade(answer, told)
    except (ArithmeticError, AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError):
        return 0.0


def _find_answer(text: str) -> str | None:
    """What stands inside the one answer; None if the form is not kept."""
    if len(text) > MOST_CHARACTERS:
        return None
    marks = list(_MARKS.finditer(text))
    if [mark[0] for mark in marks] != _IN_ORDER:
        return None
    outside = text[: marks[0].start()] + text[marks[1].end() : marks[2].start()] + text[marks[3].end() :]
    return None if outside.strip() else text[marks[2].end() : marks[3].start()].strip()


def _grade(answer: str, told: dict[str, Any]) -> float:
    form, truth = told["form"], told["truth"]
    if told.get("choices"):
        return _grade_letter(answer, truth)
    if form == "number":
        return _grade_number(answer, float(truth), told.get("unit", ""))
    if form == "yes_no":
        return float(_plain(answer) == ("yes" if truth in (True, "yes") else "no"))
    if form in ("order", "things"):
        given, want = _split(answer), [_plain(one) for one in truth]
        return _grade_order(given, want) if form == "order" else _grade_list(given, want)
    return float(_name_mark(answer, str(truth)) == _plain(str(truth)))


def _name_mark(answer: str, truth: str) -> str:
    """The answer as it is compared: a bare number means the mark of that number, commas need no space behind them."""
    plain = re.sub(r"(?<=\d),\s*(?=\d)", ", ", _plain(answer))
    return f"mark {plain}" if plain.isdecimal() and _plain(truth).startswith("mark ") else plain


def _grade_letter(answer: str, truth: str) -> float:
    """Exactly one letter, alone or before the words of its option; a second letter further on earns nothing."""
    found = _LETTER.fullmatch(answer)
    if found is None or found[1] != truth:
        return 0.0
    return 0.0 if found[2] and re.search(r"(?:^|[\s(])[A-Z](?:[.:)\s]|$)", found[2]) else 1.0


def _grade_number(answer: str, truth: float, unit: str) -> float:
    """Mean relative accuracy over the ten thresholds; another unit, a range or an expression earns nothing."""
    found = _NUMBER.fullmatch(answer.lower())
    if found is None or (found[2] and found[2].strip() not in _UNITS.get(unit, ())):
        return 0.0
    value = float(found[1])
    if truth == 0.0 or not isfinite(value):
        return float(value == truth)
    return grade_number(value, truth)


def _grade_list(given: list[str], want: list[str]) -> float:
    """F1; a thing named twice counts once for, and once against."""
    hits = len(set(given) & set(want))
    return 2 * hits / (len(given) + len(want)) if given and want else 0.0


def _grade_order(given: list[str], want: list[str]) -> float:
    """Share of pairs in the right order; nothing unless the same things are named, each once."""
    if sorted(given) != sorted(want) or len(want) < 2:
        return 0.0
    place = {one: at for at, one in enumerate(given)}
    pairs = [(a, b) for at, a in enumerate(want) for b in want[at + 1 :]]
    return sum(place[a] < place[b] for a, b in pairs) / len(pairs)


def _split(answer: str) -> list[str]:
    return [one for one in map(_plain, _BREAK.split(answer)) if one]


def _plain(text: str) -> str:
    return _ARTICLE.sub("", " ".join(text.lower().split()).strip(" .!\"'"))

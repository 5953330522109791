"""Scores as LAMM's published code computes them, faults included, so that old tables can be compared.

Recall without matching, area of nothing, and answers that cannot be read stay as they are there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import Any

from instructions.asking.quantities import say_count
from roomtour.scoring.dialogues.matching import match_greatest, mean
from roomtour.scoring.dialogues.words import Lexicon

Row = Mapping[str, Any]
Scores = dict[str, float]
_RUN = re.compile(r"[0-9]+\.?[0-9]*")
_SAME = {
    "man": "person", "men": "person", "woman": "person", "women": "person", "baby": "person", "people": "person",
    "child": "person", "children": "person", "girl": "person", "boy": "person", "guy": "person", "kayaker": "person",
    "ship": "boat", "sailboat": "boat", "yacht": "boat", "puppy": "dog", "table": "diningtable", "calf": "cow",
    "hummingbird": "bird", "bike": "bicycle", "motorcycle": "motorbike", "pony": "horse",
}  # fmt: skip
_NUMBER_OF = {"no": 0, "twenty": 20, **{say_count(number): number for number in range(20)}}
_BOX = re.compile(r"\[ ?([\d.]+), ?([\d.]+), ?([\d.]+), ?([\d.]+) ?\]")
_CATEGORIES = tuple(
    # begins with one of, ends before one of, at the nearest end, or at the last
    re.compile(f"(?:{begins})(.+{'' if is_last else '?'})(?:{ends})", re.DOTALL)
    for begins, ends, is_last in (
        ("The ", "object", False),
        ("classified as ", r" is| and| within|\.|,", False),
        ("categorized as ", r" can| at|\.|,", False),
        ("belong(?:s|ing) to the category of ", r" at|\.|,", False),
        ("belong(?:s|ing) to the ", " category", True),
        ("falls under the category of ", r"\.|,", False),
        ("falls under the ", " category", True),
        ("its category is ", r"\.|,", False),
    )
)
"""Phrases that tell a category; of those in a sentence the last counts."""
_LETTERS = "ABCDE"
_SAYS = (re.compile(r"[Tt]he answer is \(?[A-E]\)?\W"), re.compile(r"ANSWER: [A-E]"), re.compile(r"\([A-E]\)"))


def read_numbers(text: str, size: int) -> list[float]:
    """Numbers inside [ ], then inside ( ), cut to a multiple of `size`; if none, all runs of digits."""
    found = [*_read_inside(text, "[", "]"), *_read_inside(text, "(", ")")]
    found = found[: len(found) // size * size]
    if not found:
        found = [float(one) for one in _RUN.findall(text)]
        found = found[: len(found) // size * size]
    return found


def _read_inside(text: str, begin: str, end: str) -> list[float]:
    """What is no number stays in hand and sticks to what follows, over the ends of brackets too."""
    out: list[float] = []
    held, inside = "", False
    for sign in text:
        if sign == begin:
            inside = True
            continue
        if sign != end and not inside:
            continue
        if sign == end:
            inside = False
        elif sign not in ", ":
            held += sign
            continue
        try:
            out.append(float(held))
            held = ""
        except ValueError:
            pass
    return out


def _cut(numbers: Sequence[float], size: int) -> list[tuple[float, ...]]:
    return [tuple(numbers[at : at + size]) for at in range(0, len(numbers), size)]


def read_points(text: str) -> list[tuple[float, ...]]:
    """Points by pairs."""
    return _cut(read_numbers(text, 2), 2)


def read_boxes_3d(text: str) -> list[tuple[float, ...]]:
    """Boxes by sixes."""
    return _cut(read_numbers(text, 6), 6)


def read_count(text: str) -> int:
    """The first word of digits only, or from no and zero to twenty; else 0."""
    for word in text.lower().split():
        if word.isdigit():
            return int(word)
        if word in _NUMBER_OF:
            return _NUMBER_OF[word]
    return 0


def measure_iou(one: Sequence[float], other: Sequence[float]) -> float:
    """Of two boxes of a picture; not a number for two empty ones."""
    return _measure_overlap((one[:2], one[2:4]), (other[:2], other[2:4]))


def measure_iou_3d(one: Sequence[float], other: Sequence[float]) -> float:
    """Of two boxes (centre, lengths) along the axes, corners rounded to millimetres."""
    return _measure_overlap(_corners(one), _corners(other))


def _corners(box: Sequence[float]) -> tuple[list[float], list[float]]:
    low = [round(box[axis] - abs(box[axis + 3]) / 2, 3) for axis in range(3)]
    high = [round(box[axis] + abs(box[axis + 3]) / 2, 3) for axis in range(3)]
    return low, high


def _measure_overlap(one: Sequence[Sequence[float]], other: Sequence[Sequence[float]]) -> float:
    """Of two boxes by their low and high corners."""
    sides = [(b - a, d - c, max(min(b, d) - max(a, c), 0.0)) for a, b, c, d in zip(*one, *other, strict=True)]
    first, second, shared = (prod(lengths) for lengths in zip(*sides, strict=True))
    whole = first + second - shared
    return shared / whole if whole else float("nan")


def names_class(label: str, text: str, words: Lexicon) -> bool:
    """Whether a class is in a text that is split at blanks only: `couch.` is no couch, `no chair` is a chair."""
    said = text.split(" ")
    said += [_SAME[word] for word in said if word in _SAME]
    bases = {words.noun(word) for word in said}
    return bool(words.all_names(label) & bases)


def read_detections(text: str) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Category and box of every sentence that has both; reversed corners are dropped."""
    out = []
    sentences = text.strip().split(". ")
    for place, sentence in enumerate(sentences):
        one = sentence.strip()
        if place == len(sentences) - 1 and one.endswith("."):
            one = one[:-1]
        one += "."
        box = _BOX.search(one)
        found = [named[1] for phrase in _CATEGORIES if (named := phrase.search(one)) is not None]
        if box is None or not found:
            continue
        try:
            a, b, c, d = (float(value) for value in box.groups())
        except ValueError:
            continue
        if a <= c and b <= d:
            out.append((found[-1].strip(), (a, b, c, d)))
    return out


def score_detection(rows: Sequence[Row], words: Lexicon) -> Scores:
    """Greatest one-to-one matching at IoU 0.5 and 0.25, with the class and without; percent."""
    told = [(row["gt_answers"], read_detections(row["answer"])) for row in rows]
    truths, predicted = sum(len(objects) for objects, _ in told), sum(len(found) for _, found in told)
    out: Scores = {}
    hits = {(bar, mark): 0 for bar in (0.5, 0.25) for mark in ("", "_wocat")}
    for objects, found in told:
        table = [[_or_zero(measure_iou(one["bbox"], box)) for _, box in found] for one in objects]
        named = [
            [iou * names_class(one["label"], label, words) for iou, (label, _) in zip(line, found, strict=True)]
            for line, one in zip(table, objects, strict=True)
        ]
        for bar, mark in hits:
            hits[bar, mark] += match_greatest(table if mark else named, bar)
    for (bar, mark), hit in hits.items():
        out[f"recall{mark}@{bar:.2f}"] = 100 * hit / truths if truths else 0.0
        out[f"prec{mark}@{bar:.2f}"] = 100 * hit / (predicted + 1e-7)
    return out


def score_detection_3d(rows: Sequence[Row], words: Lexicon) -> Scores:
    """A truth counts if its class is in the answer and any box has more than half."""
    told = [(one, row["answer"]) for row in rows for one in row["gt_answers"]]
    return {"mAR": 100 * mean(names_class(one["label"], said, words) and _is_found(one, said) for one, said in told)}


def _is_found(truth: Row, answer: str, most: int | None = None) -> bool:
    """Whether one of the first so many boxes has more than half."""
    return any(measure_iou_3d(truth["bbox"], box) > 0.5 for box in read_boxes_3d(answer)[:most])


def score_grounding_3d(rows: Sequence[Row]) -> Scores:
    """The first box only."""
    truths = (row["gt_answers"] for row in rows)
    firsts = [truth[0] if isinstance(truth, list) else truth for truth in truths]
    return {"mAR": 100 * mean(_is_found(one, row["answer"], 1) for one, row in zip(firsts, rows, strict=True))}


def score_vqa(rows: Sequence[Row]) -> Scores:
    """By the first pattern that is there; else by the right text and no other option's."""
    return {"vision_acc": mean(_is_chosen(row.get("CoT_answer", "") + row["answer"], row) for row in rows)}


def _is_chosen(text: str, row: Row) -> bool:
    right, choices = row["gt_choice"], [str(choice).lower() for choice in row["gt_choices"]]
    if right >= len(_LETTERS):
        return False  # there the letters end, so a sixth option can never be right
    letter = _LETTERS[right]
    lines, answers, letters = (pattern.findall(text) for pattern in _SAYS)
    if lines or (letters and not answers):
        return all(letter in line for line in lines or letters)
    if answers:
        return answers[0][-1] == letter
    return [choice in text.lower() for choice in choices] == [place == right for place in range(len(choices))]


def score_counting(rows: Sequence[Row]) -> Scores:
    """Errors are cut at the truth: 900 for 2 is as good as 0."""
    told = [(row["gt_answers"], read_count(row["answer"])) for row in rows]
    errors = mean(min(truth, abs(said - truth)) for truth, said in told)
    return {"MAE": errors, "ACC": 100 * mean(said == truth for truth, said in told)}


def read_quoted(text: str) -> str:
    """Parts between any two neighbouring quotation marks, joined by `. `; the whole text without marks."""
    marks = [place for place, sign in enumerate(text) if sign in "'\""]
    parts = [text[a + 1 : b] for a, b in pairwise(marks)]
    parts = [part for part in parts if "\n" not in part]
    return ". ".join(parts) if parts else text


def score_ocr(rows: Sequence[Row]) -> Scores:
    """Mean share of the truth's words among the read ones."""
    told = [(row["gt_answers"], read_quoted(row["answer"]).lower().split()) for row in rows]
    return {"ACC": mean(mean(word.lower() in read for word in truth) for truth, read in told)}


def score_locating(rows: Sequence[Row], words: Lexicon) -> Scores:
    """A truth counts if its class is in the answer and its box holds any point, strictly inside."""
    hits = []
    for row in rows:
        points = read_points(row["answer"])
        for one in row["gt_answers"]:
            a, b, c, d = one["bbox"]
            is_held = any(a < x < c and b < y < d for x, y in points)
            hits.append(is_held and names_class(one["label"], row["answer"], words))
    return {"ACC": 100 * mean(hits)}


def score_classification(rows: Sequence[Row], words: Lexicon) -> Scores:
    """One word of the answer, or the answer as a whole, is a name of the label's first sense, or the label."""
    hits = []
    for row in rows:
        names = words.first_names(row["label"]) | {row["label"]}
        said = re.findall(r"\w+(?:[-_]\w+)*", row["answer"].lower())
        bases = {words.base(word) for word in said if not words.is_stop(word)}
        hits.append(row["answer"] in names or bool(names & bases))
    return {"ACC": mean(hits)}


def _or_zero(value: float) -> float:
    return 0.0 if value != value else value

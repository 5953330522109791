"""Twins of talks: one answer with one thing changed, which the turn's own measure makes false, in the same template."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from instructions.asking.draws import Draw
from instructions.dialogues.records import KIND, Dialogue, Turn
from instructions.dialogues.templates import Noun, fill, kind_slots, load_talk
from instructions.wording.english import number_of

_SLOT = re.compile(r"\{(\w+)(?:\.(\w+))?\}")
_OPPOSITE = {
    "on the left": "on the right", "on the right": "on the left", "left": "right", "right": "left",
    "ahead of us": "behind us", "behind us": "ahead of us", "to our left": "to our right",
    "to our right": "to our left",
}  # fmt: skip
_NOUNS = ("P", "Q", "N", "F")


def make_talk_twin(row: Dialogue) -> tuple[int, str, str, str] | None:
    """One turn of a talk with a false answer.

    Only turns whose measure decides what is changed: a side, a number, which of two, which picture.

    Args:
        row: An accepted talk written from templates.

    Returns:
        The turn's place, what was changed, the false answer and why it is false; None where no turn can be changed.
    """
    draw = Draw(row.seed, row.tour, KIND, "talk twin", row.id)
    order = sorted(range(len(row.turns)), key=lambda _: draw.uniform())
    for place in order:
        if place >= len(row.templates) or not row.templates[place].startswith("talk."):
            continue
        found = _change(row, row.turns[place], row.templates[place], draw)
        if found is not None and found[1] != row.turns[place].answer:
            return place, *found
    return None


def _change(row: Dialogue, turn: Turn, name: str, draw: Draw) -> tuple[str, str, str] | None:
    topic, _, asked, answers, told = name.removeprefix("talk.").split("/")
    pool, variant = load_talk()[topic], answers.removeprefix("answers").removeprefix("_")
    question, template = pool.questions[int(asked)], pool.answers[variant][int(told)]
    slots = _read(question, turn.question)
    said = _read(template, turn.answer)
    if slots is None or said is None:
        return None
    slots |= said
    if "side" in said and slots["side"] in _OPPOSITE:
        other = _OPPOSITE[slots["side"]]
        return "side", _say(template, slots | {"side": other}), f"measured: {slots['side']}"
    if topic == "count":
        return _change_count(row, turn, template, slots, draw)
    if topic in ("nearer", "larger", "reach_first") and {"P", "Q", "N"} <= set(slots):
        pair = (slots["P"].lower(), slots["Q"].lower())
        if slots["N"].lower() not in pair:
            return None
        far = pair[1 - pair.index(slots["N"].lower())]
        swapped = slots | {"N": far, "F": slots["N"].lower()}
        return "order of two", _say(template, swapped), f"measured: {slots['N'].lower()}, not {far}"
    if topic in ("walk_nearer", "compare_same"):
        wrong = "no" if variant == "yes" else "yes"
        lines = pool.answers[wrong]
        slots |= kind_slots(slots["C"]) if "C" in slots else {}
        return "yes and no", _say(lines[int(told) % len(lines)], slots), f"measured: {variant}"
    if topic in ("compare_which", "compare_nearer") and "n" in said:
        numbers = [slots["a"], slots["b"]] if topic == "compare_nearer" else [str(n + 1) for n in range(len(row.views))]
        others = [number for number in numbers if number != slots["n"]]
        if others and slots["n"] in numbers:
            other = others[int(draw.uniform() * len(others))]
            return "picture", _say(template, slots | {"n": other}), f"measured: picture {slots['n']}"
    return None


def _change_count(
    row: Dialogue, turn: Turn, template: str, slots: Mapping[str, str], draw: Draw
) -> tuple[str, str, str] | None:
    counted = next((one for one in row.evidence if one.name in turn.facts and one.name.startswith("count ")), None)
    if counted is None or counted.value is None or counted.value < 1:
        return None
    kind, number = counted.name.removeprefix("count "), int(counted.value)
    if slots.get("NC", "").lower() != number_of(number, kind).lower():
        return None
    wrong = number + (1 if number == 1 or draw.uniform() < 0.5 else -1)
    return "number", _say(template, dict(slots) | kind_slots(kind, wrong)), f"there are {number}"


def _say(template: str, slots: Mapping[str, str]) -> str:
    return fill(template, {name: Noun(text) if name in _NOUNS else text for name, text in slots.items()})


def _read(template: str, text: str) -> dict[str, str] | None:
    """What stands in the slots of a filled template; None where it is not that template."""
    match = _pattern(template).fullmatch(text)
    if match is None:
        return None
    return {name: _lower(value) if name in _NOUNS else value for name, value in match.groupdict().items()}


def _lower(phrase: str) -> str:
    return phrase[0].lower() + phrase[1:]


@cache
def _pattern(template: str) -> re.Pattern[str]:
    parts, end = [], 0
    seen: set[str] = set()
    for match in _SLOT.finditer(template):
        parts.append(re.escape(template[end : match.start()]))
        name, verb = match.groups()
        if verb is not None:
            parts.append(r"\w+")
        elif name in seen:
            parts.append(rf"(?P={name})")
        else:
            seen.add(name)
            parts.append(rf"(?P<{name}>.+?)")
        end = match.end()
    parts.append(re.escape(template[end:]))
    return re.compile("".join(parts), re.I)

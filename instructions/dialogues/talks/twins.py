"""Twins: an answer with one thing changed, false by the row's own truth or measure, in the same template."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from instructions.asking.draws import Draw
from instructions.dialogues.records import KIND, Dialogue, Spot, TaskTruth, Turn
from instructions.dialogues.rounding import round_length
from instructions.dialogues.spots import say_spot
from instructions.dialogues.templates import fill, find_names, kind_slots, load_pool, load_talk
from instructions.facts.overlap import box_iou
from instructions.wording.english import number_of

MOST_OVERLAP = 0.10
"""Of a false box with the true one: less than any score counts as found."""
_SLOT = re.compile(r"\{(\w+)(?:\.(\w+))?\}")
_SIDES = (
    ("on the left", "on the right"), ("left", "right"), ("ahead of us", "behind us"), ("to our left", "to our right"),
)  # fmt: skip
_OPPOSITE = {one: other for pair in _SIDES for one, other in (pair, pair[::-1])}
_NOUNS = ("P", "Q", "N", "F")


@dataclass(frozen=True)
class Twin:
    """A false answer to a question of a row."""

    row: str
    change: str
    """What differs: `yes and no`, `number`, `option`, `class`, `place`; in talks `side`, `order of two`, `picture`."""
    answer: str
    because: str
    """Why it is false, by the truth of the row."""
    spots: tuple[Spot, ...] = ()
    """What the brackets of question and answer stand for, as in a turn."""
    turn: int = 0
    """Which turn of the row it answers; in a talk the turns before it are said as they are."""


def make_twin(row: Dialogue, kinds: Sequence[str] = ()) -> Twin | None:
    """The false twin of the row of a task, or of one turn of a talk.

    Args:
        row: An accepted row; its truth, or the measure of the turn, says what is false.
        kinds: Classes that the tour has, for a wrong one.

    Returns:
        None for tasks about clouds other than options, for descriptions and background, and where no change is
        certainly false.
    """
    if row.kind == "daily":
        return _make_talk_twin(row)
    truth, draw = row.truth, Draw(row.seed, row.tour, KIND, "twin", row.id)
    if row.task is None or truth is None or len(row.turns) != 1 or not row.templates:
        return None
    if row.task in ("ground", "locate") and row.size_px is not None and len(truth.objects) == 1:
        return _move(row, _template_of(row), row.size_px)
    found = _change_task(row, row.task, truth, kinds, draw)
    return Twin(row.id, *found, row.turns[0].spots) if found is not None else None


def _template_of(row: Dialogue, change: str = "") -> str:
    """The template of a task's answer, or the one of another variant that stands in its place."""
    variant, told = row.templates[0].split("/")[3:5]
    lines = load_pool(row.task or "").answers[change or variant.removeprefix("answers").removeprefix("_")]
    return lines[int(told) % len(lines)]


def _change_task(
    row: Dialogue, task: str, truth: TaskTruth, kinds: Sequence[str], draw: Draw
) -> tuple[str, str, str] | None:
    """What is changed, the false answer, and why it is false."""
    label = truth.label or ""
    if task == "presence" and label in ("yes", "no"):
        return "yes and no", _template_of(row, "no" if label == "yes" else "yes"), f"the answer is {label}"
    template = _template_of(row)
    if task == "count" and truth.number is not None and truth.number >= 2 and label:
        answer = fill(template, kind_slots(label, _miscount(truth.number, draw)))
        return "number", answer, f"there are {truth.number}"
    if task == "length" and truth.metres is not None:
        wrong_m = truth.metres * (2.5 if truth.metres < 2.0 or draw.uniform() < 0.5 else 0.4)
        told = round_length(wrong_m, 0.0, of_thing=row.evidence[0].name.startswith("high "))
        return "length", fill(template, {"A": told.words}), f"it is {label}"
    if truth.correct is not None:
        letters = [chr(ord("A") + place) for place in range(len(truth.choices))]
        place = draw.pick([place for place in range(len(letters)) if place != truth.correct])
        answer = fill(template, {"L": letters[place], "A": truth.choices[place]})
        return "option", answer, f"option {letters[truth.correct]} is right"
    if task in ("classify_thing", "classify_view") and label:
        same, words = find_names(label), set(label.split())  # `coffee table` is no false answer for a `table`
        far = sorted(
            kind for kind in set(kinds) if same.isdisjoint(find_names(kind)) and words.isdisjoint(kind.split())
        )
        return ("class", fill(template, kind_slots(draw.pick(far))), f"it is a {label}") if far else None
    if task == "unseen" and label in ("left", "right"):
        answer = row.turns[0].answer.replace(f"on the {label}", _OPPOSITE[f"on the {label}"])
        return "side", answer, f"it is on the {label}"
    return None


def _move(row: Dialogue, template: str, size_px: tuple[int, int]) -> Twin | None:
    """The same box or point elsewhere: mirrored, where that is off the thing."""
    (*asked, spot), (width, height) = row.turns[0].spots, size_px
    box = row.truth.objects[0].box_xyxy if row.truth else (0.0, 0.0, 0.0, 0.0)
    for across, down in ((True, False), (False, True), (True, True)):
        turned = (across, down)
        moved = tuple(size_px[at % 2] - value if turned[at % 2] else value for at, value in enumerate(spot))
        if len(moved) == 4:
            x0, y0, x1, y1 = moved
            moved = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
            is_off = box_iou(box, moved) <= MOST_OVERLAP
        else:
            x, y = moved
            is_off = not (box[0] <= x <= box[2] and box[1] <= y <= box[3])
        if is_off:
            answer = fill(template, {"B": say_spot(moved, (width, height))})
            return Twin(row.id, "place", answer, "the thing is elsewhere", (*asked, moved))
    return None


def _make_talk_twin(row: Dialogue) -> Twin | None:
    """One turn of a talk from templates; only turns whose measure decides what is changed."""
    draw = Draw(row.seed, row.tour, KIND, "talk twin", row.id)
    for place in draw.shuffle(range(len(row.turns))):
        if place < len(row.templates) and row.templates[place].startswith("talk."):
            found = _change_turn(row, row.turns[place], row.templates[place], draw)
            if found is not None and found[1] != row.turns[place].answer:
                return Twin(row.id, *found, row.turns[place].spots, place)
    return None


def _change_turn(row: Dialogue, turn: Turn, name: str, draw: Draw) -> tuple[str, str, str] | None:
    topic, _, asked, answers, told = name.removeprefix("talk.").split("/")
    pool, variant = load_talk()[topic], answers.removeprefix("answers").removeprefix("_")
    template = pool.answers[variant][int(told)]
    slots, said = _read(pool.questions[int(asked)], turn.question), _read(template, turn.answer)
    if slots is None or said is None:
        return None
    slots |= said
    if "side" in said and slots["side"] in _OPPOSITE:
        return "side", fill(template, slots | {"side": _OPPOSITE[slots["side"]]}), f"measured: {slots['side']}"
    if topic == "count":
        return _change_count(row, turn, template, slots, draw)
    if topic in ("nearer", "larger", "reach_first") and {"P", "Q", "N"} <= set(slots):
        pair, first = (slots["P"].lower(), slots["Q"].lower()), slots["N"].lower()
        if first not in pair:
            return None
        far = pair[1 - pair.index(first)]
        return "order of two", fill(template, slots | {"N": far, "F": first}), f"measured: {first}, not {far}"
    if topic in ("walk_nearer", "compare_same"):
        lines = pool.answers["no" if variant == "yes" else "yes"]
        slots |= kind_slots(slots["C"]) if "C" in slots else {}
        return "yes and no", fill(lines[int(told) % len(lines)], slots), f"measured: {variant}"
    if topic in ("compare_which", "compare_nearer") and "n" in said:
        numbers = [slots["a"], slots["b"]] if topic == "compare_nearer" else [str(n + 1) for n in range(len(row.views))]
        others = [number for number in numbers if number != slots["n"]]
        if others and slots["n"] in numbers:
            return "picture", fill(template, slots | {"n": draw.pick(others)}), f"measured: picture {slots['n']}"
    return None


def _change_count(
    row: Dialogue, turn: Turn, template: str, slots: Mapping[str, str], draw: Draw
) -> tuple[str, str, str] | None:
    counted = next((one for one in row.evidence if one.name in turn.facts and one.name.startswith("count ")), None)
    if counted is None or (counted.value or 0) < 2:
        return None
    kind, number = counted.name.removeprefix("count "), int(counted.value or 0)
    if slots.get("NC", "").lower() != number_of(number, kind).lower():
        return None
    answer = fill(template, dict(slots) | kind_slots(kind, _miscount(number, draw)))
    return "number", answer, f"there are {number}"


def _miscount(number: int, draw: Draw) -> int:
    """Another number than this one of two or more; of a single thing a sliver of a second may show."""
    return number + (1 if number == 2 or draw.uniform() < 0.5 else -1)


def _read(template: str, text: str) -> dict[str, str] | None:
    """What stands in the slots of a filled template; None where it is not that template."""
    match = _pattern(template).fullmatch(text)
    found = match.groupdict().items() if match is not None else ()
    slots = {name: value[0].lower() + value[1:] if name in _NOUNS else value for name, value in found}
    return slots if match is not None else None


@cache
def _pattern(template: str) -> re.Pattern[str]:
    parts, end = "", 0
    for match in _SLOT.finditer(template):
        name, verb = match.groups()
        shape = "|".join(_OPPOSITE) if name == "side" else "the .+?" if name in _NOUNS else ".+?"
        slot = rf"(?P={name})" if f"(?P<{name}>" in parts else rf"(?P<{name}>{shape})"
        parts += re.escape(template[end : match.start()]) + (r"\w+" if verb is not None else slot)
        end = match.end()
    return re.compile(parts + re.escape(template[end:]), re.I)

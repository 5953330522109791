"""Words of questions and answers: templates per type, slots, and numbers as people say them. Words come last."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from instructions.asking.draws import Draw
from instructions.asking.names import Naming, number_marks
from instructions.asking.rounding import Spoken, say_exactly, say_length, say_ratio
from instructions.facts.verdict import Measured
from instructions.questions.core.records import TOO_CLOSE
from instructions.questions.core.view_sets import Truth
from instructions.questions.core.world import Value
from instructions.questions.wording.templates import templates_of
from instructions.wording.english import fill, head_noun, join_list, pluralize
from recon.numerals import count_decimals, format_measured

LETTERS = "ABCD"
SLOTS = "ABCDEF"
EXACT_SHARE = 0.10
"""Of the questions for a length of one view: asks for two decimals, and gets them."""
UNIT_SHARE = 0.30
"""Of the others: names the unit of its answer. The rest leaves it open on purpose. Types about sets of views name it
always, as the benchmarks do."""
UNIT_WORDS = {
    "m": "meters", "cm": "centimeters", "ft": "feet", "in": "inches", "m2": "square meters", "m3": "cubic meters",
}  # fmt: skip
_SIDES = {"longest": "longest side"}
_SENSES = {"center": "from center to center", "nearest": "between their nearest points"}
_LABELS = {"front": "ahead", "back": "behind"}
"""As one says it of a direction that one faces."""
_CAMERA_LABELS = {"front": "in front", "back": "behind"}
_OF_VIEWS = frozenset("see seen visible shown shows appear appears view views video image images picture".split())  # noqa: SIM905
"""What nobody can say of a place without views."""
_WORDS = re.compile(r"(?<![{.\w])[a-z]+(?![\w}])")
"""Words of a template, without its slots."""


@dataclass(frozen=True)
class Wording:
    """Which words a row takes: drawn once for a row and its twin."""

    names: tuple[Naming, ...]
    """Of A, B and so on."""
    questions: str
    """List of the question."""
    question: int
    opening: str = ""
    addition: tuple[str, int] | None = None
    """List and place of a sentence about the unit or decimals."""
    spoken: Spoken | None = None
    """The number of the answer."""


@dataclass(frozen=True)
class Said:
    """A row in words."""

    question: str
    answer: str
    template: str
    choices: tuple[str, ...] = ()
    correct: int | None = None
    said: Measured | None = None


def draw_wording(truth: Truth, draw: Draw) -> Wording | None:
    """Choose words for a row, the shorter the likelier; None if two of its things would have the same name."""
    names = number_marks([options[draw.shorter([option.text for option in options])] for options in truth.names])
    if len({name.text for name in names}) < len(names):
        return None
    lists = templates_of(truth.kind.template or truth.kind.name)
    key = "questions"
    if "questions_as_seen" in lists:
        as_seen = len(lists["questions_as_seen"]) / (len(lists["questions_as_seen"]) + len(lists["questions"]))
        if truth.only_as_seen or draw.uniform() < as_seen:
            key = "questions_as_seen"
    nouns = {noun for name in names for noun in (head_noun(name.phrase), pluralize(head_noun(name.phrase)))}
    if truth.views.is_scan and not truth.views.frames:
        nouns |= _OF_VIEWS
    question = _draw_without(lists[key], nouns, draw)
    if truth.source == "measures":
        spoken, addition = _draw_number(truth, draw)
        return Wording(names, key, question, "", addition, spoken)
    views = truth.views
    about = "video" if views.medium == "vsi" else views.medium
    openings = templates_of("openings")["scan" if views.is_scan and not views.frames else about]
    opening = fill(openings[_draw_without(openings, nouns, draw)], {}, {"count": str(len(truth.views.views))})
    addition = ("named", draw.shorter(templates_of("units")["named"])) if truth.kind.unit else None
    return Wording(names, key, question, opening, addition)


def _draw_number(truth: Truth, draw: Draw) -> tuple[Spoken | None, tuple[str, int] | None]:
    """How the number of one view is said, and what is said of its unit."""
    if truth.kind.form != "number" or truth.measured is None:
        return None, None
    value, sigma = truth.measured.value, truth.measured.sigma
    if truth.kind.family == "ratio":
        return say_ratio(value, draw), None
    units = templates_of("units")
    if draw.uniform() < EXACT_SHARE and count_decimals(value, sigma) == 2:
        return say_exactly(value), ("exact", draw.shorter(units["exact"]))
    spoken = say_length(value, draw, sigma)
    return spoken, ("named", draw.shorter(units["named"])) if draw.uniform() < UNIT_SHARE else None


def _draw_without(texts: Sequence[str], nouns: Set[str], draw: Draw) -> int:
    """The place of a text, the shorter the likelier, that says none of these nouns: who reads `Study the picture` takes
    it for the picture on the wall.
    """
    free = [at for at, text in enumerate(texts) if not nouns & set(_WORDS.findall(text.lower()))]
    return free[draw.shorter([texts[at] for at in free])] if free else draw.shorter(texts)


def compose(
    truth: Truth, name_of: Mapping[str, Naming], wording: Wording, draw: Draw, options: tuple[str, ...] = ()
) -> Said:
    """Put a truth into words, by the names of its things; with the values of a multiple choice, or none for an open
    question.
    """
    kind, value, things = truth.kind, truth.value, truth.things
    names = [name_of[thing].text for thing in things]
    slots = {slot: (name_of[one].text, name_of[one].plural) for slot, one in zip(SLOTS, things, strict=False)}
    words = _words_of(truth, names)
    lists = templates_of(kind.template or kind.name)
    question = fill(lists[wording.questions][wording.question], slots, words)
    parts = [wording.opening, question]
    template = f"{kind.template or kind.name}/{wording.questions}/{wording.question}"
    if wording.addition is not None:
        key, place = wording.addition
        unit = kind.unit or (wording.spoken.unit if wording.spoken else "")
        parts.append(fill(templates_of("units")[key][place], {}, {"unit": UNIT_WORDS.get(unit, "")}))
    if options:
        said = tuple(say_value(truth, option, name_of, truth.sigma) for option in options)
        right = options.index(plain_value(value))
        parts[-1] += list_options(said)
        asked = " ".join(part for part in parts if part)
        return Said(asked, f"{LETTERS[right]}. {said[right]}", f"{template}/options", said, right)
    key = plain_value(value).replace(" ", "_") if kind.form == "yes_no" or value == TOO_CLOSE else "answers"
    place = draw.shorter(lists[key])
    if kind.form == "thing" and value != TOO_CLOSE:
        slots["W"] = (name_of[str(value)].text, name_of[str(value)].plural)
        if len(things) == 2:
            loser = next(thing for thing in things if thing != value)
            slots["L"] = (name_of[loser].text, name_of[loser].plural)
    words["q"] = words["word"] = words["hour"] = (
        wording.spoken.text if wording.spoken else say_value(truth, plain_value(value), name_of, truth.sigma)
    )
    answer = fill(lists[key][place], slots, words)
    template += f"/{key}/{place}" + ("" if wording.addition is None else "/" + "/".join(map(str, wording.addition)))
    choices = _offer(truth, question, names) if truth.source == "measures" else ()
    told = say_value(truth, plain_value(value), name_of) if value != TOO_CLOSE else TOO_CLOSE
    correct = choices.index(told) if told in choices else None
    spoken = name_spoken(truth.measured, wording.spoken) if truth.measured and wording.spoken else None
    return Said(" ".join(part for part in parts if part), answer, template, choices, correct, spoken)


def list_options(said: Sequence[str]) -> str:
    """The options of a multiple choice as they stand behind its question."""
    return "".join(f"\n{letter}. {text}" for letter, text in zip(LETTERS, said, strict=False))


def _offer(truth: Truth, question: str, names: Sequence[str]) -> tuple[str, ...]:
    """What may be answered, in the order in which the question says it; none for numbers and hours."""
    kind = truth.kind
    if kind.form == "yes_no":
        return ("yes", "no")
    if kind.form == "thing":
        return tuple(names)
    if kind.comparison is None:
        return ()
    low = question.lower()
    words = (kind.comparison.say_more, kind.comparison.say_less)
    first, second = (low.find(word.removesuffix(" of")) % (len(low) + 1) for word in words)
    return words if first < second else words[::-1]


def say_value(truth: Truth, value: str, name_of: Mapping[str, Naming], sigma: float = 0.0) -> str:
    """A value in words, the truth's or an option beside it: a number with its unit, a thing's name by its id, a label,
    names in order.
    """
    kind = truth.kind
    if value == TOO_CLOSE:
        return value
    if kind.form == "number":
        return say_number(float(value), kind.unit, sigma)
    if kind.form in ("thing", "order", "things"):
        return join_list(
            [name_of[one].text for one in value.split(",")], last="then" if kind.form == "order" else "and"
        )
    if kind.form == "label":
        labels = _CAMERA_LABELS if kind.name.startswith("camera") else _LABELS
        return labels.get(value, value) if truth.given.word == "front_back" else value
    return value


def say_number(value: float, unit: str, sigma: float = 0.0) -> str:
    """A number with its unit in words, and no more digits than its error allows.

    Exact ones: centimetres whole, metres with two decimals, areas with one.
    """
    if unit == "":
        return str(round(value))
    most = {"cm": 0, "m": 2, "m2": 1}.get(unit, 2 if value < 1 else 1)
    text = format_measured(value, sigma, most)
    return f"{text} {'meter' if text == '1' and unit == 'm' else UNIT_WORDS[unit]}"


def say_truth(truth: Truth, names: Mapping[str, Naming]) -> str:
    """The answer of a question in words, by the names of its things."""
    return say_value(truth, plain_value(truth.value), names, truth.sigma)


def _words_of(truth: Truth, names: Sequence[str]) -> dict[str, str]:
    given = truth.given
    words = {
        "side": _SIDES.get(given.side, given.side),
        "more": given.word,
        "to": "from" if given.word in ("furthest", "further") else "to",
        "sense": _SENSES.get(given.sense, "from center to center"),
        "within": say_number(given.within_m, "m").replace(".00", "") if given.within_m != 1 else "1 meter",
        "category": pluralize(given.category) if given.category else "",
        "all": join_list(names),
        "any": join_list(names, last="or"),
        "others": join_list(names[1:]),
        "any_other": join_list(names[1:], last="or"),
    }
    labels = truth.kind.labels_of(given)
    if truth.kind.form == "label" and len(labels) <= 4:
        words["labels"] = join_list([say_value(truth, label, {}) for label in labels], last="or")
    return words


def plain_value(value: Value) -> str:
    """A value as the options of a choice are written; `yes` or `no` for true and false."""
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def name_spoken(measured: Measured, spoken: Spoken) -> Measured:
    """The number as the answer says it."""
    return Measured(measured.name, spoken.value, spoken.unit or "ratio", 0.0)  # type: ignore[arg-type]  # its units


def say_measured(measured: Measured, draw: Draw) -> Spoken:
    """A number about marks with its unit in words, no finer than its error allows."""
    value, sigma = measured.value, measured.sigma
    if measured.unit == "m":
        return say_length(value, draw, sigma)
    if measured.unit == "deg":
        step = 5 if sigma <= 2.5 else 10
        said = float(max(round(value / step), 1) * step)
        return Spoken(f"{said:.0f} degrees", said, "deg", said)
    return say_ratio(value, draw)

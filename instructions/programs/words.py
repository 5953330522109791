"""Words of questions and answers: templates per type, slots, units. Words come last."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from instructions.asking.draws import Draw
from instructions.asking.names import Naming
from instructions.programs.choices import LETTERS
from instructions.programs.judge.truths import Truth
from instructions.programs.types import labels_of
from instructions.programs.view_sets import ViewSet
from instructions.programs.world import Value
from instructions.wording.english import fill, head_noun, join_list, pluralize
from recon.numerals import format_measured

Templates = Mapping[str, tuple[str, ...]]
SLOTS = "ABCDEF"
_SIDES = {"longest": "longest side"}
_SENSES = {"center": "from center to center", "nearest": "between their nearest points"}
_LABELS = {"front": "ahead", "back": "behind"}
"""As one says it of a direction that one faces."""
_CAMERA_LABELS = {"front": "in front", "back": "behind"}


@cache
def templates_of(name: str) -> Templates:
    """The lists of templates of a type, of `units`, or of `openings`."""
    text = (files("instructions.programs") / "templates" / f"{name}.toml").read_text(encoding="utf-8")
    return {key: tuple(values) for key, values in tomllib.loads(text).items()}


@dataclass(frozen=True)
class Wording:
    """Which words a row takes: drawn once for a row and its twin."""

    names: tuple[Naming, ...]
    question: int
    opening: str
    unit: int | None


@dataclass(frozen=True)
class Said:
    """A row in words."""

    question: str
    answer: str
    template: str
    choices: tuple[str, ...] = ()


def draw_wording(truth: Truth, draw: Draw) -> Wording | None:
    """Choose words for a row, the shorter the likelier; None if two of its things would have the same name."""
    names = tuple(options[draw.shorter([one.text for one in options])] for options in truth.names)
    if len({one.text for one in names}) < len(names):
        return None
    lists = templates_of(truth.kind.template)
    openings = templates_of("openings")[_choose_opening(truth.views)]
    units = templates_of("units").get(truth.kind.unit, ())
    nouns = {noun for one in names for noun in (head_noun(one.phrase), pluralize(head_noun(one.phrase)))}
    if truth.views.is_scan and not truth.views.frames:
        nouns |= _OF_VIEWS
    question, opening = (_draw_without(texts, nouns, draw) for texts in (lists["questions"], openings))
    return Wording(
        names,
        question,
        fill(openings[opening], {}, {"count": str(len(truth.views.views))}),
        draw.shorter(units) if units else None,
    )


def _choose_opening(views: ViewSet) -> str:
    """What the sentences before a question are about."""
    if views.is_scan and (views.medium == "scan" or not views.frames):
        return "scan"
    return "video" if views.medium == "vsi" else views.medium


def _draw_without(texts: Sequence[str], nouns: Set[str], draw: Draw) -> int:
    """The place of a text, the shorter the likelier, that says none of these nouns: who reads `Study the picture` takes
    it for the picture on the wall.
    """
    free = [at for at, text in enumerate(texts) if not nouns & set(_WORDS.findall(text.lower()))]
    return free[draw.shorter([texts[at] for at in free])] if free else draw.shorter(texts)


_OF_VIEWS = frozenset(
    [
        "see",
        "seen",
        "visible",
        "shown",
        "shows",
        "appear",
        "appears",
        "view",
        "views",
        "video",
        "image",
        "images",
        "picture",
    ]
)
"""What nobody can say of a place without views."""
_WORDS = re.compile(r"(?<![{.\w])[a-z]+(?![\w}])")
"""Words of a template, without its slots."""


def compose(
    truth: Truth, wording: Wording, value: Value, things: Sequence[str], draw: Draw, options: tuple[str, ...] = ()
) -> Said:
    """Put a row into words.

    Args:
        truth: What is asked.
        wording: Drawn for it.
        value: The answer: the truth's, or its twin's.
        things: In the order of the question; for a twin A and B are swapped.
        draw: For the answer.
        options: Values to choose from, none for an open question.
    """
    kind = truth.kind
    name_of = dict(zip(truth.things, wording.names, strict=True))
    slots = {slot: (name_of[one].text, name_of[one].plural) for slot, one in zip(SLOTS, things, strict=False)}
    words = _words_of(truth, [name_of[one].text for one in things])
    lists = templates_of(kind.template)
    question = fill(lists["questions"][wording.question], slots, words)
    parts = [wording.opening, question]
    if wording.unit is not None:
        parts.append(templates_of("units")[kind.unit][wording.unit])
    said = [say_value(truth, option, name_of) for option in options]
    if options:
        right = said[options.index(_plain(value))]
        letter = LETTERS[said.index(right)]
        parts[-1] += "".join(f"\n{one}. {text}" for one, text in zip(LETTERS, said, strict=False))
        question = " ".join(part for part in parts if part)
        return Said(
            question, f"{letter}. {right}", f"{kind.template}/questions/{wording.question}/options", tuple(said)
        )
    key = ("yes" if value else "no") if kind.form == "yes_no" else "answers"
    place = draw.shorter(lists[key])
    if kind.form == "thing":
        slots["W"] = (name_of[str(value)].text, name_of[str(value)].plural)
        if len(things) == 2:
            loser = next(one for one in things if one != value)
            slots["L"] = (name_of[loser].text, name_of[loser].plural)
    words["q"] = say_value(truth, _plain(value), name_of, sigma_of(truth))
    answer = fill(lists[key][place], slots, words)
    template = f"{kind.template}/questions/{wording.question}/{key}/{place}"
    return Said(" ".join(part for part in parts if part), answer, template)


def say_value(truth: Truth, value: str, name_of: Mapping[str, Naming], sigma: float = 0.0) -> str:
    """A value in words: a number with its unit, a thing's name, a label, names in order.

    Args:
        truth: Of the question.
        value: As the truth, or an option beside it.
        name_of: Of things, by id.
        sigma: Of a number that is measured.
    """
    kind = truth.kind
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


def sigma_of(truth: Truth) -> float:
    """Standard deviation of a truth that is a measured number; 0 of any other."""
    return truth.measured.sigma if truth.measured is not None else 0.0


UNIT_WORDS = {"m": "meters", "cm": "centimeters", "m2": "square meters", "m3": "cubic meters"}


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
    labels = labels_of(truth.kind, given)
    if truth.kind.form == "label" and len(labels) <= 4:
        words["labels"] = join_list([say_value(truth, one, {}) for one in labels], last="or")
    return words


def _plain(value: Value) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)

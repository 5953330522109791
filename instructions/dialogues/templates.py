"""Pools of question and answer sentences, how their slots are filled, and names that mean the same."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from instructions.wording import english
from instructions.wording.english import is_plural, number_of, pluralize, with_article


@dataclass(frozen=True)
class Pool:
    """The sentences of one task."""

    name: str
    questions: tuple[str, ...]
    answers: Mapping[str, tuple[str, ...]]
    """By what the answer says: `` for most, `yes` and `no` where both have their own."""


@cache
def load_pool(name: str) -> Pool:
    """The pool of a task."""
    return _pool(name, _read(name))


@cache
def load_talk() -> Mapping[str, Pool]:
    """The pools of turns of talks, by turn."""
    return {name: _pool(name, table) for name, table in _read("talk").items()}


def fill(template: str, slots: Mapping[str, str]) -> str:
    """A sentence from a template; sentences begin with a capital.

    Args:
        template: `{P}` is a thing's phrase, `{P.is}`, `{P.it}`, `{P.obj}` and other verbs agree with
            it; `{P.Is}` begins a sentence. Any other slot is put in as it is.
        slots: What stands in them; what begins with `the` is a thing's phrase.

    Raises:
        KeyError: For a slot that nothing is given for.
    """
    things = {slot: (text, is_plural(text)) for slot, text in slots.items() if text.startswith("the ")}
    return english.fill(template, things, slots)


def kind_slots(noun: str, count: int | None = None) -> dict[str, str]:
    """The slots of a kind of thing: `C`, `aC`, `Cs`, and with a count `NC` and `are`."""
    slots = {"C": noun, "aC": with_article(noun), "Cs": pluralize(noun)}
    if count is not None:
        slots |= {"NC": number_of(count, noun), "are": "is" if count == 1 and not is_plural(noun) else "are"}
    return slots


def option_text(choices: Sequence[str]) -> str:
    """`(A) a sofa (B) a bed`."""
    return " ".join(f"({chr(ord('A') + place)}) {choice}" for place, choice in enumerate(choices))


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files("instructions.dialogues.pools") / f"{name}.toml").read_text(encoding="utf-8"))


def _pool(name: str, table: Mapping[str, Any]) -> Pool:
    answers = {key.removeprefix("answers").removeprefix("_"): tuple(lines) for key, lines in table.items()
               if key.startswith("answers")}  # fmt: skip
    return Pool(name, tuple(table["questions"]), answers)


_STOPS = (
    "a about all also an and any are as at be because been being but by can could did do does down each for from had "
    "has have he here how i if in into is it its many may might more most much no not of on or other out over she so "
    "some such than that the their them then there these they this those to up very was we were what when where which "
    "while who why will with would you"
)
STOP_WORDS = frozenset(_STOPS.split())
"""Articles, pronouns, prepositions, conjunctions, auxiliaries and question words."""
_SYNONYMS: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split(", "))
    for group in (
        "sofa, couch, settee, loveseat", "television, tv, television set", "refrigerator, fridge",
        "screen, monitor, display", "picture, painting, poster, photograph", "plant, potted plant, houseplant",
        "cabinet, cupboard", "trash can, bin, garbage can, waste bin, dustbin", "rug, carpet", "bookshelf, bookcase",
        "nightstand, bedside table, night table", "lamp, light", "stove, cooker, hob", "bag, handbag",
        "hall, hallway, corridor", "bathroom, washroom, restroom", "living room, lounge, sitting room",
        "person, human, man, woman", "laptop, notebook computer", "dresser, chest of drawers",
    )
)  # fmt: skip


def find_names(label: str) -> frozenset[str]:
    """A label and its synonyms, singular and plural, lower case with blanks between words."""
    label = label.lower().replace("_", " ")
    group = next((group for group in _SYNONYMS if label in group), frozenset({label}))
    return group | {pluralize(name) for name in group}

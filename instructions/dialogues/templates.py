"""Pools of question and answer sentences, all written here, and how their slots are filled."""

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


@dataclass(frozen=True)
class Noun:
    """What stands in a slot for a thing: a phrase with its article."""

    phrase: str

    @property
    def plural(self) -> bool:
        """Whether verbs agree in the plural."""
        return is_plural(self.phrase)


@cache
def load_pool(name: str) -> Pool:
    """The pool of a task."""
    return _pool(name, _read(name))


@cache
def load_talk() -> Mapping[str, Pool]:
    """The pools of turns of talks, by turn."""
    return {name: _pool(name, table) for name, table in _read("talk").items()}


def fill(template: str, slots: Mapping[str, str | Noun]) -> str:
    """A sentence from a template; sentences begin with a capital.

    Args:
        template: `{P}` is a thing's phrase, `{P.is}`, `{P.it}`, `{P.obj}` and other verbs agree with
            it; `{P.Is}` begins a sentence. Any other slot is put in as it is.
        slots: What stands in them.

    Raises:
        KeyError: For a slot that nothing is given for.
    """
    things = {slot: (one.phrase, one.plural) for slot, one in slots.items() if isinstance(one, Noun)}
    return english.fill(template, things, {slot: one for slot, one in slots.items() if isinstance(one, str)})


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

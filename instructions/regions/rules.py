"""What a row may not be, whoever wrote it: ids, sentences and words. Pure functions over texts; words are data."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from itertools import chain

from instructions.claims.stated import Fault
from instructions.regions.records import Mode, Parts

MENTION = re.compile(r"\[(\d+)\]")
MOST_IDS = 5
MOST_SENTENCES = 2
MOST_QUESTION_WORDS = 40
_END = re.compile(r"[.!?]+(?=\s|$)")
_OPTIONS = re.compile(r"\bor\b|\band/or\b", re.I)
_WORD = re.compile(r"[a-z]+|\d+(?:\.\d+)?")
_SAYS_NOTHING = frozenset(
    word
    for words in (
        "a an the is are was were be been being has have had do does did of in on at to and it its they their this",
        "that these those than from by with for as so because since therefore thus which what how why who where when",
        "there here one can could would will may might must should also too very just indeed yes no not itself them",
        "he she you i we",
    )
    for word in words.split()
)
_STUTTER = re.compile(r"\b(\w+(?: \w+){1,5})(?: \1){2}\b")
_ABBREVIATION = re.compile(r"\b(?:approx|ca|e\.g|i\.e|etc|vs)\.(?=\s+[a-z0-9])")


def find_mentions(parts: Parts) -> tuple[int, ...]:
    """Numbers in order of first mention."""
    return tuple(dict.fromkeys(int(found) for text in parts for found in MENTION.findall(text)))


def find_id_fault(parts: Parts, mode: Mode, region_count: int) -> Fault | None:
    """What is wrong with the numbers of a row; nothing else is asked of it, no least length either."""
    numbers = find_mentions(parts)
    if mode == "description":
        return Fault("has_id", f"names [{numbers[0]}]") if numbers else None
    if not numbers:
        return Fault("no_id", "names no [n]")
    beyond = [number for number in numbers if number >= region_count]
    if beyond:
        return Fault("unknown_id", f"names [{beyond[0]}], but there are {region_count} regions, numbered from 0")
    if len(numbers) > MOST_IDS:
        return Fault("too_many_ids", f"names {len(numbers)} regions, {MOST_IDS} are allowed")
    return None


def find_text_fault(parts: Parts, *, names: tuple[str, ...] = ()) -> Fault | None:
    """What is wrong with the words of a row: empty parts, sentences, and what must not be said.

    Args:
        parts: Its texts.
        names: What things of the view are called: `picture` is no word about the photograph where one hangs on a wall.
    """
    for name, text in parts._asdict().items():
        if not text.strip():
            return Fault("empty", f"the {name} is empty")
    for name, text in parts._asdict().items():
        count = count_sentences(text)
        if count > MOST_SENTENCES:
            return Fault("sentences", f"the {name} has {count} sentences, {MOST_SENTENCES} are allowed")
    whole = " ".join(parts).lower()
    found = _load_words("hedge").search(whole)
    if found:
        return Fault("hedge", f"says {found.group()!r}")
    for name, text in (("answer", parts.answer), ("rationale", parts.rationale)):
        if _OPTIONS.search(text):
            return Fault("options", f"the {name} says 'or'")
    for found in _load_words("meta").finditer(whole):
        if not any(found.group() in name.split() for name in names):
            return Fault("meta", f"says {found.group()!r}")
    found = _load_words("banned").search(whole)
    return Fault("banned", f"says {found.group()!r}") if found else None


def find_stutter(parts: Parts) -> Fault | None:
    """Two to six words that are said three times in a row: what small models fall into."""
    for text in parts:
        found = _STUTTER.search(" ".join(re.findall(r"\w+", text.lower())))
        if found:
            return Fault("stutter", f"says {found.group(1)!r} again and again")
    return None


def find_echo(parts: Parts) -> Fault | None:
    """A rationale that has no word and names no thing besides those of its question and its answer.

    Endings do not count (`stands`, `standing`), and words that say nothing (`because it is`) neither. Words for places
    and numbers do: `[1] is right of [0]` is a reason for `[0] is left of [1]`.
    """
    told = _content(f"{parts.question} {parts.answer}")
    if _content(parts.rationale) <= told:
        return Fault("echo", "the rationale says nothing that question and answer do not say")
    return None


def _content(text: str) -> set[str]:
    named = {f"[{number}]" for number in MENTION.findall(text)}
    words = _WORD.findall(MENTION.sub(" ", text.lower()))
    return named | {_stem(word) for word in words if word not in _SAYS_NOTHING}


def _stem(word: str) -> str:
    """A word without the endings of plurals and verbs; short ones as they are."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4 and not word.endswith("ss"):
            return word.removesuffix(ending).removesuffix("e")
    return word.removesuffix("e") if len(word) > 4 else word


def count_sentences(text: str) -> int:
    """How many sentences a text has; a number with a decimal point ends none."""
    plain = _ABBREVIATION.sub(" ", text.strip())
    ends = len(_END.findall(plain))
    return ends if re.search(r"[.!?]\W*$", plain) else ends + bool(plain)


def match_words(words: Iterable[str]) -> re.Pattern[str]:
    """Any of some words, in lower case; a star at the end of one stands for any ending."""
    parts = [rf"{re.escape(word[:-1])}\w*" if word.endswith("*") else rf"{re.escape(word)}\b" for word in words]
    return re.compile(rf"\b(?:{'|'.join(parts)})")


@cache
def _load_words(group: str) -> re.Pattern[str]:
    words = tomllib.loads(files("instructions.regions").joinpath("rules.toml").read_text(encoding="utf-8"))[group]
    return match_words(words if isinstance(words, list) else chain.from_iterable(words.values()))

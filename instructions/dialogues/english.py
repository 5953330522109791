"""Nouns in sentences: articles, plurals, lists and small numbers in words."""

from __future__ import annotations

from collections.abc import Sequence

from instructions.asking.english import is_plural

_IRREGULAR = {"shelf": "shelves", "bookshelf": "bookshelves", "person": "people", "knife": "knives", "man": "men",
              "woman": "women", "child": "children", "loaf": "loaves", "mouse": "mice"}  # fmt: skip
_SAME = frozenset({"series", "curtains", "stairs", "scissors", "blinds"})
_A_BEFORE_VOWEL = ("uni", "use", "eur", "one", "ute", "uk")
_AN_BEFORE_CONSONANT = ("hour", "honest", "heir")
NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def plural(noun: str) -> str:
    """Of a noun phrase, by its last word: `office chairs`, `shelves`."""
    *front, last = noun.split(" ")
    if last in _SAME or is_plural(last):
        return noun
    if last in _IRREGULAR:
        many = _IRREGULAR[last]
    elif last.endswith(("s", "x", "z", "ch", "sh")):
        many = last + "es"
    elif last.endswith("y") and last[-2:-1] not in "aeiou":
        many = last[:-1] + "ies"
    else:
        many = last + "s"
    return " ".join([*front, many])


def with_article(noun: str) -> str:
    """`a chair`, `an armchair`; what is plural already has none."""
    if is_plural(noun):
        return noun
    word = noun.lower()
    vowel = word[:1] in "aeiou" and not word.startswith(_A_BEFORE_VOWEL)
    return f"an {noun}" if vowel or word.startswith(_AN_BEFORE_CONSONANT) else f"a {noun}"


def number_of(count: int, noun: str) -> str:
    """`one chair`, `two chairs`, `no chairs`."""
    word = NUMBER_WORDS[count] if count < len(NUMBER_WORDS) else str(count)
    return f"{word} {noun if count == 1 else plural(noun)}"


def join(words: Sequence[str]) -> str:
    """`a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"

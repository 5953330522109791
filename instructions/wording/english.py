"""Nouns in sentences: articles, plurals, lists and small numbers in words; and slots of templates filled with things.

`{A}` is a thing's phrase with its article. `{A.is}`, `{A.has}`, `{A.it}`, `{A.obj}` (it or them) and verbs in the form
of the third person (`{A.stands}`) agree with it; `{A.Is}` begins a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

_SLOT = re.compile(r"\{(\w+)(?:\.(\w+))?\}")
_IRREGULAR = {"is": "are", "has": "have", "does": "do", "it": "they", "obj": "them", "lies": "lie"}
_IRREGULAR |= {"carries": "carry", "reaches": "reach"}
_SINGULAR_ENDS = ("ss", "us", "is", "as")
_SINGULAR_WORDS = frozenset({"series", "gas", "lens", "christmas", "tennis", "billiards"})
_PLURALS = {"person": "people", "knife": "knives", "child": "children", "mouse": "mice", "man": "men", "woman": "women"}
_PLURAL_WORDS = frozenset(_PLURALS.values())
_A_BEFORE_VOWEL = ("uni", "use", "eur", "one", "ute", "uk")
_AN_BEFORE_CONSONANT = ("hour", "honest", "heir")
NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def is_plural(phrase: str) -> bool:
    """Whether a noun phrase such as `white curtains` names more than one; by its last word before a clause."""
    head = head_noun(phrase)
    if head in _PLURAL_WORDS:
        return True
    return head.endswith("s") and not head.endswith(_SINGULAR_ENDS) and head not in _SINGULAR_WORDS


@lru_cache(maxsize=4096)  # names of things are held against each other, view after view
def head_noun(phrase: str) -> str:
    """The noun of a phrase: its last word, before `of`, `with` or `on` where one follows."""
    words = re.split(r" (?:of|with|on|in) ", phrase.lower())[0].split()
    return words[-1] if words else ""


def fill(template: str, things: Mapping[str, tuple[str, bool]], words: Mapping[str, str]) -> str:
    """A sentence from a template.

    Args:
        template: With slots.
        things: By slot: the phrase with its article and clause, and whether it is plural.
        words: By slot: anything else. A slot named with a capital begins with one.

    Raises:
        KeyError: For a slot that nothing is given for.
    """

    def put(match: re.Match[str]) -> str:
        slot, verb = match.groups()
        if slot in things:
            phrase, plural = things[slot]
            return phrase if verb is None else _agree(verb, plural)
        if verb is None and slot in words:
            return words[slot]
        if verb is None and slot.lower() in words:
            return capital(words[slot.lower()])
        raise KeyError(match.group())

    text = _SLOT.sub(put, template)
    return re.sub(r"(^|[.!?] )([a-z])", lambda match: match.group(1) + match.group(2).upper(), text)


def pluralize(noun: str) -> str:
    """A noun phrase in the plural, by its last word: `bookshelf` gives `bookshelves`; what is plural stays."""
    *front, last = noun.split(" ")
    if is_plural(last):
        return noun
    many = _PLURALS.get(last)
    if many is None and last.endswith(("shelf", "leaf", "loaf")):
        many = last[:-1] + "ves"
    elif many is None and last.endswith("y") and last[-2:-1] not in "aeiou":
        many = last[:-1] + "ies"
    elif many is None:
        many = last + ("es" if last.endswith(("s", "x", "z", "ch", "sh")) else "s")
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
    return f"{word} {noun if count == 1 else pluralize(noun)}"


def join_list(texts: Sequence[str], last: str = "and") -> str:
    """`the sofa, the table and the lamp`; one text stays as it is."""
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}" if len(texts) > 1 else "".join(texts)


def capital(text: str) -> str:
    """With a capital letter first."""
    return text[:1].upper() + text[1:]


def _agree(verb: str, plural: bool) -> str:
    form = verb.lower()
    if plural:
        form = _IRREGULAR.get(form) or form.removesuffix("s")
    elif form == "obj":
        form = "it"
    return capital(form) if verb[0].isupper() else form

"""Slots of a template filled with things: verbs that agree, and a capital at the start of a sentence.

`{A}` is a thing's phrase with its article. `{A.is}`, `{A.has}`, `{A.it}` and verbs in the form of the third person
(`{A.stands}`) agree with it; `{A.Is}` begins a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_SLOT = re.compile(r"\{(\w+)(?:\.(\w+))?\}")
_IRREGULAR = {"is": "are", "has": "have", "does": "do", "it": "they", "lies": "lie"}
_SINGULAR_ENDS = ("ss", "us", "is", "as")
_SINGULAR_WORDS = frozenset({"series", "gas", "lens", "christmas", "tennis", "billiards"})


def is_plural(phrase: str) -> bool:
    """Whether a noun phrase such as `white curtains` names more than one; by its last word before a clause."""
    head = head_noun(phrase)
    return head.endswith("s") and not head.endswith(_SINGULAR_ENDS) and head not in _SINGULAR_WORDS


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
    """A noun phrase in the plural: `bookshelf` gives `bookshelves`; what is plural stays."""
    if is_plural(noun):
        return noun
    if noun.endswith("man"):
        return noun[:-2] + "en"
    if noun.endswith(("shelf", "leaf", "loaf")):
        return noun[:-1] + "ves"
    if noun.endswith("knife"):
        return noun[:-2] + "ves"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh")) else "s")


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
    return capital(form) if verb[0].isupper() else form

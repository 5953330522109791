"""What of a text is not understood, so that nobody can say whether the text is true."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence

from instructions.truth.lexicon import ALONG, TALK, UNMEASURED, Tag
from instructions.truth.names import Item, Named, NameReader, is_strange
from instructions.truth.reader import find_silent_sentences


def find_unread_in_walk(text: str, objects: Sequence[Named], rooms: Sequence[str] = ()) -> str | None:
    """Find the first piece of a text that the reader does not understand, so that nobody can say whether it is true.

    That is a sign that is no punctuation, a word of no known meaning or of one that nothing here measures (`upstairs`,
    `outside`), or a sentence without any statement (`Take it with you.`). Arguments as of `read_text`.
    """
    sign = _find_sign(text)
    if sign is not None:
        return sign
    items = NameReader(objects, rooms).read(text)
    for at, item in enumerate(items):
        if item.kind == "word" and (is_strange(item.words) or item.words.isdigit() or _is_unmeasured(items, at)):
            return item.words
    return next(iter(find_silent_sentences(items)), None)


def _is_unmeasured(items: Sequence[Item], at: int) -> bool:
    """Whether a word says a direction or place that nothing measures; `down the hallway` and `over to it` say none."""
    following = items[at + 1] if at + 1 < len(items) else None
    leads_on = following is not None and (following.kind in ("thing", "room") or following.tag in _LEADING_TO)
    return items[at].words in UNMEASURED and not (leads_on and items[at].words in ALONG)


_LEADING_TO: tuple[Tag, ...] = ("approach", "to", "pass", "through", "into")


def find_unread_in_talk(text: str, items: Sequence[Item], nouns: Collection[str] = ()) -> str | None:
    """Find the first sign or word in talk about things that is not understood.

    Nobody can say whether a text with one is true.

    Args:
        text: As it was written.
        items: What was read of it.
        nouns: What else was looked for, so that a text may deny it.
    """
    known = TALK.union(word for noun in nouns for word in noun.split())
    for item in items:
        for word in item.words.split() if item.kind in ("word", "unknown") else ():
            if is_strange(word) and word not in known and word.removesuffix("s") not in known:
                return word
    return _find_sign(text)


def _find_sign(text: str) -> str | None:
    """The first character that belongs to no word, number or punctuation mark, such as those of markup; else None."""
    plain = unicodedata.normalize("NFKC", text)
    return next((sign for sign in plain if not sign.isalnum() and not sign.isspace() and sign not in _SIGNS), None)


_SIGNS = ".,;:!?()%'\"/-\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u00b0"

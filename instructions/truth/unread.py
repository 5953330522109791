"""What of a text is not understood, so that nobody can say whether the text is true."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence

from instructions.truth.lexicon import TALK
from instructions.truth.names import Item, is_strange


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

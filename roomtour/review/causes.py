"""What the words that raters marked as wrong belong to: the claim of the text that they are part of."""

from __future__ import annotations

import re

from instructions.navigation.records import NavigationText

OTHER_WORDS = "other words"


def words_of(text: str) -> list[str]:
    """The words of a text as raters see and mark them."""
    return text.split()


def causes_of(instruction: NavigationText, wrong_words: tuple[int, ...]) -> set[str]:
    """Kinds of the claims (walk, turn, pass, ...) that hold a marked word; `other words` where no claim does.

    Claims stand in the order of the text, so each is looked for behind the one before.
    """
    spans = [match.span() for match in re.finditer(r"\S+", instruction.text)]
    marked = [spans[word] for word in wrong_words if word < len(spans)]
    claims, behind = [], 0
    for check in instruction.claims:
        at = instruction.text.lower().find(check.claim.text.lower(), behind)
        if at >= 0 and check.claim.text:
            claims.append((at, at + len(check.claim.text), check.claim.kind))
            behind = at + 1
    causes: set[str] = set()
    for first, last in marked:
        kinds = {kind for start, end, kind in claims if start < last and first < end}
        causes |= kinds or {OTHER_WORDS}
    return causes

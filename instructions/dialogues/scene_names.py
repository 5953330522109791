"""What a text about a cloud calls by a name that means one thing: of several, the one that is nearest to another."""

from __future__ import annotations

import re
from collections.abc import Iterator

from instructions.dialogues.cloud_tasks import CloudThings
from instructions.facts.gap import gap
from instructions.facts.things import Thing
from instructions.facts.verdict import is_first

_NEAREST = r"(?:nearest|closest)"
_STANDS = (
    r"\b(?:stand|sit|kneel|lie|stay|am|are|is|be)\w*\b(?: \w+){0,2}? (?:at|by|beside|next to|near|in front of) the "
)


def name_things(text: str, things: CloudThings) -> dict[str, Thing]:
    """Names after `the` that mean one thing, in lower case.

    Those are the things of which there is only one of a kind, and `chair nearest to the desk` and `nearest chair to
    the desk` as far as the text has such words, where surely one of several is the nearest.

    Args:
        text: A question with its answer, or an answer.
        things: Of the cloud.
    """
    alone = {box.name: things.known[box.object] for box in things.alone}
    picked = {phrase: one for phrase, one in _pick(text, things, alone) if one is not None}
    return {**alone, **picked}


def find_unclear(text: str, things: CloudThings) -> tuple[str, ...]:
    """Phrases with `nearest` that may mean one or another of several things."""
    alone = {box.name: things.known[box.object] for box in things.alone}
    return tuple(dict.fromkeys(f"the {phrase}" for phrase, one in _pick(text, things, alone) if one is None))


def _pick(text: str, things: CloudThings, alone: dict[str, Thing]) -> Iterator[tuple[str, Thing | None]]:
    """Phrases that pick one of several, with what they mean; None where nobody knows."""
    several = [kind for kind in things.of_kind if kind not in alone]
    if not several:
        return
    kinds, names = _either(several), _either([*things.of_kind])
    of = rf"(?:to|from|of) the (?P<b>{names})\b"
    forms = (
        rf"\bthe (?P<phrase>(?P<a>{kinds}) (?:that |which )?(?:(?:is|stands|lies|sits) )?(?:the )?{_NEAREST} {of})",
        rf"\bthe (?P<phrase>{_NEAREST} (?P<a>{kinds})\b(?: {of})?)",
    )
    for form in forms:
        for match in re.finditer(form, text, re.I):
            whose = match.group("b") or _stated_place(text[: match.start()], names)
            other = alone.get(whose.lower()) if whose else None
            kind = match.group("a").lower()
            yield match.group("phrase").lower(), _nearest(kind, other, things) if other is not None else None


def _stated_place(before: str, names: str) -> str | None:
    """Where somebody stands, as the text says before it speaks of what is nearest."""
    found = re.findall(rf"{_STANDS}({names})\b", before, re.I)
    return found[-1] if found else None


def _nearest(kind: str, other: Thing, things: CloudThings) -> Thing | None:
    """The one of a kind that is surely nearest to a thing; none where there may be more of the kind than is known."""
    if kind in things.unsure_kinds:
        return None
    order = sorted(
        (
            (gap(one.body, other.body), one)
            for box in things.of_kind[kind]
            if (one := things.known[box.object]) != other
        ),
        key=lambda pair: pair[0],
    )
    if len(order) < 2:
        return None
    (mine, one), (its, rival) = order[:2]
    return one if is_first(mine, its, max(one.sigma, rival.sigma), 1.0).state else None


def _either(names: list[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))

"""Questions as people ask them, with things under the names they have here, as the question of ours that answers them.

The question of ours is told back with its answer, so whoever asked sees how it was meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from instructions.facts import sizes
from instructions.programs.ask.tour_questions import WHOLE
from instructions.programs.asked.asking import FreeAsker, hide_names
from instructions.wording.english import capital, join_list

MOST_NAMED = 4
"""Things that are held against each other where a question names none."""
_SAID = (
    (
        2,
        r"is it (?:on |to )?(?:the )?(?:left|right)(?: side)? of it",
        "in this view, is {0} to the left or to the right of {1}?",
    ),
    (2, r"is it (?:in front of|behind) it", "in this view, is {0} in front of or behind {1}?"),
    (2, r"is it (?:taller|higher up than|shorter) than it", "which is taller: {0} or {1}?"),
    (2, r"is it (?:wider|narrower) than it", "which is wider: {0} or {1}?"),
    (2, r"is it (?:nearer|closer|further|farther)(?: away)? than it", "which is nearer to the camera: {0} or {1}?"),
    (2, r"is it (?:bigger|larger|smaller) than it", "which has the largest volume: {0} or {1}?"),
    (2, r"which(?: one)? is (?:bigger|larger)[,:]? it or it", "which has the largest volume: {0} or {1}?"),
    (2, r"which(?: one)? is smaller[,:]? it or it", "which has the smallest volume: {0} or {1}?"),
    (2, r"is it (?:right |directly )?(?:above|over) it", "is {0} completely above {1}?"),
    (2, r"is it (?:right |directly )?(?:below|under|underneath) it", "is {0} completely below {1}?"),
    (3, r"which(?: one)? is (?:closer|nearer) to it[,:]? it,? or it", "which is nearest to {0}: {1} or {2}?"),
    (3, r"is it (?:closer|nearer) to it or (?:to )?it", "which is nearest to {0}: {1} or {2}?"),
    (3, r"which(?: one)? is (?:further|farther) from it[,:]? it,? or it", "which is furthest from {0}: {1} or {2}?"),
)
"""How many things are named, the question with each as `it`, and ours."""
_THING = r"(?:what|which thing)(?: is|'s) (?:the )?"
_NEAREST = re.compile(_THING + r"(?P<end>nearest|closest|furthest|farthest)(?: thing)? (?:to|from) it")
_BESIDE = re.compile(r"what(?: is|'s|s)? (?:next to|beside|near|around|close to) it")
_TALLEST = re.compile(_THING + r"tallest(?: thing| object| one)?(?: here| in the \w+| of all)?")


def say_plainly(text: str, names: Sequence[str], asker: FreeAsker) -> tuple[str, list[str]]:
    """The text and its names, or the question of ours that it means, with the things which that one names.

    Args:
        text: With every thing under its name.
        names: Of the things in it, in its order.
        asker: Of the views: where no thing is named, those with names in the views are held against each other.
    """
    plain = hide_names(text, names).strip(" ?.!")
    for count, pattern, said in _SAID:
        if len(names) == count and re.fullmatch(pattern, plain):
            return capital(said.format(*names)), list(names)
    if asker.asker.views.medium not in WHOLE:  # what is nearest or tallest of all, one view does not know
        return text, list(names)
    own = asker.asker
    thing = next((one for one, naming in asker.names.items() if naming.text == names[0]), "") if len(names) == 1 else ""
    if thing and (found := _NEAREST.fullmatch(plain)):
        end = "nearest" if found["end"] in ("nearest", "closest") else "furthest"
        sign = 1 if end == "nearest" else -1
        others = _list_first(asker, lambda one: sign * own.pair(thing, one).distance, but=thing)
        if len(others) > 1:
            way = "to" if end == "nearest" else "from"
            return f"Which is {end} {way} {names[0]}: {join_list(others, last='or')}?", [names[0], *others]
    if thing and _BESIDE.fullmatch(plain):
        others = _list_first(asker, lambda one: own.pair(thing, one).distance, but=thing, within=own.metre)
        if len(others) > 1:
            told = join_list(others)
            return f"Which are within 1 meter of {names[0]}, from center to center: {told}?", [names[0], *others]
    if not names and _TALLEST.fullmatch(plain):
        tall = _list_first(asker, lambda one: -sizes.height(own.known(one).body))
        if len(tall) > 1:
            return f"Which is the tallest: {join_list(tall, last='or')}?", tall
    return text, list(names)


def _list_first(
    asker: FreeAsker, measure: Callable[[str], float], but: str = "", within: float | None = None
) -> list[str]:
    """Names of the things of which a measure is least, in its order; none where a thing without a name comes first.

    Args:
        asker: Of the views.
        measure: Of a thing, by id.
        but: A thing that is left out.
        within: None either where a thing without a name has a measure of at most this.
    """
    every = sorted((measure(one), one) for one in asker.asker.views.known if one != but)
    named = [(value, asker.names[one].text) for value, one in every if one in asker.names]
    least = named[0][0] if named else 0.0
    bar = least if within is None else max(within, least)
    if any(value <= bar and one not in asker.names for value, one in every):
        return []
    return [name for _, name in named[:MOST_NAMED]]

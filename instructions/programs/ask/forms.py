"""Questions in the forms in which people ask them, as the question of ours that answers them.

The question of ours is told back with its answer, so whoever asked sees how it was meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Sequence
from typing import NamedTuple

from instructions.facts import sizes
from instructions.perception.frames.tags import category_of
from instructions.programs.asked.asking import FreeAsker, hide_names
from instructions.questions.core.world import Given, Ids
from instructions.wording.english import is_plural, join_list, pluralize

WHOLE = ("video", "scan")
"""Media that show a tour from end to end."""
MOST_NAMED = 4
"""Things that are held against each other where a question names none."""


class Reading(NamedTuple):
    """A question as one of a type."""

    type: str
    things: Ids
    given: Given
    text: str
    """As it is told back."""


_WHO = r"(?:the camera|the person|someone|somebody|one|you|we|they|i|he|she)"
_PLACE = r"(?:room|rooms|floor|place|home|flat|apartment|office|house)"
_WALK = r"(?:walk|way|path)"
_FORMS = (
    (2, r"is it (?:on |to )?(?:the )?(?:left|right)(?: side)? of it", "camera_direction_simple",
     Given(word="left_right"), "In this view, is {0} to the left or to the right of {1}?"),
    (2, r"is it (?:in front of|behind) it", "camera_direction_simple",
     Given(word="front_back"), "In this view, is {0} in front of or behind {1}?"),
    (2, r"is it (?:taller|higher up than|shorter) than it", "size_comparison",
     Given(side="height", word="greater"), "Which is taller: {0} or {1}?"),
    (2, r"is it (?:wider|narrower) than it", "size_comparison",
     Given(side="width", word="greater"), "Which is wider: {0} or {1}?"),
    (2, r"is it (?:nearer|closer|further|farther)(?: away)? than it", "camera_distance_relative",
     Given(word="nearer"), "Which is nearer to the camera: {0} or {1}?"),
    (2, r"is it (?:bigger|larger|smaller) than it|which(?: one)? is (?:bigger|larger)[,:]? it or it",
     "volume_comparison", Given(word="largest"), "Which has the largest volume: {0} or {1}?"),
    (2, r"which(?: one)? is smaller[,:]? it or it", "volume_comparison",
     Given(word="smallest"), "Which has the smallest volume: {0} or {1}?"),
    (2, r"is it (?:right |directly )?(?:above|over) it", "above", Given(), "Is {0} completely above {1}?"),
    (2, r"is it (?:right |directly )?(?:below|under|underneath) it", "below", Given(), "Is {0} completely below {1}?"),
    (3, r"which(?: one)? is (?:closer|nearer) to it[,:]? it,? or it|is it (?:closer|nearer) to it or (?:to )?it",
     "relative_distance", Given(word="nearest"), "Which is nearest to {0}: {1} or {2}?"),
    (3, r"which(?: one)? is (?:further|farther) from it[,:]? it,? or it", "relative_distance",
     Given(word="furthest"), "Which is furthest from {0}: {1} or {2}?"),
)  # fmt: skip
"""How many things are named, the question with each as `it`, and ours: type, what it leaves open, and words."""
_OF_TOUR = (
    (rf"how (?:long|far) (?:is|was) (?:the|this) (?:whole )?{_WALK}|"
     rf"how far (?:does|did|do) {_WHO} (?:go|walk|move|travel)(?: in all| in total| altogether)?|"
     r"how (?:many met(?:er|re)s|long) (?:is|was) the camera's (?:way|path)|"
     rf"what is the (?:total )?length of the {_WALK}",
     "path_length", "How far does the camera go in all, in meters?"),
    (r"how (?:far|long) (?:is it )?(?:straight |as the crow flies )?from (?:the )?start to (?:the )?end",
     "walk_straight",
     "How far is it straight over the floor from where the camera starts to where it ends, in meters?"),
    (rf"how (?:big|large) (?:is|are) (?:the|this) {_PLACE}|"
     rf"what is the (?:floor )?area(?: of (?:the|this) {_PLACE})?",
     "vsi_room_size", "How large is the floor, all rooms together, in square meters?"),
    (rf"how (?:often|many times) does {_WHO} (?:change|go from one room (?:in)?to (?:another|the next))(?: room)?",
     "room_transitions", "How often does the camera go from one room into another?"),
)  # fmt: skip
"""Questions that name no thing, of a whole tour: what a person says, and ours."""
_WHAT = r"(?:what|which thing)(?: is|'s) (?:the )?"
_OF_ALL = (
    (1, _WHAT + r"(?:nearest|closest)(?: thing)? (?:to|from) it", "relative_distance",
     Given(word="nearest"), "Which is nearest to {0}: {or_others}?"),
    (1, _WHAT + r"(?:furthest|farthest)(?: thing)? (?:to|from) it", "relative_distance",
     Given(word="furthest"), "Which is furthest from {0}: {or_others}?"),
    (1, r"what(?: is|'s|s)? (?:next to|beside|near|around|close to) it", "nearby",
     Given(within_m=1.0), "Which are within 1 meter of {0}, from center to center: {others}?"),
    (0, _WHAT + r"tallest(?: thing| object| one)?(?: here| in the \w+| of all)?", "height_determination",
     Given(word="tallest"), "Which is the tallest: {or_others}?"),
)  # fmt: skip
"""Questions of what is nearest or tallest of all, which one view does not know."""


def read_form(text: str, names: Sequence[str], asker: FreeAsker) -> Reading | None:
    """The question of ours that one in a plain form means; None for any other, and of all in one view.

    Args:
        text: With every thing under its name.
        names: Of the things in it, in its order.
        asker: Of the views: where no thing is named, those with names in the views are held against each other.
    """
    plain = hide_names(text, names).strip(" ?.!")
    ids = {naming.text: thing for thing, naming in asker.names.items()}
    things = tuple(ids[name] for name in names)
    for count, pattern, kind, given, said in _FORMS:
        if len(names) == count and re.fullmatch(pattern, plain):
            return Reading(kind, things, given, said.format(*names))
    if asker.asker.views.medium not in WHOLE:
        return None
    for pattern, kind, said in _OF_TOUR:
        if not names and re.fullmatch(pattern, plain):
            return Reading(kind, (), Given(), said)
    for count, pattern, kind, given, said in _OF_ALL:
        if len(names) == count and re.fullmatch(pattern, plain):
            others = _list_first(
                asker, _measure(asker, things, given), things, within=given.within_m * asker.asker.metre
            )
            listed = [asker.names[one].text for one in others]
            told = said.format(*names, others=join_list(listed), or_others=join_list(listed, last="or"))
            return Reading(kind, (*things, *others), given, told) if len(others) > 1 else None
    return None


def use_own_words(text: str, heads: Container[str], names: Collection[str] = ()) -> str:
    """The text with other words for a thing (`couch`) as the word that a thing has here (`sofa`); plurals stay plural.

    Args:
        text: As a person typed it.
        heads: Nouns of the names that things have here.
        names: Full names that things have here; no word of one is taken for another thing (`TV stand` for a screen).
    """

    def speak(match: re.Match[str]) -> str:
        word = match[0].casefold()
        noun = category_of(word)
        if match["name"] or noun not in heads or noun in word or word in heads:
            return match[0]
        return pluralize(noun) if is_plural(word) else noun

    whole = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if " " in name)
    return re.sub(rf"\b(?P<name>{whole or '(?!)'})\b|[A-Za-z]+", speak, text, flags=re.I)


def _measure(asker: FreeAsker, things: Ids, given: Given) -> Callable[[str], float]:
    """What is least of the thing that a question asks for: distance, or height the other way round."""
    own = asker.asker
    if not things:
        return lambda one: -sizes.height(own.known(one).body)
    sign = -1 if given.word == "furthest" else 1
    return lambda one: sign * own.pair(things[0], one).distance


def _list_first(asker: FreeAsker, measure: Callable[[str], float], but: Ids, within: float) -> list[str]:
    """Things of which a measure is least, in its order; none where a thing without a name comes first.

    Nor where one without a name has a measure of at most `within`, if that is not 0.
    """
    every = sorted((measure(one), one) for one in asker.asker.views.known if one not in but)
    named = [(value, one) for value, one in every if one in asker.names]
    least = named[0][0] if named else 0.0
    bar = max(within, least) if within else least
    if any(value <= bar and one not in asker.names for value, one in every):
        return []
    return [one for _, one in named[:MOST_NAMED]]

"""Questions of a person about a whole tour that point at no thing (the walk, the floor, how many of a kind), and what a
question claims of a whole tour, which one view or a few cannot answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from instructions.asking.names import fits_phrase
from instructions.facts.verdict import Measured
from instructions.programs.asked.asking import FreeAsker, FreeQuestion
from instructions.questions.core.asker import Asker
from instructions.questions.core.naming import unjoined_of
from instructions.questions.core.view_sets import Truth
from instructions.questions.core.world import Given
from instructions.questions.sets.judging import SET_TYPES, judge_question
from instructions.wording.english import head_noun, pluralize

WHOLE = ("video", "scan")
"""Media that show a tour from end to end."""
_IN_PICTURE = re.compile(r"\b(?:in|of) th(?P<one>is|ese) (?:image|picture|view|photo|frame)s?\b", re.I)
REASONS = {
    "one_view": "one view does not show how many there are, and no set of views that shows the tour counts them; "
    'say "in this picture" for what a picture shows',
    "other_view": "it speaks of one picture, and these are several",
    "few_views": "that none of a few views shows it does not say that no view does",
    "other_so_called": "something else in the tour may be called so, though this view does not show it; say what tells "
    'it apart, or "in this picture"',
    "more_elsewhere": "more of them were found than these views show",
}
_WHO = r"(?:the camera|the person|someone|somebody|one|you|we|they|i|he|she)"
_ABOUT = (
    (
        rf"how (?:long|far) (?:is|was) (?:the|this) (?:whole )?(?:walk|way|path)|"
        rf"how far (?:does|did|do) {_WHO} (?:go|walk|move|travel)(?: in all| in total| altogether)?|"
        r"how (?:many met(?:er|re)s|long) (?:is|was) the camera's (?:way|path)|"
        r"what is the (?:total )?length of the (?:walk|way|path)",
        "path_length",
        Given(),
        "How far does the camera go in all, in meters?",
    ),
    (
        r"how (?:far|long) (?:is it )?(?:straight |as the crow flies )?from (?:the )?start to (?:the )?end",
        "walk_straight",
        Given(),
        "How far is it straight over the floor from where the camera starts to where it ends, in meters?",
    ),
    (
        r"how (?:big|large) (?:is|are) (?:the|this) (?:room|rooms|floor|place|home|flat|apartment|office|house)|"
        r"what is the (?:floor )?area(?: of (?:the|this) (?:room|rooms|floor|place|home|flat|apartment|office|house))?",
        "vsi_room_size",
        Given(),
        "How large is the floor, all rooms together, in square meters?",
    ),
    (
        r"how (?:often|many times) does "
        + _WHO
        + r" (?:change|go from one room (?:in)?to (?:another|the next))(?: room)?",
        "room_transitions",
        Given(),
        "How often does the camera go from one room into another?",
    ),
)
"""What a person says, the type that answers it, and the question that is told back."""
_HERE = (
    r"(?: (?:here|in all|in total|altogether|in (?:the|this) "
    r"(?:room|rooms|place|home|flat|apartment|office|house|tour|video)))?"
)
_COUNTS = re.compile(rf"^how many ([a-z ]+?)(?: are there| do you see| can you see| can one see| are visible)?{_HERE}$")
_EXISTS = re.compile(rf"^(?:is|are) there (?:a|an|any|some) ([a-z ]+?){_HERE}$")


@dataclass(frozen=True, eq=False)
class RoughCount:
    """How many things of a kind a tour is sure to show, where it may show more."""

    asker: FreeAsker
    question: FreeQuestion
    least: int
    most: int
    """With what is unsure: an unsure name, a detection joined to nothing."""
    reason: str
    """Code of why no row counts them."""


def read_about_tour(text: str, askers: Iterable[FreeAsker]) -> tuple[FreeAsker, FreeQuestion] | str | None:
    """A question about the walk or the floor, about the first views that can answer it.

    Returns:
        The question; the code of what is in the way; None for a question about something else.
    """
    plain = text.casefold().strip(" ?.!")
    about = next((one for one in _ABOUT if re.fullmatch(one[0], plain)), None)
    if about is None:
        return None
    _, name, given, said = about
    reason = "out_of_range"
    for asker in askers:
        if asker.asker.views.medium not in WHOLE:
            continue
        truth = judge_question(asker.asker, name, (), given)
        if isinstance(truth, Truth):
            return asker, FreeQuestion(said, truth, {})
        reason = truth
    return reason


def count_roughly(text: str, askers: Iterable[FreeAsker]) -> RoughCount | None:
    """How many of a kind there are at least, or if there is one; None for other questions, and where none is sure."""
    plain = text.casefold().strip(" ?.!")
    counted = _COUNTS.match(plain)
    found = counted or _EXISTS.match(plain)
    if found is None:
        return None
    said = found[1].strip()
    for asker in askers:
        own = asker.asker
        if counted and own.views.medium not in WHOLE:
            continue
        categories = {own.scene.things[one].category for one in own.views.seen if own.known(one).thing.category}
        category = next((one for one in sorted(categories) if said in (one, pluralize(one))), None)
        if category is None:
            continue
        kind, given = SET_TYPES["counting"], Given(category=category)
        if kind.name not in (one.name for one in SET_TYPES.values() if own.views.medium in one.media):
            continue
        judged = judge_question(own, kind.name, (), given)
        least, most = _bound(own, category)
        if not isinstance(judged, str) or not least:
            continue
        evidence = (
            Measured("sure of their name", float(least), "", 0.0),
            Measured("with those that are not", float(most), "", 0.0),
        )
        truth = Truth(kind, own.views, (), (), float(least), given, evidence=evidence)
        told = FreeQuestion(f"How many {pluralize(category)} are there at least?", truth, {})
        return RoughCount(asker, told, least, most, judged)
    return None


def _bound(asker: Asker, category: str) -> tuple[int, int]:
    """Things of a category that are sure of their name and in view; and all that may be such things."""
    noun = head_noun(category)
    sure = maybe = 0
    for name in asker.views.seen:
        thing = asker.known(name).thing
        if thing.category == category:
            is_shown = bool(asker.scene.things[name].appear) or asker.views.is_scan
            sure += is_shown and name not in asker.disputed
            maybe += 1
        else:
            maybe += head_noun(thing.alias) == noun
    spare = [
        sum(head_noun(rival.words) == noun for rival in unjoined_of(asker.views, place))
        for place in range(len(asker.views.views))
    ]
    return sure, maybe + max(spare, default=0)


Called = Mapping[tuple[str, str], tuple[str, str]]
"""Alias and category of everything in a tour, by model and thing."""


def list_names(askers: Iterable[FreeAsker]) -> Called:
    """What everything in a tour is called."""
    return {
        (asker.asker.views.model.name, name): (one.thing.alias, one.thing.category or one.thing.alias)
        for asker in askers
        for name, one in asker.asker.views.known.items()
    }


def say_view(text: str) -> str:
    """The text with `in this view` for `in this picture`: a picture may also be a thing that hangs on a wall."""
    return _IN_PICTURE.sub(lambda said: "in these views" if said["one"] == "ese" else "in this view", text)


def find_overreach(text: str, asker: FreeAsker, question: FreeQuestion, called: Called) -> str | None:
    """Why the views of an asker cannot answer a question about a home, by code of `REASONS`; None if they can."""
    truth, views = question.truth, asker.asker.views
    if (said := _IN_PICTURE.search(text)) is not None:
        return "other_view" if said["one"] == "is" and views.medium != "image" else None
    is_whole = views.medium in WHOLE
    if truth.kind.name == "counting":
        noun = head_noun(truth.given.category)
        inside = {(views.model.name, name) for name in views.seen}
        more = any(noun in map(head_noun, names) for key, names in called.items() if key not in inside)
        return "more_elsewhere" if is_whole and more else None if is_whole else "one_view"
    if is_whole:
        return None
    if truth.kind.name == "in_same" and truth.value is False:
        return "few_views"
    for thing in truth.things:
        ways = asker.asker.find_names(thing, "none")
        said = [way for way in ways if not isinstance(way, str) and way.text.casefold() in text.casefold()]
        naming = max(said, key=lambda way: len(way.text), default=question.names[thing])
        key = (views.model.name, thing)
        others = (names for other, names in called.items() if other != key)
        if any(_may_mean(naming.phrase, called[key], names) for names in others):
            return "other_so_called"
    return None


def _may_mean(phrase: str, own: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether a phrase for one thing could mean another; who says all of a name means what has it."""
    if " " in phrase and phrase in own:
        return phrase in other
    alias, category = other
    return fits_phrase(phrase, alias) or (head_noun(alias) != head_noun(category) and fits_phrase(phrase, category))

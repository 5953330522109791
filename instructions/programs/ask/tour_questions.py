"""How many of a kind a tour is sure to show, and what a question claims of a whole tour, which one view or a few cannot
answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from instructions.asking.names import fits_phrase
from instructions.facts.verdict import Measured
from instructions.language.quoting import clean
from instructions.programs.ask.forms import WHOLE, use_own_words
from instructions.programs.asked.asking import FreeAsker, FreeQuestion
from instructions.questions.core.asker import Asker
from instructions.questions.core.naming import unjoined_of
from instructions.questions.core.view_sets import Truth
from instructions.questions.core.world import Given
from instructions.questions.sets.judging import SET_TYPES, judge_question
from instructions.wording.english import head_noun, pluralize

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
_HERE = (
    r"(?: (?:here|in all|in total|altogether|in (?:the|this) "
    r"(?:room|rooms|place|home|flat|apartment|office|house|tour|video)))?"
)
_COUNTS = re.compile(rf"^how many ([a-z ]+?)(?: are there| do you see| can you see| can one see| are visible)?{_HERE}$")
_EXISTS = re.compile(rf"^(?:is|are) there (?:a|an|any|some) ([a-z ]+?){_HERE}$")


@dataclass(frozen=True, eq=False)
class RoughCount:
    """How many things of a kind a tour is sure to show, where it may show more."""

    question: FreeQuestion
    least: int
    most: int
    """With what is unsure: an unsure name, a detection joined to nothing."""
    reason: str
    """Code of why no row counts them."""


def read_count(text: str, askers: Sequence[FreeAsker]) -> RoughCount | None:
    """How many of a kind there are at least, or if there is one; None for other questions, and where none is sure."""
    sure = {asker: _list_sure(asker.asker) for asker in askers}
    every = set().union(*sure.values())
    plain = use_own_words(clean(text, 400), every, every).casefold().strip(" ?.!")
    counted = _COUNTS.match(plain)
    found = counted or _EXISTS.match(plain)
    if found is None:
        return None
    for asker in askers:
        own = asker.asker
        if counted and own.views.medium not in WHOLE:
            continue
        category = next((one for one in sorted(sure[asker]) if found[1].strip() in (one, pluralize(one))), None)
        least, most = _bound(own, category) if category else (0, 0)
        kind, given = SET_TYPES["counting"], Given(category=category or "")
        judged = judge_question(own, kind.name, (), given) if least and own.views.medium in kind.media else None
        if isinstance(judged, str):
            evidence = (
                Measured("sure of their name", float(least), "", 0.0),
                Measured("with those that are not", float(most), "", 0.0),
            )
            truth = Truth(kind, own.views, (), (), float(least), given, evidence=evidence)
            told = FreeQuestion(f"How many {pluralize(given.category)} are there at least?", truth, {})
            return RoughCount(told, least, most, judged)
    return None


def _list_sure(asker: Asker) -> set[str]:
    """Categories of which something in view is sure to be."""
    return {asker.scene.things[one].category for one in asker.views.seen if asker.known(one).thing.category}


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
        said = [way for way in asker.list_ways(thing) if way.text.casefold() in text.casefold()]
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

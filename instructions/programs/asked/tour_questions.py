"""Questions of a person about a whole tour that point at no thing: the walk, the floor, how many of a kind."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from instructions.asking.english import head_noun, pluralize
from instructions.asking.measured import Measured
from instructions.programs.asked.asking import FreeAsker, FreeQuestion
from instructions.programs.judge.asker import SetAsker
from instructions.programs.judge.families import judge_question
from instructions.programs.judge.times import judge_count
from instructions.programs.judge.truths import Truth
from instructions.programs.naming import unjoined_of
from instructions.programs.types import TYPES
from instructions.programs.world import Given

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
        if asker.asker.views.medium not in ("video", "scan"):
            continue
        truth = judge_question(asker.asker, name, (), given)
        if isinstance(truth, Truth):
            return asker, FreeQuestion(said, truth, {})
        reason = truth
    return reason


def count_roughly(text: str, askers: Iterable[FreeAsker]) -> RoughCount | None:
    """How many of a kind there are at least, or whether there is one; None for other questions, and where none is sure.

    Args:
        text: With other words for a thing as the word that it has here.
        askers: Of the views; those of the whole tour first.
    """
    plain = text.casefold().strip(" ?.!")
    found = _COUNTS.match(plain) or _EXISTS.match(plain)
    if found is None:
        return None
    said = found[1].strip()
    for asker in askers:
        own = asker.asker
        categories = {own.scene.things[one].category for one in own.views.seen if own.known(one).thing.category}
        category = next((one for one in sorted(categories) if said in (one, pluralize(one))), None)
        if category is None:
            continue
        kind, given = TYPES["counting"], Given(category=category)
        if kind.name not in (one.name for one in TYPES.values() if own.views.medium in one.media):
            continue
        judged = judge_count(own, kind, (), given)
        least, most = _bound(own, category)
        if not isinstance(judged, str) or not least:
            continue
        evidence = (
            Measured("sure of their name", float(least), "", 0.0),
            Measured("with those that are not", float(most), "", 0.0),
        )
        truth = Truth(kind, own.views, (), (), given, float(least), None, evidence)
        told = FreeQuestion(f"How many {pluralize(category)} are there at least?", truth, {})
        return RoughCount(asker, told, least, most, judged)
    return None


def _bound(asker: SetAsker, category: str) -> tuple[int, int]:
    """Things of a category that are sure of their name and in view; and all that may be such things."""
    noun = head_noun(category)
    sure = maybe = 0
    for name in asker.views.seen:
        thing = asker.known(name).thing
        if thing.category == category:
            is_shown = bool(asker.scene.things[name].appear) or asker.views.is_scan
            sure += is_shown and asker.is_surely_so_called(name)
            maybe += 1
        else:
            maybe += head_noun(thing.alias) == noun
    spare = [
        sum(head_noun(rival.words) == noun for rival in unjoined_of(asker.views, place))
        for place in range(len(asker.views.views))
    ]
    return sure, maybe + max(spare, default=0)

"""Which things a text may name: those that are called so from wherever they were seen, and can be so by their size.

A wrong name spoils a whole text, and a thing that is left out costs a clause. So doubt leaves it out: a thing seen in a
glimpse, one that has another name when it is seen again, and one of which too little was measured.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from instructions.facts.sizes import is_group, is_long_enough, is_short_enough, is_wide_enough
from instructions.records import Observation, SceneObject
from recon.ranges import AtLeastOne, NotNegative, Share


@dataclass(frozen=True, kw_only=True)
class NamingOptions:
    """How sure a name must be before a text says it."""

    min_share: Share = 0.6
    """So much of the evidence for a thing's category says this one: a sofa that is called a bed in every second frame
    is told as neither. Words for what is never so long do not count. On two walks all but two of the wrong names were
    below, and few of the right ones."""
    min_moments: AtLeastOne = 3
    """It was seen at so many moments, at least half a second apart: what a glimpse shows is often called wrongly."""
    visit_s: NotNegative = 3.0
    """What is seen again after so long is seen from elsewhere; it must have the same name then."""


_MOMENT_S = 0.45
"""Sightings nearer in time than this show the same; a little under half a second, for times are rounded."""


def find_sure_names(
    things: Iterable[SceneObject],
    observations: Iterable[Observation],
    time_of: Mapping[int, float],
    metre: float,
    options: NamingOptions = NamingOptions(),
) -> frozenset[str]:
    """Ids of the things of one model that texts may call by their category.

    Args:
        things: Of the model; those without a category have no name.
        observations: Of these things, and of others.
        time_of: Time in seconds of frames.
        metre: Length of one (nominal) metre in the unit of the boxes.
        options: Thresholds.
    """
    seen: dict[str, list[Observation]] = defaultdict(list)
    for one in observations:
        seen[one.object].append(one)
    named = [thing for thing in things if thing.category is not None]
    return frozenset(thing.id for thing in named if is_name_sure(thing, seen[thing.id], time_of, metre, options))


def is_name_sure(
    thing: SceneObject,
    seen: Iterable[Observation],
    time_of: Mapping[int, float],
    metre: float,
    options: NamingOptions = NamingOptions(),
) -> bool:
    """Whether a text may call a thing by its category.

    Args:
        thing: With a category.
        seen: Its observations in whatever frames.
        time_of: Time of frames in seconds; observations of other frames are left out.
        metre: Length of one (nominal) metre in the unit of its box.
        options: Thresholds.
    """
    if not all(is_fitting(thing.category, thing.obb, metre) for is_fitting in (is_wide_enough, is_long_enough)):
        return False
    if not _may_be(thing.category, thing, metre):
        return False
    possible = {word: share for word, share in thing.categories if _may_be(word, thing, metre)}
    if possible.get(thing.category or "", 1.0) < options.min_share * (sum(possible.values()) or 1.0):
        return False
    known = sorted((one for one in seen if one.frame in time_of), key=lambda one: time_of[one.frame])
    if _count_moments([time_of[one.frame] for one in known]) < options.min_moments:
        return False
    known = [one for one in known if _may_be(one.label, thing, metre)]
    return all(_is_called(thing.category, visit) for visit in _split_visits(known, time_of, options.visit_s))


def _may_be(word: str | None, thing: SceneObject, metre: float) -> bool:
    """Whether a thing is no longer than what a word names, or, where the word is its own, than several together."""
    is_several = word == thing.category and is_group(word, thing.obb, metre)
    return is_several or is_short_enough(word, thing.obb, metre)


def _count_moments(times_s: Sequence[float]) -> int:
    count, last_s = 0, float("-inf")
    for time_s in times_s:
        if time_s - last_s >= _MOMENT_S:
            count, last_s = count + 1, time_s
    return count


def _split_visits(seen: Sequence[Observation], time_of: Mapping[int, float], gap_s: float) -> list[list[Observation]]:
    visits = [[one] for one in seen[:1]]
    for before, one in pairwise(seen):
        if time_of[one.frame] - time_of[before.frame] > gap_s:
            visits.append([])
        visits[-1].append(one)
    return visits


def _is_called(category: str | None, visit: Sequence[Observation]) -> bool:
    """Whether a visit calls a thing so more than anything else; a single sighting is no visit, and no name no word."""
    votes: dict[str, float] = defaultdict(float)
    for one in visit:
        if one.label is not None:
            votes[one.label] += one.score
    return len(visit) == 1 or not votes or votes.get(category or "", 0.0) >= max(votes.values())

"""Draws combinations of things for each type, and puts them through the gates of its family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from instructions.asking.counts import NotAsked
from instructions.asking.draws import Draw
from instructions.questions.core.asker import Asker
from instructions.questions.core.truths import Truth
from instructions.questions.core.types import QuestionType
from instructions.questions.core.world import Given
from instructions.questions.sets.families import times
from instructions.questions.sets.families.registry import SET_TYPES


def types_of(medium: str) -> tuple[QuestionType, ...]:
    """The types that are asked about this medium."""
    return tuple(kind for kind in SET_TYPES.values() if medium in kind.media)


MOST_FOUND = 8
"""Truths of a type about the same views, twice the rows that are wanted by default; of one whose answers are evened
out, all that were tried."""


def find_truths(asker: Asker, kind: QuestionType, draw: Draw, tries: int, not_asked: NotAsked) -> list[Truth]:
    """Some of what may be asked of one type about a set of views, in random order.

    Args:
        asker: Of the views.
        kind: The type.
        draw: Of the combinations.
        tries: How many combinations are looked at.
        not_asked: Filled with the reasons of the others.
    """
    out: list[Truth] = []
    empty = True
    for things, given in _propose(asker, kind, draw, tries):
        empty = False
        found = asker.judge(kind, things, given)
        if isinstance(found, str):
            not_asked[kind.name, found] += 1
        else:
            out.append(found)
            if len(out) == MOST_FOUND and not kind.is_evened:
                break
    if empty:
        not_asked[kind.name, "few_things"] += 1
        not_asked.update(Counter((kind.name, reason) for reason in asker.hidden.values()))
    return out


def judge_question(asker: Asker, name: str, things: tuple[str, ...], given: Given) -> Truth | str:
    """One question of a type about these things, or why it may not be asked."""
    hidden = next((asker.hidden[one] for one in things if one in asker.hidden), None)
    return hidden or asker.judge(SET_TYPES[name], things, given)


def _propose(asker: Asker, kind: QuestionType, draw: Draw, tries: int) -> Iterator[tuple[tuple[str, ...], Given]]:
    if kind.things == (0, 0):
        if "counting" in kind.name:
            yield from (((), Given(category=category)) for category in times.list_categories(asker))
        else:
            yield (), kind.givens[0]
        return
    names = asker.list_fit(kind)
    least, most = kind.things
    if len(names) < least:
        return
    seen: set[tuple[object, ...]] = set()
    for _ in range(tries):
        count = least + int(draw.uniform() * (min(most, len(names)) - least + 1))
        things = tuple(draw.take(_near_by(asker, kind, names, draw), count))
        given = draw.pick(kind.givens)
        key = (*_sort_alike(kind, things), given)
        if key not in seen:
            seen.add(key)
            yield things, given


def _near_by(asker: Asker, kind: QuestionType, names: list[str], draw: Draw) -> list[str]:
    """For what walls would hide, things of one room where rooms are known; all for other types."""
    if kind.name != "seen_from":
        return names
    room = asker.scene.things[draw.pick(names)].room
    mine = [name for name in names if room is not None and asker.scene.things[name].room == room]
    return mine if len(mine) >= kind.things[0] else names


_IN_ORDER = ("facing", "direction", "route", "seen_from", "walk_turned")
_FIRST_APART = ("relative_distance", "nearby", "in_frame", "in_between")


def _sort_alike(kind: QuestionType, things: tuple[str, ...]) -> tuple[str, ...]:
    """The same for orders of things that ask the same."""
    if any(word in kind.name for word in _IN_ORDER) and not kind.has_twin:
        return things
    if any(word in kind.name for word in _FIRST_APART):
        return (things[0], *sorted(things[1:]))
    return tuple(sorted(things))

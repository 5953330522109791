"""All types about sets of views, how released files call them, and which combinations of things pass their gates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from instructions.asking.counts import NotAsked
from instructions.asking.draws import Draw
from instructions.questions.core.asker import Asker
from instructions.questions.core.types import VSI, Medium, QuestionType
from instructions.questions.core.view_sets import Truth
from instructions.questions.core.world import Given, ProgramScene, Value
from instructions.questions.sets.families import cameras, distances, facing, sizes, times, walks, ways

_FAMILIES = (sizes, facing, distances, times, cameras, walks, ways)
SET_TYPES: Mapping[str, QuestionType] = {one.name: one for family in _FAMILIES for one in family.TYPES}
"""By name, family by family."""
_SPELLINGS = {spelling: one.name for one in SET_TYPES.values() for spelling in (one.name, *one.spellings)}
_IN_VSI = {one.template: one.name for one in SET_TYPES.values() if one.media == VSI}
"""VSI-Bench's types, by the type of ours that has the same words."""
MOST_FOUND = 8
"""Truths of a type about the same views, twice the rows that are wanted by default; of one whose answers are evened
out, all that were tried."""
_IN_ORDER = ("facing", "direction", "route", "seen_from", "walk_turned")
_FIRST_APART = ("relative_distance", "nearby", "in_frame", "in_between")


def analyse(kind: str, ids: Sequence[str], scene: ProgramScene, given: Given = Given()) -> Value:
    """The answer of a type's reference program, before any gate says whether the question may be asked.

    Args:
        kind: Name of a type.
        ids: Things in the order of its definition.
        scene: Where they are; `cameras[0]` is the view of a question about one image.
        given: What is asked for where the type leaves a choice.

    Raises:
        ValueError: For an unknown type or thing, a wrong number of things, or what has no answer.
    """
    found = SET_TYPES.get(kind)
    if found is None or found.reference is None:
        raise ValueError(f"no type {kind!r}; known: {', '.join(SET_TYPES)}")
    least, most = found.things
    if not least <= len(ids) <= most:
        raise ValueError(f"{kind} needs {least} to {most} things, got {len(ids)}")
    unknown = [one for one in ids if one not in scene.things]
    if unknown:
        raise ValueError(f"{kind}: the scene has no thing {unknown[0]}")
    return found.reference([scene.things[one] for one in ids], scene, given)


def read_category(text: str, medium: Medium | None = None) -> str | None:
    """The type that a released file calls so, or None.

    Case, blanks, hyphens and a trailing `image` or `video` do not matter. A name that VSI-Bench shares with the others
    means VSI-Bench's type where `medium` is `vsi`.
    """
    plain = re.sub(r"[^a-z0-9]+", "_", text.strip().lower()).strip("_")
    plain = re.sub(r"^(image|video|multi_image)_|_(image|video|multi_image|estimate)$", "", plain).replace(
        "distence", "distance"
    )
    name = _SPELLINGS.get(plain)
    return _IN_VSI.get(name or "", name) if medium == "vsi" else name


def types_of(medium: str) -> tuple[QuestionType, ...]:
    """The types that are asked about this medium."""
    return tuple(kind for kind in SET_TYPES.values() if medium in kind.media)


def find_truths(asker: Asker, kind: QuestionType, draw: Draw, tries: int, not_asked: NotAsked) -> list[Truth]:
    """Some of what may be asked of one type about a set of views, in random order, from so many combinations of things;
    reasons why others are not asked are counted.
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
    hidden = next((asker.hidden[thing] for thing in things if thing in asker.hidden), None)
    return hidden or asker.judge(SET_TYPES[name], things, given)


def _propose(asker: Asker, kind: QuestionType, draw: Draw, tries: int) -> Iterator[tuple[tuple[str, ...], Given]]:
    if kind.things == (0, 0):
        if "counting" in kind.name:
            named = {thing.category for thing in asker.scene.things.values() if asker.known(thing.id).category}
            yield from (((), Given(category=category)) for category in sorted(named))
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


def _sort_alike(kind: QuestionType, things: tuple[str, ...]) -> tuple[str, ...]:
    """The same for orders of things that ask the same."""
    if any(word in kind.name for word in _IN_ORDER) and not kind.has_twin:
        return things
    if any(word in kind.name for word in _FIRST_APART):
        return (things[0], *sorted(things[1:]))
    return tuple(sorted(things))

"""How a text about one way calls a thing: its category first, and a word more only where it tells two apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from instructions.facts.between import inside_share, measure_gap
from instructions.facts.bodies import Body, upright_box
from instructions.facts.sizes import is_group
from instructions.records import SceneObject
from instructions.wording.colors import COLORLESS, may_be_one_color
from instructions.wording.english import pluralize
from recon.geometry import Array

_CLEARLY_LARGER = 1.4
"""A size tells a thing from others of its kind where its longest side is so many times longer, or shorter, than any of
theirs: a box holds what was seen of a thing, so sizes that differ less may be the same."""
_FAR_LARGER = 1.6
"""... and by so much where the other would have the same word for itself."""
_SMALL = {"small", "low"}
_LONG = {"table", "counter", "sofa", "bench", "bed", "desk", "cabinet", "shelf", "rug"}
"""Furniture that is wide is called long."""
_ROWS = {"table", "counter", "sofa", "bench", "desk", "cabinet", "shelf"}
"""Furniture that is pushed together, or found in parts: what stands in one row is called as one."""
_ROW_GAP_M, _ROW_STEP_M, _ROW_WIDER = 0.2, 0.3, 1.25
"""In one row two boxes are so near to each other, the upper sides of both so nearly at one height, and both together at
most so many times as wide as the wider one: boxes of parts of one table end where the evidence for each ends, and a
round table beside it makes a block and no row."""
_SHARED = 0.2
"""Two pieces of furniture are not in one place: where so much of one's box lies in the other's, one was found twice."""
_MOST_UNSURE = 0.5
"""From so many more of a kind on that are to be expected, nobody knows which one is meant."""
_SIZELESS = {"curtain"}
"""Things in folds, seen in part: a box of what was seen of them does not tell their size."""


@dataclass(frozen=True)
class Name:
    """What a text calls a thing, without article."""

    words: str
    is_alone: bool
    """No other thing of the way is called so."""
    is_doubted: bool = False
    """Things of unsure kind may be."""
    is_plural: bool = False
    """It is several that stand together: `the plants`."""
    is_part: bool = False
    """It is called so as a part of a row, and another piece of that is what one would point at."""

    @property
    def is_open(self) -> bool:
        """Others are called so, or may be: `a chair`."""
        return self.is_doubted or not self.is_alone


def name_things(
    things: Sequence[SceneObject], metre: float = 1.0, unseen: Sequence[SceneObject] = ()
) -> dict[str, Name]:
    """Name the things of a way.

    Args:
        things: All that are seen on it.
        metre: Length of one (nominal) metre in the unit of their boxes.
        unseen: Other things of the model: they may be pieces of the rows in which those of the way stand.

    Returns:
        By id. A thing of known category has its category, with the first of these that tells it from the others of its
        category where there are any: size, colour, both. Neither is told where another of its kind may be called so,
        too. One of unknown category keeps its alias.
    """
    by_kind: dict[str, list[SceneObject]] = {}
    for thing in things:
        if thing.category is not None:
            by_kind.setdefault(thing.category, []).append(thing)
    seen = {thing.id for thing in things}
    pieces = [one for one in unseen if one.category in _ROWS and one.id not in seen]
    aliases = {thing.id: set(thing.alias.split()) for thing in things}
    names: dict[str, Name] = {}
    for thing in things:
        if thing.category is None:
            others = [words for name, words in aliases.items() if name != thing.id]
            names[thing.id] = Name(thing.alias, not any(aliases[thing.id] <= words for words in others))
        else:
            name = _tell_apart(thing, by_kind[thing.category], metre, pieces)
            names[thing.id] = replace(name, is_doubted=_count_unsure(thing, things) >= _MOST_UNSURE)
    return names


def _count_unsure(thing: SceneObject, others: Sequence[SceneObject]) -> float:
    """How many more of the kind of a thing are to be expected among those whose kind is unsure."""
    unsure = (other for other in others if other.category is None and not is_part_of(other, thing))
    return sum(dict(one.categories).get(thing.category or "", 0.0) for one in unsure)


def _tell_apart(thing: SceneObject, alike: Sequence[SceneObject], metre: float, unseen: Sequence[SceneObject]) -> Name:
    kind = thing.category or ""
    if is_group(thing.category, thing.obb, metre):
        groups = [one for one in alike if is_group(one.category, one.obb, metre) and not is_part_of(one, thing)]
        return Name(pluralize(kind), all(group.id == thing.id for group in groups), is_plural=True)
    whole = find_row(thing, [*alike, *(one for one in unseen if one.category == kind)], metre)
    mine = {one.id for one in whole}
    row = [one for one in alike if one.id in mine]
    others = [one for one in alike if one.id not in mine and not is_part_of(one, thing)]
    is_part = thing.id != max(row, key=lambda one: (len(one.frames), one.id)).id
    if not others:
        return Name(kind, True, is_part=is_part)
    longest = max(row, key=lambda one: (max(one.obb.half_extents), one.id))
    size = _say_size(longest)
    color = None if kind in COLORLESS else thing.color
    half = _measure_half(whole)
    by_size = size is not None and all(_differs_in_size(longest, half, other) for other in others)
    by_color = color is not None and all(_differs_in_color(thing, other) for other in others)
    by_both = all(_differs_in_size(longest, half, other) or _differs_in_color(thing, other) for other in others)
    for is_alone, words in ((by_size, (size, kind)), (by_color, (color, kind)), (by_both, (size, color, kind))):
        if is_alone and None not in words:
            return Name(" ".join(word for word in words if word), True, is_part=is_part)
    return Name(kind, False, is_part=is_part)


def find_row(thing: SceneObject, alike: Sequence[SceneObject], metre: float) -> list[SceneObject]:
    """The pieces of furniture that stand in one row with a thing, itself included: each touches the next."""
    row, rest = [thing], [one for one in alike if one.id != thing.id and thing.category in _ROWS]
    for last in row:
        near = [one for one in rest if _is_in_row(last, one, metre)]
        rest = [one for one in rest if one not in near]
        row += near
    return row


def _is_in_row(first: SceneObject, second: SceneObject, metre: float) -> bool:
    bodies = Body.of_box(first.obb), Body.of_box(second.obb)
    if max(inside_share(*bodies), inside_share(*reversed(bodies))) >= _SHARED:
        return True
    step = abs(bodies[0].top - bodies[1].top)
    if step > _ROW_STEP_M * metre or measure_gap(*bodies) > _ROW_GAP_M * metre:
        return False
    together = upright_box(np.concatenate([body.points for body in bodies]))
    wider = max(min(body.half[:2]) for body in bodies)
    return min(together.half_extents[:2]) <= _ROW_WIDER * wider


def _measure_half(row: Sequence[SceneObject]) -> float:
    """Half of the longest side of a thing, or of the greatest extent of several on the floor plan."""
    if len(row) == 1:
        return max(row[0].obb.half_extents)
    plan = np.concatenate([Body.of_box(one.obb).points[:, :2] for one in row])
    return 0.5 * float(np.linalg.norm(plan[:, None] - plan[None], axis=2).max())


def is_part_of(first: SceneObject, second: SceneObject) -> bool:
    """Whether the middle of one thing lies in the box of another, or the other way round: one thing found twice."""
    return any(
        bool(np.all(np.abs(_lies_from(inner, outer)) <= np.array(outer.obb.half_extents)))
        for inner, outer in ((first, second), (second, first))
    )


def _lies_from(inner: SceneObject, outer: SceneObject) -> Array:
    """Where the middle of a thing is along the axes of another's box, (3,)."""
    return (np.array(inner.obb.center) - np.array(outer.obb.center)) @ np.array(outer.obb.rotation)


def _say_size(thing: SceneObject) -> str | None:
    if thing.category in _SIZELESS:
        return None
    return "long" if thing.size_word == "wide" and thing.category in _LONG else thing.size_word


def _differs_in_size(thing: SceneObject, here: float, other: SceneObject) -> bool:
    """Whether the size word of a thing, half as long as given, is true of it and cannot be of the other."""
    there = max(other.obb.half_extents)
    if thing.size_word is None:
        return False
    smaller, larger = (here, there) if thing.size_word in _SMALL else (there, here)
    return larger >= (_CLEARLY_LARGER if thing.size_word != other.size_word else _FAR_LARGER) * smaller


def _differs_in_color(thing: SceneObject, other: SceneObject) -> bool:
    """Whether no light makes one colour of both; what has no colour may have any."""
    one, another = thing.color, other.color
    return one is not None and another is not None and not may_be_one_color(one, another)

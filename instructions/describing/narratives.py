"""A view told in five orders: left to right, near to far, large to small, by kind, and from the middle outwards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from instructions.describing.lines import ThingLine, describe_things
from instructions.describing.naming import name_thing
from instructions.view import View
from instructions.wording.english import join_list, with_article

_MOST = 6


def narrate(view: View) -> tuple[str, ...]:
    """Five narratives of a view with numbered things; in words where things have names, else by `[n]`.

    Orders that cannot be told (distances that nobody knows) are left out.
    """
    lines = describe_things(view)
    if not lines:
        return ()
    told = (_tell_across, _tell_away, _tell_sizes, _tell_kinds, _tell_middle)
    return tuple(text for tell in told if (text := tell(view, lines)))


def call(view: View, line: ThingLine) -> str:
    """A thing by its name where that fits it alone, else by its number."""
    thing = view.find_thing(line.thing)
    name = name_thing(view, thing) if thing is not None else None
    return f"the {name}" if name else f"[{line.number}]"


def _across(line: ThingLine) -> float:
    return (line.corners[0] + line.corners[2]) / 2


def _area(line: ThingLine) -> float:
    return (line.corners[2] - line.corners[0]) * (line.corners[3] - line.corners[1])


def _tell_across(view: View, lines: Sequence[ThingLine]) -> str:
    order = sorted(lines, key=_across)[:_MOST]
    return f"From left to right one sees {join_list([call(view, line) for line in order])}."


def _tell_away(view: View, lines: Sequence[ThingLine]) -> str:
    known = [(line.distance_m, line) for line in lines if line.distance_m is not None]
    order = sorted(known, key=lambda one: one[0])[:_MOST]
    if len(order) < 2:
        return ""
    (near, first), *_, (far, last) = order
    middle = [call(view, line) for _, line in order[1:-1]]
    between = f" Then come {join_list(middle)}." if len(middle) > 1 else (f" Then comes {middle[0]}." if middle else "")
    return (
        f"Nearest is {call(view, first)}, about {near:.1f} m away.{between} "
        f"Furthest is {call(view, last)}, about {far:.1f} m away."
    )


def _tell_sizes(view: View, lines: Sequence[ThingLine]) -> str:
    order = sorted(lines, key=_area, reverse=True)[:_MOST]
    first, rest = call(view, order[0]), [call(view, line) for line in order[1:]]
    smaller = f", and {join_list(rest)} take less" if rest else ""
    return f"Most room is taken by {first}{smaller}."


def _tell_kinds(view: View, lines: Sequence[ThingLine]) -> str:
    groups: dict[str, list[ThingLine]] = defaultdict(list)
    for line in lines:
        groups[line.noun].append(line)
    parts = [
        f"{with_article(noun)} ([{group[0].number}])" if len(group) == 1 else f"{noun} as {join_list(_numbers(group))}"
        for noun, group in sorted(groups.items(), key=lambda one: (-len(one[1]), one[0]))
    ]
    place = f"In the {view.room}" if view.room and view.room_probability >= 0.8 else "Here"
    return f"{place} one finds {join_list(parts[:_MOST])}."


def _tell_middle(view: View, lines: Sequence[ThingLine]) -> str:
    order = sorted(lines, key=lambda line: abs(_across(line) - 0.5))
    middle = [call(view, line) for line in order if line.side == "in the middle"][:3]
    sides = [f"{call(view, line)} {line.side}" for line in order if line.side and line.side != "in the middle"][:4]
    if not middle and not sides:
        return ""
    first = f"In the middle one sees {join_list(middle)}" if middle else "Nothing stands out in the middle"
    return f"{first}; around it are {join_list(sides)}." if sides else f"{first}."


def _numbers(lines: Sequence[ThingLine]) -> list[str]:
    return [f"[{line.number}]" for line in lines]

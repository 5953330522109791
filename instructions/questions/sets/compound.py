"""Questions that join two others, with a truth composed by code: what the first one answers, the second asks about.

Every part goes through the gates of its own type, so a compound is asked only where both of its parts might be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise

from instructions.asking.counts import NotAsked
from instructions.asking.draws import Draw
from instructions.facts import sizes
from instructions.facts.verdict import SIGMAS, Measured
from instructions.questions.core.asker import Asker
from instructions.questions.core.types import Form, Medium, QuestionType, about_views
from instructions.questions.core.view_sets import Refused, Truth, refuse, require
from instructions.questions.core.world import Given, Value
from instructions.questions.sets.judging import SET_TYPES

Things = tuple[str, ...]
Found = tuple[Value, list[Truth], Measured | None]
Join = Callable[[Asker, Things], Found]
"""What a form finds out about some things: the value, the parts it was made of, and what was measured of it."""
MOST_ALIKE = 2
"""Questions of one form about the same views."""
FIT_RATIO = 1.2
"""A thing fits where there is this much more room than it needs, and does not where it needs this much more."""
_NEAREST, _SIDE, _WITHIN = Given(word="nearest", sense="center"), Given(word="left_right"), Given(within_m=2.0)


def _pick_then_nearest(asker: Asker, things: Things, kind: str, word: str) -> Found:
    first = asker.prove(SET_TYPES[kind], things[:2], Given(word=word))
    second = asker.prove(SET_TYPES["relative_distance"], (str(first.value), *things[2:]), _NEAREST)
    return second.value, [first, second], None


def _fits_between(asker: Asker, things: Things) -> Found:
    a, b, c = things
    space = asker.prove(SET_TYPES["absolute_distance"], (b, c), Given(sense="nearest"))
    refuse(asker.hide_size(a))
    need, room = sizes.level_width(asker.known(a).body), float(space.value)  # type: ignore[arg-type]  # a number
    margin = max(FIT_RATIO, 1 + SIGMAS * (asker.sigma(a) / need + asker.sigma(b, c) / room))
    require(not 1 / margin < room / need < margin, "undecided")
    return room > need, [space], Measured("room for what is needed", room / need, "ratio", 0.0)


def _order_by_distance(asker: Asker, things: Things) -> Found:
    a, *others = things
    order = sorted(others, key=lambda one: asker.pair(a, one).distance)
    parts = [asker.prove(SET_TYPES["relative_distance"], (a, *pair), _NEAREST) for pair in pairwise(order)]
    return tuple(order), parts, None


def _nearest_side(asker: Asker, things: Things) -> Found:
    a, b, c, d = things
    first = asker.prove(SET_TYPES["relative_distance"], (a, c, d), _NEAREST)
    second = asker.prove(SET_TYPES["facing_simple"], (a, b, str(first.value)), _SIDE)
    return second.value, [first, second], None


def _first_taller(asker: Asker, things: Things) -> Found:
    a, b, c = things
    first = asker.prove(SET_TYPES["temporal_sequence"], (a, b), Given(word="first"))
    second = asker.prove(SET_TYPES["height_determination"], (str(first.value), c), Given(word="tallest"))
    return second.value == first.value, [first, second], None


def _way_by_three(asker: Asker, things: Things) -> Found:
    parts = [asker.prove(SET_TYPES["absolute_distance"], pair, Given(sense="center")) for pair in pairwise(things)]
    told = [part.measured for part in parts if part.measured]
    whole, sigma = sum(one.value for one in told), sum(one.sigma for one in told)
    return whole, parts, Measured("way", whole, "m", sigma)


def _count_within(asker: Asker, things: Things) -> Found:
    part = asker.prove(SET_TYPES["nearby"], things, _WITHIN)
    count = float(len(part.value))  # type: ignore[arg-type]  # a list of things
    return count, [part], Measured("things", count, "", 0.0)


def _make(
    name: str, form: Form, things: int, join: Join, definition: str, unit: str = "",
    media: tuple[Medium, ...] = ("images", "video", "scan"), given: Given = Given(),
) -> tuple[QuestionType, Join]:  # fmt: skip
    kind = about_views(
        "compound", f"compound_{name}", media, form, (things, things), unit, "none", definition, (given,),
        sized=form == "yes_no",
    )  # fmt: skip
    return kind, join


_FORMS = (
    _make("tallest_nearest", "thing", 5, partial(_pick_then_nearest, kind="height_determination", word="tallest"),
        "Which of C, D and E is nearest to the taller of A and B."),
    _make("largest_nearest", "thing", 5, partial(_pick_then_nearest, kind="volume_comparison", word="largest"),
        "Which of C, D and E is nearest to the larger of A and B."),
    _make("fits_between", "yes_no", 3, _fits_between,
        "Whether the shorter level side of A is less than the room between B and C."),
    _make("order_by_distance", "order", 4, _order_by_distance, "B, C and D from the nearest to A to the furthest."),
    _make("nearest_side", "label", 4, _nearest_side,
        "At A facing B: the side of the one of C and D that is nearer to A.", given=_SIDE),
    _make("first_taller", "yes_no", 3, _first_taller,
        "Whether the one of A and B that appears first is taller than C.", media=("video",)),
    _make("way_by_three", "number", 3, _way_by_three, "Straight from A to B and on to C, center to center.", "m"),
    _make("count_within", "number", 5, _count_within, "How many of B, C, D and E are within 2 m of A.", given=_WITHIN),
)  # fmt: skip
COMPOUNDS: Mapping[str, QuestionType] = {kind.name: kind for kind, _ in _FORMS}
"""The eight forms, by name."""


def find_compounds(asker: Asker, draw: Draw, tries: int, most: int, not_asked: NotAsked) -> list[Truth]:
    """At most so many compound questions about a set of views, every form in turn, each from so many tries; reasons why
    others are not asked are counted.
    """
    found: dict[str, list[Truth]] = {}
    for kind, join in _FORMS:
        if asker.views.medium not in kind.media:
            continue
        names = asker.list_fit(kind)
        count = kind.things[0]
        if len(names) < count:
            not_asked[kind.name, "few_things"] += 1
            continue
        for _ in range(tries):
            things = tuple(draw.take(names, count))
            if len(found.get(kind.name, ())) == MOST_ALIKE:
                break
            try:
                found.setdefault(kind.name, []).append(_compose(asker, kind, things, join(asker, things)))
            except Refused as refused:
                not_asked[kind.name, str(refused)] += 1
    in_turn = [truths[place] for place in range(MOST_ALIKE) for truths in found.values() if place < len(truths)]
    return in_turn[:most]


def _compose(asker: Asker, kind: QuestionType, things: Things, joined: Found) -> Truth:
    value, parts, measured = joined
    names = asker.refer_all(things, "height" if "tall" in kind.name else "none")
    evidence = tuple(one for part in parts for one in part.evidence) + ((measured,) if measured else ())
    told = tuple(f"{part.kind.name}({', '.join(part.things)}) = {part.value}" for part in parts)
    measured = measured if kind.form == "number" else None
    candidates = things[2:] if kind.form == "thing" else ()
    return Truth(
        kind, asker.views, things, names, value, kind.givens[0], measured, evidence, "composed", told,
        candidates=candidates,
    )  # fmt: skip

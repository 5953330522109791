"""Of two things of a view: which is further left, up, back, or larger, by how much, and how many times; and how they
would lie if the viewer had turned a quarter on the spot, or stepped aside by a metre.

After a turn, what is ahead lies at the side. After a step, near things move more in the picture than far ones, so two
things may change places in it.
"""

from __future__ import annotations

from functools import lru_cache
from math import hypot
from typing import Literal

from instructions.facts import sizes
from instructions.facts.between import point_distances
from instructions.facts.pairs import MIN_RATIO, volume_sigma
from instructions.facts.verdict import SIGMAS, Measured, Sign, Verdict, compare_ratio
from instructions.questions.core.asker import Asker
from instructions.questions.core.records import TOO_CLOSE
from instructions.questions.core.types import Dimension, QuestionType
from instructions.questions.core.view_sets import Judged, Refused, refuse, require
from instructions.questions.core.world import Given, Ids

_MORE = frozenset({"right_difference", "above_difference", "behind_difference"})
"""Differences that are asked where A's value is the greater; the others where it is the less."""
STEP_M = 1.0
"""Of a step aside: about one long step of a person."""
LEAST_COLUMN = 0.10
"""Tangent of a bearing (6 degrees) by which two things must be apart after the step."""
CLOSE_COLUMN = 0.02
"""Under this they are in line (1 degree)."""
FREE_M = 0.3
"""Between the eye after a step and any thing of the view: nobody steps into a cupboard."""
BEFORE_STEP = "column before the step"
"""Name of the evidence that tells whether the step changes the order."""


def judge_comparison(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Predicate, choice or class of a comparison, both ways round."""
    found, values = _decide(asker, kind.dimension, things)
    name, unit = ("ratio", "ratio") if kind.dimension == "volume" else ("difference", asker.unit)
    return _judge_sign(kind, things, found, (*values, Measured(name, found.value, unit, found.sigma)))


def _judge_sign(kind: QuestionType, things: Ids, found: Verdict, told: tuple[Measured, ...]) -> Judged:
    """The comparison of A with B, and of B with A, by what was measured; last what had to exceed the margin."""
    if found.sign is None:
        raise Refused(found.reason or "undecided")
    evidence = (*told, Measured("margin", found.margin, told[-1].unit, 0.0))
    other: Sign = {"more": "less", "less": "more"}.get(found.sign, found.sign)  # type: ignore[assignment]  # a sign
    twin = _say_sign(kind, other, *things[::-1])
    return Judged(_say_sign(kind, found.sign, *things), evidence=evidence, twin=twin)


def _say_sign(kind: QuestionType, sign: Sign, a: str, b: str) -> str:
    """The answer to a comparison of A with B."""
    comparison = kind.comparison
    assert comparison is not None, kind.name
    if sign == TOO_CLOSE:
        return TOO_CLOSE
    if kind.form == "label":
        return comparison.say_more if sign == "more" else comparison.say_less
    holds = (sign == "more") == (kind.word == comparison.more)
    if kind.form == "yes_no":
        return "yes" if holds else "no"
    return a if holds else b


def judge_difference(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """By how much A is further right, up or back than B, or the other way round, where it is."""
    found, pair = _decide(asker, kind.dimension, things)[0], asker.pair(*things)
    is_more = kind.name in _MORE
    require(found.state is is_more, "not_so")
    if kind.dimension != "vertical":
        turned = hypot(pair.sigma, asker.standpoint.turn_sigma * pair.distance)
        return asker.judge_length(kind, things, abs(found.value), turned)
    require((pair.bottoms > 0) == is_more, "not_so")
    refuse(asker.hide_sizes(*things))
    return asker.judge_length(kind, things, abs(pair.bottoms), pair.sigma)


def judge_ratio(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """How many times as high, wide or far away the greater is; asked of the greater."""
    known = [asker.known(thing) for thing in things]
    if kind.dimension == "ahead":
        one, other = (asker.view.viewer.range(x.body.center) for x in known)
        eye = asker.standpoint.eye_sigma
        relative = hypot(known[0].sigma / one, known[1].sigma / other, eye / one, eye / other)
    else:
        one, other = _measure_extents(asker, kind.dimension, things)
        relative = 2**0.5 * hypot(known[0].sigma / one, known[1].sigma / other)
    if one < other:
        things, one, other = things[::-1], other, one
    # Nobody is asked how many times the greater it is where it may be the less.
    require(compare_ratio(one / other, relative, MIN_RATIO).state is not None, "alike_in_size")
    require(relative <= asker.bars.relative_sigma_bar, "uncertain")
    measured = Measured(kind.name, one / other, "ratio", one / other * relative)
    evidence = Measured("A", one, asker.unit, 0.0), Measured("B", other, asker.unit, 0.0)
    return Judged(one / other, measured, evidence, things=things)


@lru_cache(maxsize=8)
def _decide(asker: Asker, dimension: Dimension, things: Ids) -> tuple[Verdict, tuple[Measured, ...]]:
    """What is known of a comparison of two things, and the two values of sizes.

    Raises:
        Refused: If nobody knows.
    """
    pair, at = asker.pair(*things), asker.standpoint
    values: tuple[Measured, ...] = ()
    if dimension == "vertical":
        found = pair.is_above
    elif dimension == "lateral":
        a, b = (asker.find_seen(thing).box for thing in things)
        found = pair.is_right(at, (a, b))
    elif dimension == "ahead":
        found = pair.is_behind(at)
    else:
        known = [asker.known(thing) for thing in things]
        one, other = _measure_extents(asker, dimension, things)
        sigmas = [2**0.5 * x.sigma for x in known]
        unit = asker.unit
        if dimension == "volume":
            sigmas, unit = [volume_sigma(x) * y for x, y in zip(known, (one, other), strict=True)], asker.volume_unit
        values = Measured("A", one, unit, sigmas[0]), Measured("B", other, unit, sigmas[1])
        found = {"height": pair.is_taller, "volume": pair.is_bigger}.get(dimension) or pair.is_wider(at.viewer)
    refuse(found.reason or None)
    return found, values


def _measure_extents(asker: Asker, dimension: Dimension, things: Ids) -> tuple[float, float]:
    """Heights, widths as the viewer sees them, or volumes.

    Raises:
        Refused: If they cannot be told from this view.
    """
    refuse(asker.hide_sizes(*things))
    pair, bodies, viewer = asker.pair(*things), [asker.known(thing).body for thing in things], asker.view.viewer
    if dimension == "width":
        facing = max(sizes.measure_facing_deg(body, viewer) for body in bodies)
        require(facing <= asker.bars.most_turned_deg, "turned")
        one, other = (sizes.width(body, viewer) for body in bodies)
        return one, other
    for thing in things:
        refuse(asker.hide_foot(thing))
    return pair.heights if dimension == "height" else pair.volumes


def judge_supposed(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Which would be further to the left, or to the right, from another place or with another heading."""
    pair = asker.pair(*things)
    require(not pair.is_nested, "inside_other")
    move, _, rest = kind.name.partition("_")
    side: Literal["left", "right"] = "left" if rest.startswith("left") else "right"
    if move == "step":
        return _judge_step(asker, kind, things, side)
    found = pair.lies_right(asker.view.viewer.turn_quarter(side), asker.standpoint.turn_sigma)
    return _judge_sign(kind, things, found, (Measured("difference", found.value, asker.unit, found.sigma),))


def _judge_step(asker: Asker, kind: QuestionType, things: Ids, side: Literal["left", "right"]) -> Judged:
    require(asker.has_scale, "no_scale")
    here, step = asker.view.viewer, STEP_M * asker.metre
    there = here.step_aside(side, step)
    known = [asker.known(thing) for thing in things]
    ends = [one.body.center for one in known]
    away = [here.distance_ahead(end) for end in ends]
    require(min(away) >= asker.bars.min_depth * asker.metre, "near_camera")
    free = min(point_distances(thing.body, there.eye)[0] for thing in asker.view.referable)
    require(free >= FREE_M * asker.metre, "no_step")
    columns = [there.measure_column(end) for end in ends]
    require(max(map(abs, columns)) <= asker.view.widest_column, "out_of_view")
    difference, before = columns[0] - columns[1], here.measure_column(ends[0]) - here.measure_column(ends[1])
    sigma = hypot(
        *(one.sigma * hypot(1.0, column) / far for one, column, far in zip(known, columns, away, strict=True)),
        asker.view.model.scale.sigma * step * (1.0 / away[0] - 1.0 / away[1]),
    )
    margin = max(SIGMAS * sigma, LEAST_COLUMN)
    found = Verdict(difference > 0 if abs(difference) >= margin else None, difference, margin, sigma, "ratio")
    if found.state is None and abs(difference) + SIGMAS * sigma <= CLOSE_COLUMN:
        found = Verdict(None, difference, CLOSE_COLUMN, sigma, "ratio", is_close=True)
    told = (Measured(BEFORE_STEP, before, "ratio", 0.0), Measured("difference", difference, "ratio", sigma))
    return _judge_sign(kind, things, found, told)

"""Of two things of a view: which is further left, up, back, or larger, by how much, and how many times."""

from __future__ import annotations

from functools import lru_cache
from math import hypot

from instructions.facts import sizes
from instructions.facts.measured import Measured
from instructions.facts.pairs import MIN_RATIO, volume_sigma
from instructions.facts.verdict import Sign, Verdict, compare_ratio
from instructions.questions.core.asker import Asker
from instructions.questions.core.records import TOO_CLOSE
from instructions.questions.core.truths import Judged
from instructions.questions.core.types import Dimension, QuestionType
from instructions.questions.core.world import Given, Ids

_MORE = frozenset({"right_difference", "above_difference", "behind_difference"})
"""Differences that are asked where A's value is the greater; the others where it is the less."""


def judge_comparison(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
    """Predicate, choice or class of a comparison, both ways round."""
    decided = _decide(asker, kind.dimension, things)
    if isinstance(decided, str):
        return decided
    found, values = decided
    unit = "ratio" if kind.dimension == "volume" else asker.unit
    name = "ratio" if kind.dimension == "volume" else "difference"
    evidence = Measured(name, found.value, unit, found.sigma), Measured("margin", found.margin, unit, 0.0)
    return judge_sign(kind, things, found, (*values, *evidence))


def judge_sign(kind: QuestionType, things: Ids, found: Verdict, evidence: tuple[Measured, ...]) -> Judged | str:
    """The comparison of A with B, and of B with A."""
    if found.sign is None:
        return found.reason or "undecided"
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


def judge_difference(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
    """By how much A is further right, up or back than B, or the other way round, where it is."""
    decided = _decide(asker, kind.dimension, things)
    if isinstance(decided, str):
        return decided
    found, pair = decided[0], asker.pair(*things)
    is_more = kind.name in _MORE
    if found.state is not is_more:
        return "not_so"
    if kind.dimension != "vertical":
        turned = hypot(pair.sigma, asker.standpoint.turn_sigma * pair.distance)
        return asker.judge_length(kind, things, abs(found.value), turned)
    if (pair.bottoms > 0) != is_more:
        return "not_so"
    return asker.hide_sizes(*things) or asker.judge_length(kind, things, abs(pair.bottoms), pair.sigma)


def judge_ratio(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
    """How many times as high, wide or far away the greater is; asked of the greater."""
    known = [asker.known(one) for one in things]
    if kind.dimension == "ahead":
        one, other = (asker.view.viewer.range(x.body.center) for x in known)
        eye = asker.standpoint.eye_sigma
        relative = hypot(known[0].sigma / one, known[1].sigma / other, eye / one, eye / other)
    else:
        if (reason := _hide_extents(asker, kind.dimension, things)) is not None:
            return reason
        one, other = _measure_extents(asker, kind.dimension, things)
        relative = 2**0.5 * hypot(known[0].sigma / one, known[1].sigma / other)
    if one < other:
        things, one, other = things[::-1], other, one
    if compare_ratio(one / other, relative, MIN_RATIO).state is None:
        return "alike_in_size"  # nobody is asked how many times the greater it is where it may be the less
    if relative > asker.bars.relative_sigma_bar:
        return "uncertain"
    measured = Measured(kind.name, one / other, "ratio", one / other * relative)
    evidence = Measured("A", one, asker.unit, 0.0), Measured("B", other, asker.unit, 0.0)
    return Judged(one / other, measured, evidence, things=things)


@lru_cache(maxsize=8)
def _decide(asker: Asker, dimension: Dimension, things: Ids) -> tuple[Verdict, tuple[Measured, ...]] | str:
    """What is known of a comparison of two things, and the two values of sizes; or why nobody knows."""
    pair, at = asker.pair(*things), asker.standpoint
    values: tuple[Measured, ...] = ()
    if dimension == "vertical":
        found = pair.is_above
    elif dimension == "lateral":
        a, b = (asker.find_seen(one).box for one in things)
        found = pair.is_right(at, (a, b))
    elif dimension == "ahead":
        found = pair.is_behind(at)
    else:
        if (reason := _hide_extents(asker, dimension, things)) is not None:
            return reason
        known = [asker.known(one) for one in things]
        one, other = _measure_extents(asker, dimension, things)
        sigmas = [2**0.5 * x.sigma for x in known]
        unit = asker.unit
        if dimension == "volume":
            sigmas, unit = [volume_sigma(x) * y for x, y in zip(known, (one, other), strict=True)], asker.volume_unit
        values = Measured("A", one, unit, sigmas[0]), Measured("B", other, unit, sigmas[1])
        found = {"height": pair.is_taller, "volume": pair.is_bigger}.get(dimension) or pair.is_wider(at.viewer)
    return found.reason or (found, values)


def _measure_extents(asker: Asker, dimension: Dimension, things: Ids) -> tuple[float, float]:
    """Heights, widths as the viewer sees them, or volumes."""
    pair = asker.pair(*things)
    if dimension == "width":
        one, other = (sizes.width(asker.known(x).body, asker.view.viewer) for x in things)
        return one, other
    return pair.heights if dimension == "height" else pair.volumes


def _hide_extents(asker: Asker, dimension: Dimension, things: Ids) -> str | None:
    """Why the sizes of two things cannot be told from this view."""
    reason = asker.hide_sizes(*things)
    if reason is not None:
        return reason
    if dimension != "width":
        return next(filter(None, map(asker.hide_foot, things)), None)
    facing = max(sizes.measure_facing_deg(asker.known(one).body, asker.view.viewer) for one in things)
    return "turned" if facing > asker.bars.most_turned_deg else None

"""Sizes, volumes, and what is above what: whether they may be asked."""

from __future__ import annotations

from math import hypot, log

import numpy as np

from instructions.asking.gates import compare, compare_ratio
from instructions.facts import sizes
from instructions.facts.between import stands_on_gap
from instructions.facts.measured import Measured
from instructions.programs.judge.asker import SetAsker
from instructions.programs.judge.truths import Judged
from instructions.programs.naming import PLANTS
from instructions.programs.reference import analyse
from instructions.programs.types import ProgramType
from instructions.programs.world import Given

Things = tuple[str, ...]


def judge_size(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """One side of one thing."""
    reason = None if kind.unit == "cm" else _blur_sides(asker, things[0], given.side)
    if reason is not None:
        return reason
    body = asker.known(things[0]).body
    factor = 100.0 if kind.unit == "cm" else 1.0
    value = sizes.longest_side(body) if kind.unit == "cm" else sizes.measure_named_side(body, given.side)
    return asker.judge_length(kind, things, value, 2**0.5 * asker.sigma(*things), factor)


def judge_size_comparison(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """The same side of two things."""
    for name in things:
        reason = _blur_sides(asker, name, given.side)
        if reason is not None:
            return reason
    one, other = (sizes.measure_named_side(asker.known(name).body, given.side) for name in things)
    relative = 2**0.5 * hypot(*(asker.known(n).sigma / v for n, v in zip(things, (one, other), strict=True)))
    return _judge_ratio(asker, kind, things, given, (one, other), relative, asker.bars.min_ratio)


def judge_volume(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """The volume of one thing."""
    if not asker.has_scale:
        return "no_scale"
    reason = _flatten(asker, things)
    if reason is not None:
        return reason
    known = asker.known(things[0])
    value = sizes.volume(known.body)
    scale = asker.views.model.scale.sigma
    relative = hypot(3 * scale, _volume_sigma(asker, things[0]))
    if relative > asker.bars.relative_sigma_bar:
        return "uncertain"
    return Judged(
        value,
        Measured(kind.name, value, "m3", value * relative),
        (Measured("error of the scale", 1.0, "ratio", scale),),
    )


def judge_volume_comparison(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """The volumes of several things."""
    reason = _flatten(asker, things)
    if reason is not None:
        return reason
    pick = str(analyse(kind.name, things, asker.scene, given))
    order = sorted(things, key=lambda name: (name != pick, abs(_log_volume(asker, name) - _log_volume(asker, pick))))
    values = tuple(sizes.volume(asker.known(name).body) for name in order[:2])
    relative = hypot(*(_volume_sigma(asker, name) for name in order[:2]))
    return _judge_ratio(asker, kind, things, given, values, relative, asker.bars.min_volume_ratio)


def judge_tallest(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """The heights of several things."""
    order = sorted(things, key=lambda name: -sizes.height(asker.known(name).body))
    one, other = (sizes.height(asker.known(name).body) for name in order[:2])
    relative = 2**0.5 * hypot(asker.known(order[0]).sigma / one, asker.known(order[1]).sigma / other)
    return _judge_ratio(asker, kind, things, given, (one, other), relative, asker.bars.min_ratio)


def judge_above(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Completely above or below, or the other way round; what overlaps is not asked."""
    a, b = (asker.known(name) for name in things)
    lift = max(stands_on_gap(a.body, b.body), stands_on_gap(b.body, a.body))
    margin = max(
        asker.bars.sigmas * asker.sigma(*things),
        (asker.bars.exact_floor_m if asker.exact else asker.bars.floor_m) * asker.metre,
    )
    if lift < margin:
        return "overlap"
    unit = "m" if asker.has_scale else "unit"
    evidence = (Measured("space between them", lift, unit, asker.sigma(*things)), Measured("margin", margin, unit, 0.0))
    return Judged(bool(analyse(kind.name, things, asker.scene, given)), evidence=evidence)


def judge_higher(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """The heights of two centres."""
    pair = asker.pair(*things)
    if pair.beside > asker.bars.most_beside:
        return "side_by_side"
    decision = compare(
        pair.vertical, asker.sigma(*things), apart=pair.distance, mean_size=sum(pair.heights) / 2,
        smaller=pair.smaller_side, metre=asker.metre, has_scale=asker.has_scale, bars=asker.bars,
    )  # fmt: skip
    if decision.verdict not in ("more", "less"):
        return "undecided"
    unit = "m" if asker.has_scale else "unit"
    evidence = (
        Measured("difference", decision.difference, unit, decision.sigma),
        Measured("margin", decision.margin, unit, 0.0),
    )
    return Judged(analyse(kind.name, things, asker.scene, given), evidence=evidence)


def _judge_ratio(
    asker: SetAsker,
    kind: ProgramType,
    things: Things,
    given: Given,
    values: tuple[float, ...],
    relative: float,
    least: float,
) -> Judged | str:
    one, other = values
    decision = compare_ratio(one / other, relative, least, asker.bars)
    if decision.verdict not in ("more", "less"):
        return "alike_in_size"
    evidence = (
        Measured("ratio", decision.difference, "ratio", relative),
        Measured("margin", decision.margin, "ratio", 0.0),
    )
    return Judged(analyse(kind.name, things, asker.scene, given), evidence=evidence)


def _blur_sides(asker: SetAsker, name: str, side: str) -> str | None:
    body = asker.known(name).body
    if side != "height" and np.degrees(np.arccos(min(np.abs(body.axes[2]).max(), 1.0))) > asker.own.most_tilt_deg:
        return "tilted"
    length, width = sizes.length(body), sizes.level_width(body)
    if side in ("length", "width") and asker.known(name).head in PLANTS:
        return "no_length"
    if side in ("length", "width") and length - width < asker.own.least_side_gap * length:
        return "sides_alike"
    return None


def _flatten(asker: SetAsker, things: Things) -> str | None:
    flat = any(2 * asker.known(name).body.half.min() < asker.own.flat_m * asker.metre for name in things)
    return "flat" if flat else None


def _volume_sigma(asker: SetAsker, name: str) -> float:
    known = asker.known(name)
    return hypot(*(2**0.5 * known.sigma / (2 * side) for side in known.body.half))


def _log_volume(asker: SetAsker, name: str) -> float:
    return log(sizes.volume(asker.known(name).body))

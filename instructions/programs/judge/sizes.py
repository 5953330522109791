"""Sizes, volumes, and what is above what: whether they may be asked."""

from __future__ import annotations

from math import hypot, log

import numpy as np

from instructions.facts import sizes
from instructions.facts.measured import Measured
from instructions.facts.pairs import volume_sigma
from instructions.programs.judge.asker import SetAsker
from instructions.programs.judge.truths import Judged
from instructions.programs.naming import PLANTS
from instructions.programs.reference import analyse
from instructions.programs.types import ProgramType
from instructions.programs.world import Given

Things = tuple[str, ...]
_LEAST_VOLUME_M3 = 0.1
"""Volumes are told with two decimals: of a smaller one that is off by more than 5 %, and two options may read alike."""


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
    found = asker.pair(*things).compare_extents(one, other)
    return asker.judge_relation(found, "difference", analyse(kind.name, things, asker.scene, given))


def judge_volume(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """The volume of one thing."""
    if not asker.has_scale:
        return "no_scale"
    reason = _flatten(asker, things)
    if reason is not None:
        return reason
    known = asker.known(things[0])
    value = sizes.volume(known.body)
    if value < _LEAST_VOLUME_M3 * asker.metre**3:
        return "out_of_range"
    scale = asker.views.model.scale.sigma
    relative = hypot(3 * scale, volume_sigma(known))
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
    found = asker.pair(*order[:2]).is_bigger
    return asker.judge_relation(found, "ratio", analyse(kind.name, things, asker.scene, given))


def judge_tallest(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """The heights of several things."""
    order = sorted(things, key=lambda name: -sizes.height(asker.known(name).body))
    found = asker.pair(*order[:2]).is_taller
    return asker.judge_relation(found, "difference", analyse(kind.name, things, asker.scene, given))


def judge_above(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Completely above or below, or the other way round; what overlaps is not asked."""
    found = asker.pair(*things).is_wholly_above
    answer = bool(analyse(kind.name, things, asker.scene, given))
    return asker.judge_relation(found, "bottom of A above top of B", answer)


def judge_higher(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """The heights of two centres."""
    found = asker.pair(*things).is_above
    return asker.judge_relation(found, "difference", analyse(kind.name, things, asker.scene, given))


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


def _log_volume(asker: SetAsker, name: str) -> float:
    return log(sizes.volume(asker.known(name).body))

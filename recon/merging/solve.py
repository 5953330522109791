"""One solve for how linked sub-models stand to each other: seven numbers each, by all links at once.

Links around a loop, or over shared frames and over matches, never agree exactly. Each counts by how exactly it is
known, and one that is far off counts less.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from recon.colmap.align import Alignment
from recon.geometry import Array, Sim3
from recon.merging.links import Link
from recon.records import SubModel

_LEAST_SCALE_SIGMA, _LEAST_TURN_SIGMA_DEG, _LEAST_SHIFT_SIGMA = 0.005, 0.1, 0.01
"""How exactly a link is known at best (scale relative, shift in median depths): models are a little bent, each in its
own way, and say nothing of that."""


def solve(models: Sequence[SubModel], links: Sequence[Link]) -> list[dict[SubModel, Sim3]]:
    """Similarities group_from_model of every group of models that links connect.

    Returns:
        Groups in the order of their first models; the largest model of a group, the first of equals, has its frame and
        unit.
    """
    waiting = sorted(models, key=lambda model: -len(model.frames))
    groups: list[dict[SubModel, Sim3]] = []
    while waiting:
        group = _chain(waiting[0], links)
        waiting = [model for model in waiting if model not in group]
        groups.append(_adjust(group, [link for link in links if link.first in group]))
    return groups


def _chain(start: SubModel, links: Sequence[Link]) -> dict[SubModel, Sim3]:
    """All models that links lead to from one of them, each placed by the fewest."""
    placed = {start: Sim3(1.0, np.eye(3), np.zeros(3))}
    waiting = deque([start])
    while waiting:
        model = waiting.popleft()
        for link in links:
            step = _get_alignment(link).first_from_second
            for known, new, known_from_new in (
                (link.first, link.second, step),
                (link.second, link.first, step.inverse()),
            ):
                if known is model and new not in placed:
                    placed[new] = placed[known] @ known_from_new
                    waiting.append(new)
    return placed


def _adjust(group: dict[SubModel, Sim3], links: Sequence[Link]) -> dict[SubModel, Sim3]:
    """The placed models, the first held still, as all links have them best."""
    first, *rest = group
    if len(links) <= len(rest):  # a tree, which fits all of them
        return group

    def unpack(numbers: Array) -> dict[SubModel, Sim3]:
        moved = map(_from_numbers, numbers.reshape(-1, 7))
        return {first: group[first], **dict(zip(rest, moved, strict=True))}

    def measure(numbers: Array) -> Array:
        placed = unpack(numbers)
        return np.concatenate([_measure_residual(link, placed) for link in links])

    start = np.concatenate([_to_numbers(group[model]) for model in rest])
    return unpack(least_squares(measure, start, loss="soft_l1").x)


def _measure_residual(link: Link, placed: Mapping[SubModel, Sim3]) -> Array:
    """By how many standard deviations (7,) a link is off: scale, turn and shift."""
    alignment = _get_alignment(link)
    known = alignment.first_from_second
    off = _to_numbers(known.inverse() @ placed[link.first].inverse() @ placed[link.second])
    scale = max(_LEAST_SCALE_SIGMA, alignment.scale_disagreement / 2, alignment.depth_spread / len(link.frames) ** 0.5)
    turn = np.radians(max(_LEAST_TURN_SIGMA_DEG, alignment.rotation_disagreement_deg))
    shift = max(_LEAST_SHIFT_SIGMA * alignment.depth, alignment.center_disagreement) / known.scale
    return off / np.array([scale, *[turn] * 3, *[shift] * 3])


def _get_alignment(link: Link) -> Alignment:
    assert link.alignment is not None
    return link.alignment


def _to_numbers(a_from_b: Sim3) -> Array:
    """Log of the scale, rotation vector and translation (7,)."""
    return np.r_[np.log(a_from_b.scale), Rotation.from_matrix(a_from_b.rotation).as_rotvec(), a_from_b.translation]


def _from_numbers(numbers: Array) -> Sim3:
    return Sim3(float(np.exp(numbers[0])), Rotation.from_rotvec(numbers[1:4]).as_matrix(), numbers[4:])

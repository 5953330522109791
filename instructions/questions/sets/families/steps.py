"""The way of the camera from view to view as steps of a turn and a distance, whose sums are those of the walk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from instructions.asking.counts import NotAsked
from instructions.asking.draws import Draw
from instructions.facts.verdict import Measured
from instructions.questions.core.asker import Asker
from instructions.questions.core.types import about_views
from instructions.questions.core.view_sets import Truth
from instructions.questions.wording.templates import templates_of
from instructions.questions.wording.words import Said
from instructions.wording.english import fill
from recon.geometry import Array

STEPS = about_views(
    "steps", "steps", ("video",), "text", (0, 0), "", "none",
    "Turns and distances from the first view to the last, in order.",
)  # fmt: skip
"""The way of the camera. Its truth are the steps in words, and `evidence` has their sums."""

STANDING_M, PAN_DEG = 0.3, 90.0
"""Less than half a stride is no walk: it is added to the next step, unless it comes with a turn like this."""
SWAY_DEG, ALONE_M = 15.0, 2.0
"""So is what goes on for less than this without a turn above the sway of a hand-held camera."""
TOLD_DEG, TOLD_M = 5.0, 0.1
"""Steps are told as coarsely as a camera of unknown height and lens measures them."""
_MOST_TURN_DEG = 180.0
_MOST_MISS = 0.25
"""Share of the way that whoever takes the steps may end from where the camera did. Walks looking ahead missed by up to
0.23 of theirs (an office, 29 steps), cameras that backed off or went sideways by 0.30 to 0.53."""


@dataclass(frozen=True)
class Step:
    """One turn, and what is walked then."""

    turn_deg: float
    """Left is positive; -180 to 180 unless two frames next to each other turn more."""
    distance: float
    """Along the floor, in the unit of the poses: the way taken, not the chord."""


def find_steps(xy: Array, heading_deg: Array, stops: Sequence[int], metre: float = 1.0) -> list[Step]:
    """Steps between stops of a walk; small ones are added to the next, and the rest closes the list.

    Args:
        xy: Floor positions of all frames, (N, 2).
        heading_deg: Of the optical axis, (N,), as atan2 gives it.
        stops: Positions in the walk, rising; steps lie between them.
        metre: One (nominal) metre in the unit of the positions.

    Returns:
        Steps whose turns and distances add up to those of the walk from the first stop to the last. None for fewer
        than two stops.
    """
    turned = np.unwrap(np.asarray(heading_deg, dtype=np.float64), period=360.0)
    walked = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(xy, axis=0), axis=1))])
    out: list[Step] = []
    turn, away = 0.0, 0.0
    for start, end in _split_wide(turned, list(stops)):
        turn, away = turn + float(turned[end] - turned[start]), away + float(walked[end] - walked[start])
        turned_deg, metres = abs(turn), away / metre
        is_still = turned_deg < PAN_DEG and metres < STANDING_M
        if not is_still and not (turned_deg < SWAY_DEG and metres < ALONE_M):
            out.append(Step(turn, away))
            turn, away = 0.0, 0.0
    if turn or away:
        out.append(Step(turn, away))
    return out


def measure_miss(steps: Sequence[tuple[float, float]], heading_deg: float, way: Array) -> float:
    """How far from its end one comes out who takes these steps of degrees and lengths, as a share of their length.

    Args:
        steps: Each a turn, left positive, and the length that is walked then, straight ahead.
        heading_deg: Where one looks at first, as atan2 gives it.
        way: From the start to the end over the floor, (2,), in the unit of the lengths.
    """
    turns, lengths = np.array(steps, dtype=np.float64).reshape(-1, 2).T
    headings = np.radians(heading_deg + np.cumsum(turns))
    end = np.array([np.cos(headings) @ lengths, np.sin(headings) @ lengths])
    return float(np.linalg.norm(end - way) / max(lengths.sum(), 1e-9))


def round_steps(steps: Sequence[Step]) -> list[tuple[int, float]]:
    """Degrees and metres to `TOLD_DEG` and `TOLD_M`, rounded so that the sums stay the walk's to half of either."""
    turns = np.round(np.cumsum([step.turn_deg for step in steps]) / TOLD_DEG) * TOLD_DEG
    ways = np.round(np.cumsum([step.distance for step in steps]) / TOLD_M) * TOLD_M
    told = zip(np.diff(turns, prepend=0.0), np.diff(ways, prepend=0.0), strict=True)
    rounded = [(round(float(turn)), round(float(way), 1)) for turn, way in told]
    return [step for step in rounded if any(step)]


def say_step(turn_deg: int, distance_m: float) -> str:
    """`turn left by 35 degrees and walk 1.2 meters`."""
    turn = f"turn {'left' if turn_deg > 0 else 'right'} by {abs(turn_deg)} degrees" if turn_deg else ""
    walk = f"walk {distance_m:.1f} meters" if distance_m else ""
    return " and ".join(part for part in (turn, walk) if part) or "stay"


def _split_wide(turned: Array, stops: list[int]) -> list[tuple[int, int]]:
    """Pairs of neighbouring stops, with stops in between where a turn is more than half a circle."""
    out: list[tuple[int, int]] = []
    for start, end in pairwise(stops):
        while abs(turned[end] - turned[start]) > _MOST_TURN_DEG and end - start > 1:
            inside = np.abs(turned[start + 1 : end] - turned[start]) <= _MOST_TURN_DEG
            middle = start + 1 + (int(np.flatnonzero(~inside)[0]) - 1 if not inside.all() else end - start - 2)
            middle = min(max(middle, start + 1), end - 1)
            out.append((start, middle))
            start = middle
        out.append((start, end))
    return out


def ask_steps(asker: Asker, draw: Draw, not_asked: NotAsked) -> tuple[Truth, Said] | None:
    """How the camera gets from the first view to the last, in words; None without metres."""
    views = asker.views
    frames, poses = views.model.frames, list(views.model.world_from_cam.values())
    ahead = np.array([pose.forward for pose in poses])
    heading = np.degrees(np.arctan2(ahead[:, 1], ahead[:, 0]))
    stops = [frames.index(frame) for frame in views.frames]
    xy = views.model.centers[:, :2]
    steps = round_steps(find_steps(xy, heading, stops))
    scale = views.model.scale.sigma
    reason = "no_scale" if not asker.has_scale else "uncertain" if scale > asker.bars.relative_sigma_bar else None
    reason = reason or (None if steps else "out_of_range")
    if reason is None and measure_miss(steps, heading[stops[0]], xy[stops[-1]] - xy[stops[0]]) > _MOST_MISS:
        reason = "not_ahead"
    if reason is not None:
        not_asked[STEPS.name, reason] += 1
        return None
    lists = templates_of(STEPS.name)
    question, answer = draw.shorter(lists["questions"]), draw.shorter(lists["answers"])
    told = tuple(say_step(*step) for step in steps)
    said = Said(
        lists["questions"][question],
        fill(lists["answers"][answer], {}, {"q": ", then ".join(told)}),
        f"steps/questions/{question}/answers/{answer}",
    )
    way = sum(distance for _, distance in steps)
    evidence = (
        Measured("way", way, "m", way * scale),
        Measured("turn", float(sum(turn for turn, _ in steps)), "deg", 0.0),
    )
    return Truth(STEPS, views, (), (), told, evidence=evidence), said

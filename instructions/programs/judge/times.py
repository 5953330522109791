"""What views show and in which order: whether it may be asked."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from instructions.asking.names import SURFACES
from instructions.facts.existence import judge_count as judge_complete
from instructions.facts.measured import Measured
from instructions.programs.judge.asker import SetAsker
from instructions.programs.judge.sightings import measure_recall
from instructions.programs.judge.truths import Judged
from instructions.programs.naming import unjoined_of
from instructions.programs.reference import analyse
from instructions.programs.reference.times import find_first_view
from instructions.programs.types import ProgramType
from instructions.programs.world import Given
from instructions.wording.english import head_noun

Things = tuple[str, ...]
MOST_COUNTED = 10


def list_categories(asker: SetAsker) -> list[str]:
    """Categories that could be counted, by name."""
    return sorted({one.category for one in asker.scene.things.values() if asker.known(one.id).thing.category})


def judge_count(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """How many things of a category the views show."""
    if SURFACES.search(given.category):
        return "surface"
    if given.category in asker.around.uncounted:
        return "count_differs"
    mine = [one for one in asker.scene.things.values() if one.category == given.category]
    noun = head_noun(given.category)
    if any(
        head_noun(name) == noun and asker.scene.things[one].category != given.category
        for one in asker.scene.things
        for name in asker.known(one).thing.possible_names
    ):
        return "set_incomplete"
    if not asker.exact and not asker.views.is_scan:
        if any(len(asker.known(one.id).thing.frames) < 2 for one in mine):
            return "set_incomplete"
        found = [
            rival
            for place in range(len(asker.views.views))
            for rival in unjoined_of(asker.views, place)
            if head_noun(rival.words) == noun
        ]
        if found:
            return "set_incomplete"
        detected = [one for one in mine if not asker.known(one.id).is_given]
        if any(measure_recall(asker.views, one.id, asker.bars) < asker.own.least_recall for one in detected):
            return "missed_often"
        if judge_complete(noun, len(mine), 0, is_detected=bool(detected)).state is None:
            return "missed_often"
        if not all(asker.is_surely_so_called(one.id) for one in mine):
            return "unsure_name"
        shared = asker.pairs.share_place([asker.known(one) for one in asker.scene.things])
        if any(one.id in shared for one in mine):
            return "disputed"
    shown = [one for one in mine if one.appear or asker.views.is_scan]
    if any(not one.appear and asker.sightings[one.id].unsure for one in mine):
        return "half_seen"
    if not shown or len(shown) > MOST_COUNTED or (kind.name.startswith("vsi") and len(shown) < 2):
        return "none_or_too_many"
    value = analyse(kind.name, things, asker.scene, given)
    return Judged(value, Measured(kind.name, float(len(shown)), "", 0.0))


def judge_same(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Whether one of the images shows both."""
    a, b = (asker.scene.things[name] for name in things)
    if set(a.appear) & set(b.appear):
        return Judged(True)
    for one, other in ((a, b), (b, a)):
        maybe = asker.sightings[one.id].unsure & (set(other.appear) | asker.sightings[other.id].unsure)
        if maybe:
            return "half_seen"
    return Judged(False)


def judge_order(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """First views of several things: each clearly before any trace of the next."""
    if any(not asker.scene.things[name].appear for name in things):
        return "never_shown"
    first = {name: _first_s(asker, name) for name in things}
    order = sorted(things, key=lambda name: first[name])
    gap_s = asker.own.order_views * _step_s(asker)
    if any(first[name] - asker.sightings[name].since_s > gap_s for name in order[1:]):
        return "unsure_if_seen"
    for one, other in pairwise(order):
        if asker.sightings[other].since_s - first[one] < gap_s - 1e-6:
            return "too_near_in_time"
    evidence = tuple(
        Measured(f"first view of {name}", find_first_view(asker.scene.things[name], asker.scene), "", 0.0)
        for name in order
    )
    return Judged(analyse(kind.name, things, asker.scene, given), evidence=evidence)


def judge_in_frame(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Which of several things the first view of A shows as well."""
    a = asker.scene.things[things[0]]
    if not a.appear:
        return "never_shown"
    first = find_first_view(a, asker.scene)
    if _first_s(asker, a.id) - asker.sightings[a.id].since_s > asker.own.order_views * _step_s(asker):
        return "unsure_if_seen"
    # The thing may be said to appear one view earlier or later: the answer must not hang on that.
    around = [
        asker.scene.cameras[at].frame for at in (first - 1, first, first + 1) if 0 <= at < len(asker.scene.cameras)
    ]
    answer = analyse(kind.name, things, asker.scene, given)
    for name in things[1:]:
        one = asker.scene.things[name]
        frame = asker.scene.cameras[first].frame
        sure = all(view in one.appear for view in around if view >= frame) if frame in one.appear else False
        absent = not any(view in one.appear or view in asker.sightings[name].unsure for view in around)
        if not sure and not absent:
            return "half_seen"
    if not isinstance(answer, tuple) or not 1 <= len(answer) < len(things) - 1:
        return "none_or_too_many"
    return Judged(answer, evidence=(Measured("view", float(first), "", 0.0),))


def _first_s(asker: SetAsker, name: str) -> float:
    frame = asker.scene.cameras[find_first_view(asker.scene.things[name], asker.scene)].frame
    return asker.views.time_s[frame]


def _step_s(asker: SetAsker) -> float:
    times = [asker.views.time_s[frame] for frame in asker.views.frames]
    return float(np.median(np.diff(times))) if len(times) > 1 else 0.0

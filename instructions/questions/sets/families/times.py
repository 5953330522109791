"""What views show, and in which order.

First the reference programs, then whether each question may be asked.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from instructions.asking.names import SURFACES
from instructions.facts.existence import judge_count as judge_complete
from instructions.facts.verdict import Measured
from instructions.questions.core.asker import Asker
from instructions.questions.core.naming import unjoined_of
from instructions.questions.core.sightings import measure_recall
from instructions.questions.core.types import ALL, VIDEO, VSI, QuestionType, about_views
from instructions.questions.core.view_sets import Judged, require
from instructions.questions.core.world import Given, Ids, ProgramScene, ProgramThing, Things, pick_by
from instructions.wording.english import head_noun

FAMILY = "times"
MOST_COUNTED = 10


def count_category(things: Things, scene: ProgramScene, given: Given) -> float:
    """Things of the category that the views show; of a scan without views, all there are."""
    frames = {camera.frame for camera in scene.cameras}
    mine = [thing for thing in scene.things.values() if thing.category == given.category]
    return float(sum(not frames or not frames.isdisjoint(one.appear) for one in mine))


def find_first_view(thing: ProgramThing, scene: ProgramScene) -> int:
    """Position among the views of the first one that shows a thing.

    Raises:
        ValueError: If none shows it.
    """
    shown = set(thing.appear)
    for place, camera in enumerate(scene.cameras):
        if camera.frame in shown:
            return place
    raise ValueError(f"no view shows {thing.id}")


def order_by_first_view(things: Things, scene: ProgramScene, given: Given) -> tuple[str, ...]:
    """Ids in the order in which they are first shown."""
    return tuple(thing.id for thing in sorted(things, key=lambda one: find_first_view(one, scene)))


def judge_count(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """How many things of a category the views show."""
    require(not SURFACES.search(given.category), "surface")
    require(given.category not in asker.around.uncounted, "count_differs")
    mine = [thing for thing in asker.scene.things.values() if thing.category == given.category]
    noun = head_noun(given.category)
    others = (thing for thing in asker.scene.things.values() if thing.category != given.category)
    names = (name for other in others for name in asker.known(other.id).thing.possible_names)
    require(all(head_noun(name) != noun for name in names), "set_incomplete")
    if not asker.exact and not asker.views.is_scan:
        require(all(len(asker.known(one.id).thing.frames) > 1 for one in mine), "set_incomplete")
        detected = [one for one in mine if not asker.known(one.id).is_given]
        require(judge_complete(noun, len(mine), 0, is_detected=bool(detected)).state is not None, "missed_often")
        rivals = (rival for place in range(len(asker.views.views)) for rival in unjoined_of(asker.views, place))
        require(all(head_noun(rival.words) != noun for rival in rivals), "set_incomplete")
        recalls = (measure_recall(asker.views, one.id, asker.bars) for one in detected)
        require(all(recall >= asker.own.least_recall for recall in recalls), "missed_often")
        shared = asker.pairs.share_place([asker.known(thing) for thing in asker.scene.things])
        require(shared.isdisjoint(one.id for one in mine), "disputed")
    shown = [one for one in mine if one.appear or asker.views.is_scan]
    require(all(one.appear or not asker.sightings[one.id].unsure for one in mine), "half_seen")
    least = 2 if kind.name.startswith("vsi") else 1
    require(least <= len(shown) <= MOST_COUNTED, "none_or_too_many")
    return Judged(measured=Measured(kind.name, float(len(shown)), "", 0.0))


def judge_same(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Whether one of the images shows both."""
    a, b = (asker.scene.things[name] for name in things)
    if set(a.appear) & set(b.appear):
        return Judged(True)
    for one, other in ((a, b), (b, a)):
        maybe = asker.sightings[one.id].unsure & (set(other.appear) | asker.sightings[other.id].unsure)
        require(not maybe, "half_seen")
    return Judged(False)


def judge_order(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """First views of several things: each clearly before any trace of the next."""
    require(all(asker.scene.things[name].appear for name in things), "never_shown")
    first = {name: find_first_s(asker, name) for name in things}
    order = sorted(things, key=lambda name: first[name])
    gap_s = asker.own.order_views * measure_step_s(asker)
    since = {name: asker.sightings[name].since_s for name in order}
    require(all(first[name] - since[name] <= gap_s for name in order[1:]), "unsure_if_seen")
    require(all(since[other] - first[one] >= gap_s - 1e-6 for one, other in pairwise(order)), "too_near_in_time")
    evidence = tuple(
        Measured(f"first view of {name}", find_first_view(asker.scene.things[name], asker.scene), "", 0.0)
        for name in order
    )
    return Judged(evidence=evidence)


def judge_in_frame(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """Which of several things the first view of A shows as well."""
    a = asker.scene.things[things[0]]
    require(bool(a.appear), "never_shown")
    first, since_s = find_first_view(a, asker.scene), find_first_s(asker, a.id) - asker.sightings[a.id].since_s
    require(since_s <= asker.own.order_views * measure_step_s(asker), "unsure_if_seen")
    # The thing may be said to appear one view earlier or later: the answer must not hang on that.
    around = [
        asker.scene.cameras[at].frame for at in (first - 1, first, first + 1) if 0 <= at < len(asker.scene.cameras)
    ]
    answer = asker.answer(kind, things, given)
    for name in things[1:]:
        one = asker.scene.things[name]
        frame = asker.scene.cameras[first].frame
        sure = all(view in one.appear for view in around if view >= frame) if frame in one.appear else False
        absent = not any(view in one.appear or view in asker.sightings[name].unsure for view in around)
        require(sure or absent, "half_seen")
    require(isinstance(answer, tuple) and 1 <= len(answer) < len(things) - 1, "none_or_too_many")
    return Judged(evidence=(Measured("view", float(first), "", 0.0),))


def find_first_s(asker: Asker, name: str) -> float:
    """Time of the first view that shows a thing."""
    frame = asker.scene.cameras[find_first_view(asker.scene.things[name], asker.scene)].frame
    return asker.views.time_s[frame]


def measure_step_s(asker: Asker) -> float:
    """Usual seconds from one view to the next."""
    times = [asker.views.time_s[frame] for frame in asker.views.frames]
    return float(np.median(np.diff(times))) if len(times) > 1 else 0.0


TYPES = (
    about_views(FAMILY, "counting", ALL, "number", (0, 0), "", "none",
        "Things of the category that the views show; without views, all there are.",
        spellings=("object_counting", "object_count", "count"),
        reference=count_category, judge=judge_count),
    about_views(FAMILY, "in_same", ("images",), "yes_no", (2, 2), "", "none", "Whether one of the images shows both.",
        spellings=("in_same_image", "in_the_same_image", "object_in_same"),
        reference=lambda things, scene, given: not {camera.frame for camera in scene.cameras}.isdisjoint(
            set(things[0].appear) & set(things[1].appear)),
        judge=judge_same),
    about_views(FAMILY, "appearance_order", VIDEO, "order", (3, 4), "", "none",
        "By the first view that shows at least 0.3 of each and 0.4 % of the picture.",
        spellings=("obj_appearance_order", "object_appearance_order"),
        reference=order_by_first_view, judge=judge_order),
    about_views(FAMILY, "temporal_sequence", VIDEO, "thing", (2, 2), "", "none", "Which is shown first.",
        (Given(word="first"), Given(word="last")), has_twin=True,
        spellings=("temporal_order", "object_temporal_sequence"),
        reference=pick_by(lambda one, scene, given: find_first_view(one, scene)), judge=judge_order),
    about_views(FAMILY, "in_frame", VIDEO, "things", (3, 6), "", "none",
        "Which of those named the view shows in which A is shown first.",
        spellings=("object_in_frame", "in_frame_objects"),
        reference=lambda things, scene, given: tuple(sorted(one.id for one in things[1:]
            if scene.cameras[find_first_view(things[0], scene)].frame in one.appear)),
        judge=judge_in_frame),
    about_views(FAMILY, "vsi_object_counting", VSI, "number", (0, 0), "", "none",
        "Things of the category, two or more.",
        words="counting", spellings=("vsi_counting",), options="never",
        reference=count_category, judge=judge_count),
    about_views(FAMILY, "vsi_appearance_order", VSI, "order", (4, 4), "", "none", "First views of four.",
        words="appearance_order", options="always",
        reference=order_by_first_view, judge=judge_order),
)  # fmt: skip

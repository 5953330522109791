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
from instructions.questions.core.view_sets import Judged
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


def judge_count(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
    """How many things of a category the views show."""
    if SURFACES.search(given.category):
        return "surface"
    if given.category in asker.around.uncounted:
        return "count_differs"
    mine = [thing for thing in asker.scene.things.values() if thing.category == given.category]
    noun = head_noun(given.category)
    if any(
        head_noun(name) == noun and asker.scene.things[thing].category != given.category
        for thing in asker.scene.things
        for name in asker.known(thing).thing.possible_names
    ):
        return "set_incomplete"
    if not asker.exact and not asker.views.is_scan:
        if any(len(asker.known(one.id).thing.frames) < 2 for one in mine):
            return "set_incomplete"
        detected = [one for one in mine if not asker.known(one.id).is_given]
        if judge_complete(noun, len(mine), 0, is_detected=bool(detected)).state is None:
            return "missed_often"
        found = [
            rival
            for place in range(len(asker.views.views))
            for rival in unjoined_of(asker.views, place)
            if head_noun(rival.words) == noun
        ]
        if found:
            return "set_incomplete"
        if any(measure_recall(asker.views, one.id, asker.bars) < asker.own.least_recall for one in detected):
            return "missed_often"
        shared = asker.pairs.share_place([asker.known(thing) for thing in asker.scene.things])
        if any(one.id in shared for one in mine):
            return "disputed"
    shown = [one for one in mine if one.appear or asker.views.is_scan]
    if any(not one.appear and asker.sightings[one.id].unsure for one in mine):
        return "half_seen"
    if not shown or len(shown) > MOST_COUNTED or (kind.name.startswith("vsi") and len(shown) < 2):
        return "none_or_too_many"
    return Judged(measured=Measured(kind.name, float(len(shown)), "", 0.0))


def judge_same(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
    """Whether one of the images shows both."""
    a, b = (asker.scene.things[name] for name in things)
    if set(a.appear) & set(b.appear):
        return Judged(True)
    for one, other in ((a, b), (b, a)):
        maybe = asker.sightings[one.id].unsure & (set(other.appear) | asker.sightings[other.id].unsure)
        if maybe:
            return "half_seen"
    return Judged(False)


def judge_order(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
    """First views of several things: each clearly before any trace of the next."""
    if any(not asker.scene.things[name].appear for name in things):
        return "never_shown"
    first = {name: find_first_s(asker, name) for name in things}
    order = sorted(things, key=lambda name: first[name])
    gap_s = asker.own.order_views * measure_step_s(asker)
    if any(first[name] - asker.sightings[name].since_s > gap_s for name in order[1:]):
        return "unsure_if_seen"
    for one, other in pairwise(order):
        if asker.sightings[other].since_s - first[one] < gap_s - 1e-6:
            return "too_near_in_time"
    evidence = tuple(
        Measured(f"first view of {name}", find_first_view(asker.scene.things[name], asker.scene), "", 0.0)
        for name in order
    )
    return Judged(evidence=evidence)


def judge_in_frame(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
    """Which of several things the first view of A shows as well."""
    a = asker.scene.things[things[0]]
    if not a.appear:
        return "never_shown"
    first = find_first_view(a, asker.scene)
    if find_first_s(asker, a.id) - asker.sightings[a.id].since_s > asker.own.order_views * measure_step_s(asker):
        return "unsure_if_seen"
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
        if not sure and not absent:
            return "half_seen"
    if not isinstance(answer, tuple) or not 1 <= len(answer) < len(things) - 1:
        return "none_or_too_many"
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

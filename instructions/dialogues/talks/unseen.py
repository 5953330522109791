"""What cannot be seen from here: one question about a thing, from a view that shows it and from one that does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from instructions.dialogues.clouds.cloud_tasks import CloudThings
from instructions.dialogues.records import NOT_IN_VIEW, Evidence, TaskTruth
from instructions.dialogues.talk_view import TalkThing, TalkView
from instructions.dialogues.talks.facts_talk import SIDES, side_of
from instructions.dialogues.tasks.tasks import Draft
from instructions.dialogues.templates import Noun
from instructions.records import Side
from instructions.view import OUTSIDE_DEG


def ask_unseen(things: CloudThings, views: Sequence[TalkView]) -> Iterator[tuple[TalkView, Draft]]:
    """For each thing that is the only one of its kind in the model a question where it is seen, then where it is not.

    Unseen is only what by its measured place lies outside of the picture, of a kind that was looked for there and in
    the neighbouring frames and not found: neither a missed detection nor a second one can make the pair false.

    Args:
        things: Of the model's cloud.
        views: Of the same model.
    """
    for box in things.alone:
        known = things.known[box.object]
        shown: list[tuple[TalkView, TalkThing, Side]] = [
            (view, one, side)
            for view in views
            for one in view.named
            if one.id == box.object and one.phrase == f"the {one.kind}" and (side := side_of(view, one)) is not None
        ]
        hidden = [view for view in views if view.is_absent(box.name) and view.lies_outside(known)]
        if not shown or not hidden:
            continue
        view, one, side = max(shown, key=lambda pair: (pair[1].visible_fraction, -pair[0].frame))
        other = min(hidden, key=lambda part: (abs(part.frame - view.frame), part.frame))
        slots = {"P": Noun(f"the {box.name}")}
        group = f"unseen {box.object}"
        evidence = Evidence(f"side {one.id}", f"{box.name} {SIDES[side]}", (one.id,), view.measure_middle(one), "width")
        truth = TaskTruth(label=side, objects=(one.talk_box,))
        yield view, Draft("unseen", box.object, truth, (evidence,), slots | {"side": SIDES[side]},
                          boxes=(one.talk_box,), variant="seen", names_class=box.name, group=group)  # fmt: skip
        away = other.viewer.measure_bearing_deg(known.body.center)
        evidence = Evidence(f"outside {one.id}", f"{box.name} lies outside of the picture", (one.id,), away, "deg", 0.0,
                            OUTSIDE_DEG)  # fmt: skip
        yield other, Draft("unseen", box.object, TaskTruth(label=NOT_IN_VIEW), (evidence,), slots, variant="unseen",
                           names_class=box.name, group=group)  # fmt: skip

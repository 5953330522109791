"""Walk-along talks: turn k is asked at picture k, and answers look back at what earlier pictures showed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import atan2, degrees, hypot

from instructions.asking.draws import Draw
from instructions.dialogues.options import WalkOptions
from instructions.dialogues.records import Evidence
from instructions.dialogues.talk_view import TalkThing, TalkView
from instructions.dialogues.talks.facts_talk import LEAST_TURNS, Said, Talk, say_what

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
HIDDEN_KIND = "picture"
"""What hangs on a wall is not talked about: "the picture of the first picture" is a riddle."""
_QUARTERS = {"ahead of us": 0.0, "to our right": 90.0, "to our left": -90.0, "behind us": 180.0}
"""Their middles, degrees clockwise from ahead."""


def cut_walks(views: Sequence[TalkView], times_s: Sequence[float], options: WalkOptions) -> list[tuple[TalkView, ...]]:
    """Stretches of a tour whose views follow each other soon enough to be one walk."""
    runs: list[list[TalkView]] = [[view] for view in views[:1]]
    for (_, before), (view, after) in pairwise(zip(views, times_s, strict=True)):
        if after - before <= options.gap_s and len(runs[-1]) < options.views:
            runs[-1].append(view)
        else:
            runs.append([view])
    return [tuple(run) for run in runs if len(run) >= LEAST_TURNS]


def write_walk(views: Sequence[TalkView], options: WalkOptions, draw: Draw) -> Talk | None:
    """A talk of one turn per picture; None where fewer than three pictures have something that is sure."""
    talk = Talk()
    first = say_what(views[0])
    if first is None:
        return None
    talk.put(first, draw, view=views[0].frame)
    asked: set[tuple[str, str]] = set()
    for place in range(1, len(views)):
        by_topic: dict[str, list[Said]] = {}
        for one in _look_back(views, place, options):
            if (one.topic, one.evidence[0].objects[0]) not in asked:
                by_topic.setdefault(f"{one.topic} {one.variant} {one.slots.get('side', '')}", []).append(one)
        if by_topic:
            # First what kind of answer, then about what: else the commonest answer would be the usual one.
            chosen = draw.pick(by_topic[draw.pick(sorted(by_topic))])
            asked.add((chosen.topic, chosen.evidence[0].objects[0]))
            talk.put(chosen, draw, view=views[place].frame)
    return talk if len(talk.turns) >= LEAST_TURNS else None


def _look_back(views: Sequence[TalkView], place: int, options: WalkOptions) -> Iterator[Said]:
    """What can be asked at a picture about things that an earlier one showed."""
    here = views[place]
    told: set[str] = set()
    for when, before in enumerate(views[:place]):
        for thing in before.named:
            if thing.id in told or thing.kind == HIDDEN_KIND:
                continue
            told.add(thing.id)
            slots: dict[str, str] = {"P": thing.phrase, "when": ORDINALS[when]}
            side = tell_side(here, thing, options)
            if side is not None:
                words, bearing, slack = side
                evidence = Evidence(
                    f"bearing {thing.id} {here.frame}", f"{thing.phrase}: {words}", (thing.id,), bearing, "deg",
                    slack / here.gates.sigmas, slack,
                )  # fmt: skip
                yield Said("walk_where", "place", slots | {"side": words}, (evidence,))
                if words == "behind us":
                    yield Said("walk_still", "visible", slots | {"side": words}, (evidence,), variant="no")
            now = next((one for one in here.told if one.id == thing.id), None)
            if now is not None:
                name, words = f"visible {thing.id} {here.frame}", f"{thing.name} is seen"
                evidence = Evidence(name, words, (thing.id,), now.visible_fraction)
                yield Said("walk_still", "visible", slots, (evidence,), variant="yes")
            nearer = tell_approach(before, here, thing, options)
            if nearer is not None:
                variant = "yes" if (nearer.value or 0) > 0 else "no"
                yield Said("walk_nearer", "relation", slots, (nearer,), variant=variant)


def tell_side(here: TalkView, thing: TalkThing, options: WalkOptions) -> tuple[str, float, float] | None:
    """Where a thing is, seen or not, from a view: in words, its bearing, and the error allowed for; None if unsure."""
    viewer, body = here.viewer, thing.body
    if not viewer.has_sides:
        return None
    flat = hypot(viewer.lateral(body.center), viewer.distance_ahead(body.center))
    # A large thing beside us is ahead and behind at once: half its width counts as error.
    reach = hypot(*body.half[:2]) / 2 + here.gates.sigmas * thing.sigma
    if flat < options.away_m * here.metre:
        return None
    slack = degrees(atan2(reach, flat)) + options.side_slack_deg
    bearing = viewer.measure_bearing_deg(body.center)
    words = find_quarter(bearing, slack, _QUARTERS)
    return None if words is None else (words, bearing, slack)


def find_quarter(bearing_deg: float, slack_deg: float, middles: dict[str, float]) -> str | None:
    """The words of the quarter in which a direction surely lies; `middles` in degrees clockwise from ahead."""
    for words, middle in middles.items():
        if abs((bearing_deg - middle + 180.0) % 360.0 - 180.0) + slack_deg <= 45.0:
            return words
    return None


def tell_approach(before: TalkView, here: TalkView, thing: TalkThing, options: WalkOptions) -> Evidence | None:
    """By how much we are nearer to a thing than before, negative for further; None where that is not sure."""
    center = thing.body.center
    was, now = before.viewer.range(center), here.viewer.range(center)
    # The error of the thing is the same in both, so most of it cancels; what stays is measured by half of it.
    margin = max(options.approach_m * here.metre, options.approach * max(was, now), thing.sigma)
    if abs(was - now) < margin:
        return None
    return Evidence(
        f"approach {thing.id} {before.frame} {here.frame}", f"{was:.2f} then, {now:.2f} now", (thing.id,),
        was - now, "model unit", thing.sigma / 2, margin,
    )  # fmt: skip

"""Walk-along talks: turn k is asked at picture k, and answers look back at what earlier pictures showed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import atan2, degrees, hypot

from instructions.asking.draws import Draw
from instructions.dialogues.options import WalkOptions
from instructions.dialogues.records import About, Evidence, Turn
from instructions.dialogues.talk_view import TalkThing, TalkView
from instructions.dialogues.talks.facts_talk import LEAST_TURNS, Talk, say_what
from instructions.dialogues.templates import Noun, fill, load_talk

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
HIDDEN_KIND = "picture"
"""What hangs on a wall is not talked about: "the picture of the first picture" is a riddle."""
_QUARTERS = {"ahead of us": 0.0, "to our right": 90.0, "to our left": -90.0, "behind us": 180.0}
"""Their middles, degrees clockwise from ahead."""


def cut_walks(views: Sequence[TalkView], times_s: Sequence[float], options: WalkOptions) -> list[tuple[TalkView, ...]]:
    """Stretches of a tour whose views follow each other soon enough to be one walk.

    Args:
        views: The chosen views of a model, in time order.
        times_s: Of each.
        options: How many views, and how far apart in time.
    """
    runs: list[list[TalkView]] = [[view] for view in views[:1]]
    for (_, before), (view, after) in pairwise(zip(views, times_s, strict=True)):
        if after - before <= options.gap_s and len(runs[-1]) < options.views:
            runs[-1].append(view)
        else:
            runs.append([view])
    return [tuple(run) for run in runs if len(run) >= LEAST_TURNS]


def write_walk(views: Sequence[TalkView], options: WalkOptions, draw: Draw) -> Talk | None:
    """A talk of one turn per picture; None where fewer than three pictures have something that is sure.

    Args:
        views: A walk, in time order.
        options: When something may be said.
        draw: Of facts and wordings.
    """
    talk = Talk()
    first = say_what(views[0])
    if first is None:
        return None
    talk.put(first, draw, view=views[0].frame)
    asked: set[tuple[str, str]] = set()
    for place in range(1, len(views)):
        found = list(_look_back(views, place, options))
        fresh = [one for one in found if (one[0], one[1].id) not in asked]
        by_topic: dict[str, list[tuple[str, TalkThing, _Answer]]] = {}
        for one in fresh:
            by_topic.setdefault(f"{one[0]} {one[2].variant} {one[2].side}", []).append(one)
        if not by_topic:
            continue
        # First what kind of answer, then about what: else the commonest answer would be the usual one.
        topics = sorted(by_topic)
        chosen = by_topic[topics[int(draw.uniform() * len(topics))]]
        topic, thing, answer = chosen[int(draw.uniform() * len(chosen))]
        asked.add((topic, thing.id))
        _put(talk, topic, thing, answer, views[place].frame, draw)
    return talk if len(talk.turns) >= LEAST_TURNS else None


@dataclass(frozen=True)
class _Answer:
    """What is said of a thing of an earlier picture."""

    when: int
    """Place of that picture."""
    evidence: Evidence
    about: About
    variant: str = ""
    side: str = ""


def _look_back(views: Sequence[TalkView], place: int, options: WalkOptions) -> Iterator[tuple[str, TalkThing, _Answer]]:
    """What can be asked at a picture about things that an earlier one showed."""
    here = views[place]
    told: set[str] = set()
    for when, before in enumerate(views[:place]):
        for thing in before.named:
            if thing.id in told or thing.kind == HIDDEN_KIND:
                continue
            told.add(thing.id)
            side = tell_side(here, thing, options)
            if side is not None:
                words, bearing, slack = side
                evidence = Evidence(
                    f"bearing {thing.id} {here.frame}", f"{thing.phrase}: {words}", (thing.id,), bearing, "deg",
                    slack / here.gates.sigmas, slack,
                )  # fmt: skip
                yield "walk_where", thing, _Answer(when, evidence, "place", side=words)
                if words == "behind us":
                    yield "walk_still", thing, _Answer(when, evidence, "visible", "no", words)
            now = next((one for one in here.told if one.id == thing.id), None)
            if now is not None:
                share = now.visible_fraction
                evidence = Evidence(f"visible {thing.id} {here.frame}", f"{thing.name} is seen", (thing.id,), share)
                yield "walk_still", thing, _Answer(when, evidence, "visible", "yes")
            nearer = tell_approach(before, here, thing, options)
            if nearer is not None:
                yield (
                    "walk_nearer",
                    thing,
                    _Answer(when, nearer, "relation", "yes" if (nearer.value or 0) > 0 else "no"),
                )


def tell_side(here: TalkView, thing: TalkThing, options: WalkOptions) -> tuple[str, float, float] | None:
    """Where a thing is, seen or not, from a view: in words, its bearing, and the error allowed for; None if unsure."""
    viewer = here.viewer
    if not viewer.has_sides:
        return None
    body = thing.body
    bearing = viewer.measure_bearing_deg(body.center)
    flat = hypot(viewer.lateral(body.center), viewer.distance_ahead(body.center))
    # A large thing beside us is ahead and behind at once: half its width counts as error.
    reach = hypot(*body.half[:2]) / 2 + here.gates.sigmas * thing.sigma
    if flat < options.away_m * here.metre:
        return None
    slack = degrees(atan2(reach, flat)) + options.side_slack_deg
    for words, middle in _QUARTERS.items():
        if abs((bearing - middle + 180.0) % 360.0 - 180.0) + slack <= 45.0:
            return words, bearing, slack
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


def _put(talk: Talk, topic: str, thing: TalkThing, answer: _Answer, frame: int, draw: Draw) -> None:
    pool = load_talk()[topic]
    answers = pool.answers[answer.variant]
    asked, told = int(draw.uniform() * len(pool.questions)), int(draw.uniform() * len(answers))
    slots = {"P": Noun(thing.phrase or ""), "when": ORDINALS[answer.when], "side": answer.side}
    turn = Turn(
        fill(pool.questions[asked], slots), fill(answers[told], slots), answer.about, (answer.evidence.name,),
        view=frame,
    )  # fmt: skip
    variant = f"answers_{answer.variant}" if answer.variant else "answers"
    talk.add(turn, (answer.evidence,), (), f"talk.{topic}/questions/{asked}/{variant}/{told}")

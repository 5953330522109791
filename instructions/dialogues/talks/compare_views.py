"""Talks about several pictures at once: which of them shows a kind, which is nearer, and whether two things are one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import hypot

from instructions.asking.draws import Draw
from instructions.dialogues.options import WalkOptions
from instructions.dialogues.records import Evidence
from instructions.dialogues.talk_view import TalkView
from instructions.dialogues.talks.facts_talk import LEAST_TURNS, Said, Talk
from instructions.dialogues.talks.walk_talk import HIDDEN_KIND, tell_approach
from instructions.dialogues.templates import kind_slots
from instructions.facts.between import distance
from instructions.wording.english import with_article


def compare_views(views: Sequence[TalkView], most_turns: int, options: WalkOptions, draw: Draw) -> Talk | None:
    """A talk of 3 turns or more about pictures of one walk; None where too little is sure.

    Args:
        views: In the order in which the pictures are shown.
        most_turns: Of the talk.
        options: When something may be said.
        draw: Of facts and wordings.
    """
    same = list(_say_same(views, options))
    made = [_say_which(views), _say_nearer(views, options)]
    made += [[one for one in same if one.variant == variant] for variant in ("yes", "no")]
    pools = [draw.shuffle(one) for one in made]
    talk = Talk()
    told: set[str] = set()
    while len(talk.turns) < most_turns and any(pools):
        for pool in pools:
            said = next((one for one in pool if one.evidence[0].name not in told), None)
            pool[:] = [one for one in pool if one is not said] if said is not None else []
            if said is not None and len(talk.turns) < most_turns:
                told.add(said.evidence[0].name)
                talk.put(said, draw)
    return talk if len(talk.turns) >= LEAST_TURNS else None


def _say_which(views: Sequence[TalkView]) -> Iterator[Said]:
    """Kinds that one picture shows and the others surely do not."""
    for place, view in enumerate(views, start=1):
        for kind in view.kinds:
            if kind != HIDDEN_KIND and all(other.is_absent(kind) for other in views if other is not view):
                things = tuple(one.id for one in view.told if one.kind == kind)
                words = f"of these pictures only {place} shows {with_article(kind)}"
                slots: dict[str, str] = {**kind_slots(kind), "n": str(place)}
                yield Said("compare_which", "visible", slots, (Evidence(f"only {kind} {view.frame}", words, things),))


def _say_nearer(views: Sequence[TalkView], options: WalkOptions) -> Iterator[Said]:
    """Things that two pictures call the same: from which of them they are nearer."""
    for (a, one), (b, other) in combinations(enumerate(views, start=1), 2):
        known = {thing.id: thing for thing in other.named}
        for thing in one.named:
            again = known.get(thing.id)
            if again is None or again.phrase != thing.phrase or thing.kind == HIDDEN_KIND:
                continue
            found = tell_approach(one, other, thing, options)
            if found is not None:
                slots: dict[str, str] = {"P": thing.phrase, "a": str(a), "b": str(b)}
                slots["n"] = str(b if (found.value or 0.0) > 0 else a)
                yield Said("compare_nearer", "relation", slots, (found,))


def _say_same(views: Sequence[TalkView], options: WalkOptions) -> Iterator[Said]:
    """Things of one kind in two pictures: one thing seen twice, or two that are far enough apart to be two."""
    for (a, one), (b, other) in combinations(enumerate(views, start=1), 2):
        for thing in one.named:
            for again in other.named:
                if thing.kind in (None, HIDDEN_KIND) or thing.kind != again.kind:
                    continue
                apart = distance(thing.body, again.body)
                margin = options.different_m * one.metre + one.gates.sigmas * hypot(thing.sigma, again.sigma)
                if thing.id != again.id and apart < margin:
                    continue
                evidence = Evidence(
                    f"same {thing.id} {again.id} {one.frame} {other.frame}",
                    f"{thing.id} in {one.frame} and {again.id} in {other.frame} are {apart:.2f} apart",
                    (thing.id, again.id), apart, "model unit", 0.0, margin,
                )  # fmt: skip
                slots: dict[str, str] = {
                    **kind_slots(thing.kind), "P": thing.phrase, "Q": again.phrase, "a": str(a), "b": str(b),
                }  # fmt: skip
                variant = "yes" if thing.id == again.id else "no"
                yield Said("compare_same", "relation", slots, (evidence,), variant=variant)

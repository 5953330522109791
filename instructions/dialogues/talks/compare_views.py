"""Talks about several pictures at once: which of them shows a kind, which is nearer, and whether two things are one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import hypot

from instructions.asking.draws import Draw
from instructions.dialogues.options import WalkOptions
from instructions.dialogues.records import Evidence
from instructions.dialogues.talk_view import TalkThing, TalkView
from instructions.dialogues.talks.facts_talk import LEAST_TURNS, Said, Talk
from instructions.dialogues.talks.walk_talk import HIDDEN_KIND, tell_approach
from instructions.dialogues.templates import Noun, kind_slots
from instructions.wording.english import join_list, with_article


def compare_views(views: Sequence[TalkView], most_turns: int, options: WalkOptions, draw: Draw) -> Talk | None:
    """A talk of 3 turns or more about pictures of one walk; None where too little is sure.

    Args:
        views: In the order in which the pictures are shown.
        most_turns: Of the talk.
        options: When something may be said.
        draw: Of facts and wordings.
    """
    pools = [sorted(made, key=lambda _: draw.uniform()) for made in _find_all(views, options)]
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


def _find_all(views: Sequence[TalkView], options: WalkOptions) -> list[list[Said]]:
    same = list(_say_same(views, options))
    return [
        list(_say_which(views)),
        list(_say_nearer(views, options)),
        [one for one in same if one.variant == "yes"],
        [one for one in same if one.variant == "no"],
    ]


def _say_which(views: Sequence[TalkView]) -> Iterator[Said]:
    """Kinds that one picture shows and the others surely do not."""
    for place, view in enumerate(views):
        for kind in dict.fromkeys(one.kind for one in view.told if one.kind is not None):
            if kind != HIDDEN_KIND and all(other.is_absent(kind) for other in views if other is not view):
                things = tuple(one for one in view.told if one.kind == kind)
                evidence = Evidence(
                    f"only {kind} {view.frame}", f"of these pictures only {place + 1} shows {with_article(kind)}",
                    tuple(one.id for one in things),
                )  # fmt: skip
                slots: dict[str, str | Noun] = {**kind_slots(kind), "n": str(place + 1)}
                yield Said("compare_which", "visible", slots, (evidence,), ())


def _say_nearer(views: Sequence[TalkView], options: WalkOptions) -> Iterator[Said]:
    """Things that two pictures call the same: from which of them they are nearer."""
    for (a, one), (b, other) in combinations(enumerate(views), 2):
        known = {thing.id: thing for thing in other.named}
        for thing in one.named:
            again = known.get(thing.id)
            if again is None or again.phrase != thing.phrase or thing.kind == HIDDEN_KIND:
                continue
            found = tell_approach(one, other, thing, options)
            if found is not None:
                slots: dict[str, str | Noun] = {"P": Noun(thing.phrase or ""), "a": str(a + 1), "b": str(b + 1)}
                slots["n"] = str(b + 1 if (found.value or 0.0) > 0 else a + 1)
                yield Said("compare_nearer", "relation", slots, (found,), ())


def _say_same(views: Sequence[TalkView], options: WalkOptions) -> Iterator[Said]:
    """Things of one kind in two pictures: one thing seen twice, or two that are far enough apart to be two."""
    for (a, one), (b, other) in combinations(enumerate(views), 2):
        for thing in one.named:
            for again in other.named:
                if thing.kind in (None, HIDDEN_KIND) or thing.kind != again.kind:
                    continue
                apart = _apart(thing, again)
                margin = options.different_m * one.metre + one.gates.sigmas * hypot(thing.sigma, again.sigma)
                if thing.id != again.id and apart < margin:
                    continue
                variant = "yes" if thing.id == again.id else "no"
                words = join_list([f"{thing.id} in {one.frame}", f"{again.id} in {other.frame}"])
                evidence = Evidence(
                    f"same {thing.id} {again.id} {one.frame} {other.frame}", f"{words} are {apart:.2f} apart",
                    (thing.id, again.id), apart, "model unit", 0.0, margin,
                )  # fmt: skip
                slots: dict[str, str | Noun] = {
                    **kind_slots(thing.kind), "P": Noun(thing.phrase or ""), "Q": Noun(again.phrase or ""),
                    "a": str(a + 1), "b": str(b + 1),
                }  # fmt: skip
                yield Said("compare_same", "relation", slots, (evidence,), (), variant)


def _apart(one: TalkThing, other: TalkThing) -> float:
    return float(((one.body.center - other.body.center) ** 2).sum() ** 0.5)

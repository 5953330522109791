"""Every kind of data says the same of the same two things: 150 made pairs, seen from one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from instructions.asking.bars import GateOptions
from instructions.dialogues.options import TalkGates
from instructions.dialogues.relations import find_view_relations
from instructions.dialogues.talk_view import tell_view
from instructions.facts.pairs import PairTable
from instructions.questions.core.asker import Asker
from instructions.questions.core.options import ProgramBars
from instructions.questions.core.records import TOO_CLOSE
from instructions.questions.core.truths import Truth
from instructions.questions.core.view_sets import ViewSet
from instructions.questions.core.world import Given
from instructions.questions.sets.judging import judge_question
from instructions.questions.things.view_judge import find_truths
from instructions.regions.facts import find_facts
from instructions.truth.view_claims import ViewBars, ViewClaim, ViewClaimKind
from instructions.truth.view_measures import judge
from instructions.view import View
from tests.support.worlds.box_rooms import Block, Room, make_room

PAIRS = 150
OPPOSITES: dict[str, str] = {
    "right": "left", "behind": "front", "above": "below", "tall": "short", "wide": "thin", "big": "small",
}  # fmt: skip
CLAIMS: dict[str, ViewClaimKind] = {
    "right": "right of", "left": "left of", "behind": "behind", "front": "in front of", "above": "above",
    "below": "below", "tall": "taller", "short": "shorter", "wide": "wider", "thin": "narrower", "big": "larger",
    "small": "smaller", "on": "on", "next": "next to", "nearer": "nearer",
}  # fmt: skip
Said = tuple[str, str, str, str, bool]
"""Who says it, relation, A, B, and whether it holds."""


def make_pairs() -> Iterator[Room]:
    """A pair of boxes each: half of them near to touching in some way, where bars decide."""
    rng = np.random.default_rng(7)
    for _ in range(PAIRS):
        size_a, size_b = (tuple(rng.uniform(0.3, 1.2, 3).tolist()) for _ in range(2))
        a = (float(rng.uniform(2.5, 5.0)), float(rng.uniform(-1.2, 1.2)), size_a[2] / 2)
        kind = rng.integers(4)
        if kind == 0:  # about on top
            lift = float(rng.uniform(-0.15, 0.20))
            b = (a[0] + float(rng.uniform(-0.3, 0.3)), a[1], size_a[2] + lift + size_b[2] / 2)
        elif kind == 1:  # about beside
            aside = float(rng.choice((-1.0, 1.0))) * ((size_a[1] + size_b[1]) / 2 + float(rng.uniform(0.0, 0.9)))
            b = (a[0] + float(rng.uniform(-0.2, 0.2)), a[1] + aside, size_b[2] / 2)
        else:
            b = (
                float(rng.uniform(2.5, 5.0)),
                float(rng.uniform(-1.2, 1.2)),
                size_b[2] / 2 + float(rng.uniform(0.0, 0.6)),
            )
        yield make_room((Block("sofa", a, size_a), Block("lamp", b, size_b)))


def listen(room: Room, sigma: float) -> Iterator[Said]:
    """What every kind says of the two things of a room; with a sigma, as if it had been measured so."""
    known = {name: replace(one, sigma=sigma) for name, one in room.tour.know(room.model).items()}
    pairs = PairTable(room.model)
    for view in _measure(room, sigma):
        for truth in find_truths(Asker(ViewSet.of_view(view), pairs, GateOptions()), Counter()):
            if len(truth.things) != 2:
                continue
            a, b = truth.things
            comparison = truth.kind.comparison
            if truth.kind.family == "stands_on":
                yield "spatial", "on", a, b, truth.value == "yes"
            elif truth.kind.family == "class" and comparison is not None and truth.value != TOO_CLOSE:
                yield "spatial", comparison.more, a, b, truth.value == comparison.say_more
        asker = Asker(ViewSet("image", room.model, (view,), known, {view.frame: 0.0}, (view,)), pairs, GateOptions(),
                         ProgramBars())  # fmt: skip
        yield from _ask_programs(asker, [one.id for one in view.things])
        talk = tell_view(view, TalkGates(min_views=1))
        names = {"on": "on", "next to": "next", "left of": "left", "right of": "right", "nearer than": "nearer"}
        names["in front of"] = "front"
        for relation in find_view_relations(talk, talk.told):
            yield "dialogues", names[relation.predicate], relation.a, relation.b, True
    yield from _ask_views(room, sigma)


def _measure(room: Room, sigma: float) -> Iterator[View]:
    """The views of a room as if its things had been measured so."""
    for view in room.views:
        yield replace(view, things=tuple(replace(one, sigma=sigma) for one in view.things))


def _ask_programs(asker: Asker, things: list[str]) -> Iterator[Said]:
    if len(things) != 2:
        return
    a, b = things
    for kind, relation in (("above", "above"), ("below", "below")):
        found = judge_question(asker, kind, (a, b), Given())
        if isinstance(found, Truth):
            yield "programs", relation, a, b, bool(found.value)
    for kind, given, relation in (
        ("high_and_low", Given(word="higher"), "above"),
        ("size_comparison", Given(side="height", word="greater"), "tall"),
        ("volume_comparison", Given(word="largest"), "big"),
        ("camera_distance_relative", Given(word="nearer"), "nearer"),
    ):
        found = judge_question(asker, kind, (a, b), given)
        if isinstance(found, Truth):
            yield "programs", relation, a, b, found.value == a
    for word, relation in (("left_right", "right"), ("front_back", "behind")):
        found = judge_question(asker, "camera_direction_simple", (a, b), Given(word=word))
        if isinstance(found, Truth):
            yield "programs", relation, a, b, found.value in ("right", "back")


def _ask_views(room: Room, sigma: float) -> Iterator[Said]:
    for view in _measure(room, sigma):
        view = view.number_things([one.id for one in view.things])
        for fact in find_facts(view):
            if len(fact.numbers) == 2 and fact.type == "Relationship":
                a, b = (view.numbers[number] for number in fact.numbers)
                word = {"on": "on", "next to": "next", "nearer": "nearer"}.get(fact.solution or "", fact.solution or "")
                yield "regions", word, a, b, True
        if len(view.things) != 2:
            continue
        a, b = (one.id for one in view.things)
        for one, other in ((a, b), (b, a)):
            for relation, kind in CLAIMS.items():
                state = judge(ViewClaim(kind, kind, (one,), (other,)), view, ViewBars()).state
                if state != "unknown":
                    yield "the check of texts", relation, one, other, state == "true"


def _turn(relation: str, a: str, b: str, holds: bool) -> tuple[str, str, str, bool]:
    """The same in one way: words of one pair as the first of them, things in order."""
    first = {other: word for word, other in OPPOSITES.items()}
    if relation in first:
        relation, holds = first[relation], not holds
    if relation == "next" and a > b:
        return relation, b, a, holds
    if a > b and relation in (*OPPOSITES, "nearer"):
        return relation, b, a, not holds
    return relation, a, b, holds


def test_every_kind_says_the_same_of_the_same_things():
    told: dict[str, set[str]] = {}
    said = 0
    for number, room in enumerate(make_pairs()):
        for sigma in (0.0, 0.02):
            by_claim: dict[tuple[str, str, str], dict[bool, str]] = {}
            for who, word, one, other, is_so in listen(room, sigma):
                relation, a, b, holds = _turn(word, one, other, is_so)
                told.setdefault(relation, set()).add(who)
                by_claim.setdefault((relation, a, b), {})[holds] = who
                said += 1
            torn = {claim: who for claim, who in by_claim.items() if len(who) > 1}
            assert not torn, (number, sigma, torn)
    assert said > 10 * PAIRS
    assert {relation for relation, who in told.items() if len(who) < 2} <= {"wide"}, told

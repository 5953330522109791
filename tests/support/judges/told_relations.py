"""What every kind of data, `ask` and the check of texts say of the same things: made pairs, seen from one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np

from instructions.asking.bars import GateOptions
from instructions.claims.view_claims import ViewBars, ViewClaim, ViewClaimKind
from instructions.claims.view_judge import judge
from instructions.describing.lines import describe_things
from instructions.dialogues.clouds.claim_places import place_cloud
from instructions.dialogues.clouds.cloud_tasks import CloudThings
from instructions.dialogues.options import TalkGates
from instructions.dialogues.records import Cloud, CloudBox
from instructions.dialogues.relations import find_view_relations
from instructions.dialogues.talk_view import tell_view
from instructions.errors import InstructionError
from instructions.facts.pairs import PairTable
from instructions.programs.ask.answering import read_question
from instructions.programs.asked.asking import FreeAsker
from instructions.questions.core.asker import Asker
from instructions.questions.core.options import ProgramBars
from instructions.questions.core.records import TOO_CLOSE
from instructions.questions.core.view_sets import Truth, ViewSet
from instructions.questions.core.world import Given
from instructions.questions.sets.judging import judge_question
from instructions.questions.things.registry import propose_things
from instructions.regions.measured.facts import find_facts
from instructions.view import View
from tests.support.worlds.box_rooms import Block, Room, make_room

OPPOSITES: dict[str, str] = {
    "right": "left", "behind": "front", "above": "below", "tall": "short", "wide": "thin", "big": "small",
}  # fmt: skip
CLAIMS: dict[str, ViewClaimKind] = {
    "right": "right of", "left": "left of", "behind": "behind", "front": "in front of", "above": "above",
    "below": "below", "tall": "taller", "short": "shorter", "wide": "wider", "thin": "narrower", "big": "larger",
    "small": "smaller", "on": "on", "under": "under", "next": "next to", "nearer": "nearer",
}  # fmt: skip
Said = tuple[str, str, str, str, bool]
"""Who says it, relation, A, B, and whether it holds."""


IN_PERSON = {
    "right": "In this view, is {a} to the left or to the right of {b}?",
    "behind": "In this view, is {a} in front of or behind {b}?",
    "above": "Is {a} completely above {b}?",
    "below": "Is {a} completely below {b}?",
    "tall": "Which is taller: {a} or {b}?",
    "wide": "Is {a} wider than {b}?",
    "big": "Which is bigger, {a} or {b}?",
    "nearer": "Which is nearer to the camera: {a} or {b}?",
}
"""What a person asks."""
IN_TEXTS: dict[str, ViewClaimKind] = {
    "on": "on", "under": "under", "next": "next to", "tall": "taller", "big": "larger",
}  # fmt: skip
"""What a dialogue about a whole place may say."""
NEVER: tuple[tuple[tuple[str, bool], tuple[str, bool]], ...] = (
    (("on", True), ("under", True)),
    (("on", True), ("next", True)),
    (("on", True), ("above", False)),
    (("under", True), ("above", True)),
    (("under", True), ("next", True)),
)
"""What cannot both be said of A and B."""


NOT_INSIDE = ("right", "behind", "next")
"""What nobody says of a thing inside another, be it so or not."""


def make_pairs(count: int) -> Iterator[Room]:
    """A pair of boxes each, most of them near to touching in some way, where bars decide; a fifth of them with a third
    thing somewhere between.
    """
    rng = np.random.default_rng(7)
    for number in range(count):
        size_a, size_b = (tuple(rng.uniform(0.3, 1.2, 3).tolist()) for _ in range(2))
        a = (float(rng.uniform(2.5, 5.0)), float(rng.uniform(-1.2, 1.2)), size_a[2] / 2)
        kind = rng.integers(6)
        if kind == 0:  # about on top
            lift = float(rng.uniform(-0.15, 0.20))
            b = (a[0] + float(rng.uniform(-0.3, 0.3)), a[1], size_a[2] + lift + size_b[2] / 2)
        elif kind == 1:  # about beside
            aside = float(rng.choice((-1.0, 1.0))) * ((size_a[1] + size_b[1]) / 2 + float(rng.uniform(0.0, 0.9)))
            b = (a[0] + float(rng.uniform(-0.2, 0.2)), a[1] + aside, size_b[2] / 2)
        elif kind == 2:  # about inside
            size_b = tuple(float(rng.uniform(0.5, 1.0)) * side for side in size_a)
            b = (a[0] + float(rng.uniform(-0.2, 0.2)), a[1] + float(rng.uniform(-0.2, 0.2)), size_a[2] / 2)
        elif kind == 3:  # about under
            drop = float(rng.uniform(-0.1, 0.3))
            b = (a[0] + float(rng.uniform(-0.4, 0.4)), a[1], size_b[2] / 2)
            a = (a[0], a[1], size_b[2] + drop + size_a[2] / 2)
        else:
            b = (
                float(rng.uniform(2.5, 5.0)),
                float(rng.uniform(-1.2, 1.2)),
                size_b[2] / 2 + float(rng.uniform(0.0, 0.6)),
            )
        blocks = [Block("sofa", a, size_a), Block("lamp", b, size_b)]
        if number % 5 == 0:
            share, aside = float(rng.uniform(-0.2, 1.2)), float(rng.uniform(-0.6, 0.6))
            x, y = (p + share * (q - p) for p, q in zip(a[:2], b[:2], strict=True))
            blocks.append(Block("bed", (x, y + aside, 0.2), (0.3, 0.3, 0.4)))
        yield make_room(blocks)


def _judge_pairs(asker: Asker) -> Iterator[Truth]:
    for kind, things in propose_things(asker, Counter()).items():
        for ids in things:
            found = asker.judge(kind, ids, Given())
            if isinstance(found, Truth) and len(found.things) == 2:
                yield found


def listen(room: Room, sigma: float) -> Iterator[Said]:
    """What every kind says of the two things of a room; with a sigma, as if it had been measured so."""
    known = {name: replace(one, sigma=sigma) for name, one in room.tour.know(room.model).items()}
    pairs = PairTable(room.model)
    for view in _measure(room, sigma):
        for truth in _judge_pairs(Asker(ViewSet.of_view(view), pairs, GateOptions())):
            a, b = truth.things
            comparison = truth.kind.comparison
            if truth.kind.family == "stands_on":
                yield "spatial", "on", a, b, truth.value == "yes"
            elif truth.kind.family == "class" and comparison is not None and truth.value != TOO_CLOSE:
                yield "spatial", comparison.more, a, b, truth.value == comparison.say_more
        asker = Asker(ViewSet("image", room.model, (view,), known, {view.frame: 0.0}, (view,)), pairs, GateOptions(),
                         ProgramBars())  # fmt: skip
        for a, b in combinations([one.id for one in view.things], 2):
            yield from _ask_programs(asker, a, b)
        yield from _ask_in_person(FreeAsker(asker, seed=0))
        yield from _ask_between(asker)
        talk = tell_view(view, TalkGates(min_views=1))
        names = {"on": "on", "next to": "next", "left of": "left", "right of": "right", "nearer than": "nearer"}
        names["in front of"] = "front"
        for relation in find_view_relations(talk, talk.told):
            yield "dialogues", names[relation.predicate], relation.a, relation.b, True
    yield from _ask_views(room, sigma)
    yield from _read_texts(room, sigma)


def _measure(room: Room, sigma: float) -> Iterator[View]:
    """The views of a room as if its things had been measured so."""
    for view in room.views:
        yield replace(view, things=tuple(replace(one, sigma=sigma) for one in view.things))


def _ask_programs(asker: Asker, a: str, b: str) -> Iterator[Said]:
    for kind, relation in (("above", "above"), ("below", "below")):
        found = judge_question(asker, kind, (a, b), Given())
        if isinstance(found, Truth):
            yield "programs", relation, a, b, bool(found.value)
    for kind, given, relation in (
        ("high_and_low", Given(word="higher"), "above"),
        ("size_comparison", Given(side="height", word="greater"), "tall"),
        ("size_comparison", Given(side="width", word="greater"), "wide"),
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


def _ask_in_person(asker: FreeAsker) -> Iterator[Said]:
    for (a, one), (b, other) in permutations(asker.names.items(), 2):
        for relation, text in IN_PERSON.items():
            with suppress(InstructionError):
                truth = read_question(text.format(a=one.text, b=other.text), [asker])[1].truth
                yield "ask", relation, a, b, truth.value in (True, a, "right", "back")


def _ask_between(asker: Asker) -> Iterator[Said]:
    """As programs tell it, and as a person is told."""
    free = FreeAsker(asker, seed=0)
    for a, b, c in permutations(free.names, 3):
        if b < c:
            found = judge_question(asker, "in_between", (a, b, c), Given())
            if isinstance(found, Truth):
                yield "programs", "between", a, f"{b} {c}", bool(found.value)
            names = [free.names[one].text for one in (a, b, c)]
            with suppress(InstructionError):
                truth = read_question("Is {} between {} and {}?".format(*names), [free])[1].truth
                yield "ask", "between", a, f"{b} {c}", bool(truth.value)


def _read_texts(room: Room, sigma: float) -> Iterator[Said]:
    known = [replace(one, sigma=sigma) for one in room.tour.know(room.model).values()]
    boxes = tuple(CloudBox(one.id, one.head, one.thing.obb.center, one.thing.obb.half_extents, one.thing.obb)
                  for one in known)  # fmt: skip
    level = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    cloud = Cloud("cloud", room.scene.id, "0", "tracks", 0, "cloud.npy", level, boxes, "metric", 0.0)
    things = CloudThings(cloud, {one.id: one for one in known}, frozenset(), ())
    place = place_cloud(things, [one.id for one in known])
    for a, b in permutations(known, 2):
        for relation, kind in IN_TEXTS.items():
            state = place.judge(ViewClaim(kind, kind, (a.id,), (b.id,)))[0]
            if state != "unknown":
                yield "dialogues of places", relation, a.id, b.id, state == "true"


def _ask_views(room: Room, sigma: float) -> Iterator[Said]:
    for view in _measure(room, sigma):
        view = view.number_things([one.id for one in view.things])
        for fact in find_facts(view):
            if len(fact.numbers) == 2 and fact.type == "Relationship":
                a, b = (view.numbers[number] for number in fact.numbers)
                word = {"on": "on", "next to": "next", "nearer": "nearer"}.get(fact.solution or "", fact.solution or "")
                yield "regions", word, a, b, True
        for line in describe_things(view):
            for number in line.beside:
                yield "lines", "next", line.thing, view.numbers[number], True
            if line.on is not None:
                yield "lines", "on", line.thing, view.numbers[line.on], True
        for one, other in permutations([one.id for one in view.things], 2):
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


def find_contradictions(room: Room, sigma: float) -> tuple[Counter[tuple[str, str]], list[str]]:
    """How often who says which relation, and what contradicts: each other, or that one thing is inside the other."""
    said: Counter[tuple[str, str]] = Counter()
    by_claim: dict[tuple[str, str, str], dict[bool, str]] = {}
    for who, word, one, other, is_so in listen(room, sigma):
        relation, a, b, holds = _turn(word, one, other, is_so)
        said[relation, who] += 1
        by_claim.setdefault((relation, a, b), {})[holds] = who
    torn = [f"{claim}: {told}" for claim, told in by_claim.items() if len(told) > 1]
    known, table = room.tour.know(room.model), PairTable(room.model)
    for a, b in permutations(known, 2):
        if table.of(known[a], known[b]).is_nested:
            torn += [f"{relation} of {a}, inside {b}" for relation in NOT_INSIDE if (relation, a, b) in by_claim]
        for first, second in NEVER:
            told = [_find(by_claim, relation, a, b, holds) for relation, holds in (first, second)]
            if all(told):
                torn.append(f"{a} {first} and {second} {b}: {told}")
    return said, torn


def _find(by_claim: dict[tuple[str, str, str], dict[bool, str]], word: str, a: str, b: str, holds: bool) -> str | None:
    relation, one, other, is_so = _turn(word, a, b, holds)
    return by_claim.get((relation, one, other), {}).get(is_so)

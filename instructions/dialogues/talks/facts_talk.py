"""Talks and descriptions without a language model: every turn says one measured fact of the view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from math import hypot

from instructions.asking.bars import GateOptions
from instructions.asking.draws import Draw
from instructions.asking.gates import hide_size
from instructions.dialogues.records import About, Evidence, Relation, TalkBox, Turn
from instructions.dialogues.relations import find_view_relations
from instructions.dialogues.rounding import say_metres
from instructions.dialogues.talk_view import TalkThing, TalkView
from instructions.dialogues.templates import Noun, fill, kind_slots, load_talk
from instructions.facts.placing import MIDDLE_SHARE, NEAR_SHARE, side_of_box
from instructions.records import Side
from instructions.wording.english import NUMBER_WORDS, head_noun, join_list, number_of, pluralize, with_article

ARM_M = 0.9
"""What a standing person reaches ahead, generously."""
SEATED_EYE_M = 1.2
"""Height of the eyes of a seated adult above the floor."""
SIDES: dict[Side, str] = {"left": "on the left", "middle": "in the middle", "right": "on the right"}
LEAST_TURNS = 3


@dataclass(eq=False)
class Talk:
    """Turns so far, what they rest on, and what they name."""

    turns: list[Turn] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    boxes: dict[str, TalkBox] = field(default_factory=dict)
    templates: list[str] = field(default_factory=list)

    def put(self, said: Said, draw: Draw, view: int | None = None) -> None:
        """Say something in words drawn from its pool; `view` is where it is asked, in talks about several."""
        pool = load_talk()[said.topic]
        answers = pool.answers[said.variant]
        asked, told = int(draw.uniform() * len(pool.questions)), int(draw.uniform() * len(answers))
        turn = Turn(
            fill(pool.questions[asked], said.slots),
            fill(answers[told], said.slots),
            said.about,
            tuple(one.name for one in said.evidence),
            view=view,
        )
        variant = f"answers_{said.variant}" if said.variant else "answers"
        self.add(turn, said.evidence, said.things, f"talk.{said.topic}/questions/{asked}/{variant}/{told}")

    def add(self, turn: Turn, evidence: Sequence[Evidence], things: Sequence[TalkThing], template: str) -> None:
        """Append a turn."""
        self.turns.append(turn)
        self.evidence += [one for one in evidence if one not in self.evidence]
        self.boxes.update({one.id: one.talk_box for one in things})
        self.templates.append(template)


@dataclass(frozen=True, eq=False)
class Said:
    """One turn that may be said."""

    topic: str
    """Its pool of sentences."""
    about: About
    slots: dict[str, str | Noun]
    evidence: tuple[Evidence, ...]
    things: tuple[TalkThing, ...]
    variant: str = ""


def write_talk(view: TalkView, most_turns: int, draw: Draw) -> Talk | None:
    """A talk of 3 turns or more about a view, one of them with a reason; None where too little is sure."""
    first = say_what(view)
    if first is None:
        return None
    pools = [list(_shuffle(list(maker(view)), draw)) for maker in _MAKERS]
    chosen = [first]
    named: dict[tuple[str, ...], int] = {}
    reasons = pools.pop()
    while len(chosen) < most_turns - 1 and any(pools):
        for pool in pools:
            while pool:
                said = pool.pop()
                key = tuple(sorted(one.id for one in said.things))
                if named.get(key, 0) < 2 and not _repeats(said, chosen):
                    named[key] = named.get(key, 0) + 1
                    chosen.append(said)
                    break
            if len(chosen) >= most_turns - 1:
                break
    if reasons:
        chosen.append(reasons[0])
    if len(chosen) < LEAST_TURNS:
        return None
    talk = Talk()
    for said in chosen:
        talk.put(said, draw)
    return talk


def _repeats(said: Said, chosen: Sequence[Said]) -> bool:
    things = {one.id for one in said.things}
    return any(said.topic == one.topic and things == {thing.id for thing in one.things} for one in chosen)


def say_what(view: TalkView) -> Said | None:
    """What is there, without numbers: `a sofa, a table and chairs`; None where fewer than two kinds are sure."""
    of_kind: dict[str, list[TalkThing]] = {}
    for one in view.told:
        if one.kind is not None or one.phrase is not None:
            of_kind.setdefault(one.name, []).append(one)
    if len(of_kind) < 2:
        return None
    largest = sorted(of_kind.items(), key=lambda one: -max(_area(thing) for thing in one[1]))[:4]
    words = [_tell_kind(view, name, len(found)) for name, found in largest]
    things = tuple(thing for _, found in largest for thing in found)
    evidence = tuple(
        Evidence(f"visible {one.id}", f"{one.name} is seen", (one.id,), one.visible_fraction, "share") for one in things
    )
    be = "is" if words[0].startswith(("a ", "an ", "at least one ")) else "are"
    return Said("what", "visible", {"list": join_list(words), "be": be}, evidence, things)


def _tell_kind(view: TalkView, name: str, count: int) -> str:
    """`chairs`, `a chair`, or `at least one chair` where more may be in view than anybody saw."""
    if count > 1:
        return pluralize(name)
    return f"at least one {name}" if head_noun(name) in view.perhaps else with_article(name)


def _say_sides(view: TalkView) -> Iterator[Said]:
    for one in view.named:
        side = side_of(view, one)
        if side is not None and one.phrase is not None:
            middle = view.measure_middle(one)
            evidence = Evidence(f"side {one.id}", f"{one.phrase}: {side}", (one.id,), middle, "share of the width")
            yield Said("where", "place", {"P": Noun(one.phrase), "side": SIDES[side]}, (evidence,), (one,))


def side_of(view: TalkView, one: TalkThing) -> Side | None:
    """The side of the picture; None near a border between sides, and for what covers most of the width.

    What does not reach the middle line is not called in the middle.
    """
    x0, _, x1, _ = one.box
    width, at = view.size[0], view.measure_middle(one)
    side = side_of_box(one.box, width)
    off = min(abs(at - NEAR_SHARE), abs(at - NEAR_SHARE - MIDDLE_SHARE))
    is_aside = side == "middle" and not x0 < width / 2 < x1
    return None if is_aside or off < view.gates.border or (x1 - x0) / width > 0.5 else side


def _say_counts(view: TalkView) -> Iterator[Said]:
    for kind in dict.fromkeys(one.kind for one in view.told if one.kind is not None):
        counted = view.count(kind)
        if counted and len(counted) < len(NUMBER_WORDS):
            evidence = Evidence(
                f"count {kind}", number_of(len(counted), kind), tuple(one.id for one in counted), float(len(counted)),
                "things",
            )  # fmt: skip
            yield Said("count", "count", dict(kind_slots(kind, len(counted))), (evidence,), counted)


def _relation_evidence(one: Relation) -> Evidence:
    words = f"{one.a} {one.predicate} {one.b}"
    return Evidence(words, words, (one.a, one.b), one.value, "model unit", 0.0, one.margin)


def _say_relations(view: TalkView) -> Iterator[Said]:
    things = {one.id: one for one in view.named}
    for relation in find_view_relations(view, view.named):
        a, b = things[relation.a], things[relation.b]
        p, q = Noun(a.phrase or ""), Noun(b.phrase or "")
        evidence = (_relation_evidence(relation),)
        if relation.predicate in ("left of", "right of"):
            side = relation.predicate.split()[0]
            yield Said("side", "relation", {"P": p, "Q": q, "side": side}, evidence, (a, b))
        elif relation.predicate == "on":
            yield Said("on", "relation", {"P": p, "Q": q}, evidence, (a, b))
        elif relation.predicate == "next to":
            yield Said("where_by", "place", {"P": p, "Q": q}, evidence, (a, b))


def _say_nearer(view: TalkView) -> Iterator[Said]:
    things = {one.id: one for one in view.named}
    for relation in find_view_relations(view, view.named):
        if relation.predicate == "nearer than":
            near, far = things[relation.a], things[relation.b]
            n, f = Noun(near.phrase or ""), Noun(far.phrase or "")
            p, q = (n, f) if near.id < far.id else (f, n)  # the order of the question tells nothing
            evidence = (_relation_evidence(relation),)
            yield Said("nearer", "relation", {"P": p, "Q": q, "N": n, "F": f}, evidence, (near, far))


def _say_taller(view: TalkView) -> Iterator[Said]:
    bars = GateOptions()
    whole = [one for one in view.named if hide_size(one, view.size, bars) is None]
    if view.viewer.pitch_deg is None:
        return
    for a, b in permutations(whole, 2):
        found = view.pair(a, b).is_taller
        if found.state:
            n, f = Noun(a.phrase or ""), Noun(b.phrase or "")
            p, q = (n, f) if a.id < b.id else (f, n)
            words = f"{a.id} taller than {b.id}"
            evidence = Evidence(words, words, (a.id, b.id), found.value, "model unit", found.sigma, found.margin)
            yield Said("larger", "relation", {"P": p, "Q": q, "N": n, "F": f}, (evidence,), (a, b))


def _say_reasons(view: TalkView) -> Iterator[Said]:
    """What can be worked out: what is reached first, what is in reach, what hides the view when seated."""
    for said in _say_nearer(view):
        yield Said("reach_first", "reason", said.slots, said.evidence, said.things)
    if not view.has_scale:
        return
    scale = view.model.scale
    for one in view.named:
        p = Noun(one.phrase or "")
        away = view.measure_range(one)
        sigma = hypot(one.sigma, scale.sigma * away)
        if away - view.gates.sigmas * sigma >= ARM_M and sigma <= 0.15 * away:
            evidence = Evidence(f"distance {one.id}", f"{away:.2f} m away", (one.id,), away, "m", sigma, ARM_M)
            yield Said("arm", "reason", {"P": p, "metres": say_metres(away)}, (evidence,), (one,), "no")
        floor = view.model.floor_z
        if floor is None or hide_size(one, view.size, GateOptions()) is not None:
            continue
        top = one.body.top - floor
        slack = view.gates.sigmas * hypot(one.sigma, scale.sigma * top) + 0.10
        if abs(top - SEATED_EYE_M) < slack or one.body.bottom - floor > 0.6:
            continue  # too close to say, or one would look beneath it
        evidence = Evidence(
            f"top {one.id}", f"top {top:.2f} m above the floor", (one.id,), top, "m", slack, SEATED_EYE_M
        )
        variant = "over" if top < SEATED_EYE_M else "hidden"
        yield Said("seated", "reason", {"P": p}, (evidence,), (one,), variant)


_MAKERS: tuple[Callable[[TalkView], Iterator[Said]], ...] = (
    _say_sides, _say_counts, _say_nearer, _say_relations, _say_taller, _say_reasons,
)  # fmt: skip
"""In the order in which they take turns; the last are reasons, of which one ends the talk."""


def _shuffle(items: list[Said], draw: Draw) -> list[Said]:
    keyed = [(draw.uniform(), place, one) for place, one in enumerate(items)]
    return [one for _, _, one in sorted(keyed, key=lambda key: key[:2])]


def _area(one: TalkThing) -> float:
    x0, y0, x1, y1 = one.box
    return (x1 - x0) * (y1 - y0)

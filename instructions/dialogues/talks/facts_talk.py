"""Talks and descriptions without a language model: every turn says one measured fact of the view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from math import hypot

from instructions.asking.bars import GateOptions
from instructions.asking.draws import Draw
from instructions.asking.gates import hide_size
from instructions.dialogues.records import About, Evidence, TalkBox, Turn, count_things
from instructions.dialogues.relations import find_view_relations
from instructions.dialogues.rounding import say_metres
from instructions.dialogues.talk_view import TalkThing, TalkView
from instructions.dialogues.templates import fill, kind_slots, load_pool, load_talk
from instructions.facts.placing import MIDDLE_SHARE, NEAR_SHARE, side_of_box
from instructions.records import Side
from instructions.wording.english import NUMBER_WORDS, head_noun, is_plural, join_list, pluralize, with_article

ARM_M = 0.9
"""What a standing person reaches ahead, generously."""
SEATED_EYE_M = 1.2
"""Height of the eyes of a seated adult above the floor."""
SIDES: dict[Side, str] = {"left": "on the left", "middle": "in the middle", "right": "on the right"}
LEAST_TURNS = 3
LEAST_WORDS, MOST_WORDS = 40, 260
"""Of a description."""


@dataclass(frozen=True, eq=False)
class Said:
    """One turn that may be said."""

    topic: str
    """Its pool of sentences."""
    about: About
    slots: dict[str, str]
    evidence: tuple[Evidence, ...]
    things: tuple[TalkThing, ...] = ()
    variant: str = ""


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
        question, answer = fill(pool.questions[asked], said.slots), fill(answers[told], said.slots)
        self.turns.append(Turn(question, answer, said.about, tuple(one.name for one in said.evidence), view=view))
        self.evidence += [one for one in said.evidence if one not in self.evidence]
        self.boxes.update({thing.id: thing.talk_box for thing in said.things})
        variant = f"answers_{said.variant}" if said.variant else "answers"
        self.templates.append(f"talk.{said.topic}/questions/{asked}/{variant}/{told}")

    def note(self, name: str, words: str, objects: Sequence[str], value: float) -> None:
        """Remember what a sentence rests on, once."""
        if all(one.name != name for one in self.evidence):
            self.evidence.append(Evidence(name, words, tuple(objects), value))

    def describe(self, text: str, draw: Draw, least_words: int = LEAST_WORDS) -> Talk | None:
        """The talk with a text as its one answer; None for one that rests on nothing, is shorter, or over 260 words."""
        if not self.evidence or not least_words <= len(text.split()) <= MOST_WORDS:
            return None
        questions = load_pool("description").questions
        asked = int(draw.uniform() * len(questions))
        self.turns.append(Turn(questions[asked], text, "visible", tuple(one.name for one in self.evidence)))
        self.templates.append(f"description/questions/{asked}/grammar")
        return self


def write_talk(view: TalkView, most_turns: int, draw: Draw) -> Talk | None:
    """A talk of 3 turns or more about a view, one of them with a reason; None where too little is sure."""
    first = say_what(view)
    if first is None:
        return None
    pools = [draw.shuffle(maker(view)) for maker in _MAKERS]
    chosen = [first]
    named: dict[tuple[str, ...], int] = {}
    reasons = pools.pop()
    while len(chosen) < most_turns - 1 and any(pools):
        for pool in pools:
            while pool:
                said = pool.pop()
                key = tuple(sorted(thing.id for thing in said.things))
                if named.get(key, 0) < 2 and not _repeats(said, chosen):
                    named[key] = named.get(key, 0) + 1
                    chosen.append(said)
                    break
            if len(chosen) >= most_turns - 1:
                break
    chosen += reasons[:1]
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
        if one.kind is not None or one.phrase:
            of_kind.setdefault(one.name, []).append(one)
    if len(of_kind) < 2:
        return None
    largest = sorted(of_kind.items(), key=lambda one: -max(_area(thing) for thing in one[1]))[:4]
    words = [_tell_kind(view, name, len(found)) for name, found in largest]
    things = tuple(thing for _, found in largest for thing in found)
    be = "is" if words[0].startswith(("a ", "an ", "at least one ")) else "are"
    evidence = tuple(one.sighting for one in things)
    return Said("what", "visible", {"list": join_list(words), "be": be}, evidence, things)


def _area(one: TalkThing) -> float:
    x0, y0, x1, y1 = one.box
    return (x1 - x0) * (y1 - y0)


def _tell_kind(view: TalkView, name: str, count: int) -> str:
    """`chairs`, `a chair`, or `at least one chair` where more may be in view than anybody saw."""
    if count > 1:
        return pluralize(name)
    return f"at least one {name}" if head_noun(name) in view.perhaps else with_article(name)


def _say_sides(view: TalkView) -> Iterator[Said]:
    for one in view.named:
        side = side_of(view, one)
        if side is not None:
            evidence = _measure_side(view, one, side)
            yield Said("where", "place", {"P": one.phrase, "side": SIDES[side]}, (evidence,), (one,))


def _measure_side(view: TalkView, one: TalkThing, side: Side) -> Evidence:
    words, middle = f"{one.phrase or one.name}: {side}", view.measure_middle(one)
    return Evidence(f"side {one.id}", words, (one.id,), middle, "share of the width")


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


def list_area(view: TalkView, side: Side) -> tuple[list[TalkThing], list[str]]:
    """Things on a side of the picture, and words for them: phrases, and `a door` for what no phrase means alone."""
    found = [one for one in view.told if side_of(view, one) == side and (one.phrase or one.kind)]
    vague = [one.name for one in found if not one.phrase]
    words = [one.phrase for one in found if one.phrase]
    words += [with_article(name) if vague.count(name) == 1 else pluralize(name) for name in dict.fromkeys(vague)]
    return found, words


def _say_areas(view: TalkView) -> Iterator[Said]:
    """What there is on a side, where a thing of it has no name of its own that could be asked about."""
    for side in SIDES:
        found, words = list_area(view, side)
        if any(not one.phrase for one in found):
            evidence = tuple(_measure_side(view, one, side) for one in found)
            be = "are" if is_plural(words[0]) else "is"
            slots: dict[str, str] = {"side": SIDES[side], "list": join_list(words), "be": be}
            yield Said("area", "place", slots, evidence, tuple(found))


def _say_counts(view: TalkView) -> Iterator[Said]:
    for kind in view.kinds:
        counted = view.count(kind)
        if counted and len(counted) < len(NUMBER_WORDS):
            evidence = count_things(kind, [one.id for one in counted])
            yield Said("count", "count", dict(kind_slots(kind, len(counted))), (evidence,), counted)


_TOPICS: dict[str, tuple[str, About]] = {
    "on": ("on", "relation"), "next to": ("where_by", "place"), "left of": ("side", "relation"),
    "right of": ("side", "relation"),
}  # fmt: skip
"""Pools of the relations that a question asks for."""


def _say_relations(view: TalkView) -> Iterator[Said]:
    things = {one.id: one for one in view.named}
    for relation in find_view_relations(view, view.named):
        if relation.predicate in _TOPICS:
            a, b = things[relation.a], things[relation.b]
            topic, about = _TOPICS[relation.predicate]
            slots: dict[str, str] = {"P": a.phrase, "Q": b.phrase, "side": relation.predicate.split()[0]}
            yield Said(topic, about, slots, (relation.evidence("model unit"),), (a, b))


def say_order(topic: str, evidence: Evidence, first: TalkThing, second: TalkThing) -> Said:
    """Which of two things comes first; the order of the question tells nothing."""
    n, f = first.phrase, second.phrase
    p, q = (n, f) if first.id < second.id else (f, n)
    return Said(topic, "relation", {"P": p, "Q": q, "N": n, "F": f}, (evidence,), (first, second))


def _say_nearer(view: TalkView) -> Iterator[Said]:
    things = {one.id: one for one in view.named}
    for relation in find_view_relations(view, view.named):
        if relation.predicate == "nearer than":
            yield say_order("nearer", relation.evidence("model unit"), things[relation.a], things[relation.b])


def _say_taller(view: TalkView) -> Iterator[Said]:
    bars = GateOptions()
    whole = [one for one in view.named if hide_size(one, view.size, bars) is None]
    if view.viewer.pitch_deg is None:
        return
    for a, b in permutations(whole, 2):
        found = view.pair(a, b).is_taller
        if found.state:
            words = f"{a.id} taller than {b.id}"
            evidence = Evidence(words, words, (a.id, b.id), found.value, "model unit", found.sigma, found.margin)
            yield say_order("larger", evidence, a, b)


def _say_reasons(view: TalkView) -> Iterator[Said]:
    """What can be worked out: what is reached first, what is in reach, what hides the view when seated."""
    for said in _say_nearer(view):
        yield Said("reach_first", "reason", said.slots, said.evidence, said.things)
    if not view.has_scale:
        return
    scale, floor = view.model.scale, view.model.floor_z
    for one in view.named:
        away = view.measure_range(one)
        sigma = hypot(one.sigma, scale.sigma * away)
        if away - view.gates.sigmas * sigma >= ARM_M and sigma <= 0.15 * away:
            evidence = Evidence(f"distance {one.id}", f"{away:.2f} m away", (one.id,), away, "m", sigma, ARM_M)
            yield Said("arm", "reason", {"P": one.phrase, "metres": say_metres(away)}, (evidence,), (one,), "no")
        if floor is None or hide_size(one, view.size, GateOptions()) is not None:
            continue
        top = one.body.top - floor
        slack = view.gates.sigmas * hypot(one.sigma, scale.sigma * top) + 0.10
        if abs(top - SEATED_EYE_M) < slack or one.body.bottom - floor > 0.6:
            continue  # too close to say, or one would look beneath it
        words = f"top {top:.2f} m above the floor"
        evidence = Evidence(f"top {one.id}", words, (one.id,), top, "m", slack, SEATED_EYE_M)
        variant = "over" if top < SEATED_EYE_M else "hidden"
        yield Said("seated", "reason", {"P": one.phrase}, (evidence,), (one,), variant)


_MAKERS: tuple[Callable[[TalkView], Iterator[Said]], ...] = (
    _say_sides, _say_areas, _say_counts, _say_nearer, _say_relations, _say_taller, _say_reasons,
)  # fmt: skip
"""In the order in which they take turns; the last are reasons, of which one ends the talk."""

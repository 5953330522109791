"""One detailed description of a view without a language model: what is there, how many, where, and how it lies."""

from __future__ import annotations

from collections.abc import Sequence

from instructions.asking.draws import Draw
from instructions.dialogues.records import Evidence, Relation, Turn
from instructions.dialogues.relations import find_view_relations
from instructions.dialogues.rounding import say_metres
from instructions.dialogues.talk_view import TalkThing, TalkView
from instructions.dialogues.talks.facts_talk import Talk, side_of
from instructions.dialogues.templates import load_pool
from instructions.wording.english import capital, head_noun, is_plural, join_list, number_of, pluralize, with_article

LEAST_WORDS, MOST_WORDS = 40, 260
_AREAS = (("left", "On the left"), ("middle", "In the middle"), ("right", "On the right"))
_RELATION_WORDS = {"on": "on", "next to": "next to", "in front of": "in front of"}


def describe_view(view: TalkView, room: str | None, draw: Draw) -> Talk | None:
    """A description of 40 to 260 words as a talk of one turn; None where too little is sure for that.

    Args:
        view: What may be told.
        room: Type of the room where it is sure.
        draw: Of the wordings.
    """
    telling = _Telling(view, draw)
    paragraphs = [telling.begin(room), telling.tell_places(), telling.tell_relations(), telling.tell_ranges()]
    text = "\n\n".join(" ".join(lines) for lines in paragraphs if lines)
    if not LEAST_WORDS <= len(text.split()) <= MOST_WORDS:
        return None
    pool = load_pool("description")
    asked = int(draw.uniform() * len(pool.questions))
    talk = telling.talk
    turn = Turn(pool.questions[asked], text, "visible", tuple(one.name for one in talk.evidence))
    talk.turns.append(turn)
    talk.templates.append(f"description/questions/{asked}/grammar")
    return talk


class _Telling:
    """Sentences so far, and what they rest on."""

    def __init__(self, view: TalkView, draw: Draw) -> None:
        self.view, self.draw, self.talk = view, draw, Talk()
        self.told: set[str] = set()

    def begin(self, room: str | None) -> list[str]:
        """The place, and everything that is sure in one sentence."""
        place = (
            with_article(room)
            if room
            else self._pick("an indoor scene", "a part of an interior", "the inside of a building")
        )
        lines = [self._pick(f"This is {place}.", f"The view shows {place}.", f"We are looking at {place}.")]
        kinds = list(dict.fromkeys(one.name for one in self.view.told if one.kind or one.phrase))
        words = []
        for kind in kinds:
            of_kind = [one for one in self.view.told if one.name == kind]
            counted = self.view.count(kind)
            if counted:
                words.append(number_of(len(counted), kind))
                self._note(f"count {kind}", words[-1], counted, float(len(counted)))
            elif len(of_kind) == 1 and head_noun(kind) in self.view.perhaps:
                words.append(f"at least one {kind}")
            else:
                words.append(pluralize(kind) if len(of_kind) > 1 else with_article(kind))
            for one in of_kind:
                self._note(f"visible {one.id}", f"{one.name} is seen", (one,), one.visible_fraction)
        if words:
            lines.append(
                self._pick(
                    f"One can see {join_list(words)}.",
                    f"In sight are {join_list(words)}.",
                    f"It holds {join_list(words)}, as far as can be seen from here.",
                )
            )
        return lines

    def tell_places(self) -> list[str]:
        """Side by side, from left to right."""
        lines = []
        for side, begin in _AREAS:
            found = [one for one in self.view.told if side_of(self.view, one) == side and (one.phrase or one.kind)]
            if not found:
                continue
            vague = [one.name for one in found if one.phrase is None]
            words = [one.phrase for one in found if one.phrase is not None]
            words += [
                with_article(name) if vague.count(name) == 1 else pluralize(name) for name in dict.fromkeys(vague)
            ]
            many = len(words) > 1 or is_plural(words[0]) or len(found) > 1
            lines.append(f"{begin} of the view {'are' if many else 'is'} {join_list(words)}.")
            for one in found:
                self._note(f"side {one.id}", f"{one.name}: {side}", (one,), self.view.measure_middle(one))
        return lines

    def tell_relations(self) -> list[str]:
        """At most three, each thing in few of them."""
        things = {one.id: one for one in self.view.named}
        found = [one for one in find_view_relations(self.view, self.view.named) if one.predicate in _RELATION_WORDS]
        lines: list[str] = []
        for one in _spread(found, 3):
            a, b = things[one.a], things[one.b]
            verb = "are" if is_plural(a.phrase or "") else "is"
            stands = "stand" if is_plural(a.phrase or "") else "stands"
            word = _RELATION_WORDS[one.predicate]
            lines.append(
                capital(self._pick(f"{a.phrase} {verb} {word} {b.phrase}.", f"{a.phrase} {stands} {word} {b.phrase}."))
            )
            self._note(f"{one.a} {one.predicate} {one.b}", lines[-1], (a, b), one.value)
        return lines

    def tell_ranges(self) -> list[str]:
        """What is nearest and what furthest, with metres where there are any."""
        order = sorted(self.view.named, key=lambda one: self.view.measure_range(one))
        if len(order) < 2:
            return []
        near, far = order[0], order[-1]
        one, other = self.view.measure_range(near), self.view.measure_range(far)
        sure = [rel for rel in find_view_relations(self.view, self.view.named) if rel.predicate == "nearer than"]
        lines = []
        if all(any(rel.a == near.id and rel.b == thing.id for rel in sure) for thing in order[1:]):
            word = "nearer" if len(order) == 2 else "nearest"
            told = "Nearer" if len(order) == 2 else "Nearest"
            lines.append(self._pick(f"{told} to us is {near.phrase}.", f"Of these, {near.phrase} is the {word}."))
            self._note(f"nearest {near.id}", lines[-1], (near,), one)
        if len(order) > 2 and all(any(rel.a == thing.id and rel.b == far.id for rel in sure) for thing in order[:-1]):
            words = f"{capital(far.phrase or '')} is the furthest away"
            scale = self.view.model.scale
            if self.view.has_scale and other >= 1.0 and scale.sigma <= 0.1:
                words += f", about {say_metres(other)} from where we stand"
            lines.append(words + ".")
            self._note(f"furthest {far.id}", words, (far,), other)
        return lines

    def _pick(self, *wordings: str) -> str:
        return wordings[int(self.draw.uniform() * len(wordings))]

    def _note(self, name: str, words: str, things: Sequence[TalkThing], value: float) -> None:
        if all(one.name != name for one in self.talk.evidence):
            self.talk.evidence.append(Evidence(name, words, tuple(one.id for one in things), value))
        self.talk.boxes.update({one.id: one.talk_box for one in things})


def _spread(found: Sequence[Relation], most: int) -> list[Relation]:
    """The first of them in which no two things are named together twice."""
    out: list[Relation] = []
    pairs: set[frozenset[str]] = set()
    for one in found:
        pair = frozenset((one.a, one.b))
        if pair not in pairs and len(out) < most:
            pairs.add(pair)
            out.append(one)
    return out

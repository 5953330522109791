"""One detailed description of a view without a language model: what is there, how many, where, and how it lies."""

from __future__ import annotations

from collections.abc import Sequence

from instructions.asking.draws import Draw
from instructions.dialogues.records import Relation
from instructions.dialogues.relations import find_view_relations
from instructions.dialogues.rounding import say_metres
from instructions.dialogues.talk_view import TalkThing, TalkView
from instructions.dialogues.talks.facts_talk import LEAST_WORDS, Talk, list_area
from instructions.records import Side
from instructions.wording.english import capital, head_noun, is_plural, join_list, number_of, pluralize, with_article

_AREAS: tuple[tuple[Side, str], ...] = (
    ("left", "On the left"), ("middle", "In the middle"), ("right", "On the right"),
)  # fmt: skip
_TOLD_RELATIONS = ("on", "next to", "in front of")


def describe_view(view: TalkView, room: str | None, draw: Draw, least_words: int = LEAST_WORDS) -> Talk | None:
    """A description of 40 to 260 words as a talk of one turn; None where too little is sure for that."""
    telling = _Telling(view, draw)
    paragraphs = [telling.begin(room), telling.tell_places(), telling.tell_relations(), telling.tell_ranges()]
    return telling.talk.describe("\n\n".join(" ".join(lines) for lines in paragraphs if lines), draw, least_words)


class _Telling:
    """Sentences so far, and what they rest on."""

    def __init__(self, view: TalkView, draw: Draw) -> None:
        self.view, self.draw, self.talk = view, draw, Talk()
        self.relations = find_view_relations(view, view.named)

    def begin(self, room: str | None) -> list[str]:
        """The place, and everything that is sure in one sentence."""
        inside = ("an indoor scene", "a part of an interior", "the inside of a building")
        place = with_article(room) if room else self.draw.pick(inside)
        lines = [self.draw.pick([f"This is {place}.", f"The view shows {place}.", f"We are looking at {place}."])]
        words = []
        for kind in dict.fromkeys(one.name for one in self.view.told if one.kind or one.phrase):
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
            told, be = join_list(words), "are" if len(words) > 1 or is_plural(words[0]) else "is"
            more = f"It holds {told}, as far as can be seen from here."
            lines.append(self.draw.pick([f"One can see {told}.", f"In sight {be} {told}.", more]))
        return lines

    def tell_places(self) -> list[str]:
        """Side by side, from left to right."""
        lines = []
        for side, begin in _AREAS:
            found, words = list_area(self.view, side)
            if not found:
                continue
            many = is_plural(words[0]) or len(found) > 1
            lines.append(f"{begin} of the view {'are' if many else 'is'} {join_list(words)}.")
            for one in found:
                self._note(f"side {one.id}", f"{one.name}: {side}", (one,), self.view.measure_middle(one))
        return lines

    def tell_relations(self) -> list[str]:
        """At most three, no two things named together twice."""
        things = {one.id: one for one in self.view.named}
        pairs: dict[frozenset[str], Relation] = {}
        for one in self.relations:
            if one.predicate in _TOLD_RELATIONS:
                pairs.setdefault(frozenset((one.a, one.b)), one)
        lines: list[str] = []
        for one in list(pairs.values())[:3]:
            a, b = things[one.a], things[one.b]
            verbs = ("are", "stand") if is_plural(a.phrase) else ("is", "stands")
            lines.append(capital(self.draw.pick([f"{a.phrase} {verb} {one.predicate} {b.phrase}." for verb in verbs])))
            self._note(f"{one.a} {one.predicate} {one.b}", lines[-1], (a, b), one.value)
        return lines

    def tell_ranges(self) -> list[str]:
        """What is nearest and what furthest, with metres where there are any."""
        order = sorted(self.view.named, key=lambda one: self.view.measure_range(one))
        if len(order) < 2:
            return []
        near, far = order[0], order[-1]
        sure = {(relation.a, relation.b) for relation in self.relations if relation.predicate == "nearer than"}
        lines = []
        if all((near.id, thing.id) in sure for thing in order[1:]):
            word = "nearer" if len(order) == 2 else "nearest"
            ways = (f"{capital(word)} to us is {near.phrase}.", f"Of these, {near.phrase} is the {word}.")
            lines.append(self.draw.pick(ways))
            self._note(f"nearest {near.id}", lines[-1], (near,), self.view.measure_range(near))
        if len(order) > 2 and all((thing.id, far.id) in sure for thing in order[:-1]):
            words, away = f"{capital(far.phrase)} is the furthest away", self.view.measure_range(far)
            if self.view.has_scale and away >= 1.0 and self.view.model.scale.sigma <= 0.1:
                words += f", about {say_metres(away)} from where we stand"
            lines.append(words + ".")
            self._note(f"furthest {far.id}", words, (far,), away)
        return lines

    def _note(self, name: str, words: str, things: Sequence[TalkThing], value: float) -> None:
        self.talk.note(name, words, [thing.id for thing in things], value)
        self.talk.boxes.update({thing.id: thing.talk_box for thing in things})

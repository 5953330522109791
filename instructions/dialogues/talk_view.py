"""A view as a talk tells of it: its things by names that hold, and how many of a kind it shows for certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import combinations, permutations

from instructions.asking.bars import GateOptions
from instructions.asking.gates import hide_thing, lies_elsewhere
from instructions.asking.names import name_things
from instructions.dialogues.options import TalkGates
from instructions.dialogues.records import Evidence, TalkBox
from instructions.facts.existence import judge_count
from instructions.facts.overlap import box_iou
from instructions.facts.pairs import SAME_PLACE, Pair
from instructions.facts.sizes import fits_name
from instructions.facts.things import Thing
from instructions.view import SeenThing, View
from instructions.wording.colors import COLORLESS
from instructions.wording.english import head_noun


@dataclass(frozen=True, eq=False)
class TalkThing(SeenThing):
    """A thing that a text about the view may name."""

    kind: str | None = field(kw_only=True)
    """Its category where that is sure; None for what has only an alias."""
    phrase: str = field(kw_only=True)
    """With its article, if it means this thing alone: `the sofa`; else empty."""

    @property
    def name(self) -> str:
        """Without article."""
        return self.kind or self.alias

    @property
    def talk_box(self) -> TalkBox:
        """For the row."""
        return TalkBox(self.id, self.name, self.box)

    @property
    def sighting(self) -> Evidence:
        """That the view shows it, for the row."""
        return Evidence(f"visible {self.id}", f"{self.name} is seen", (self.id,), self.visible_fraction, "share")


@dataclass(frozen=True, eq=False)
class TalkView(View):
    """A view with what a talk may say of it."""

    gates: TalkGates = field(kw_only=True)

    @cached_property
    def told(self) -> tuple[TalkThing, ...]:
        """Large enough, surely named, where the reconstruction says; from left to right."""
        bars = GateOptions(min_visible=self.gates.min_visible)
        shared = _share_place(self.things, self.metre)
        if not self.is_exact:
            shared |= find_parts(self.things)
        found = [
            named for thing in self.things if thing.id not in shared and (named := self._name(thing, bars)) is not None
        ]
        return tuple(sorted(found, key=lambda one: (one.box[0] + one.box[2], one.id)))

    def _name(self, one: SeenThing, bars: GateOptions) -> TalkThing | None:
        """A thing as texts may name it; None for what is hidden, disputed or known too little."""
        if hide_thing(one, self.size, self.metre, bars) is not None:
            return None
        is_faint = one.category is not None and one.score < self.gates.min_score
        if not self.is_exact and (len(one.thing.frames) < self.gates.min_views or is_faint):
            return None
        pixel = self.model.camera.project((self.pose.inverse() @ one.body.center)[None])[0]
        if one.sigma > 0 and lies_elsewhere(one, (float(pixel[0]), float(pixel[1])), bars):
            return None
        is_sure = has_sure_kind(one, self.metre, exact=self.is_exact)
        names = name_things(self, one, "none")
        if (one.category is not None and not is_sure) or names in ("surface", "disputed"):
            return None
        # The first way to call it whose colour can be trusted.
        deceives = head_noun(one.category or "") in COLORLESS
        ways = () if isinstance(names, str) else names
        phrase = next((way.text for way in ways if not deceives or way.phrase == one.category), "")
        return TalkThing(
            one.thing, one.solid, one.sigma, one.frames, one.room_probability, one.is_one, seen=one.seen,
            kind=one.category, phrase=phrase,
        )  # fmt: skip

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Sure categories of what may be named, each once."""
        return tuple(dict.fromkeys(one.kind for one in self.told if one.kind is not None))

    @cached_property
    def named(self) -> tuple[TalkThing, ...]:
        """Things that a phrase means alone."""
        return tuple(one for one in self.told if one.phrase)

    def count(self, kind: str) -> tuple[TalkThing, ...] | None:
        """The things of a kind that the view shows; None where nobody can say how many there are.

        Not known: the kind was not looked for; one of them is seen to a small part; a detection or a known thing that
        should be in view is none of the counted ones; a neighbouring frame shows more.
        """
        head = head_noun(kind)
        if kind not in self.looked_for or head in self.perhaps:
            return None
        of_kind = [thing for thing in self.things if thing.head == head]
        if any(self.gates.faint_visible <= one.visible_fraction < self.gates.min_visible for one in of_kind):
            return None
        counted = tuple(one for one in self.told if one.kind == kind)
        plain = [one for one in of_kind if one.visible_fraction >= self.gates.min_visible]
        if len(plain) != len(counted) or self.nearby_kinds.get(kind, 0) > len(counted):
            return None
        boxes = [one.box for one in counted]
        for rival in self.rivals:
            is_same = any(box_iou(rival.box_xyxy, box) >= 0.5 for box in boxes)
            if is_same != (head_noun(rival.words) == head):
                return None  # one more, or the same place has another name
        is_detected = not self.is_exact and not all(one.is_given for one in counted)
        return counted if judge_count(kind, len(counted), 0, is_detected=is_detected).state else None

    def is_absent(self, kind: str) -> bool:
        """Whether a kind was looked for, not found here or in neighbouring frames, and no known one lies in view."""
        return self.judge_absence(kind).state is True

    @cached_property
    def absent(self) -> tuple[str, ...]:
        """Kinds that it surely does not show, in alphabetical order."""
        return tuple(kind for kind in sorted(self.looked_for) if self.is_absent(kind))


def tell_view(view: View, gates: TalkGates) -> TalkView:
    """A view with what a talk may say of it."""
    return TalkView(**{one.name: getattr(view, one.name) for one in fields(view)}, gates=gates)


def has_sure_kind(one: Thing, metre: float, *, exact: bool) -> bool:
    """Whether a thing is of its category for certain: it has the size of one."""
    return one.category is not None and (exact or fits_name(one.category, one.thing.obb, metre))


def _share_place(things: Sequence[Thing], metre: float) -> frozenset[str]:
    """Things that fill mostly the same space: nobody knows whether they are two."""
    pairs = (Pair(a, b, metre, True) for a, b in combinations(things, 2))
    return frozenset(one.id for pair in pairs if pair.shares_place for one in (pair.a, pair.b))


def find_parts(things: Sequence[Thing]) -> frozenset[str]:
    """Things that lie to a good part in a larger one of their kind: nobody knows whether they are of their own."""
    pairs = (Pair(a, b, 1.0, True) for a, b in permutations(things, 2) if a.head == b.head)
    return frozenset(pair.a.id for pair in pairs if pair.inside[0] >= max(SAME_PLACE, pair.inside[1]))

"""What may be told of a view: its things by names that hold, and how many of a kind it shows for certain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

from instructions.asking.bars import GateOptions
from instructions.asking.gates import hide_thing, lies_elsewhere
from instructions.asking.names import name_things
from instructions.dialogues.options import TalkGates
from instructions.dialogues.records import TalkBox
from instructions.facts.existence import judge_absence, judge_count
from instructions.facts.least_width import fits_name
from instructions.facts.out_of_picture import lies_outside
from instructions.facts.overlap import box_iou
from instructions.facts.pairs import SAME_PLACE, Pair
from instructions.facts.sizes import camera_distance
from instructions.facts.views import Known, QuestionView, SeenThing
from instructions.wording.colors import COLORLESS
from instructions.wording.english import head_noun

_COUNTED_SCORE = 0.15
"""A detection of a kind this sure may be one more of it."""


@dataclass(frozen=True, eq=False)
class TalkThing:
    """A thing that a text about the view may name."""

    seen: SeenThing
    kind: str | None
    """Its category where that is sure; None for what has only an alias."""
    phrase: str | None
    """With its article, if it means this thing alone: `the sofa`."""

    @property
    def id(self) -> str:
        """Of the thing."""
        return self.seen.id

    @property
    def name(self) -> str:
        """Without article."""
        return self.kind or self.seen.known.thing.alias

    @property
    def talk_box(self) -> TalkBox:
        """For the row."""
        return TalkBox(self.id, self.name, self.seen.box)


@dataclass(frozen=True, eq=False)
class ViewThings:
    """A view as dialogues see it."""

    view: QuestionView
    things: tuple[TalkThing, ...]
    """Large enough, surely named, where the reconstruction says; from left to right."""
    gates: TalkGates
    looked_for: frozenset[str]
    """Kinds that the detector knows, as words."""
    nearby_kinds: Mapping[str, int]
    """By kind: the most boxes of it that this frame or its neighbours in time show."""
    perhaps: frozenset[str] = frozenset()
    """Nouns of known things that may be in view though no observation says so: nobody counts or denies these."""
    strays: frozenset[str] = frozenset()
    """Nouns that the detector found in the tour where no known thing is: as nobody knows where, nobody denies these."""

    is_exact: bool = False
    """A known world: the observations name all that a frame shows."""

    @cached_property
    def metre(self) -> float:
        """One (nominal) metre."""
        return self.view.model.nominal_metre

    @property
    def has_scale(self) -> bool:
        """Whether metres may be told."""
        return self.view.model.scale.status != "relative"

    def pair(self, a: TalkThing, b: TalkThing) -> Pair:
        """Two things as relations see them."""
        key = (a.id, b.id)
        if key not in self._pairs:
            self._pairs[key] = Pair(a.seen, b.seen, self.metre, self.has_scale)
        return self._pairs[key]

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], Pair]:
        return {}

    @cached_property
    def named(self) -> tuple[TalkThing, ...]:
        """Things that a phrase means alone."""
        return tuple(one for one in self.things if one.phrase is not None)

    @cached_property
    def range_of(self) -> Mapping[str, float]:
        """By thing: distance from the camera to its nearest point, in the model's unit."""
        return {one.id: camera_distance(one.seen.body, self.view.viewer) for one in self.things}

    def count(self, kind: str) -> tuple[TalkThing, ...] | None:
        """The things of a kind that the view shows; None where nobody can say how many there are.

        Not known: the kind was not looked for; one of them is seen to a small part; a detection or a known thing that
        should be in view is none of the counted ones; a neighbouring frame shows more.
        """
        if kind not in self.looked_for or head_noun(kind) in self.perhaps:
            return None
        of_kind = [one for one in self.view.things if _is_kind(one, kind)]
        if any(self.gates.faint_visible <= one.seen.visible_fraction < self.gates.min_visible for one in of_kind):
            return None
        counted = tuple(one for one in self.things if one.kind == kind)
        plain = [one for one in of_kind if one.seen.visible_fraction >= self.gates.min_visible]
        if len(plain) != len(counted) or self.nearby_kinds.get(kind, 0) > len(counted):
            return None
        boxes = [one.seen.box for one in counted]
        for rival in self.view.rivals:
            is_more = rival.score is None or rival.score >= _COUNTED_SCORE
            if is_more and head_noun(rival.words) == head_noun(kind):
                if all(box_iou(rival.box_xyxy, box) < 0.5 for box in boxes):
                    return None
            elif is_more and any(box_iou(rival.box_xyxy, box) >= 0.5 for box in boxes):
                return None  # the same place has another name
        is_detected = not self.is_exact and not all(one.seen.known.is_given for one in counted)
        return counted if judge_count(kind, len(counted), 0, is_detected=is_detected).state else None

    def is_absent(self, kind: str) -> bool:
        """Whether a kind was looked for, not found here or in neighbouring frames, and no known one lies in view."""
        is_looked_for, is_detected = kind in self.looked_for, not self.is_exact
        return judge_absence(kind, self._shown, is_looked_for=is_looked_for, is_detected=is_detected).state is True

    @cached_property
    def _shown(self) -> frozenset[str]:
        """Nouns of everything that the view shows or may show."""
        words = [one.known.thing.category or one.known.thing.alias for one in self.view.things]
        words += [rival.words for rival in self.view.rivals] + [
            kind for kind, most in self.nearby_kinds.items() if most
        ]
        return self.perhaps | self.strays | {head_noun(word) for word in words}


def find_view_things(
    view: QuestionView,
    looked_for: Collection[str],
    nearby_kinds: Mapping[str, int],
    gates: TalkGates,
    known: Mapping[str, Known] | None = None,
    *,
    exact: bool = False,
    strays: frozenset[str] = frozenset(),
) -> ViewThings:
    """What of a view may be told.

    Args:
        view: With its things.
        looked_for: Kinds that the detector knows.
        nearby_kinds: By kind, the most boxes in this or a neighbouring frame.
        gates: When something may be said.
        known: Things of the model, seen here or not.
        exact: A known world: names are right whatever their evidence.
        strays: Kinds that were detected in the tour where no known thing of them is.
    """
    bars = GateOptions(min_visible=gates.min_visible)
    metre = view.model.nominal_metre
    shared = _share_place([one.known for one in view.things], metre)
    if not exact:
        shared |= find_parts([one.known for one in view.things])
    found: list[TalkThing] = []
    for one in view.things:
        if hide_thing(one, view.size, metre, bars) is not None or one.id in shared:
            continue
        is_faint = one.known.thing.category is not None and one.seen.score < gates.min_score
        if not exact and (len(one.known.thing.frames) < gates.min_views or is_faint):
            continue
        pixel = view.model.camera.project((view.pose.inverse() @ one.body.center)[None])[0]
        if one.sigma > 0 and lies_elsewhere(one, (float(pixel[0]), float(pixel[1])), bars):
            continue
        kind = _sure_kind(one, gates, metre, exact=exact)
        if kind is None and one.known.thing.category is not None:
            continue  # its name is disputed
        names = name_things(view, one, "none")
        if names in ("surface", "disputed"):
            continue
        found.append(TalkThing(one, kind, None if isinstance(names, str) else _phrase(one, kind, names)))
    found.sort(key=lambda one: (one.seen.box[0] + one.seen.box[2], one.id))
    perhaps = frozenset[str]() if exact else _find_perhaps(view, known or {})
    return ViewThings(
        view, tuple(found), gates, frozenset(looked_for), nearby_kinds, perhaps,
        frozenset(head_noun(kind) for kind in strays), exact,
    )  # fmt: skip


_CONE_DEG = 45.0
"""Half of the angle around straight ahead in which a thing may show, be it only by an end of it."""
_CONE_RANGE_M = 8.0


def _find_perhaps(view: QuestionView, known: Mapping[str, Known]) -> frozenset[str]:
    """Nouns of things that may lie in the picture and were not observed: a detector may have missed them.

    What is near shows at the edge of a picture though its middle lies far aside.
    """
    seen = {one.id for one in view.things}
    out: set[str] = set()
    for name, one in known.items():
        center = one.body.center
        is_near = view.viewer.range(center) <= _CONE_RANGE_M * view.model.nominal_metre
        is_ahead = abs(view.viewer.measure_bearing_deg(center)) <= _CONE_DEG
        if name not in seen and is_near and (is_ahead or not lies_outside(view.model, view.pose, one)):
            words = [one.thing.category or one.thing.alias, *(word for word, _ in one.thing.categories)]
            out |= {head_noun(word) for word in words}
    return frozenset(out)


def _sure_kind(one: SeenThing, gates: TalkGates, metre: float, *, exact: bool) -> str | None:
    thing = one.known.thing
    if thing.category is None or exact:
        return thing.category
    if not fits_name(thing.category, thing.obb, metre):
        return None
    return thing.category if dict(thing.categories).get(thing.category, 1.0) >= gates.min_category else None


def _phrase(one: SeenThing, kind: str | None, names: Sequence[object]) -> str | None:
    """The first way to call it without a clause, whose colour can be trusted."""
    deceives = head_noun(kind or "") in COLORLESS
    for naming in names:
        phrase, clause = getattr(naming, "phrase", ""), getattr(naming, "clause", None)
        if clause is None and not (deceives and phrase != kind):
            return f"the {phrase}"
    return None


def _is_kind(one: SeenThing, kind: str) -> bool:
    words = one.known.thing.category or one.known.thing.alias
    return head_noun(words) == head_noun(kind)


def _share_place(things: Sequence[Known], metre: float) -> frozenset[str]:
    """Things that fill mostly the same space: nobody knows whether they are two."""
    pairs = (Pair(a, b, metre, True) for a, b in combinations(things, 2))
    return frozenset(one.id for pair in pairs if pair.shares_place for one in (pair.a, pair.b))


def find_parts(things: Sequence[Known]) -> frozenset[str]:
    """Things that lie to a good part in a larger one of their kind: nobody knows whether they are of their own."""
    pairs = (Pair(a, b, 1.0, True) for a, b in permutations(things, 2) if a.head == b.head)
    return frozenset(pair.a.id for pair in pairs if pair.inside[0] >= max(SAME_PLACE, pair.inside[1]))


def find_nearby_kinds(
    frames: Sequence[tuple[int, float]], labels: Mapping[int, Sequence[str]], span_s: float = 0.7
) -> dict[int, dict[str, int]]:
    """By frame and kind: the most boxes of it in one frame at most so many seconds away.

    Args:
        frames: Index and time of every frame.
        labels: By frame, what was detected.
        span_s: Short enough that the view is still about the same.
    """
    out: dict[int, dict[str, int]] = {}
    for frame, time_s in frames:
        most: dict[str, int] = defaultdict(int)
        for other, other_s in frames:
            if abs(other_s - time_s) <= span_s:
                found = labels.get(other, ())
                for label in set(found):
                    most[label] = max(most[label], list(found).count(label))
        out[frame] = dict(most)
    return out

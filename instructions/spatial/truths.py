"""What can be asked about a view and what is true of it, with the reason where something cannot be asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import atan2, degrees, hypot, radians

from instructions.asking.bars import Dimension, GateOptions
from instructions.asking.gates import (
    Decision,
    Verdict,
    compare,
    compare_ratio,
    hide_pair,
    hide_size,
    hide_thing,
    lies_elsewhere,
    refuse_number,
)
from instructions.asking.names import Naming, name_things
from instructions.asking.views import QuestionView, SeenThing
from instructions.facts import sizes
from instructions.facts.between import footprint_overlap, stands_on_gap
from instructions.facts.overlap import span_overlap
from instructions.facts.relations import clock_direction, off_half_hour_deg
from instructions.spatial.pairs import PairMeasures, PairTable
from instructions.spatial.records import Measured, Unit
from instructions.spatial.types import COMPARISONS, TYPES, Comparison, QuestionType

NotAsked = Counter[tuple[str, str]]
"""How often by type and reason."""
_COMPARED = {one.dimension: tuple(kind for kind in TYPES.values() if kind.comparison is one) for one in COMPARISONS}
_DIFFERENCES: dict[Dimension, tuple[str, str]] = {
    "lateral": ("right_difference", "left_difference"),
    "vertical": ("above_difference", "below_difference"),
    "ahead": ("behind_difference", "front_difference"),
}
"""By dimension: the type where A's value is the greater, and where it is the less."""


@dataclass(frozen=True, eq=False)
class Truth:
    """Something that may be asked about a view, and what is true."""

    type: QuestionType
    things: tuple[SeenThing, ...]
    """A, and B."""
    names: tuple[tuple[Naming, ...], ...]
    """Of each thing: ways to call it that mean it alone."""
    verdict: Verdict | bool | int | None = None
    """Of a comparison of A with B; whether A stands on B; the hour; None for a number."""
    measured: Measured | None = None
    evidence: tuple[Measured, ...] = ()
    only_as_seen: bool = False
    """The width is only that which shows from here, and the words must say so."""


@dataclass(frozen=True, eq=False)
class ViewTruths:
    """Everything that may be asked about one view."""

    view: QuestionView
    truths: tuple[Truth, ...]
    not_asked: NotAsked


def find_truths(view: QuestionView, pairs: PairTable, bars: GateOptions = GateOptions()) -> ViewTruths:
    """Go through all types, things and pairs of a view.

    Args:
        view: A frame with its things.
        pairs: Of the view's model; filled as needed.
        bars: Of the gates.
    """
    judge = _ViewJudge(view, pairs, bars)
    judge.run()
    return ViewTruths(view, tuple(judge.truths), judge.not_asked)


@dataclass(eq=False)
class _ViewJudge:
    view: QuestionView
    pairs: PairTable
    bars: GateOptions
    truths: list[Truth] = field(default_factory=list)
    not_asked: NotAsked = field(default_factory=Counter)

    def __post_init__(self) -> None:
        model = self.view.model
        self.metre = model.nominal_metre
        self.has_scale = model.scale.status != "relative"
        self.unit: Unit = "m" if self.has_scale else "unit"
        self.is_upright = self.view.viewer.pitch_deg is not None
        sigma = model.pose_sigma.get(self.view.frame)
        self.turn_sigma = radians(sigma.rotation_deg) if sigma else 0.0
        self.eye_sigma = sigma.position if sigma else 0.0
        self._names: dict[tuple[str, Dimension], tuple[Naming, ...] | str] = {}

    def run(self) -> None:
        view, bars = self.view, self.bars
        shared = self.pairs.share_place([one.known for one in view.things])
        pixels = view.model.camera.project(
            [view.pose.inverse() @ one.body.center for one in view.things] if view.things else [[0.0, 0.0, 1.0]]
        )
        hidden: dict[str, str] = {}
        for one, pixel in zip(view.things, pixels, strict=False):
            reason = hide_thing(one, view.size, self.metre, bars)
            if reason is None and one.sigma > 0 and lies_elsewhere(one, (float(pixel[0]), float(pixel[1])), bars):
                reason = "off_picture"
            if reason is None and one.id in shared:
                reason = "disputed"
            if reason is None:
                named = self._name(one, "none")
                reason = named if isinstance(named, str) and named != "clause_tells" else None
            if reason is not None:
                hidden[one.id] = reason
        for one in view.things:
            self._ask_single(one, hidden.get(one.id))
        for a, b in combinations(view.things, 2):
            reason = hidden.get(a.id) or hidden.get(b.id) or hide_pair(a, b, bars)
            if reason is not None:
                self.not_asked.update(dict.fromkeys(((kind, reason) for kind in _PAIR_TYPES), 1))
                continue
            self._ask_pair(a, b, self.pairs.of(a.known, b.known))

    def _name(self, one: SeenThing, dimension: Dimension) -> tuple[Naming, ...] | str:
        key = (one.id, dimension)
        if key not in self._names:
            self._names[key] = name_things(self.view, one, dimension)
        return self._names[key]

    def _refuse(self, reason: str, *kinds: QuestionType) -> None:
        for kind in kinds:
            self.not_asked[kind.name, reason] += 1

    def _ask(
        self,
        kind: QuestionType,
        things: Sequence[SeenThing],
        *,
        verdict: Verdict | bool | int | None = None,
        measured: Measured | None = None,
        evidence: tuple[Measured, ...] = (),
        only_as_seen: bool = False,
    ) -> None:
        names = []
        for one in things:
            named = self._name(one, kind.dimension)
            if isinstance(named, str):
                self._refuse(named, kind)
                return
            names.append(named)
        self.truths.append(Truth(kind, tuple(things), tuple(names), verdict, measured, evidence, only_as_seen))

    def _lacks(self, kind: QuestionType, *, sides: bool) -> str | None:
        """Why a type does not exist in this view."""
        if kind.upright and not self.is_upright:
            return "not_upright"
        return "no_sides" if sides and not self.view.viewer.has_sides else None

    def _hide_sizes(self, *things: SeenThing) -> str | None:
        return next(
            (reason for one in things if (reason := hide_size(one, self.view.size, self.bars)) is not None), None
        )

    # ---------------------------------------------------------------- one thing

    def _ask_single(self, one: SeenThing, hidden: str | None) -> None:
        viewer, body = self.view.viewer, one.body
        for name in ("height", "width", "elevation", "camera_distance", "clock"):
            kind = TYPES[name]
            sides = name in ("width", "clock")
            reason = hidden or self._lacks(kind, sides=sides)
            if reason is None and name != "clock":
                reason = self._hide_sizes(one)
            if reason is not None:
                self._refuse(reason, kind)
            elif name == "clock":
                self._ask_clock(kind, one)
            elif name == "height":
                self._ask_length(kind, (one,), sizes.height(body), 2**0.5 * one.sigma)
            elif name == "width":
                turned = sizes.facing_deg(body, viewer) > self.bars.most_turned_deg
                self._ask_length(kind, (one,), sizes.width(body, viewer), 2**0.5 * one.sigma, only_as_seen=turned)
            elif name == "elevation":
                floor_z = self.view.model.floor_z
                if floor_z is None:
                    self._refuse("no_floor", kind)
                else:
                    self._ask_length(kind, (one,), sizes.elevation(body, floor_z), one.sigma)
            else:
                sigma = hypot(one.sigma, self.eye_sigma)
                self._ask_length(kind, (one,), sizes.camera_distance(body, viewer), sigma)

    def _ask_clock(self, kind: QuestionType, one: SeenThing) -> None:
        viewer, body = self.view.viewer, one.body
        bearing = viewer.bearing_deg(body.center)
        away = max(hypot(viewer.lateral(body.center), viewer.distance_ahead(body.center)), 1e-9)
        sigma = degrees(hypot(atan2(one.sigma, away), self.turn_sigma))
        margin = max(self.bars.off_half_hour_deg, self.bars.sigmas * sigma)
        if off_half_hour_deg(bearing) < margin:
            self._refuse("between_hours", kind)
            return
        hour = clock_direction(bearing)
        evidence = (Measured("bearing", bearing, "deg", sigma), Measured("margin", margin, "deg", 0.0))
        self._ask(kind, (one,), verdict=hour, measured=Measured("clock", hour, "hour", 0.0), evidence=evidence)

    def _ask_length(
        self,
        kind: QuestionType,
        things: Sequence[SeenThing],
        value: float,
        sigma: float,
        *,
        only_as_seen: bool = False,
    ) -> None:
        scale = self.view.model.scale
        if not self.has_scale:
            self._refuse("no_scale", kind)
            return
        reason = refuse_number(value, sigma, scale.sigma, self.metre, self.bars)
        if reason is None and any(self._is_out_of_reach(one) for one in things):
            reason = "far_or_near"
        if reason is not None:
            self._refuse(reason, kind)
            return
        whole = value * hypot(scale.sigma, sigma / value)
        evidence = (
            Measured("error of box and pose", value, "m", sigma),
            Measured("error of the scale", 1.0, "ratio", scale.sigma),
        )
        measured = Measured(kind.name, value, "m", whole)
        self._ask(kind, things, measured=measured, evidence=evidence, only_as_seen=only_as_seen)

    def _is_out_of_reach(self, one: SeenThing) -> bool:
        away = self.view.viewer.range(one.body.center)
        return one.sigma > 0 and not self.bars.nearest_m * self.metre <= away <= self.bars.furthest_m * self.metre

    # ---------------------------------------------------------------- two things

    def _ask_pair(self, a: SeenThing, b: SeenThing, pair: PairMeasures) -> None:
        sigma = hypot(a.sigma, b.sigma)
        sized = self._hide_sizes(a, b)
        is_inside = max(pair.inside) >= self.bars.most_inside
        self._ask_places(a, b, pair, sigma, sized, is_inside)
        self._ask_sizes(a, b, pair, sigma, sized)
        lengths: tuple[tuple[str, Callable[[], float], bool], ...] = (
            ("distance", lambda: pair.distance, False),
            ("horizontal_distance", lambda: pair.horizontal, False),
            ("vertical_distance", lambda: abs(pair.vertical), False),
            ("gap", lambda: pair.gap, True),
            ("passage", lambda: pair.passage, True),
        )
        for name, measure, needs_size in lengths:
            kind = TYPES[name]
            reason = self._lacks(kind, sides=False)
            if reason is None and needs_size:
                reason = sized or ("inside_other" if is_inside else None)
            if reason is None and name == "passage":
                reason = self._off_floor(a, b)
            if reason is not None:
                self._refuse(reason, kind)
            else:
                self._ask_length(kind, (a, b), measure(), sigma)
        self._ask_ratio_distance(a, b)
        self._ask_stands_on(a, b, pair, sigma)

    def _off_floor(self, *things: SeenThing) -> str | None:
        floor_z = self.view.model.floor_z
        if floor_z is None:
            return "no_floor"
        reach = self.bars.on_floor_m * self.metre
        return "not_on_floor" if any(abs(one.body.bottom - floor_z) > reach for one in things) else None

    def _decide(self, difference: float, sigma: float, mean_size: float, pair: PairMeasures) -> Decision:
        return compare(
            difference,
            sigma,
            apart=pair.distance,
            mean_size=mean_size,
            smaller=pair.smaller_side,
            metre=self.metre,
            has_scale=self.has_scale,
            bars=self.bars,
        )

    def _ask_places(
        self, a: SeenThing, b: SeenThing, pair: PairMeasures, sigma: float, sized: str | None, is_inside: bool
    ) -> None:
        """Left and right, behind and in front, above and below, and by how much."""
        viewer = self.view.viewer
        turned = hypot(sigma, self.turn_sigma * pair.distance)
        for comparison in COMPARISONS[:3]:
            dimension, kinds = comparison.dimension, _COMPARED[comparison.dimension]
            more, less = (TYPES[name] for name in _DIFFERENCES[dimension])
            reason = self._lacks(kinds[0], sides=dimension != "vertical")
            if reason is None and is_inside and dimension != "vertical":
                reason = "inside_other"
            if reason is not None:
                self._refuse(reason, *kinds, more, less)
                continue
            if dimension == "lateral":
                difference = viewer.lateral(a.body.center) - viewer.lateral(b.body.center)
                spread = (a.body.extent(viewer.right) + b.body.extent(viewer.right)) / 2
                decision, said = self._decide(difference, turned, spread, pair), difference
            elif dimension == "ahead":
                difference = viewer.distance_ahead(a.body.center) - viewer.distance_ahead(b.body.center)
                spread = (a.body.extent(viewer.ahead) + b.body.extent(viewer.ahead)) / 2
                decision, said = self._decide(difference, turned, spread, pair), difference
            else:
                decision, said = self._decide(pair.vertical, sigma, sum(pair.heights) / 2, pair), pair.bottoms
            reason = self._contradicts(dimension, a, b, pair, decision)
            if reason is not None:
                self._refuse(reason, *kinds, more, less)
                continue
            self._ask_compared(comparison, a, b, decision, self.unit)
            if decision.verdict == "too close":
                self._refuse("not_so", more, less)
                continue
            asked, other = (more, less) if decision.verdict == "more" else (less, more)
            self._refuse("not_so", other)
            if dimension == "vertical" and (said > 0) != (decision.verdict == "more"):
                self._refuse("not_so", asked)
            elif dimension == "vertical" and sized is not None:
                self._refuse(sized, asked)
            else:
                self._ask_length(asked, (a, b), abs(said), sigma if dimension == "vertical" else turned)

    def _contradicts(
        self, dimension: Dimension, a: SeenThing, b: SeenThing, pair: PairMeasures, decision: Decision
    ) -> str | None:
        """Why a place is not asked about although it may be decided."""
        if decision.verdict is None:
            return "undecided"
        if decision.verdict == "too close":
            return None
        is_more = decision.verdict == "more"
        if dimension == "lateral":
            step = (a.box[0] + a.box[2]) - (b.box[0] + b.box[2])
            overlap = span_overlap(a.box, b.box, 0)
            return "image_disagrees" if (step > 0) != is_more or overlap > self.bars.most_span_overlap else None
        if dimension == "ahead":
            viewer = self.view.viewer
            depth_a, depth_b = (self.view.pose.depths(one.body.center[None])[0] for one in (a, b))
            further = viewer.range(a.body.center) - viewer.range(b.body.center)
            agree = ((depth_a - depth_b) > 0) == is_more and (further > 0) == is_more
            return None if agree else "orders_disagree"
        return "side_by_side" if pair.beside > self.bars.most_beside else None

    def _ask_compared(
        self,
        comparison: Comparison,
        a: SeenThing,
        b: SeenThing,
        decision: Decision,
        unit: Unit,
        values: tuple[Measured, ...] = (),
    ) -> None:
        name = "ratio" if unit == "ratio" else "difference"
        evidence = (
            *values,
            Measured(name, decision.difference, unit, decision.sigma),
            Measured("margin", decision.margin, unit, 0.0),
        )
        for kind in _COMPARED[comparison.dimension]:
            self._ask(kind, (a, b), verdict=decision.verdict, evidence=evidence)

    def _ask_sizes(self, a: SeenThing, b: SeenThing, pair: PairMeasures, sigma: float, sized: str | None) -> None:
        """Taller, wider, bigger, and how many times."""
        viewer = self.view.viewer
        for comparison in COMPARISONS[3:]:
            dimension, kinds = comparison.dimension, _COMPARED[comparison.dimension]
            ratio_kind = TYPES.get(f"ratio_{dimension}")
            both = (*kinds, ratio_kind) if ratio_kind else kinds
            reason = self._lacks(kinds[0], sides=dimension == "width") or sized
            if reason is None and dimension == "width":
                facing = max(sizes.facing_deg(one.body, viewer) for one in (a, b))
                reason = "turned" if facing > self.bars.most_turned_deg else None
            if reason is not None:
                self._refuse(reason, *both)
                continue
            if dimension == "volume":
                one, other, unit = *pair.volumes, "m3" if self.has_scale else "unit"
                relative = hypot(*(2**0.5 * x.sigma / (2 * side) for x in (a, b) for side in x.body.half))
                decision = compare_ratio(one / other, relative, self.bars.min_volume_ratio, self.bars)
                values = (Measured("A", one, unit, one * relative), Measured("B", other, unit, other * relative))
                if decision.verdict is None:
                    self._refuse("undecided", *kinds)
                else:
                    self._ask_compared(comparison, a, b, decision, "ratio", values)
                continue
            one, other = pair.heights if dimension == "height" else (sizes.width(x.body, viewer) for x in (a, b))
            values = (
                Measured("A", one, self.unit, 2**0.5 * a.sigma),
                Measured("B", other, self.unit, 2**0.5 * b.sigma),
            )
            decision = self._decide(one - other, 2**0.5 * sigma, (one + other) / 2, pair)
            if decision.verdict is None:
                self._refuse("undecided", *kinds)
            elif decision.verdict != "too close" and max(one, other) < self.bars.min_ratio * min(one, other):
                self._refuse("alike_in_size", *kinds)
            else:
                self._ask_compared(comparison, a, b, decision, self.unit, values)
            if ratio_kind is not None:
                relative = 2**0.5 * hypot(a.sigma / one, b.sigma / other)
                self._ask_ratio(ratio_kind, a, b, one, other, relative)

    def _ask_ratio_distance(self, a: SeenThing, b: SeenThing) -> None:
        kind = TYPES["ratio_distance"]
        one, other = (self.view.viewer.range(x.body.center) for x in (a, b))
        relative = hypot(a.sigma / one, b.sigma / other, self.eye_sigma / one, self.eye_sigma / other)
        self._ask_ratio(kind, a, b, one, other, relative)

    def _ask_ratio(
        self, kind: QuestionType, a: SeenThing, b: SeenThing, one: float, other: float, relative: float
    ) -> None:
        """How many times the smaller the greater is; asked of the greater."""
        if one < other:
            a, b, one, other = b, a, other, one
        ratio = one / other
        if ratio < self.bars.min_ratio:
            self._refuse("alike_in_size", kind)
        elif relative > self.bars.relative_sigma_bar:
            self._refuse("uncertain", kind)
        else:
            measured = Measured(kind.name, ratio, "ratio", ratio * relative)
            evidence = (Measured("A", one, self.unit, 0.0), Measured("B", other, self.unit, 0.0))
            self._ask(kind, (a, b), measured=measured, evidence=evidence)

    def _ask_stands_on(self, a: SeenThing, b: SeenThing, pair: PairMeasures, sigma: float) -> None:
        """Of the upper one whether it stands on the lower one."""
        kind = TYPES["stands_on"]
        if not self.is_upright:
            self._refuse("not_upright", kind)
            return
        if a.body.bottom < b.body.bottom:
            a, b = b, a
        lift, over = stands_on_gap(a.body, b.body), footprint_overlap(a.body, b.body)
        near = self.bars.stand_gap_m * self.metre
        slack = self.bars.sigmas * sigma
        evidence = (
            Measured("bottom of A above top of B", lift, self.unit, sigma),
            Measured("share of A's footprint over B", over, "ratio", 0.0),
        )
        if abs(lift) + slack <= near and over >= self.bars.stand_overlap:
            self._ask(kind, (a, b), verdict=True, evidence=evidence)
        elif (over == 0.0 and pair.passage >= max(slack, near)) or abs(lift) >= max(3 * near, near + slack):
            self._ask(kind, (a, b), verdict=False, evidence=evidence)
        else:
            self._refuse("nothing_beneath", kind)


_PAIR_TYPES = tuple(kind.name for kind in TYPES.values() if kind.objects == 2)

"""Puts what was measured of a view through the gates: it may be asked, or is counted with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import hypot

from instructions.asking.bars import Dimension, GateOptions
from instructions.asking.counts import NotAsked
from instructions.asking.gates import hide_size, refuse_number
from instructions.asking.names import Naming, name_things
from instructions.facts.measured import Measured, Unit
from instructions.facts.pairs import MIN_RATIO, PairTable
from instructions.facts.verdict import Sign, Verdict
from instructions.questions.core.records import TOO_CLOSE
from instructions.questions.core.truths import Truth
from instructions.questions.core.types import COMPARISONS, TYPES, Comparison, QuestionType
from instructions.questions.core.view_sets import ViewSet
from instructions.questions.core.world import Value
from instructions.view import SeenThing, View

COMPARED = {
    one.dimension: tuple(kind for kind in TYPES.values() if kind.comparison is one and not kind.supposes)
    for one in COMPARISONS
}
"""The types that compare two things in a dimension, as the view shows them."""


@dataclass(eq=False)
class ViewAsker:
    """Of one view; fills `truths` and `not_asked`."""

    view: View
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
        self.turn_sigma, self.eye_sigma = self.view.standpoint.turn_sigma, self.view.standpoint.eye_sigma
        self.views = ViewSet("image", model, (self.view,), {one.id: one.known for one in self.view.things}, {}, ())
        self._names: dict[tuple[str, Dimension], tuple[Naming, ...] | str] = {}

    @cached_property
    def widest_column(self) -> float:
        """Tangent of the angle from the middle of the picture to the nearer of its two sides."""
        camera = self.view.model.camera
        ends = camera.rays([[0.0, camera.height / 2], [camera.width, camera.height / 2]])
        return float(abs(ends[:, 0] / ends[:, 2]).min())

    def find_names(self, one: SeenThing, dimension: Dimension) -> tuple[Naming, ...] | str:
        """Ways to call a thing that mean it alone and tell nothing of the dimension, or why there is none."""
        key = (one.id, dimension)
        if key not in self._names:
            self._names[key] = name_things(self.view, one, dimension)
        return self._names[key]

    def refuse(self, reason: str, *kinds: QuestionType) -> None:
        """Count that these types are not asked, and why."""
        for kind in kinds:
            self.not_asked[kind.name, reason] += 1

    def ask(
        self,
        kind: QuestionType,
        things: Sequence[SeenThing],
        *,
        value: Value,
        twin: Value | None = None,
        measured: Measured | None = None,
        evidence: tuple[Measured, ...] = (),
        only_as_seen: bool = False,
    ) -> None:
        """Keep a truth, unless a thing has no name of its own."""
        names = []
        for one in things:
            named = self.find_names(one, kind.dimension)
            if isinstance(named, str):
                self.refuse(named, kind)
                return
            names.append(named)
        ids = tuple(one.id for one in things)
        self.truths.append(
            Truth(
                kind, self.views, ids, tuple(names), value, measured=measured, evidence=evidence, source="measures",
                twin=twin, only_as_seen=only_as_seen,
            )
        )  # fmt: skip

    def ask_sign(
        self, kind: QuestionType, things: Sequence[SeenThing], sign: Sign, evidence: tuple[Measured, ...]
    ) -> None:
        """Ask for the comparison of A with B, both ways round."""
        a, b = (one.id for one in things)
        other: Sign = {"more": "less", "less": "more"}.get(sign, sign)  # type: ignore[assignment]  # a sign
        self.ask(kind, things, value=_say_sign(kind, sign, a, b), twin=_say_sign(kind, other, b, a), evidence=evidence)

    def find_lack(self, kind: QuestionType, *, sides: bool) -> str | None:
        """Why a type does not exist in this view."""
        if kind.upright and not self.is_upright:
            return "not_upright"
        return "no_sides" if sides and not self.view.viewer.has_sides else None

    def hide_sizes(self, *things: SeenThing) -> str | None:
        """Why the size of any of the things cannot be told from this view."""
        return next(
            (reason for one in things if (reason := hide_size(one, self.view.size, self.bars)) is not None), None
        )

    def ask_length(
        self,
        kind: QuestionType,
        things: Sequence[SeenThing],
        value: float,
        sigma: float,
        *,
        only_as_seen: bool = False,
    ) -> None:
        """Ask for a length.

        Args:
            kind: The type.
            things: A, and B.
            value: In the unit of the model.
            sigma: Of boxes and poses, in the same unit; that of the scale is added.
            only_as_seen: The width is only that which shows from here.
        """
        scale = self.view.model.scale
        if not self.has_scale:
            self.refuse("no_scale", kind)
            return
        reason = refuse_number(value, sigma, scale.sigma, self.metre, self.bars)
        if reason is None and any(self._is_out_of_reach(one) for one in things):
            reason = "far_or_near"
        if reason is not None:
            self.refuse(reason, kind)
            return
        whole = value * hypot(scale.sigma, sigma / value)
        evidence = (
            Measured("error of box and pose", value, "m", sigma),
            Measured("error of the scale", 1.0, "ratio", scale.sigma),
        )
        measured = Measured(kind.name, value, "m", whole)
        self.ask(kind, things, value=value, measured=measured, evidence=evidence, only_as_seen=only_as_seen)

    def _is_out_of_reach(self, one: SeenThing) -> bool:
        away = self.view.viewer.range(one.body.center)
        return one.sigma > 0 and not self.bars.nearest_m * self.metre <= away <= self.bars.furthest_m * self.metre

    def ask_compared(
        self,
        comparison: Comparison,
        a: SeenThing,
        b: SeenThing,
        decision: Verdict,
        unit: Unit,
        values: tuple[Measured, ...] = (),
    ) -> None:
        """Ask predicate, choice and class of a comparison that was decided."""
        name = "ratio" if unit == "ratio" else "difference"
        evidence = (
            *values,
            Measured(name, decision.value, unit, decision.sigma),
            Measured("margin", decision.margin, unit, 0.0),
        )
        for kind in COMPARED[comparison.dimension]:
            if decision.sign is not None:
                self.ask_sign(kind, (a, b), decision.sign, evidence)

    def ask_ratio(
        self, kind: QuestionType, a: SeenThing, b: SeenThing, one: float, other: float, relative: float
    ) -> None:
        """How many times the smaller the greater is; asked of the greater."""
        if one < other:
            a, b, one, other = b, a, other, one
        ratio = one / other
        if ratio < MIN_RATIO:
            self.refuse("alike_in_size", kind)
        elif relative > self.bars.relative_sigma_bar:
            self.refuse("uncertain", kind)
        else:
            measured = Measured(kind.name, ratio, "ratio", ratio * relative)
            evidence = (Measured("A", one, self.unit, 0.0), Measured("B", other, self.unit, 0.0))
            self.ask(kind, (a, b), value=ratio, measured=measured, evidence=evidence)


def _say_sign(kind: QuestionType, sign: Sign, a: str, b: str) -> str:
    """The answer to a comparison of A with B."""
    comparison = kind.comparison
    assert comparison is not None, kind.name
    if sign == TOO_CLOSE:
        return TOO_CLOSE
    if kind.form == "label":
        return comparison.say_more if sign == "more" else comparison.say_less
    holds = (sign == "more") == (kind.word == comparison.more)
    if kind.form == "yes_no":
        return "yes" if holds else "no"
    return a if holds else b

"""What the gates of all families need of a set of views: clear things, when they are in view, their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import hypot

from instructions.asking.bars import Dimension, GateOptions
from instructions.asking.gates import hide_foot, hide_marks, hide_size, hide_thing, lies_elsewhere, refuse_number
from instructions.asking.names import TELLS, Naming, mark_thing
from instructions.facts.pairs import Pair, PairTable
from instructions.facts.things import Thing
from instructions.facts.verdict import Measured, Unit, Verdict, is_first
from instructions.facts.viewer import Standpoint
from instructions.questions.core.naming import DRAWN_MEDIA, name_in_views
from instructions.questions.core.options import VIEW_BARS, ProgramBars
from instructions.questions.core.sightings import Sightings, watch_things
from instructions.questions.core.types import QuestionType
from instructions.questions.core.view_sets import Judged, Refused, Truth, ViewSet, cut_to_corner, refuse, require
from instructions.questions.core.world import Given, Ids, ProgramCamera, ProgramScene, ProgramThing, Value
from instructions.view import SeenThing, View

Judge = Callable[..., Judged]
"""Of a type: `(asker, kind, things, given)`; raises `Refused` for what may not be asked."""


@dataclass(frozen=True)
class Surroundings:
    """What is known of a model besides its things."""

    floor_area: float | None = None
    rooms: tuple[str, ...] = ()
    uncounted: frozenset[str] = frozenset()
    """Categories of which a scan may hold others than those it lists."""
    scan_views: tuple[int, ...] = ()
    """Frames of a scan's own video, which have no poses."""


@dataclass(eq=False)
class Asker:
    """Of one set of views."""

    views: ViewSet
    pairs: PairTable
    bars: GateOptions
    own: ProgramBars = VIEW_BARS
    around: Surroundings = Surroundings()
    exact: bool = False
    """The world is known: what no view sees is not in view."""

    def __post_init__(self) -> None:
        model = self.views.model
        self.metre = model.nominal_metre
        self.has_scale = model.scale.status != "relative"
        self.unit: Unit = "m" if self.has_scale else "unit"
        self.volume_unit: Unit = "m3" if self.has_scale else "unit"
        self.hide_size = cache(self._hide_size)
        self._name = cache(lambda name, tells: name_in_views(self.views, name, "height" if tells else "none"))

    @property
    def view(self) -> View:
        """The (only) view."""
        return self.views.views[0]

    @property
    def is_upright(self) -> bool:
        """Whether the (only) view knows what is up."""
        return self.view.viewer.pitch_deg is not None

    @cached_property
    def sightings(self) -> dict[str, Sightings]:
        """When each thing is in view."""
        return watch_things(self.views, self.bars, self.own, exact=self.exact)

    @cached_property
    def scene(self) -> ProgramScene:
        """The views as reference programs see them."""
        things = {
            name: ProgramThing(
                name,
                (known := self.views.known[name]).thing.category or known.thing.alias,
                known.thing.obb,
                self.sightings[name].frames,
                known.thing.room,
            )
            for name in self.views.seen
        }
        cameras = tuple(ProgramCamera.of(view.frame, view.pose) for view in self.views.views)
        model = self.views.model
        path = [(float(x), float(y), float(z)) for x, y, z in model.centers]
        around = self.around
        return ProgramScene(things, cameras, around.floor_area, around.rooms, path, model.frames, model.floor_z)

    @cached_property
    def hidden(self) -> dict[str, str]:
        """Why a thing cannot be asked about in these views, by thing; things that can are not in it."""
        out: dict[str, str] = {}
        for name, seen in self.views.seen.items():
            reasons = [self._hidden_at[name, place] for place in seen]
            if None not in reasons and not self.views.is_scan:
                out[name] = reasons[0] or "hidden"
            elif name in self.disputed:
                out[name] = "disputed"
            elif isinstance(named := self.refer(name, "none"), str):
                out[name] = named
        return out

    @cached_property
    def disputed(self) -> frozenset[str]:
        """Things in whose place there are others, however well the views show them."""
        known = map(self.known, self.views.seen)
        found = [one for one in known if not (self.views.is_scan and one.is_given)]
        return frozenset(self.pairs.disputed | self.pairs.share_place(found))

    @cached_property
    def clear(self) -> list[str]:
        """Things that can be asked about, in the order of their ids."""
        return sorted(name for name in self.views.seen if name not in self.hidden)

    def list_fit(self, kind: QuestionType) -> list[str]:
        """Those of them of which a type may ask: some types need the whole extent to show."""
        return [name for name in self.clear if not kind.sized or self.hide_size(name) is None]

    @cached_property
    def _hidden_at(self) -> dict[tuple[str, int], str | None]:
        """Why a view does not show a thing well, by thing and place of the view; None where it does."""
        return {
            (name, place): self._hide(place, one)
            for name, seen in self.views.seen.items()
            for place, one in seen.items()
        }

    def _hide(self, place: int, one: SeenThing) -> str | None:
        view = self.views.views[place]
        reason = hide_thing(one, view.size, self.metre, self.bars)
        if reason is None and one.sigma > 0 and cut_to_corner(one, view.size, self.bars, self.own.corner_area):
            return "cut_to_corner"
        if reason is None and one.sigma > 0:
            x, y = view.model.camera.project(view.pose.inverse() @ one.body.center[None])[0]
            reason = "off_picture" if lies_elsewhere(one, (float(x), float(y)), self.bars) else None
        return reason

    def _hide_size(self, name: str) -> str | None:
        """Why neither one view nor several together show the size of a thing, or None."""
        reasons = [
            self._hidden_at[name, place] or hide_size(one, self.views.views[place].size, self.bars)
            for place, one in self.views.seen[name].items()
        ]
        if None in reasons or self.views.is_scan:
            return None
        # What one picture cuts off another may show: a tall thing is filmed from its foot to its top.
        cut = [
            self.views.views[place].find_cut_sides(one, self.bars.border_px)
            for (place, one), reason in zip(self.views.seen[name].items(), reasons, strict=True)
            if reason == "cut_by_border"
        ]
        return None if cut and not frozenset.intersection(*cut) else reasons[0]

    def hide_sizes(self, *names: str) -> str | None:
        """Why the size of any of the things cannot be told from the (only) view, or None."""
        reasons = (hide_size(self.find_seen(name), self.view.size, self.bars) for name in names)
        return next(filter(None, reasons), None)

    def hide_foot(self, name: str) -> str | None:
        """Why nobody knows how far down a thing reaches, or None."""
        return hide_foot(self.known(name), self.views.model.floor_z, self.metre)

    def find_names(self, name: str, dimension: Dimension) -> tuple[Naming, ...] | str:
        """Ways to call a thing that mean it alone and tell nothing of the dimension, or why there is none."""
        return self._name(name, dimension in TELLS)

    def refer(self, name: str, dimension: Dimension) -> tuple[Naming, ...] | str:
        """The same, or with a mark where no name means it alone."""
        named = self.find_names(name, dimension)
        is_marked = named == "not_unique" and self.views.medium in DRAWN_MEDIA
        return mark_thing(self.known(name), dimension) if is_marked else named

    def refer_all(
        self, things: Sequence[str], dimension: Dimension, *, is_drawn: bool = True
    ) -> tuple[tuple[Naming, ...], ...]:
        """Ways to refer to each thing of one question about a dimension. Where a mark would tell when a thing is in
        view, nothing is drawn.

        Raises:
            Refused: If the question cannot refer to all of them.
        """
        names: list[tuple[Naming, ...]] = []
        for name in things:
            named = self.refer(name, dimension) if is_drawn else self.find_names(name, dimension)
            if isinstance(named, str):
                raise Refused(named)
            names.append(named)
        marked = [name for name, named in zip(things, names, strict=True) if named[0].mark is not None]
        if marked:
            refuse(hide_marks([self.views.find_best(name)[1] for name in marked], self.views.views[0].size))
        return tuple(names)

    def known(self, name: str) -> Thing:
        """A thing with its body and error."""
        return self.views.known[name]

    def find_seen(self, name: str) -> SeenThing:
        """A thing as the (only) view shows it."""
        return self.views.seen[name][0]

    def pair(self, a: str, b: str) -> Pair:
        """Measures of two things."""
        return self.pairs.of(self.known(a), self.known(b))

    def sigma(self, *names: str) -> float:
        """Of a difference between faces of so many things."""
        return hypot(*(self.known(name).sigma for name in names))

    @property
    def standpoint(self) -> Standpoint:
        """From where relations of the (only) view are meant."""
        return self.view.standpoint

    def answer(self, kind: QuestionType, things: Sequence[str], given: Given) -> Value:
        """What the reference program of a type says of these things."""
        assert kind.reference is not None, kind.name
        return kind.reference([self.scene.things[thing] for thing in things], self.scene, given)

    def judge(self, kind: QuestionType, things: Ids, given: Given) -> Truth | str:
        """One question of a type about things, or why it may not be asked."""
        try:
            return self.prove(kind, things, given)
        except Refused as refused:
            return str(refused)

    def prove(self, kind: QuestionType, things: Ids, given: Given) -> Truth:
        """The same.

        Raises:
            Refused: If it may not be asked.
        """
        names = self.refer_all(things, kind.dimension, is_drawn=kind.family != "times")
        for name in things if kind.sized else ():
            refuse(self._hide_extent(kind, name, given))
        assert kind.judge is not None, kind.name
        judged: Judged = kind.judge(self, kind, things, given)
        if judged.things == things[::-1]:
            things, names = judged.things, names[::-1]
        value, twin = judged.value, judged.twin
        if value is None:
            value = self.answer(kind, things, given)
        if kind.has_twin and twin is None:
            twin = self.answer(kind, things[::-1], given)
        return Truth(
            kind, self.views, things, names, value, given, judged.measured, judged.evidence,
            "measures" if kind.reference is None else "reference", twin=twin, only_as_seen=judged.only_as_seen,
        )  # fmt: skip

    def _hide_extent(self, kind: QuestionType, name: str, given: Given) -> str | None:
        """Why the extent that a type asks for was not measured, or None; a given one is known however it shows."""
        known = self.known(name)
        if known.is_given or known.sigma == 0:
            return None
        return self.hide_size(name) or (self.hide_foot(name) if given.side in ("", "height") else None)

    def judge_length(
        self, kind: QuestionType, things: Sequence[str], value: float, sigma: float, *, only_as_seen: bool = False
    ) -> Judged:
        """A length, with value and error (of boxes and poses) in the model's unit; each thing must be in reach of some
        view. Only as seen: a width is that which shows from here.

        Raises:
            Refused: If it may not be asked for.
        """
        require(self.has_scale, "no_scale")
        scale = self.views.model.scale.sigma
        refuse(refuse_number(value, sigma, scale, self.metre, self.bars))
        require(not any(self._is_out_of_reach(thing) for thing in things), "far_or_near")
        factor, unit = (100.0, "cm") if kind.unit == "cm" else (1.0, "m")
        whole = factor * value * hypot(scale, sigma / value)
        evidence = (
            Measured("error of box and pose", value, "m", sigma),
            Measured("error of the scale", 1.0, "ratio", scale),
        )
        measured = Measured(kind.name, factor * value, unit, whole)
        return Judged(factor * value, measured, evidence, only_as_seen=only_as_seen)

    def _is_out_of_reach(self, name: str) -> bool:
        known = self.known(name)
        if known.sigma == 0 or self.views.is_scan:
            return False
        near, far = self.bars.nearest_m * self.metre, self.bars.furthest_m * self.metre
        ranges = [self.views.views[place].viewer.range(known.body.center) for place in self.views.seen[name]]
        return not any(near <= one <= far for one in ranges)

    def judge_amount(
        self, kind: QuestionType, value: float, relative: float, unit: Unit, evidence: tuple[Measured, ...] = ()
    ) -> Judged:
        """A number that grows with the scale, with its relative error.

        Raises:
            Refused: If that is too large, or nothing has a scale.
        """
        require(self.has_scale, "no_scale")
        require(relative <= self.bars.relative_sigma_bar, "uncertain")
        return Judged(value, Measured(kind.name, value, unit, value * relative), evidence)

    def judge_best(self, best: float, second: float, sigma: float) -> Judged:
        """Two lengths in the model's unit of which the first is to be clear of the second.

        Raises:
            Refused: If it is not.
        """
        found = is_first(best, second, sigma, self.metre)
        require(found.state is not None, found.reason)
        told = Measured("best", best, self.unit, sigma), Measured("second", second, self.unit, sigma)
        return Judged(evidence=(*told, Measured("margin", found.margin, self.unit, 0.0)))

    def judge_relation(self, name: str, found: Verdict) -> Judged:
        """A relation on which an answer rests, which holds or does not.

        Raises:
            Refused: If nobody knows.
        """
        require(found.state is not None, found.reason or "undecided")
        unit = found.unit if found.unit == "ratio" or not self.has_scale else "m"
        evidence = (Measured(name, found.value, unit, found.sigma), Measured("margin", found.margin, unit, 0.0))
        return Judged(evidence=evidence)


def judge_by(name: str, relate: Callable[[Asker, Ids, Given], Verdict]) -> Judge:
    """The judge of a type that rests on one relation of its things, which `name` calls in the evidence."""
    return lambda asker, kind, things, given: asker.judge_relation(name, relate(asker, things, given))

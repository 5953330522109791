"""Two things, A and B: every measure between them, and every relation, each decided here and nowhere else.

What is said of A against B is true, false or unknown by one bar, which stands here with its reason. Whoever asks,
answers, tells or checks takes it from here; which views a relation may be asked of is another matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import dist, hypot

from instructions.facts import between, sizes
from instructions.facts.between import gap
from instructions.facts.bodies import UP
from instructions.facts.overlap import measure_span_overlap
from instructions.facts.things import Thing
from instructions.facts.verdict import SIGMAS, Verdict, compare, compare_ratio, find_floor
from instructions.facts.viewer import Standpoint, Viewer
from instructions.records import Box
from recon.geometry import Array
from recon.records import SceneModel

MIN_RATIO = 1.20
"""Ratio of heights, widths or lengths that people call taller, wider or longer."""
MIN_VOLUME_RATIO = 1.50
"""Ratio of volumes that people call bigger: 15 % in each side."""
MOST_SPAN_OVERLAP = 0.50
"""Share of the shorter span in the picture that two things may share to be left and right of each other."""
MOST_BESIDE = 0.50
"""Share of the lower one's height that may stand beside the other for one to be above."""
MOST_INSIDE = 0.80
"""Share of a box in the other's above which one thing is inside the other: a box holds a margin of what is seen."""
SAME_PLACE = 0.30
"""Share of each of two boxes in the other from which they fill one place."""
STAND_M = 0.03
"""(Nominal) metres between the bottom of A and the top of B for A to stand on it, besides one standard deviation: what
touches measures no more, and a shelf that holds nothing of the thing beneath it is seldom so near."""
_MOST_STAND_M = 0.10
"""... and in all: where boxes are worse than this, a thing may as well stand in front."""
_STAND_OVERLAP = 0.50
"""Share of A's plan over B's for A to stand on it: what overhangs by more tips over."""
NEXT_M = 0.50
"""(Nominal) metres: widest gap between things that people call next to each other; an arm's length."""
_NOT_NEXT_M = 0.80
"""... and least gap between things that nobody calls so: one walks through there."""
_NEARER_SHARE = 0.10
"""Of the greater distance: what is nearer by less nobody sees, in rooms as in pictures."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two things of a model, in the model's unit."""

    a: Thing
    b: Thing
    metre: float
    """One (nominal) metre."""
    has_scale: bool
    """Whether that is more than nominal."""

    @cached_property
    def sigma(self) -> float:
        """Of a difference between a face of A and one of B."""
        return hypot(self.a.sigma, self.b.sigma)

    def sigma_along(self, direction: Array) -> float:
        """Of the same along a unit vector of the world."""
        return hypot(*(one.body.sigma_along(one.sigma, direction) for one in (self.a, self.b)))

    @cached_property
    def distance(self) -> float:
        """Of the centres."""
        return between.distance(self.a.body, self.b.body)

    @cached_property
    def gap(self) -> float:
        """Of the surfaces."""
        return gap(self.a.body, self.b.body)

    @cached_property
    def passage(self) -> float:
        """Of the plans."""
        return between.passage(self.a.body, self.b.body)

    @cached_property
    def vertical(self) -> float:
        """Centre of A above that of B."""
        return between.vertical_difference(self.a.body, self.b.body)

    @cached_property
    def bottoms(self) -> float:
        """Bottom of A above that of B."""
        return self.a.body.bottom - self.b.body.bottom

    @cached_property
    def beside(self) -> float:
        """Share of the lower one's height beside the other."""
        return between.vertical_overlap(self.a.body, self.b.body)

    @cached_property
    def heights(self) -> tuple[float, float]:
        """Of A and of B."""
        return sizes.height(self.a.body), sizes.height(self.b.body)

    @cached_property
    def volumes(self) -> tuple[float, float]:
        """Of A and of B."""
        return sizes.volume(self.a.body), sizes.volume(self.b.body)

    @cached_property
    def _least_gap(self) -> float:
        """Between the spheres around the two: cheap, and never more than the gap."""
        a, b = self.a.body.box, self.b.body.box
        return dist(a.center, b.center) - (hypot(*a.half_extents) + hypot(*b.half_extents))

    @cached_property
    def may_touch(self) -> bool:
        """Whether the two may be near enough to be next to or on each other: cheap, and never wrong about a no."""
        return self._least_gap <= NEXT_M * self.metre or self.a.rests_on == self.b.id

    @cached_property
    def inside(self) -> tuple[float, float]:
        """Share of A in B, and of B in A."""
        if self._least_gap >= 0:
            return 0.0, 0.0
        return between.inside_share(self.a.body, self.b.body), between.inside_share(self.b.body, self.a.body)

    @cached_property
    def is_nested(self) -> bool:
        """Whether one is inside the other."""
        return max(self.inside) >= MOST_INSIDE

    def compare(self, difference: float, sigma: float, mean_size: float) -> Verdict:
        """Whether a difference of A and B is clear; see `verdict.compare`."""
        smaller = min(self.a.body.mean_side, self.b.body.mean_side)
        return compare(
            difference, sigma, apart=self.distance, mean_size=mean_size, smaller=smaller, metre=self.metre,
            has_scale=self.has_scale,
        )  # fmt: skip

    @cached_property
    def is_above(self) -> Verdict:
        """Whether A's middle is above B's, and not beside it."""
        found = self.compare(self.vertical, self.sigma_along(UP), sum(self.heights) / 2)
        return found.withhold("side_by_side") if found.state is not None and self.beside > MOST_BESIDE else found

    @cached_property
    def is_wholly_above(self) -> Verdict:
        """Whether all of A is above all of B; false where it is the other way round."""
        lift, other = between.stands_on_gap(self.a.body, self.b.body), between.stands_on_gap(self.b.body, self.a.body)
        sigma = self.sigma_along(UP)
        margin = max(SIGMAS * sigma, find_floor(sigma, self.metre))
        state = True if lift >= margin else False if other >= margin else None
        return Verdict(state, lift, margin, sigma, reason="overlap" if state is None else "")

    @cached_property
    def stands_on(self) -> Verdict:
        """Whether A stands, or lies, on B.

        True where A begins where B ends, over it, or where pictures show B under it and boxes do not say otherwise.
        False where their plans are apart, A hovers, or A begins no higher than B does. What begins inside B's height is
        unknown: it may be on a seat or a shelf.
        """
        lift = between.stands_on_gap(self.a.body, self.b.body)
        over = between.footprint_overlap(self.a.body, self.b.body)
        near, slack = STAND_M * self.metre, SIGMAS * self.sigma
        reach = near + self.sigma
        is_off = over == 0.0 and self.passage >= max(slack, near)
        is_low = lift <= -(near + slack) and self.bottoms <= near
        state = None
        if abs(lift) <= reach <= _MOST_STAND_M * self.metre and over >= _STAND_OVERLAP:
            state = True
        elif is_off or is_low or lift >= max(3 * near, near + slack):
            state = False
        elif self.a.rests_on == self.b.id:
            state = True
        return Verdict(state, lift, reach, self.sigma, reason="nothing_beneath" if state is None else "")

    @cached_property
    def is_under(self) -> Verdict:
        """Whether A is under B: B stands on it, or is above it and over it."""
        other = self.turned
        if other.stands_on.state:
            return other.stands_on
        over = max(between.footprint_overlap(self.a.body, self.b.body),
                   between.footprint_overlap(self.b.body, self.a.body))  # fmt: skip
        found = other.is_wholly_above
        if found.state and over >= _STAND_OVERLAP:
            return found
        is_off = over == 0.0 and self.passage >= max(SIGMAS * self.sigma, STAND_M * self.metre)
        if is_off or self.is_wholly_above.state or self.stands_on.state:
            return Verdict(False, found.value, found.margin, self.sigma)
        return Verdict(None, found.value, found.margin, self.sigma, reason="overlap")

    @cached_property
    def is_next_to(self) -> Verdict:
        """Whether A and B are next to each other.

        What overlaps is badly known, or one holds the other, and of what is under the other nobody says so.
        """
        away, slack = self.gap, SIGMAS * self.sigma
        reach, most = NEXT_M * self.metre, _NOT_NEXT_M * self.metre
        state = None
        if 0.0 < away <= reach and away + slack <= most and not (self.is_under.state or self.turned.is_under.state):
            state = True
        elif away - slack > most:
            state = False
        return Verdict(state, away, reach, self.sigma, reason="undecided" if state is None else "")

    def compare_extents(self, one: float, other: float) -> Verdict:
        """Whether an extent of A is clearly more than that of B: by what people see, and by a ratio that they name."""
        sigma = hypot(self.a.body.size_sigma(self.a.sigma, one), self.b.body.size_sigma(self.b.sigma, other))
        found = self.compare(one - other, sigma, (one + other) / 2)
        is_alike = found.state is not None and max(one, other) < MIN_RATIO * min(one, other)
        return found.withhold("alike_in_size") if is_alike else found

    @cached_property
    def is_taller(self) -> Verdict:
        """Whether A is taller than B."""
        return self.compare_extents(*self.heights)

    def is_wider(self, viewer: Viewer) -> Verdict:
        """Whether A spreads more from left to right than B."""
        return self.compare_extents(sizes.width(self.a.body, viewer), sizes.width(self.b.body, viewer))

    @cached_property
    def is_bigger(self) -> Verdict:
        """Whether A's volume is greater than B's."""
        one, other = self.volumes
        return compare_ratio(one / other, hypot(*map(volume_sigma, (self.a, self.b))), MIN_VOLUME_RATIO)

    def lies_right(self, viewer: Viewer, turn_sigma: float) -> Verdict:
        """Whether A is to the right of B in the world, whatever a picture shows."""
        difference = between.lateral_difference(self.a.body, self.b.body, viewer)
        spread = (self.a.body.extent(viewer.right) + self.b.body.extent(viewer.right)) / 2
        return self.compare(difference, hypot(self.sigma_along(viewer.right), turn_sigma * self.distance), spread)

    def is_right(self, at: Standpoint, boxes: tuple[Box, Box]) -> Verdict:
        """Whether A is to the right of B, in the world and in the picture; `boxes` are those of A and B in it."""
        if not at.viewer.has_sides:
            return Verdict(None, 0.0, 0.0, reason="no_sides")
        found = self.lies_right(at.viewer, at.turn_sigma)
        if found.state is None or self.is_nested:
            return found if found.state is None else found.withhold("inside_other")
        step = boxes[0][0] + boxes[0][2] - boxes[1][0] - boxes[1][2]
        is_plain = measure_span_overlap(*boxes, 0) <= MOST_SPAN_OVERLAP
        return found if (step > 0) == found.state and is_plain else found.withhold("image_disagrees")

    def is_behind(self, at: Standpoint) -> Verdict:
        """Whether A is behind B: straight ahead, by optical depth and by distance."""
        if not at.viewer.has_sides:
            return Verdict(None, 0.0, 0.0, reason="no_sides")
        difference = between.ahead_difference(self.a.body, self.b.body, at.viewer)
        spread = (self.a.body.extent(at.viewer.ahead) + self.b.body.extent(at.viewer.ahead)) / 2
        sigma = self.sigma_along(at.viewer.ahead)
        found = self.compare(difference, hypot(sigma, at.turn_sigma * self.distance), spread)
        if found.state is None or self.is_nested:
            return found if found.state is None else found.withhold("inside_other")
        deep, deeper = (at.pose.depths(one.body.center[None])[0] for one in (self.b, self.a))
        further = at.viewer.range(self.a.body.center) - at.viewer.range(self.b.body.center)
        agree = (deeper > deep) == found.state and (further > 0) == found.state
        return found if agree else found.withhold("orders_disagree")

    def is_nearer(self, at: Standpoint) -> Verdict:
        """Whether A is nearer to the camera than B, by their nearest points and by their middles alike."""
        mine, its = (sizes.camera_distance(one.body, at.viewer) for one in (self.a, self.b))
        middles = at.viewer.range(self.b.body.center) - at.viewer.range(self.a.body.center)
        sigma = hypot(self.sigma, at.eye_sigma)
        margin = max(_NEARER_SHARE * max(mine, its), find_floor(sigma, self.metre), SIGMAS * sigma)
        state = True if min(its - mine, middles) >= margin else False if max(its - mine, middles) <= -margin else None
        return Verdict(state, its - mine, margin, sigma, reason="undecided" if state is None else "")

    @cached_property
    def turned(self) -> Pair:
        """B and A."""
        return Pair(self.b, self.a, self.metre, self.has_scale)

    @cached_property
    def shares_place(self) -> bool:
        """Whether each fills a good part of the other: no two solid things do, nor does one in a cupboard fill it."""
        return min(self.inside) >= SAME_PLACE


def volume_sigma(one: Thing) -> float:
    """Relative standard deviation of the volume of a thing."""
    return hypot(*(one.body.size_sigma(one.sigma, 2 * side) / (2 * side) for side in one.body.half))


class PairTable:
    """The pairs of a model, each way round, measured when first asked for."""

    def __init__(self, model: SceneModel, things: Sequence[Thing] = ()) -> None:
        """`things` are all of the model, for `disputed`."""
        self._pairs: dict[tuple[str, str], Pair] = {}
        self._things = things
        self._metre, self._has_scale = model.nominal_metre, model.scale.status != "relative"

    @cached_property
    def disputed(self) -> frozenset[str]:
        """Things of the model that share their place with one of another noun, in whichever frames those were seen.

        A detector calls one thing a bed here and a sofa there.
        """
        return self.share_place(self._things)

    def of(self, a: Thing, b: Thing) -> Pair:
        """A and B in this order."""
        key = (a.id, b.id)
        if key not in self._pairs:
            self._pairs[key] = Pair(a, b, self._metre, self._has_scale)
        return self._pairs[key]

    def share_place(self, things: Sequence[Thing]) -> frozenset[str]:
        """Things that fill mostly the same space as one of another noun: nobody knows which name is right."""
        out: set[str] = set()
        for index, a in enumerate(things):
            for b in things[index + 1 :]:
                if a.head != b.head and self.of(a, b).shares_place:
                    out |= {a.id, b.id}
        return frozenset(out)

"""Which views are asked about together (all of a walk, single ones, sets of a few in order of time), and what is true
of them and may be asked; what finds it is in `things` and `sets`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from instructions.asking.bars import GateOptions
from instructions.asking.draws import Draw
from instructions.asking.gates import hide_thing
from instructions.asking.names import Naming, mark_thing, name_things
from instructions.facts.things import Thing
from instructions.facts.verdict import Measured
from instructions.questions.core.options import ProgramBars, ProgramOptions, ViewSetOptions
from instructions.questions.core.records import TruthSource
from instructions.questions.core.types import Medium, QuestionType
from instructions.questions.core.world import Given, Value
from instructions.tour import Tour
from instructions.view import SeenThing, View, find_cut_sides, measure_area
from recon.records import SceneModel

LEAST_SET, MOST_SET = 2, 5
_TRIES = 40
_APART_M, _APART_DEG = 0.5, 20.0
"""Two single views nearer than this, and turned by less, show the same."""


@dataclass(frozen=True, eq=False)
class ViewSet:
    """Views of one model that a question is about, in time order."""

    medium: Medium
    model: SceneModel
    views: tuple[View, ...]
    known: Mapping[str, Thing]
    time_s: Mapping[int, float]
    """Of all frames of the model."""
    all_views: tuple[View, ...]
    """Of the model, for what happens between the views."""
    scan_views: tuple[int, ...] = ()
    """Frames that show a scan, from nobody knows where."""

    @classmethod
    def of_view(cls, view: View) -> ViewSet:
        """One view and the things in it."""
        return cls("image", view.model, (view,), {thing.id: thing for thing in view.referable}, {}, ())

    @property
    def frames(self) -> tuple[int, ...]:
        """Frame numbers of the views."""
        return tuple(view.frame for view in self.views) or self.scan_views

    @property
    def is_scan(self) -> bool:
        """Whether nobody knows where views are from: all things are asked about as they lie in the world."""
        return not self.views

    @cached_property
    def seen(self) -> dict[str, dict[int, SeenThing]]:
        """What the views see, by thing and place of the view; of a scan every thing, at no place."""
        out: dict[str, dict[int, SeenThing]] = {name: {} for name in self.known} if self.is_scan else {}
        for place, view in enumerate(self.views):
            for one in view.referable:
                out.setdefault(one.id, {})[place] = one
        return out

    def find_best(self, thing: str) -> tuple[int, SeenThing]:
        """The place of the view that shows a thing best, and the thing there; some view must show it.

        A box that points at the thing is better than a point on it.
        """
        seen = self.seen[thing]

        def rate(at: int) -> tuple[bool, float, float, int]:
            return seen[at].point is None, seen[at].visible_fraction, measure_area(seen[at].box), -at

        place = max(seen, key=rate)
        return place, seen[place]


def cut_to_corner(one: SeenThing, size_px: tuple[int, int], bars: GateOptions, least_area: float) -> bool:
    """Whether two borders of a picture that meet cut a thing to so little that it is hard to make out."""
    cut = find_cut_sides(one.box, size_px, bars.border_px)
    meet = not cut.isdisjoint({"left", "right"}) and not cut.isdisjoint({"top", "bottom"})
    return meet and measure_area(one.box) < least_area * size_px[0] * size_px[1]


def list_nameable(view: View, bars: GateOptions, own: ProgramBars) -> set[str]:
    """Ids of the things that a view shows well enough and can refer to by a name or a mark."""
    metre = view.model.nominal_metre
    return {
        thing.id
        for thing in view.referable
        if hide_thing(thing, view.size, metre, bars) is None
        and (thing.sigma == 0 or not cut_to_corner(thing, view.size, bars, own.corner_area))
        and not isinstance(
            mark_thing(thing, "none") if (n := name_things(view, thing, "none")) == "not_unique" else n, str
        )
    }


def choose_view_sets(
    tour: Tour, model: SceneModel, options: ProgramOptions, scan_views: tuple[int, ...] = ()
) -> list[ViewSet]:
    """The view sets of one model: single images, image sets, the video, and the video again as VSI-Bench asks.

    Args:
        tour: Of the model.
        model: With poses.
        options: How many, and what a view must show of a thing.
        scan_views: Frames of a scan's own video, without poses.

    Returns:
        None where no frame shows a thing. A scan without any camera is asked about as a whole, by our types and by
        VSI-Bench's.
    """
    known, views, wanted = tour.know(model), tour.views(model), options.views

    def make(medium: Medium, picked: Sequence[View]) -> ViewSet:
        return ViewSet(medium, model, tuple(picked), known, tour.time_s, tuple(views), scan_views)

    if not model.frames:
        return [make("scan", ()), make("vsi", ())]
    if not views:
        return []
    draw = Draw(tour.seed, tour.id, "programs", model.name, "views")
    clear = [list_nameable(view, options.gates, options.bars) for view in views]
    out = [make("image", [views[at]]) for at in _choose_single(views, clear, wanted.images)]
    out += [make("images", [views[at] for at in chosen]) for chosen in _draw_sets(clear, wanted, draw)]
    by_frame = {view.frame: view for view in views}
    # Evenly over the walk, the first and the last frame with them.
    spread = np.linspace(0, len(model.frames) - 1, min(wanted.video_views, len(model.frames)))
    frames = [model.frames[place] for place in np.unique(np.round(spread).astype(int))]
    video = [by_frame.get(frame) or View(frame, model) for frame in frames]
    if len(video) > 1:
        out += [make("video", video), make("vsi", video)]
    return out


def _choose_single(views: Sequence[View], clear: Sequence[set[str]], count: int) -> list[int]:
    """Places of the views with most clear things, none beside another."""
    chosen: list[int] = []
    apart = _APART_M * views[0].model.nominal_metre
    for place in sorted(range(len(views)), key=lambda place: (-len(clear[place]), views[place].frame)):
        if len(chosen) == count or not clear[place]:
            break
        here = views[place].standpoint
        if not any(here.is_near(views[other].standpoint, apart, _APART_DEG) for other in chosen):
            chosen.append(place)
    return sorted(chosen)


def _draw_sets(clear: Sequence[set[str]], options: ViewSetOptions, draw: Draw) -> list[tuple[int, ...]]:
    """Sets of 2 to 5 places in time order that show things enough together; each place random, so gaps are uneven."""
    out: list[tuple[int, ...]] = []
    for _ in range(_TRIES):
        if len(out) == options.image_sets:
            break
        size = LEAST_SET + int(draw.uniform() * (MOST_SET - LEAST_SET + 1))
        chosen = tuple(sorted({int(draw.uniform() * len(clear)) for _ in range(size)}))
        shown = set().union(*(clear[place] for place in chosen))
        if len(chosen) >= LEAST_SET and len(shown) >= options.set_things and chosen not in out:
            out.append(chosen)
    return out


@dataclass(frozen=True, eq=False)
class Truth:
    """Something that may be asked about some views, and what is true."""

    kind: QuestionType
    views: ViewSet
    things: tuple[str, ...]
    """In the order of the definition."""
    names: tuple[tuple[Naming, ...], ...]
    """Of each thing: ways to call it that mean it alone."""
    value: Value
    """True, false, `yes`, `no`, `too close`, a number in full, a label, an id, or several."""
    given: Given = Given()
    measured: Measured | None = None
    evidence: tuple[Measured, ...] = ()
    source: TruthSource = "reference"
    parts: tuple[str, ...] = ()
    """What a composed truth was made of: type, things and value of each part."""
    twin: Value | None = None
    """The answer with its two things swapped; None where it is not asked so."""
    candidates: tuple[str, ...] = ()
    """Things that the question names as possible answers; all but those it is held against if empty."""
    only_as_seen: bool = False
    """The width is only that which shows from here, and the words must say so."""

    @property
    def sigma(self) -> float:
        """Standard deviation of a measured number; 0 of any other value."""
        return self.measured.sigma if self.measured is not None else 0.0


class Refused(Exception):
    """A question may not be asked; the message is the reason, one of `asking.gates.REASONS`."""


def refuse(reason: str | None) -> None:
    """Raise what a gate found, if it found something.

    Raises:
        Refused: For any reason.
    """
    if reason is not None:
        raise Refused(reason)


def require(holds: bool, reason: str) -> None:
    """Go on where something holds.

    Raises:
        Refused: For this reason, where it does not.
    """
    if not holds:
        raise Refused(reason)


@dataclass(frozen=True)
class Judged:
    """What a gate lets through."""

    value: Value | None = None
    """None for what the type's reference program says."""
    measured: Measured | None = None
    evidence: tuple[Measured, ...] = ()
    twin: Value | None = None
    """The answer with the two things swapped, where no reference program tells it."""
    things: tuple[str, ...] = ()
    """In which order they are asked about, where it hangs on what is true."""
    only_as_seen: bool = False
    """See `Truth`."""

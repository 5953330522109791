"""When a thing is in view: shown, surely not, or neither."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from instructions.asking.bars import GateOptions
from instructions.questions.core.options import ProgramBars
from instructions.questions.core.view_sets import ViewSet
from instructions.view import SeenThing, View, draw_box, measure_area

_RANGE_M = 8.0
"""Things further away are small in the picture, and mostly behind a wall."""
_AREA_SHARE = 0.25
"""A box drawn into a view shows only where at least so much of the bar of area would be covered."""


@dataclass(frozen=True)
class Sightings:
    """Of one thing in a set of views."""

    frames: tuple[int, ...]
    """Views that show it: enough of it, large enough, and long enough where the views are a video."""
    unsure: frozenset[int]
    """Views that may or may not be said to show it."""
    since_s: float
    """First time of any frame of the model that shows a trace of it, or should; infinite if none."""


def watch_things(views: ViewSet, bars: GateOptions, own: ProgramBars, *, exact: bool) -> dict[str, Sightings]:
    """When each thing that the views see is in view. Unless the world is exact, so that observations name all that a
    frame shows, a view that should show a thing and does not see it is unsure.
    """
    traces: dict[str, list[tuple[float, bool]]] = {name: [] for name in views.seen}
    for view in views.all_views:
        for thing in view.referable:
            if thing.id in traces and thing.seen.visible_fraction >= own.half_seen:
                shown = _is_shown(thing, view.size, bars)
                traces[thing.id].append((views.time_s[view.frame], shown))
    times = sorted(views.time_s[frame] for frame in views.model.frames)
    return {name: _watch(name, views, traces[name], times, bars, own, exact) for name in views.seen}


def measure_recall(views: ViewSet, name: str, bars: GateOptions) -> float:
    """Share of the frames which should show a thing, large enough and near enough, that found it; 0 if none should.

    Whatever hides it counts against it, so this is the least that the detector finds of such things.
    """
    found = should = 0
    for view in views.all_views:
        if any(thing.id == name for thing in view.things):
            found, should = found + 1, should + 1
        elif _should_show(views, view, name, bars):
            should += 1
    return found / should if should else 0.0


def _watch(
    name: str,
    views: ViewSet,
    trace: list[tuple[float, bool]],
    times: list[float],
    bars: GateOptions,
    own: ProgramBars,
    exact: bool,
) -> Sightings:
    frames: list[int] = []
    unsure: set[int] = set()
    is_video = views.medium in ("video", "vsi")
    shown_at = sorted(time for time, shown in trace if shown)
    for place, view in enumerate(views.views):
        one = views.seen[name].get(place)
        if one is not None and _is_shown(one, view.size, bars):
            if not is_video or _is_steady(views.time_s[view.frame], shown_at, times, own.steady_s):
                frames.append(view.frame)
            else:
                unsure.add(view.frame)
        elif one is not None:
            if one.seen.visible_fraction >= own.half_seen:
                unsure.add(view.frame)
        elif not exact and _should_show(views, view, name, bars):
            unsure.add(view.frame)
    since = [time for time, _ in trace] + [views.time_s[frame] for frame in unsure]
    return Sightings(tuple(frames), frozenset(unsure), min(since, default=float("inf")))


def _is_shown(one: SeenThing, size_px: tuple[int, int], bars: GateOptions) -> bool:
    area = measure_area(one.box) / (size_px[0] * size_px[1])
    return one.seen.visible_fraction >= bars.min_visible and area >= bars.min_area


def _is_steady(time_s: float, shown_at: list[float], times: list[float], steady_s: float) -> bool:
    """Whether a thing shown at a time is shown by every frame for so long around it, on one side or over both."""
    at = bisect_left(times, time_s - 1e-6)
    shown = {round(one, 3) for one in shown_at}
    first = last = at
    while first > 0 and round(times[first - 1], 3) in shown:
        first -= 1
    while last + 1 < len(times) and round(times[last + 1], 3) in shown:
        last += 1
    # The walk may end while the thing is in view.
    return times[last] - times[first] >= steady_s - 1e-6 or last + 1 == bisect_right(times, times[-1])


def _should_show(views: ViewSet, view: View, name: str, bars: GateOptions) -> bool:
    """Whether the box of a thing, drawn into a view, is inside and large."""
    if view.viewer.range(views.known[name].body.center) > _RANGE_M * view.model.nominal_metre:
        return False
    box = draw_box(view.model, view.pose, views.known[name].body)
    if box is None:
        return False
    area = measure_area(box) / (view.size[0] * view.size[1])
    return area >= _AREA_SHARE * bars.min_area

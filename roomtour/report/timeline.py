"""The tour along its time: shots, clips, which model holds which frames, where no pose was found, view changes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from markupsafe import Markup

from recon.numerals import count, percent
from recon.records import Frame, Scene
from roomtour.drawing.pages import render
from roomtour.drawing.svg import element, join, number
from roomtour.drawing.text import clock, format_signed_turn
from trajectories.records import Trajectory, ViewChange

MAX_MODEL_LANES = 8
LABEL_HEIGHT, BAR_HEIGHT, LANE_GAP = 17, 14, 9


@dataclass(frozen=True)
class Span:
    """A stretch of the tour that one bar stands for."""

    start_s: float
    end_s: float
    title: str


def draw_timeline(scene: Scene, trajectories: Sequence[Trajectory]) -> Markup:
    """Draw the strip; every x is a share of the tour, so it fits any width without stretching its letters."""
    if not scene.frames:
        return render("report/timeline.html", strip=None, more=0)
    axis = _Axis(scene.frames)
    lanes = [_Lane("Shots", "shot", _shots(scene, axis)), *_clip_lanes(scene, axis)]
    for model in scene.models[:MAX_MODEL_LANES]:
        held = set(model.frames)
        title = f"Model {model.name}: {count(len(held), 'frame')}, {percent(len(held) / len(scene.frames))}"
        lanes.append(_Lane(title, "model", axis.spans(held, f"model {model.name}")))
    posed = {frame for model in scene.models for frame in model.frames}
    lost = {frame.index for frame in scene.frames} - posed
    if lost:
        lanes.append(_Lane(f"No pose: {count(len(lost), 'frame')}", "lost", axis.spans(lost, "no pose")))
    changes = [change for trajectory in trajectories for change in trajectory.view_changes]

    parts: list[Markup] = []
    top = 0
    for lane in lanes:
        parts.append(_draw_lane(lane, axis, top))
        top += (LABEL_HEIGHT if lane.label else 0) + BAR_HEIGHT + (3 if lane.joined else LANE_GAP)
    if changes:
        parts.append(_draw_changes(changes, axis, top))
        top += LABEL_HEIGHT + 2 * BAR_HEIGHT + LANE_GAP
    parts.insert(0, _draw_ticks(axis, top))
    counts = (count(len(scene.clips), "clip"), count(len(scene.models), "model"), count(len(lost), "frame"))
    words = f"Timeline: {', '.join(counts)} lost."
    strip = element("svg", parts, class_="timeline", width="100%", height=top + 24, role="img", aria_label=words)
    return render("report/timeline.html", strip=strip, more=len(scene.models) - MAX_MODEL_LANES)


@dataclass(frozen=True)
class _Lane:
    label: str
    kind: str
    spans: Sequence[Span]
    joined: bool = False
    """The next lane belongs to this one and follows closely."""


class _Axis:
    """Time of the tour as percent of the strip. A frame lasts until the next sampled one."""

    def __init__(self, frames: Sequence[Frame]) -> None:
        times = [frame.time_s for frame in frames]
        step = float(np.median(np.diff(times))) if len(times) > 1 else 1.0
        self.start_s, self.end_s = times[0], times[-1] + max(step, 1e-3)
        self.frames = frames
        self._ends = [*times[1:], self.end_s]

    def percent(self, time_s: float) -> float:
        return 100.0 * (time_s - self.start_s) / (self.end_s - self.start_s)

    def spans(self, frames: Collection[int], name: str) -> list[Span]:
        """Runs of neighbouring sampled frames that all belong to `frames`."""
        runs: list[list[int]] = []
        for row, frame in enumerate(self.frames):
            if frame.index not in frames:
                continue
            if runs and runs[-1][-1] == row - 1:
                runs[-1].append(row)
            else:
                runs.append([row])
        return [self._span(run, name) for run in runs]

    def _span(self, rows: Sequence[int], name: str) -> Span:
        first, last = self.frames[rows[0]], self.frames[rows[-1]]
        end = self._ends[rows[-1]]
        title = f"{name}: frames {first.index} to {last.index}, {clock(first.time_s)} to {clock(end)}"
        return Span(first.time_s, end, title)


def _shots(scene: Scene, axis: _Axis) -> list[Span]:
    shots = sorted({frame.shot for frame in scene.frames})
    return [
        span
        for shot in shots
        for span in axis.spans({frame.index for frame in scene.frames if frame.shot == shot}, f"shot {shot}")
    ]


def _clip_lanes(scene: Scene, axis: _Axis) -> list[_Lane]:
    """Neighbouring clips share frames, so they take turns in two lanes."""
    spans = [axis.spans(set(clip.frames), f"clip {clip.name}") for clip in scene.clips]
    even, odd = list(chain.from_iterable(spans[::2])), list(chain.from_iterable(spans[1::2]))
    if not odd:
        return [_Lane("Clips", "clip", even)] if even else []
    return [_Lane("Clips", "clip", even, joined=True), _Lane("", "clip", odd)]


def _draw_lane(lane: _Lane, axis: _Axis, top: int) -> Markup:
    bar_top = top + (LABEL_HEIGHT if lane.label else 0)
    bars = [
        element(
            "rect", element("title", span.title),
            x=f"{number(axis.percent(span.start_s), 3)}%", y=bar_top, rx=2,
            width=f"{number(axis.percent(span.end_s) - axis.percent(span.start_s), 3)}%", height=BAR_HEIGHT,
            class_=f"bar {lane.kind} {'odd' if position % 2 else 'even'}",
        )
        for position, span in enumerate(lane.spans)
    ]  # fmt: skip
    ground = element("rect", x=0, y=bar_top, width="100%", height=BAR_HEIGHT, rx=2, class_="ground")
    return join([element("text", lane.label, x=0, y=top + 12) if lane.label else None, ground, *bars])


def _draw_changes(changes: Sequence[ViewChange], axis: _Axis, top: int) -> Markup:
    times = {frame.index: frame.time_s for frame in axis.frames}
    middle = top + LABEL_HEIGHT + BAR_HEIGHT
    marks = [element("line", x1=0, x2="100%", y1=middle, y2=middle, class_="axis")]
    for change in changes:
        if change.frame not in times:
            continue
        left = change.angle_deg >= 0
        title = f"{format_signed_turn(change.angle_deg)} at {clock(times[change.frame])}"
        shape = "M-5 -2H5L0 -12Z" if left else "M-5 2H5L0 12Z"
        mark = element("path", element("title", title), d=shape, class_="turn" if change.on_the_spot else "turn curved")
        x = f"{number(axis.percent(times[change.frame]), 3)}%"
        marks.append(element("svg", mark, x=x, y=middle, width=1, height=1, class_="left" if left else "right"))
    label = f"View changes: {len(changes)} (left above, right below)"
    return join([element("text", label, x=0, y=top + 12), *marks])


def _draw_ticks(axis: _Axis, top: int) -> Markup:
    span = axis.end_s - axis.start_s
    step = next((step for step in (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200) if span / step <= 6), 3600)
    times = np.arange(np.ceil(axis.start_s / step) * step, axis.end_s, step)
    ticks = []
    for time_s in times:
        share = axis.percent(float(time_s))
        anchor = "start" if share < 3 else "end" if share > 97 else "middle"
        label = f"{int(time_s) // 60}:{int(time_s) % 60:02d}"
        ticks.append(element("line", x1=f"{number(share, 3)}%", x2=f"{number(share, 3)}%", y1=0, y2=top, class_="tick"))
        ticks.append(
            element("text", label, x=f"{number(share, 3)}%", y=top + 14, text_anchor=anchor, class_="tick-label")
        )
    return element("g", ticks)

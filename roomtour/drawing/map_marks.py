"""The marks of the map. Places are (x, y, heading) in drawing pixels (y down) and degrees counter-clockwise from +x."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup

from instructions.records import SceneObject
from recon.conventions import heading_deg
from recon.geometry import Array, Pose
from recon.records import Scale
from roomtour.drawing.colors import object_color, text_on, time_color
from roomtour.drawing.svg import LETTER_SHARE, LabelPlacer, around, element, number
from roomtour.drawing.text import clock, format_signed_turn, printable
from roomtour.drawing.thumbnails import spread
from trajectories.records import DecisionPoint, ViewChange

Place = tuple[float, float, float | None]

PATH_PIECES = 96
VIEW_MARKS = 28
TURN_RADIUS = 17.0
FONT = 13.0


def find_heading(world_from_cam: Pose) -> float | None:
    """Degrees as places have them; None straight up or down: a place but no direction."""
    try:
        return heading_deg(world_from_cam)
    except ValueError:
        return None


def draw_path(
    frames: Sequence[int], places: Mapping[int, Place], times: Mapping[int, float], labels: LabelPlacer
) -> Markup:
    """The camera path, coloured from start to end; dashed where frames between are missing."""
    parts: list[Markup] = []
    last = max(len(frames) - 1, 1)
    piece = max(1, -(-last // PATH_PIECES))
    for first in range(0, len(frames) - 1, piece):
        run = frames[first : first + piece + 1]
        color = time_color((first + len(run) / 2) / last)
        title = f"frames {run[0]} to {run[-1]}" + (f", {clock(times[run[0]])}" if run[0] in times else "")
        whole = "".join(f"L{number(places[frame][0])} {number(places[frame][1])}" for frame in run)
        style = "gap" if run[-1] - run[0] >= len(run) else "walk"
        parts.append(element("path", element("title", title), d="M" + whole[1:], stroke=color, class_=style))
    looks = [row for row, frame in enumerate(frames) if places[frame][2] is not None]
    for row in spread(looks, VIEW_MARKS):
        x, y, heading = places[frames[row]]
        tip, left, right = (_rim(x, y, 8.5, (heading or 0.0) + swing) for swing in (0.0, 140.0, -140.0))
        head = " ".join(f"{number(px)},{number(py)}" for px, py in (tip, left, (x, y), right))
        parts.append(element("polygon", points=head, fill=time_color(row / last), class_="look"))
    near = min(5, len(frames) - 1)
    parts.append(_terminal(places[frames[0]], places[frames[near]], "start", time_color(0.0), labels))
    if len(frames) > 1:
        parts.append(_terminal(places[frames[-1]], places[frames[-1 - near]], "end", time_color(1.0), labels))
    return element("g", parts, class_="layer-path")


def draw_view_change(
    change: ViewChange, places: Mapping[int, Place], times: Mapping[int, float], labels: LabelPlacer
) -> Markup | None:
    """An arrow along the turn, from the old heading to the new one, with its angle."""
    place = places.get(change.frame)
    start = places.get(change.first_frame, place)
    if place is None or start is None or start[2] is None:
        return None
    x, y, _ = place
    headings = start[2] + np.linspace(0.0, change.angle_deg, 17)
    arc = np.array([_rim(x, y, TURN_RADIUS, float(heading)) for heading in headings])
    side = "left" if change.angle_deg >= 0 else "right"
    where = f" at {clock(times[change.frame])}" if change.frame in times else ""
    title = f"{format_signed_turn(change.angle_deg)}{where}, " + (
        "on the spot" if change.on_the_spot else "while walking"
    )
    middle = float(headings[8])
    words = f"{side[0].upper()} {abs(change.angle_deg):.0f}°"
    swings = (0.0, 35.0, -35.0, 80.0, -80.0, 180.0)
    spots = [(reach, math.radians(middle + swing)) for reach in (47.0, 62.0) for swing in swings]
    anchors = [(x + reach * math.cos(angle), y - (reach - 14.0) * math.sin(angle)) for reach, angle in spots]
    spot = labels.place(words, FONT, anchors)
    text = element("text", words, x=spot[0], y=spot[1], class_="turn-label") if spot else None
    line = "M" + "L".join(f"{number(px)} {number(py)}" for px, py in arc)
    kind = "turn" if change.on_the_spot else "turn curved"
    return element("g", element("title", title), element("path", d=line), _head(arc), text, class_=f"{kind} {side}")


def draw_decision(decision: DecisionPoint, places: Mapping[int, Place]) -> Markup:
    """The right view (solid) and the wrong ones (outlined) of one decision point, as wedges of what each sees."""
    parts = []
    for frame in decision.negative_frames:
        parts.append(_candidate(places.get(frame), "negative", f"wrong choice: frame {frame}", 30.0))
    right = f"right choice: frame {decision.positive_frame}, decided at frame {decision.at_frame}"
    parts.append(_candidate(places.get(decision.positive_frame), "positive", right, 36.0))
    return element("g", parts, class_="choice")


def draw_object(key: int, item: SceneObject, corners: Array, labels: LabelPlacer | None) -> Markup:
    """The footprint of an object's box in its colour, with its number, and its alias where there is room.

    Without `labels` only the footprint is drawn, faintly; number and alias then show when it is pointed at.
    """
    color = object_color(key)
    alias = printable(item.alias)
    outline = element(
        "polygon", points=" ".join(f"{number(x)},{number(y)}" for x, y in corners), stroke=color, fill=color
    )
    if labels is None:
        return element("g", element("title", f"{key}: {alias}"), outline, class_="object faint")
    low, high = corners.min(axis=0), corners.max(axis=0)
    (x, y), (reach_x, reach_y) = (low + high) / 2, (high - low) / 2
    badge_x, badge_y = (float(value) for value in min(corners, key=lambda corner: (round(corner[1], 3), corner[0])))
    labels.reserve((badge_x - 9, badge_y - 9, badge_x + 9, badge_y + 9))
    words = f"{key} {alias}"
    half = FONT * LETTER_SHARE * len(words) / 2
    anchors = around(float(x), float(y), float(reach_x) + half + 4, float(reach_y) + 10)
    spot = labels.place(words, FONT, [(float(x), float(y)), *anchors] if half < reach_x - 8 else anchors)
    badge = element(
        "g",
        element("circle", cx=badge_x, cy=badge_y, r=9, fill=color),
        element("text", key, x=badge_x, y=badge_y, style=f"fill:{text_on(color)}"),
        class_="badge",
    )
    text = element("text", words, x=spot[0], y=spot[1], class_="alias") if spot else None
    return element("g", element("title", f"{key}: {alias}"), outline, badge, text, class_="object")


def draw_scale_bar(scale: Scale, px_per_unit: float, height: float) -> Markup | None:
    """A bar of a round number of metres; none where the scale is relative."""
    if scale.status == "relative":
        return None
    step = 10.0 ** np.floor(np.log10(150.0 / px_per_unit))
    metres = float(next(step * factor for factor in (5, 2, 1) if step * factor * px_per_unit <= 150.0 or factor == 1))
    x0, x1, y = 18.0, 18.0 + metres * px_per_unit, height - 16.0
    label = f"{metres:g} m" + (" (assumed)" if scale.status == "assumed" else "")
    bar = element("path", d=f"M{number(x0)} {number(y - 5)}V{number(y)}H{number(x1)}V{number(y - 5)}")
    return element("g", bar, element("text", label, x=x0, y=y - 15), class_="scale-bar")


def _terminal(place: Place, beside: Place, word: str, color: str, labels: LabelPlacer) -> Markup:
    """Start or end of the path; its word goes to the side away from `beside`, a place on the path near by."""
    x, y, _ = place
    shape = (
        element("circle", cx=x, cy=y, r=7, fill=color)
        if word == "start"
        else element("rect", x=x - 6.5, y=y - 6.5, width=13, height=13, fill=color)
    )
    away_x, away_y = x - beside[0], y - beside[1]
    far = max(math.hypot(away_x, away_y), 1e-9)
    beyond = (x + 32.0 * away_x / far, y + 20.0 * away_y / far)
    spot = labels.place(word, FONT, [beyond, *around(x, y, 30.0, 20.0)])
    text = element("text", word, x=spot[0], y=spot[1], class_="terminal-label") if spot else None
    labels.reserve((x - 8, y - 8, x + 8, y + 8))
    return element("g", element("title", word), shape, text, class_="terminal")


def _candidate(place: Place | None, kind: str, title: str, reach: float) -> Markup | None:
    x, y, heading = place or (0.0, 0.0, None)
    if heading is None:
        return None
    glyph_x, glyph_y = _rim(x, y, 0.72 * reach, heading)
    check, cross = "M-3.5 0L-1 3L3.5 -3.5", "M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5"
    wedge = element("path", d=_wedge(x, y, heading, 52.0, reach), class_="wedge")
    glyph = element(
        "path",
        d=check if kind == "positive" else cross,
        transform=f"translate({number(glyph_x)} {number(glyph_y)})",
        class_="glyph",
    )
    return element("g", element("title", title), wedge, glyph, class_=kind)


def _wedge(x: float, y: float, heading: float, width_deg: float, reach: float) -> str:
    """A sector that opens from (x, y) along the heading."""
    corners = [_rim(x, y, reach, heading + width_deg * share) for share in (-0.5, -0.25, 0.0, 0.25, 0.5)]
    return f"M{number(x)} {number(y)}" + "".join(f"L{number(px)} {number(py)}" for px, py in corners) + "Z"


def _head(arc: Array) -> Markup:
    """An arrow head at the end of a curve."""
    along = arc[-1] - arc[-2]
    length = float(np.linalg.norm(along))
    along = along / length if length > 1e-9 else np.array([0.0, -1.0])
    across = np.array([-along[1], along[0]])
    corners = [arc[-1] + 6.5 * along, arc[-1] + 5.5 * across, arc[-1] - 5.5 * across]
    return element("polygon", points=" ".join(f"{number(x)},{number(y)}" for x, y in corners))


def _rim(x: float, y: float, reach: float, angle_deg: float) -> tuple[float, float]:
    """The point at a distance and an angle from (x, y); y runs down."""
    angle = math.radians(angle_deg)
    return x + reach * math.cos(angle), y - reach * math.sin(angle)

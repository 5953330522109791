"""What is known of one frame, as HTML: its picture with boxes, sides and ranges, its text line and its instructions."""

from __future__ import annotations

import base64

from instructions.facts.sides import MIDDLE_SHARE, NEAR_SHARE
from instructions.navigation.records import Instruction
from instructions.records import Observation
from recon.records import Frame
from roomtour.drawing.colors import object_color, text_on
from roomtour.drawing.markup import Markup, join, tag
from roomtour.drawing.text import clock, count, printable
from roomtour.view.models import ViewModel
from roomtour.view.tour import TourView

STYLE = Markup("""
.rt-card { font-size: 13px; line-height: 1.45; overflow-wrap: anywhere; }
.rt-card svg { display: block; width: 100%; height: auto; border-radius: 4px; background: #8883; }
.rt-card p { margin: .45em 0; }
.rt-card .soft { opacity: .72; }
.rt-card .box { fill: none; }
.rt-card .side-line { stroke: #fff; stroke-opacity: .75; stroke-dasharray: 4 5; }
.rt-card .side { fill: #fff; stroke: #000; stroke-opacity: .65; paint-order: stroke; text-anchor: middle; }
.rt-card .key { text-anchor: middle; dominant-baseline: central; font-weight: 700; }
.rt-card ul { list-style: none; margin: .45em 0; padding: 0; }
.rt-card li { margin: .15em 0; }
.rt-card .badge { display: inline-block; min-width: 1.6em; padding: 0 .35em; border-radius: 1em; text-align: center;
  font-weight: 700; font-size: .9em; }
.rt-card blockquote { margin: .45em 0; padding: .1em 0 .1em .7em; border-left: 3px solid #8888; }
""")
"""Stands once on a page with cards."""


def draw_card(tour: TourView, frame: Frame, model: ViewModel | None, jpeg: bytes | None) -> Markup:
    """One frame. Every text of the run is escaped; nothing is fetched, the picture is inside.

    Args:
        tour: What the frame belongs to.
        frame: Which one.
        model: The model that is shown, for instructions and distances; None without models.
        jpeg: Its picture; None draws a grey field.
    """
    seen = sorted(
        (found for found in tour.seen.get(frame.index, ()) if found.object in tour.objects),
        key=lambda found: found.depth,
    )
    line = tour.lines.get(frame.index)
    room = printable(line.room) if line and line.room else None
    head = " · ".join(part for part in (f"Frame {frame.index}", clock(frame.time_s), room) if part)
    return tag(
        "div",
        _picture(tour, frame, seen, jpeg),
        tag("p", tag("strong", head)),
        tag("p", printable(line.text)) if line else None,
        tag("ul", [_seen(tour, found, model) for found in seen]) if seen else None,
        _instructions(tour.instructions_at(frame.index, model.name)) if model else None,
        class_="rt-card",
    )


def draw_notices(tour: TourView) -> Markup | None:
    """What is missing in the run, or to be read with care."""
    if not tour.notices:
        return None
    return tag("ul", [tag("li", "⚠ ", printable(notice)) for notice in tour.notices], role="status")


def _picture(tour: TourView, frame: Frame, seen: list[Observation], jpeg: bytes | None) -> Markup:
    width, height = frame.width, frame.height
    names = ", ".join(f"{tour.number_of[found.object]} {printable(tour.objects[found.object].alias)}" for found in seen)
    label = f"Frame {frame.index}" + (f" with {names}" if names else "") + ("" if jpeg else " (image not readable)")
    parts: list[Markup] = []
    if jpeg is not None:
        href = "data:image/jpeg;base64," + base64.b64encode(jpeg).decode("ascii")
        parts.append(tag("image", href=href, width=width, height=height, preserveAspectRatio="none"))
    parts += [_box(tour.number_of[found.object], found, width) for found in seen]
    parts += _sides(width, height) if seen else []
    return tag("svg", tag("title", label), parts, viewBox=f"0 0 {width} {height}", role="img", aria_label=label)


def _box(key: int, found: Observation, width_px: int) -> Markup:
    x0, y0, x1, y1 = found.box_xyxy
    color, letter = object_color(key), width_px * 0.045
    tab = (letter * (0.65 * len(str(key)) + 0.6), letter * 1.3)
    top = y0 - tab[1] if y0 >= tab[1] else max(y0, 0.0)
    return join(
        [
            tag(
                "rect", x=x0, y=y0, width=max(x1 - x0, 0.0), height=max(y1 - y0, 0.0), stroke=color,
                stroke_width=width_px / 200, class_="box",
            ),
            tag("rect", x=x0, y=top, width=tab[0], height=tab[1], fill=color),
            tag(
                "text", key, x=x0 + tab[0] / 2, y=top + tab[1] / 2, fill=text_on(color), font_size=letter, class_="key"
            ),
        ]
    )  # fmt: skip


def _sides(width: int, height: int) -> list[Markup]:
    """Where the image divides into left, middle and right, by the rule that the texts use."""
    borders = (NEAR_SHARE, NEAR_SHARE + MIDDLE_SHARE)
    edges = (0.0, *borders, 1.0)
    lines = [
        tag("line", x1=at * width, x2=at * width, y1=0, y2=height, stroke_width=width / 400, class_="side-line")
        for at in borders
    ]
    size = width * 0.036
    words = [
        tag(
            "text", word, x=(left + right) / 2 * width, y=height - size * 0.6, font_size=size, stroke_width=size / 5,
            class_="side",
        )
        for word, left, right in zip(("left", "middle", "right"), edges[:-1], edges[1:], strict=True)
    ]  # fmt: skip
    return lines + words


def _seen(tour: TourView, found: Observation, model: ViewModel | None) -> Markup:
    key = tour.number_of[found.object]
    color = object_color(key)
    away = ""
    if model is not None and model.scale.status != "relative":
        away = f", {found.depth:.1f} m" + (" (assumed)" if model.scale.status == "assumed" else "")
    where = ", ".join([*found.sides, *found.ranges])
    return tag(
        "li",
        tag("span", key, class_="badge", style=f"background:{color};color:{text_on(color)}"),
        " ",
        printable(tour.objects[found.object].alias),
        tag("span", f" {where}{away}", class_="soft"),
    )


def _instructions(told: tuple[Instruction, ...]) -> Markup | None:
    """The first in full; a place that many ways lead through would push the rest of the panel out of sight."""
    quotes = [
        tag(
            "blockquote",
            printable(instruction.text),
            tag("div", f"{instruction.kind} by {printable(instruction.writer)}", class_="soft"),
        )
        for instruction in told
    ]
    if not quotes:
        return None
    more = tag("details", tag("summary", count(len(quotes) - 1, "more text")), quotes[1:]) if quotes[1:] else None
    return join([quotes[0], more])

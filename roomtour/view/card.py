"""What is known of one frame, as HTML: its picture with boxes, sides and ranges, its text line and its instructions."""

from __future__ import annotations

from markupsafe import Markup

from instructions.facts.placing import MIDDLE_SHARE, NEAR_SHARE
from instructions.records import Observation
from recon.records import Frame
from roomtour.drawing.pages import render
from roomtour.drawing.svg import draw_box, element
from roomtour.drawing.text import printable
from roomtour.drawing.thumbnails import data_address
from roomtour.view.tour import TourView, ViewModel

MOST_ROWS = 6
"""Questions about one thing that a card shows."""


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
    return render(
        "view/card.html",
        tour=tour,
        frame=frame,
        picture=_picture(tour, frame, seen, jpeg),
        line=tour.lines.get(frame.index),
        seen=seen,
        scale=model.scale if model else None,
        most_rows=MOST_ROWS,
        instructions=tour.instructions_at(frame.index, model.name) if model else (),
    )


def _picture(tour: TourView, frame: Frame, seen: list[Observation], jpeg: bytes | None) -> Markup:
    width, height = frame.width, frame.height
    names = ", ".join(f"{tour.number_of[found.object]} {printable(tour.objects[found.object].alias)}" for found in seen)
    label = f"Frame {frame.index}" + (f" with {names}" if names else "") + ("" if jpeg else " (image not readable)")
    parts: list[Markup] = []
    if jpeg is not None:
        href = data_address(jpeg)
        parts.append(element("image", href=href, width=width, height=height, preserveAspectRatio="none"))
    for found in seen:
        key = tour.number_of[found.object]
        parts.append(draw_box(key, str(key), found.box_xyxy, width))
    parts += _sides(width, height) if seen else []
    return element("svg", element("title", label), parts, viewBox=f"0 0 {width} {height}", role="img", aria_label=label)


def _sides(width: int, height: int) -> list[Markup]:
    """Where the image divides into left, middle and right, by the rule that the texts use."""
    borders = (NEAR_SHARE, NEAR_SHARE + MIDDLE_SHARE)
    edges = (0.0, *borders, 1.0)
    lines = [
        element("line", x1=at * width, x2=at * width, y1=0, y2=height, stroke_width=width / 400, class_="side-line")
        for at in borders
    ]
    size = width * 0.036
    words = [
        element(
            "text", word, x=(left + right) / 2 * width, y=height - size * 0.6, font_size=size, stroke_width=size / 5,
            class_="side",
        )
        for word, left, right in zip(("left", "middle", "right"), edges[:-1], edges[1:], strict=True)
    ]  # fmt: skip
    return lines + words

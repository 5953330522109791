"""What the pages of every review share: the stylesheet, and the page at the end."""

from __future__ import annotations

from roomtour.drawing.pages import read_asset, render


def style() -> str:
    """The stylesheet: the report's, for its colours and its map, and what a review has of its own."""
    return read_asset("drawing/style.css") + read_asset("review/review.css")


def draw_end(total: int, open_row: int | None) -> str:
    """The page after the last text."""
    return render("review/end.html", title="Review", token="", total=total, open_row=open_row)

"""What the summaries of reviews share on the terminal."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from recon.numerals import count

OUTDATED = "of texts that are not in the run any more (written anew, or named anew by another version)"
"""What is said of ratings that fit no text. They stay in the file."""


def make_table(*columns: str) -> Table:
    """An empty table without lines."""
    return Table(*columns, box=None, padding=(0, 3, 0, 0), header_style="dim")


def tell_left_out(number: int, why: str = OUTDATED) -> list[Text]:
    """A line on ratings that do not count; none for none."""
    return [Text(f"left out: {count(number, 'rating')} {why}")] if number else []

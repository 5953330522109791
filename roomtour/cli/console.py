"""Where the commands print."""

from __future__ import annotations

from rich.console import Console

from roomtour.drawing.text import printable

OUT = Console(highlight=False, emoji=False)
ERR = Console(stderr=True, highlight=False, emoji=False)


def tell(text: object) -> None:
    """Print one line of a result as it is: no markup out of data, no line break that would cut a path in two."""
    OUT.print(printable(str(text)), markup=False, soft_wrap=True)


def complain(text: object) -> None:
    """Print one line on what is wrong to standard error, and below it what an error was given as notes."""
    for line in (f"roomtour: {text}", *(f"  {note}" for note in getattr(text, "__notes__", ()))):
        ERR.print(printable(line), markup=False, soft_wrap=True)

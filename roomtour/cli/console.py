"""Where the commands print, and how they end.

Besides 0: 1 (a fault that a user can mend), 2 (a command line without sense), 130 (Ctrl-C), and those named here.
"""

from __future__ import annotations

from rich.console import Console

from roomtour.drawing.text import printable

OUT = Console(highlight=False, emoji=False)
ERR = Console(stderr=True, highlight=False, emoji=False)
ERROR_FINDING = 3
"""Exit code where a tour was processed and came out wrong, or as nothing."""
UNFINISHED = 4
"""Exit code where a language server left questions open; the same command asks only these."""


def tell(text: object) -> None:
    """Print one line of a result as it is: no markup out of data, no line break that would cut a path in two."""
    OUT.print(printable(str(text)), markup=False, soft_wrap=True)


def complain(text: object) -> None:
    """Print one line on what is wrong to standard error, and below it what an error was given as notes."""
    for line in (f"roomtour: {text}", *(f"  {note}" for note in getattr(text, "__notes__", ()))):
        ERR.print(printable(line), markup=False, soft_wrap=True)

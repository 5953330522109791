"""`roomtour film`: the walk of a run as a film."""

from __future__ import annotations

from pathlib import Path

import tyro

from roomtour.cli.console import tell
from roomtour.drawing.text import duration


def film(run: tyro.conf.Positional[Path], /, out: Path = Path("film.mp4")) -> int:
    """Write the walk as an MP4: its frames, the sentence that holds as a subtitle, and the camera on the plan.

    Args:
        run: A run folder.
        out: File to write.
    """
    from roomtour.film import write_film
    from roomtour.run import Run

    length_s = write_film(Run(run), out)
    tell(f"{duration(length_s)} -> {out}")
    return 0

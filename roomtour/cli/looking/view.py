"""`roomtour view`: a run in 3D, in the browser."""

from __future__ import annotations

import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import tyro

from roomtour.cli.console import tell
from roomtour.errors import RoomtourError

if TYPE_CHECKING:
    from roomtour.view.tour import TourView

LIVE_POINTS = 1_000_000
OFFLINE_POINTS = 120_000


def view(
    run: tyro.conf.Positional[Path],
    /,
    html: Path | None = None,
    model: str | None = None,
    port: int = 8080,
    points: int | None = None,
    frames: int = 100,
    dark: bool = False,
) -> int:
    """Look at a run in 3D: points, the walk, its decisions, objects, and what is known of each frame.

    Opens a page that only this machine can reach, until Ctrl-C. A run that is not finished shows what there is. What
    the run was processed to hide is pixelated here too.

    Args:
        run: A run folder made by `roomtour process`.
        html: Write one offline file that a browser opens anywhere, instead of serving a page.
        model: The model to show, where the tour stayed in several; the largest by default. The live page has all.
        port: Where to listen; if it is taken, the next free one is used.
        points: Show at most so many points; by default 1000000, and 120000 in an offline file.
        frames: Put at most so many frames into an offline file; 100 make it some 6 MB.
        dark: Dark ground.
    """
    if points is not None and points < 1:
        raise RoomtourError(f"--points {points}: need at least 1")
    if frames < 1:
        raise RoomtourError(f"--frames {frames}: need at least 1")
    from roomtour.run import Run
    from roomtour.view.card import find_asked_to_hide, hide_in_tour
    from roomtour.view.tour import load_tour

    opened = Run(run)
    tour = load_tour(opened, points or (LIVE_POINTS if html is None else OFFLINE_POINTS))
    tour.model(model)  # refused before anything long is done
    _require_viser()
    with TemporaryDirectory() as folder:
        shown = hide_in_tour(tour, find_asked_to_hide(opened), Path(folder) / "frames", tell)
        return _show(shown, html, model, port, frames, dark)


def _show(tour: TourView, html: Path | None, model: str | None, port: int, frames: int, dark: bool) -> int:
    chosen = tour.model(model)
    for notice in tour.notices:
        tell(f"note: {notice}")
    if html is not None:
        from roomtour.view.offline import write_offline

        size = write_offline(tour, chosen, html, max_frames=frames)
        tell(f"{html}: {size / 1e6:.1f} MB, one file that asks nothing of any other host")
        return 0
    from roomtour.view.live import LiveViewer
    from roomtour.view.ports import free_port

    viewer = LiveViewer(tour, chosen, free_port(port), dark=dark)
    tell(f"{tour.name}: {viewer.address}   (this machine only; Ctrl-C ends it)")
    try:
        viewer.serve(threading.Event())
    except KeyboardInterrupt:
        viewer.stop()
    return 0


def _require_viser() -> None:
    try:
        import viser  # noqa: F401
    except ImportError as error:
        raise RoomtourError(f'the viewer needs viser ({error}): pip install "roomtour[view]"') from error

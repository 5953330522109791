"""Pages served on this machine: `roomtour view`, a run in 3D, and `roomtour review`, where people judge rows."""

from __future__ import annotations

import getpass
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

import tyro

from recon.numerals import count
from roomtour.cli.console import OUT, tell
from roomtour.cli.parsing.flags import require_runs
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


_MAX_NAME = 64


def review(
    runs: tyro.conf.Positional[tuple[Path, ...]],
    /,
    sample: int = 100,
    rater: str | None = None,
    seed: int = 0,
    port: int = 8090,
    summary: bool = False,
    what: Literal[
        "instructions", "further", "views", "questions", "programs", "qar", "pairs", "dialogues"
    ] = "instructions",
) -> int:
    """Judge instructions from 1 (totally irrelevant) to 4 (perfect match), and whether all is true, on a page here.

    Ratings lie in the runs, in reviews/ratings.jsonl. Stop with Ctrl-C at any time: the same command goes on where
    it was left. Every rater gets the same texts in the same order. What a run was processed to hide is pixelated.

    Args:
        runs: Run folders made by `roomtour process`.
        sample: Judge at most so many texts, drawn by lot over all runs.
        rater: Name the ratings carry; by default your user name.
        seed: Another number draws other texts.
        port: Where to listen; if it is taken, the next free one is used.
        what: Texts about the walks; `further`, about parts of them and ways back; `views`, about single views; or
            `questions`, spatial questions that you use, reword or skip, and answer (reviews/questions.jsonl);
            `programs`, the same of questions about images and videos;
            `qar`, region knowledge: the answer and then its rationale, from 1 (no) to 3 (yes)
            (reviews/qar_ratings.jsonl); `pairs`, two answers of which one was made false, without telling which
            (reviews/pair_ratings.jsonl); `dialogues`, of which you accept or reject a tenth, at least 30 of each kind
            (reviews/dialogue_ratings.jsonl).
        summary: Judge nothing; print what the ratings of these runs say.
    """
    require_runs("review", runs)
    from roomtour.review.kinds import REVIEWS, Asked, open_review
    from roomtour.review.server import ReviewServer
    from roomtour.run import Run

    if summary:
        OUT.print(REVIEWS[what].sum_up([Run(folder) for folder in runs]))
        return 0
    rater = rater or getpass.getuser()
    if sample < 1:
        raise RoomtourError(f"--sample {sample}: need at least 1")
    if not rater.strip() or not rater.isprintable() or len(rater) > _MAX_NAME:
        raise RoomtourError(f"--rater {rater!r}: need 1 to {_MAX_NAME} printable letters")
    opened = {str(folder.resolve()): Run(folder) for folder in runs}
    with TemporaryDirectory() as hidden:
        session = open_review(what, Asked(opened, sample, rater, seed, Path(hidden), tell))
        asked = count(len(session.items), session.noun)
        with ReviewServer(session, port) as server:
            tell(f"{asked}, {session.done} judged by {rater}: {server.address}   (Ctrl-C ends it)")
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                tell(f"{session.done} of {asked} judged; they are in {session.judgements.file} of each run")
    return 0

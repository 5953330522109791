"""`roomtour review --what questions|programs`: suggested questions before a person."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from recon.numerals import count
from roomtour.cli.console import OUT, tell
from roomtour.errors import RoomtourError

if TYPE_CHECKING:
    from roomtour.run import Run
    from roomtour.view.tour import TourView

Kind = Literal["spatial", "programs"]
_NOUNS = {"spatial": "spatial questions", "programs": "questions answered by programs"}
MAP_POINTS = 60_000
_MAX_NAME = 64


def require_rater(sample: int, rater: str) -> None:
    """Refuse an empty sample and a name that no file should carry.

    Raises:
        RoomtourError: Naming the flag.
    """
    if sample < 1:
        raise RoomtourError(f"--sample {sample}: need at least 1")
    if not rater.strip() or not rater.isprintable() or len(rater) > _MAX_NAME:
        raise RoomtourError(f"--rater {rater!r}: need 1 to {_MAX_NAME} printable letters")


def serve_questions(runs: tuple[Path, ...], kind: Kind, sample: int, rater: str, seed: int, port: int) -> int:
    """Serve a sample of questions until Ctrl-C."""
    from roomtour.files.question_reviews import FILE
    from roomtour.review.questions import QuestionSession, draw_questions
    from roomtour.review.server import ReviewServer
    from roomtour.run import Run

    require_rater(sample, rater)
    folders = {str(folder.resolve()): folder for folder in runs}
    opened = {key: Run(folder) for key, folder in folders.items()}
    with TemporaryDirectory() as hidden:
        asked = {
            # What no code can verify, the steps of a walk, is not asked.
            key: (_load(run, Path(hidden) / str(number)), [row for row in run.rows(kind) if row.form != "text"])
            for number, (key, run) in enumerate(opened.items())
            if kind in run.kinds
        }
        items = draw_questions(asked, sample, seed)
        if not items:
            raise RoomtourError(
                f"these runs hold no {_NOUNS[kind]} to judge; make some: roomtour make RUN --data {kind}"
            )
        with ReviewServer(QuestionSession(items, folders, rater), port) as server:
            done = server.session.next_open()
            judged = ", all judged" if done is None else ""
            tell(f"{count(len(items), 'question')}{judged}: {server.address}   (Ctrl-C ends it)")
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                tell(f"answers are in {FILE} of each run")
    return 0


def _load(run: Run, hidden: Path) -> TourView:
    """The tour with pictures as its run may show them."""
    from roomtour.view.hidden import find_asked_to_hide, hide_in_tour
    from roomtour.view.tour import load_tour

    return hide_in_tour(load_tour(run, MAP_POINTS), find_asked_to_hide(run), hidden, tell)


def summarize(runs: tuple[Path, ...], kind: Kind) -> int:
    """Print what people made of the questions of runs."""
    from roomtour.files.question_reviews import load_question_reviews
    from roomtour.review.question_summary import render_questions, summarize_questions
    from roomtour.run import Run

    judged = []
    for folder in runs:
        run = Run(folder)
        judged.append((run.rows(kind) if kind in run.kinds else (), load_question_reviews(folder)))
    OUT.print(render_questions(summarize_questions(judged)))
    return 0

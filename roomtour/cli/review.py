"""`roomtour review`: people judge instructions, and what they said is counted."""

from __future__ import annotations

import getpass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal, get_args

import tyro

from recon.numerals import count
from roomtour.cli.console import OUT, tell
from roomtour.cli.parsing.flags import require_runs
from roomtour.cli.review_questions import MAP_POINTS, require_rater
from roomtour.errors import RoomtourError

if TYPE_CHECKING:
    from roomtour.review.sample import What

_SORTS = {
    "instructions": "instruction",
    "further": "text about parts of walks or ways back",
    "views": "description of a view",
}


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
    if what in ("questions", "programs"):
        from roomtour.cli.review_questions import serve_questions, summarize

        kind = "spatial" if what == "questions" else "programs"
        if summary:
            return summarize(runs, kind)
        return serve_questions(runs, kind, sample, rater or getpass.getuser(), seed, port)
    if what in ("qar", "pairs"):
        from roomtour.cli import review_regions as regions

        if summary:
            return regions.summarize_region_qars(runs) if what == "qar" else regions.summarize_region_pairs(runs)
        serve = regions.serve_qars if what == "qar" else regions.serve_pairs
        return serve(runs, sample, rater or getpass.getuser(), seed, port)
    if what == "dialogues":
        from roomtour.cli import review_dialogues

        if summary:
            return review_dialogues.summarize(runs)
        return review_dialogues.serve_dialogues(runs, sample, rater or getpass.getuser(), seed, port)
    if summary:
        return _summarize(runs)
    with TemporaryDirectory() as hidden:
        return _serve(runs, sample, rater or getpass.getuser(), seed, port, what, Path(hidden))


def _serve(runs: tuple[Path, ...], sample: int, rater: str, seed: int, port: int, what: What, hidden: Path) -> int:
    from roomtour.files.ratings import FILE, load_ratings, match_ratings
    from roomtour.review.sample import What, draw_sample, texts_of
    from roomtour.review.scores import OUTDATED
    from roomtour.review.server import ReviewServer
    from roomtour.review.session import ReviewSession
    from roomtour.run import Run
    from roomtour.view.hidden import find_asked_to_hide, hide_in_tour
    from roomtour.view.tour import load_tour

    require_rater(sample, rater)
    folders = {str(folder.resolve()): folder for folder in runs}
    tours = {key: load_tour(Run(folder), MAP_POINTS) for key, folder in folders.items()}
    for key, tour in tours.items():
        for notice in tour.notices:
            tell(f"note: {folders[key]}: {notice}")
        texts = [text for each in get_args(What) for text in texts_of(tour, each)]
        outdated = match_ratings(load_ratings(folders[key]), texts)[1]
        if outdated:
            tell(f"note: {folders[key]}: {count(len(outdated), 'rating')} {OUTDATED} stay in {FILE} and do not count")
    if not draw_sample(tours, sample, seed, what):
        raise RoomtourError(f"these runs hold no accepted {_SORTS[what]} to judge")
    shown = {
        key: hide_in_tour(tour, find_asked_to_hide(Run(folders[key])), hidden / str(number), tell)
        for number, (key, tour) in enumerate(tours.items())
    }
    items = draw_sample(shown, sample, seed, what)
    session = ReviewSession(items, folders, rater)
    with ReviewServer(session, port) as server:
        tell(f"{len(items)} texts, {session.done} judged by {rater}: {server.address}   (Ctrl-C ends it)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            tell(f"{session.done} of {len(items)} judged; they are in {FILE} of each run")
    return 0


def _summarize(runs: tuple[Path, ...]) -> int:
    from roomtour.files.ratings import load_ratings
    from roomtour.review.summary import summarize_ratings
    from roomtour.review.table import render_ratings
    from roomtour.run import Run

    rated = [(Run(folder).texts, load_ratings(folder)) for folder in runs]
    OUT.print(render_ratings(summarize_ratings(rated)))
    return 0

"""`roomtour review`: people judge instructions, and what they said is counted."""

from __future__ import annotations

import getpass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import tyro

from recon.numerals import count
from roomtour.cli.console import OUT, tell
from roomtour.cli.parsing.flags import require_runs
from roomtour.errors import RoomtourError

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

"""`roomtour review --what qar` and `--what pairs`: region knowledge before a person."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from roomtour.cli.console import OUT, tell
from roomtour.cli.review_questions import MAP_POINTS, require_rater
from roomtour.errors import RoomtourError

if TYPE_CHECKING:
    from instructions.regions.interfaces import SentenceEncoder
    from instructions.regions.records import Qar
    from roomtour.review.reviewing import Reviewing
    from roomtour.run import Run
    from roomtour.view.tour import TourView

_MAKE = "make some: roomtour make RUN --data regions"


def serve_qars(runs: tuple[Path, ...], sample: int, rater: str, seed: int, port: int) -> int:
    """Serve a sample of rows until Ctrl-C."""
    from roomtour.files.region_reviews import QAR_FILE
    from roomtour.review.qars import QarSession, draw_qars

    require_rater(sample, rater)
    folders, opened = _open(runs)
    with TemporaryDirectory() as hidden:
        tours = _load(opened, Path(hidden))
        items = draw_qars(
            {key: (tours[key], run.region_views, find_ratable(run)) for key, run in opened.items()},
            sample,
            seed,
            find_encoders(opened),
        )
        if not items:
            raise RoomtourError(f"these runs hold no rows of region knowledge to judge; {_MAKE}")
        return _serve(QarSession(items, folders, rater), port, "rows", str(QAR_FILE))


def find_encoders(opened: dict[str, Run]) -> dict[str, SentenceEncoder]:
    """The sentence encoders that runs were made with (`--regions.sentences`), each loaded once."""
    folders: dict[str, str] = {}
    for key, run in opened.items():
        options = run.manifest.get("options")
        told = options.get("regions") if isinstance(options, Mapping) else None
        folder = told.get("sentences") if isinstance(told, Mapping) else None
        if folder:
            folders[key] = str(folder)
    if not folders:
        return {}
    from instructions.perception.models.sentences import MeanPooledSentences

    loaded = {folder: MeanPooledSentences(Path(folder)) for folder in sorted(set(folders.values()))}
    return {key: loaded[folder] for key, folder in folders.items()}


def serve_pairs(runs: tuple[Path, ...], sample: int, rater: str, seed: int, port: int) -> int:
    """Serve a sample of pairs of answers until Ctrl-C."""
    from roomtour.files.region_reviews import PAIR_FILE
    from roomtour.review.region_pairs import PairSession, draw_pairs

    require_rater(sample, rater)
    folders, opened = _open(runs)
    with TemporaryDirectory() as hidden:
        tours = _load(opened, Path(hidden))
        items = draw_pairs(
            {key: (tours[key], run.region_views, run.rows("regions"), run.region_pairs) for key, run in opened.items()},
            sample,
            rater,
            seed,
        )
        if not items:
            raise RoomtourError(f"these runs hold no pairs of answers to judge; {_MAKE}")
        return _serve(PairSession(items, folders, rater), port, "pairs", str(PAIR_FILE))


def find_ratable(run: Run) -> list[Qar]:
    """Rows that people are to tell apart: the kept ones, and those that fell under a critic's threshold."""
    rejected = [row for row in run.rejected_rows("regions") if row.rejected_because == "critic"]
    return [*run.rows("regions"), *rejected]


def _open(runs: tuple[Path, ...]) -> tuple[dict[str, Path], dict[str, Run]]:
    from roomtour.run import Run

    folders = {str(folder.resolve()): folder for folder in runs}
    opened = {key: Run(folder) for key, folder in folders.items()}
    return folders, {key: run for key, run in opened.items() if "regions" in run.kinds}


def _load(opened: dict[str, Run], hidden: Path) -> dict[str, TourView]:
    """The tours with pictures as their runs may show them."""
    from roomtour.view.hidden import find_asked_to_hide, hide_in_tour
    from roomtour.view.tour import load_tour

    return {
        key: hide_in_tour(load_tour(run, MAP_POINTS), find_asked_to_hide(run), hidden / str(number), tell)
        for number, (key, run) in enumerate(opened.items())
    }


def _serve(session: Reviewing, port: int, noun: str, file: str) -> int:
    from roomtour.review.server import ReviewServer

    with ReviewServer(session, port) as server:
        told = ", all judged" if session.next_open() is None else ""
        tell(f"{len(session.items)} {noun}{told}: {server.address}   (Ctrl-C ends it)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            tell(f"ratings are in {file} of each run")
    return 0


def summarize_region_qars(runs: tuple[Path, ...]) -> int:
    """Print what people say of the rows of runs."""
    from roomtour.files.region_reviews import load_qar_ratings
    from roomtour.review.qar_summary import render_qars, summarize_qars

    folders, opened = _open(runs)
    OUT.print(
        render_qars(summarize_qars((find_ratable(run), load_qar_ratings(folders[key])) for key, run in opened.items()))
    )
    return 0


def summarize_region_pairs(runs: tuple[Path, ...]) -> int:
    """Print what people say of the pairs of runs."""
    from roomtour.files.region_reviews import load_pair_ratings
    from roomtour.review.pair_summary import render_pairs, summarize_pairs

    folders, opened = _open(runs)
    OUT.print(
        render_pairs(
            summarize_pairs((run.region_pairs, load_pair_ratings(folders[key])) for key, run in opened.items())
        )
    )
    return 0

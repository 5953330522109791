"""What people can be asked to judge: which rows, and what their judgements add up to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from rich.console import RenderableType

from recon.numerals import count
from roomtour.errors import RoomtourError
from roomtour.files.records import read_jsonl
from roomtour.files.reviews import (
    DIALOGUE_RATINGS,
    PAIR_RATINGS,
    PILOT,
    QAR_RATINGS,
    QUESTION_REVIEWS,
    RATINGS,
    stratum_of,
)
from roomtour.review.agreement import OUTDATED
from roomtour.review.dialogues import (
    DialogueItem,
    DialogueSession,
    draw_dialogues,
    render_dialogues,
    summarize_dialogues,
)
from roomtour.review.qars import QarSession, draw_qars, render_qars, summarize_qars
from roomtour.review.questions import QuestionSession, draw_questions, render_questions, summarize_questions
from roomtour.review.region_pairs import PairSession, draw_pairs, render_pairs, summarize_pairs
from roomtour.review.sampled import SampledSession
from roomtour.review.texts import ReviewSession, draw_sample, render_ratings, summarize_ratings, texts_of
from roomtour.review.texts import What as Texts
from roomtour.run import Run
from roomtour.view.card import find_asked_to_hide, hide_in_tour
from roomtour.view.tour import TourView, load_tour

if TYPE_CHECKING:
    from instructions.dialogues.records import Dialogue
    from instructions.regions.interfaces import SentenceEncoder
    from instructions.regions.records import Qar

Kind = Literal["spatial", "programs"]
MAP_POINTS = 60_000


@dataclass(frozen=True)
class Asked:
    """A review of some runs."""

    runs: Mapping[str, Run]
    """By key, for `Item.run`."""
    sample: int
    rater: str
    seed: int
    hidden: Path
    """Folder for pictures in which what a run was processed to hide is pixelated."""
    tell: Callable[[str], None]

    @property
    def folders(self) -> dict[str, Path]:
        """By key of the run."""
        return {key: run.path for key, run in self.runs.items()}

    def load(self, kind: str | None = None) -> dict[str, tuple[TourView, Run]]:
        """Runs that have rows of a kind, each with its tour and pictures as it may show them."""
        found: dict[str, tuple[TourView, Run]] = {}
        for number, (key, run) in enumerate(self.runs.items()):
            if kind is None or kind in run.kinds:
                tour = load_tour(run, MAP_POINTS)
                for notice in tour.notices:
                    self.tell(f"note: {run.path}: {notice}")
                found[key] = hide_in_tour(tour, find_asked_to_hide(run), self.hidden / str(number), self.tell), run
        return found


def _open_texts(what: Texts, asked: Asked) -> SampledSession[Any, Any]:
    loaded = asked.load()
    for tour, run in loaded.values():
        texts = [text for each in get_args(Texts) for text in texts_of(tour, each)]
        outdated = RATINGS.match(RATINGS.load(run.path), texts)[1]
        if outdated:
            told = f"{count(outdated, 'rating')} {OUTDATED} stay in {RATINGS.file} and do not count"
            asked.tell(f"note: {run.path}: {told}")
    tours = {key: tour for key, (tour, _) in loaded.items()}
    return ReviewSession(draw_sample(tours, asked.sample, asked.seed, what), asked.folders, asked.rater)


def _open_questions(kind: Kind, asked: Asked) -> SampledSession[Any, Any]:
    # What no code can verify, the steps of a walk, is not asked.
    rows = {
        key: (tour, [row for row in run.rows(kind) if row.form != "text"])
        for key, (tour, run) in asked.load(kind).items()
    }
    return QuestionSession(draw_questions(rows, asked.sample, asked.seed), asked.folders, asked.rater)


def _open_qars(asked: Asked) -> SampledSession[Any, Any]:
    loaded = asked.load("regions")
    encoders = find_encoders({key: run for key, (_, run) in loaded.items()})
    rows = {key: (tour, run.region_views, find_ratable(run)) for key, (tour, run) in loaded.items()}
    return QarSession(draw_qars(rows, asked.sample, asked.seed, encoders), asked.folders, asked.rater)


def _open_pairs(asked: Asked) -> SampledSession[Any, Any]:
    loaded = asked.load("regions")
    rows = {key: (tour, run.region_views, run.rows("regions"), run.region_pairs) for key, (tour, run) in loaded.items()}
    return PairSession(draw_pairs(rows, asked.sample, asked.rater, asked.seed), asked.folders, asked.rater)


def _open_dialogues(asked: Asked) -> SampledSession[Any, Any]:
    items: list[DialogueItem] = []
    for key, (tour, run) in asked.load().items():
        rows, pilot = read_dialogues(run)
        items += [DialogueItem(key, tour, row) for row in rows]
        items += [DialogueItem(key, tour, row, is_pilot=True) for row in pilot]
    due = draw_dialogues(items, len(items), asked.seed)
    if len(due) > asked.sample:
        asked.tell(
            f"note: the check asks for {count(len(due), 'row')}; --sample {asked.sample} shows the first of them"
        )
    clouds = {key: run.clouds for key, run in asked.runs.items()}
    return DialogueSession(due[: asked.sample], asked.folders, asked.rater, clouds)


def find_encoders(runs: Mapping[str, Run]) -> dict[str, SentenceEncoder]:
    """The sentence encoders that runs were made with (`--regions.sentences`), each loaded once."""
    folders: dict[str, str] = {}
    for key, run in runs.items():
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


def find_ratable(run: Run) -> list[Qar]:
    """Rows that people are to tell apart: the kept ones, and those that fell under a critic's threshold."""
    if "regions" not in run.kinds:
        return []
    rejected = [row for row in run.rejected_rows("regions") if row.rejected_because == "critic"]
    return [*run.rows("regions"), *rejected]


def read_dialogues(run: Run) -> tuple[list[Dialogue], list[Dialogue]]:
    """Kept rows of a run, and the accepted rows of its pilot that are not among them."""
    from instructions.dialogues.records import Dialogue

    rows = list(run.rows("dialogues")) if "dialogues" in run.kinds else []
    known = {(row.id, stratum_of(row)) for row in rows}
    file = run.path / PILOT
    pilot = read_jsonl(file, Dialogue) if file.is_file() else ()
    return rows, [row for row in pilot if row.accepted and (row.id, stratum_of(row)) not in known]


def _sum_questions(kind: Kind, runs: Sequence[Run]) -> RenderableType:
    rows = [(run.rows(kind) if kind in run.kinds else (), QUESTION_REVIEWS.load(run.path)) for run in runs]
    return render_questions(summarize_questions(rows))


def _sum_dialogues(runs: Sequence[Run]) -> RenderableType:
    rows = [(run, *read_dialogues(run)) for run in runs]
    return render_dialogues(
        summarize_dialogues(
            (run.scene_outline.id, (*kept, *pilot), DIALOGUE_RATINGS.load(run.path)) for run, kept, pilot in rows
        )
    )


@dataclass(frozen=True)
class ReviewKind:
    """One thing that `roomtour review --what` names."""

    open: Callable[[Asked], SampledSession[Any, Any]]
    """The sample for a person, empty where the runs hold none."""
    sum_up: Callable[[Sequence[Run]], RenderableType]
    """What was said, as a table."""
    rows: str
    """What is judged, in a sentence that says that there is none."""
    make: str = ""
    """Kind of data that would have some."""


def _sum_texts(runs: Sequence[Run]) -> RenderableType:
    return render_ratings(summarize_ratings((run.texts, RATINGS.load(run.path)) for run in runs))


REVIEWS: Mapping[str, ReviewKind] = {
    "instructions": ReviewKind(partial(_open_texts, "instructions"), _sum_texts, "accepted instruction"),
    "further": ReviewKind(
        partial(_open_texts, "further"), _sum_texts, "accepted text about parts of walks or ways back"
    ),
    "views": ReviewKind(partial(_open_texts, "views"), _sum_texts, "accepted description of a view"),
    "questions": ReviewKind(
        partial(_open_questions, "spatial"), partial(_sum_questions, "spatial"), "spatial questions", "spatial"
    ),
    "programs": ReviewKind(
        partial(_open_questions, "programs"),
        partial(_sum_questions, "programs"),
        "questions answered by programs",
        "programs",
    ),
    "qar": ReviewKind(
        _open_qars,
        lambda runs: render_qars(summarize_qars((find_ratable(run), QAR_RATINGS.load(run.path)) for run in runs)),
        "rows of region knowledge",
        "regions",
    ),
    "pairs": ReviewKind(
        _open_pairs,
        lambda runs: render_pairs(
            summarize_pairs(
                (run.region_pairs if "regions" in run.kinds else (), PAIR_RATINGS.load(run.path)) for run in runs
            )
        ),
        "pairs of answers",
        "regions",
    ),
    "dialogues": ReviewKind(_open_dialogues, _sum_dialogues, "dialogues", "dialogues"),
}


def open_review(what: str, asked: Asked) -> SampledSession[Any, Any]:
    """One person's way through a sample of what runs hold of it.

    Raises:
        RoomtourError: If they hold none; if what was said before, or a run, cannot be read.
    """
    kind = REVIEWS[what]
    session = kind.open(asked)
    if not session.items:
        hint = f"; make some: roomtour make RUN --data {kind.make}" if kind.make else ""
        raise RoomtourError(f"these runs hold no {kind.rows} to judge{hint}")
    return session

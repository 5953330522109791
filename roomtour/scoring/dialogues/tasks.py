"""Scores of `lamm-benchmark`: every task by `right` and by `compat`, with intervals and what junk would get."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from instructions.dialogues.tasks.tasks import BENCHMARKS
from instructions.errors import InstructionError
from roomtour.errors import RoomtourError
from roomtour.export.core.streams import read_row_files
from roomtour.scoring.answers import require_rows
from roomtour.scoring.dialogues import captions, compat, right
from roomtour.scoring.dialogues.junk import PLAYERS, answer_as
from roomtour.scoring.dialogues.words import Lexicon, find_lexicon
from roomtour.scoring.intervals import bootstrap, find_interval
from roomtour.scoring.records import Answers, DatasetRow, Mode, Scorer, ScoreReport, ScoreTable

Row = Mapping[str, Any]
Score = Callable[[Sequence[Row], Lexicon], dict[str, float]]
MAIN = ("acc", "acc50", "F1", "exact", "within", "PCK20", "BLEU4")
"""What counts of a task's scores in `right`: the first of these that it has."""


@dataclass(frozen=True)
class TaskScore:
    """How a task is scored."""

    form: str
    """Of its truth, for junk players and for what says a truth in words."""
    size: int
    """Numbers of a box."""
    right: Score
    """As it should be measured."""
    compat: Score | None
    """As the published code measures it; None where it has no such task."""


def _plain(score: Callable[[Sequence[Row]], dict[str, float]]) -> Score:
    """A score that asks for no synonyms."""
    return lambda rows, words: score(rows)


_LABEL = TaskScore("label", 0, right.score_classification, compat.score_classification)
_CHOICE = TaskScore("choice", 0, _plain(right.score_choice), _plain(compat.score_vqa))
_CAPTION = TaskScore("sentences", 0, _plain(captions.score_captions), _plain(captions.score_captions_compat))
TASKS: Mapping[str, TaskScore] = {
    "classify_view": _LABEL,
    "classify_thing": _LABEL,
    "classify_cloud": _LABEL,
    "detect": TaskScore("boxes", 4, right.score_detection, compat.score_detection),
    "ground": TaskScore("boxes", 4, _plain(right.score_grounding), None),
    "count": TaskScore("count", 0, _plain(right.score_counting), _plain(compat.score_counting)),
    "locate": TaskScore("points", 2, right.score_locating, compat.score_locating),
    "presence": TaskScore("label", 0, _plain(right.score_presence), None),
    "choice": _CHOICE,
    "vqa_cloud": _CHOICE,
    "detect_cloud": TaskScore("boxes", 6, partial(right.score_detection, size=6), compat.score_detection_3d),
    "ground_cloud": TaskScore(
        "boxes", 6, _plain(partial(right.score_grounding, size=6)), _plain(compat.score_grounding_3d)
    ),
    "keypoints": TaskScore("keypoint", 2, _plain(right.score_keypoints), None),
    "unseen": TaskScore("label", 0, _plain(right.score_unseen), None),
    "length": TaskScore("length", 0, _plain(right.score_lengths), None),
    "words": TaskScore("words", 0, _plain(right.score_words), _plain(compat.score_ocr)),
    "caption": _CAPTION,
    "caption_cloud": _CAPTION,
}


def takes(dataset: Path, rows: Sequence[DatasetRow]) -> bool:
    """Whether the folder is a benchmark of dialogues."""
    return any((dataset / "meta_file" / f"{kind.benchmark}.json").is_file() for kind in BENCHMARKS.values())


def score(dataset: Path, rows: Sequence[DatasetRow], answers: Answers, mode: Mode) -> ScoreReport:
    """Score the answers to every task that the benchmark holds.

    Raises:
        RoomtourError: For an answer without a row, rows of a task without an answer, a damaged file, or `compat`
            without WordNet.
    """
    try:
        words, notes = find_lexicon(mode)
    except InstructionError as error:
        raise RoomtourError(str(error)) from error
    tasks = read_tasks(dataset)
    left, unscored = find_unscored(tasks)
    tables: list[ScoreTable] = []
    figures: dict[str, Any] = {}
    for name, told in join_answers(dataset, tasks, answers).items():
        if name in left:
            continue
        for one in ("right", "compat") if mode == "both" else (mode,):
            table, figure = _score_task(name, told, words, one)
            if table is not None:
                tables.append(table)
                figures[f"{BENCHMARKS[name].benchmark} {one}"] = figure
    marked = ("compat behaves as LAMM's published code does, faults included",) if mode != "right" else ()
    return ScoreReport("dialogues", tuple(tables), figures, (*notes, *unscored, *marked))


def find_unscored(tasks: Mapping[str, Sequence[Row]]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Tasks with rows that cannot be scored here, and what to say about them: captions without their libraries."""
    left = frozenset(name for name in ("caption", "caption_cloud") if tasks.get(name))
    if not left or captions.has_libraries():
        return frozenset(), ()
    return left, ('captions are not scored without their libraries: pip install "roomtour[benchmark]"',)


def read_tasks(dataset: Path) -> dict[str, list[dict[str, Any]]]:
    """Rows of every task as scorers take them; none of a task that the benchmark has not.

    Raises:
        RoomtourError: For a damaged file.
    """
    return {
        name: [
            {**row, "gt_answers": row.get("object", row.get("num", row.get("word_list")))}
            for _, row in read_row_files(dataset, f"meta_file/{BENCHMARKS[name].benchmark}.json")
        ]
        for name in TASKS
    }


def join_answers(
    dataset: Path, tasks: Mapping[str, Sequence[Row]], answers: Answers
) -> dict[str, list[dict[str, Any]]]:
    """Rows with their answers, of the tasks that have rows.

    Raises:
        RoomtourError: For an answer without a row, or rows of a task without an answer.
    """
    require_rows(answers, tasks.values(), dataset)
    out = {}
    for name, found in tasks.items():
        if not found:
            continue
        missing = [row["id"] for row in found if row["id"] not in answers]
        if missing:
            raise RoomtourError(
                f"{BENCHMARKS[name].benchmark}: {len(missing)} of {len(found)} rows have no answer, first "
                f"{missing[0]}; give an empty answer where there is none"
            )
        lines = [answers[row["id"]] for row in found]
        out[name] = [
            {**row, "answer": str(line["answer"]), "CoT_answer": str(line.get("CoT_answer") or "")}
            for row, line in zip(found, lines, strict=True)
        ]
    return out


def _score_task(name: str, told: Sequence[Row], words: Lexicon, mode: str) -> tuple[ScoreTable | None, dict[str, Any]]:
    """A row for the answers, with intervals, and one for each junk player."""
    task = TASKS[name]
    score = task.right if mode == "right" else task.compat
    if score is None:
        return None, {}
    values = score(told, words)
    figure: dict[str, Any] = {"rows": len(told), "scores": values, "junk": {}}
    several = len({row["tour"] for row in told}) > 1
    drawn = bootstrap(told, lambda rows: score(rows, words), draws=100) if several else {}
    figure["intervals"] = {name: find_interval(values) for name, values in drawn.items()}
    lines = [("answers", *values.values())]
    for player in PLAYERS:
        junk = answer_as(player, task.form, told, task.size)
        got = score([{**row, "answer": said, "CoT_answer": ""} for row, said in zip(told, junk, strict=True)], words)
        figure["junk"][player] = got
        lines.append((f"junk: {player}", *(got[key] for key in values)))
    title = f"{BENCHMARKS[name].benchmark}, {len(told)} rows, {mode}"
    return ScoreTable(title, ("player", *values), tuple(lines)), figure


SCORER = Scorer("dialogues", "tasks about views and clouds (lamm-benchmark)", takes, score)

"""A file of answers as people and evaluation tools write it: an id and a text per row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from recon.given_files import describe_unread, read_given_text
from roomtour.errors import RoomtourError
from roomtour.files.records import parse_json, read_table

IDS = ("id", "question_id", "index", "idx", "uid", "ID")
TEXTS = (
    *("filtered_resps", "resps", "prediction", "Predicted Answer", "response", "model_answer", "pred"),
    *("answer", "text", "output"),
)
"""Fields that name the row and hold the answer: the first that is there.

Many files keep the truth in `answer`, so it is read only where no prediction stands beside it.

lmms-eval (its samples of VSI-Bench, also debiased, MMSI-Bench, MindCube, ViewSpatial, SITE, BLINK, 3DSRBench and
EmbSpatial)
    `filtered_resps`; the id lies in `doc` or in what a metric keeps, ours there as `row`. MindCube's, ViewSpatial's and
    3DSRBench's newer ones keep no id but `doc_id`, the number of the row in its file.
VLMEvalKit and EASI (the same benchmarks)
    `index` and `prediction`, the truth in `answer`.
BLINK's own
    `idx` and `prediction` in a list per split, the truth in `answer`; or texts by id.
ViewSpatial's own
    `ID` and `Predicted Answer`.
MindCube's own, and ours
    `id` and `answer`.
ms-swift
    `response`.
LLaVA
    `question_id` and `text`.
"""


def read_answers(path: Path) -> dict[str, dict[str, Any]]:
    """The lines of a file by id; the text of each under `answer`.

    Args:
        path: `.jsonl`, `.json` (rows in a list or in one per split, or texts by id), `.csv` or `.tsv`.

    Raises:
        RoomtourError: If it cannot be read, a row has no id or text, or two rows have one id.
    """
    out: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(_rows(path), start=1):
        name = _read_id(row)
        if name is None:
            raise RoomtourError(
                f"{path}: row {number} has no id; name the row of the dataset in one of {', '.join(IDS)}"
            )
        key = next((key for key in TEXTS if key in row), None)
        if key is None:
            raise RoomtourError(f"{path}: row {number} ({name}) has no text; need one of {', '.join(TEXTS)}")
        if str(name) in out:
            raise RoomtourError(f"{path}: row {number}: a second answer for {name}; need one answer per row")
        text = row[key]
        while key in TEXTS[:2] and isinstance(text, list) and len(text) == 1:  # one reply to one request
            text = text[0]
        out[str(name)] = {**row, "answer": "" if text is None else text if isinstance(text, list | dict) else str(text)}
    if not out:
        raise RoomtourError(f"{path}: holds no answers; need one JSON object per line, with id and answer")
    return out


def require_rows(answers: Iterable[str], tasks: Iterable[Iterable[Mapping[str, Any]]], dataset: Path) -> None:
    """Refuse answers without a row in any of the tasks of a benchmark.

    Raises:
        RoomtourError: Naming the first.
    """
    known = {row["id"] for rows in tasks for row in rows}
    strange = next((name for name in answers if name not in known), None)
    if strange is not None:
        raise RoomtourError(f"answer {strange!r} belongs to no row of {dataset}; each answer needs the id of its row")


def _read_id(row: Mapping[str, Any]) -> Any:
    """What names the row of the dataset, or None."""
    held = (one for one in row.values() if isinstance(one, Mapping))
    places = ((row, IDS), *((one, ("row", *IDS)) for one in held), (row, ("doc_id",)))
    return next((one[key] for one, keys in places for key in keys if one.get(key) not in (None, "")), None)


def _rows(path: Path) -> Iterable[Mapping[str, Any]]:
    try:
        text = read_given_text(path)
    except (OSError, UnicodeDecodeError) as error:
        hint = "; save a table as .csv or .tsv" if isinstance(error, UnicodeDecodeError) else ""
        raise RoomtourError(f"{path}: cannot be read: {describe_unread(error)}{hint}") from error
    if path.suffix in (".csv", ".tsv"):
        try:
            return list(read_table(text.splitlines(), "\t" if path.suffix == ".tsv" else ","))
        except ValueError as error:
            raise RoomtourError(f"{path}: no table: {error}") from error
    try:
        loaded = (
            parse_json(text) if path.suffix == ".json" else [parse_json(line) for line in text.splitlines() if line]
        )
    except ValueError as error:
        raise RoomtourError(f"{path}: is no valid JSON: {error}; need .jsonl, .json, .csv or .tsv") from error
    if isinstance(loaded, dict):
        in_lists = [one for value in loaded.values() if isinstance(value, list) for one in value]
        if in_lists and all(isinstance(one, dict) and _read_id(one) is not None for one in in_lists):
            return in_lists
        loaded = [
            {"id": name, **value} if isinstance(value, dict) else {"id": name, "answer": value}
            for name, value in loaded.items()
        ]
    if not isinstance(loaded, list) or not all(isinstance(row, dict) for row in loaded):
        raise RoomtourError(f"{path}: need rows with id and answer, found {type(loaded).__name__}")
    return loaded

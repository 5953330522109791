"""The rows of a dataset in one form, whichever format of ours it lies in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from roomtour.errors import RoomtourError
from roomtour.files.json_text import parse_json
from roomtour.files.paths import require_plain_files
from roomtour.files.tables import read_table
from roomtour.scoring.records import DatasetRow


def read_rows(dataset: Path) -> list[DatasetRow]:
    """All rows with a question and an answer, in file order; none where the folder holds other things only.

    Raises:
        RoomtourError: If there is no such folder, or a file of it is damaged.
    """
    if not dataset.is_dir():
        raise RoomtourError(f"--data {dataset}: no such folder; name a dataset made by roomtour export")
    require_plain_files(dataset)
    rows: list[DatasetRow] = []
    for pattern, read in _READERS:
        for file in sorted(dataset.glob(pattern)):
            try:
                rows += read(file)
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise RoomtourError(f"{file}: is damaged ({error}); try roomtour validate {dataset}") from error
    out: dict[str, DatasetRow] = {}
    for row in rows:  # the file that tells most of a row stands first in `_READERS`
        out.setdefault(row.id, row)
    return list(out.values())


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield parse_json(line)


def _open_rows(file: Path) -> Iterator[DatasetRow]:
    """`jsonl`: the rows as the run has them, rejected ones left out."""
    for row in _lines(file):
        if row.get("accepted") and "question" in row and "truth" in row:
            solution = str(row["truth"])
            if row.get("correct") is not None:
                solution = row["choices"][row["correct"]]
            measured = row.get("measured") if row.get("form") == "number" else None
            yield DatasetRow(
                id=row["id"],
                tour=row["tour"],
                question=row["question"],
                answer=row["answer"],
                type=row["type"],
                kind=file.name.split(".")[0].split("-0")[0],
                solution=solution,
                unit=measured["unit"] if measured else "",
                sigma=measured["sigma"] if measured else None,
                choices=tuple(row["choices"]),
                twin=row.get("twin"),
                group=row.get("group", ""),
                images=tuple(row.get("images", ())),
                record=row,
            )


def _message_rows(file: Path) -> Iterator[DatasetRow]:
    for row in _lines(file):
        if "messages" in row and "solution" in row:
            question, answer = _turns(row["messages"], "role", "content", "user", "assistant")
            yield _common(row, question, answer, tuple(row.get("images", ())))


def _llava_rows(file: Path) -> Iterator[DatasetRow]:
    for row in parse_json(file.read_text(encoding="utf-8")):
        if isinstance(row, dict) and "conversations" in row and "solution" in row:
            question, answer = _turns(row["conversations"], "from", "value", "human", "gpt")
            image = row.get("image", ())
            yield _common(row, question, answer, (image,) if isinstance(image, str) else tuple(image))


def _parquet_rows(file: Path) -> Iterator[DatasetRow]:
    import pyarrow.parquet as pq

    wanted = [name for name in pq.read_schema(file).names if name != "images"]
    for row in pq.read_table(file, columns=wanted).to_pylist():
        yield _common({**row, "solution": row["ground_truth"]}, row["question"], row["answer"], ())


def _vsibench_rows(file: Path) -> Iterator[DatasetRow]:
    """The benchmark's own columns; answers may name a row by its number or by ours."""
    import pyarrow.parquet as pq

    if "scene_name" not in pq.read_schema(file).names:
        return
    for row in pq.read_table(file).to_pylist():
        known = {
            **row,
            "id": row.get("row") or row["id"],
            "solution": row["ground_truth"],
            "type": row["question_type"],
        }
        yield replace(_common(known, row["question"], str(row["ground_truth"]), ()), kind="programs", record=row)


def _table_rows(file: Path) -> Iterator[DatasetRow]:
    with file.open(encoding="utf-8", newline="") as lines:
        for row in read_table(lines, "\t"):
            letters = [letter for letter in "ABCDEFGH" if row.get(letter)]
            answer = row["answer"]
            solution = row[answer] if letters and answer in letters else answer
            known = {
                **row,
                "id": row["id"],
                "solution": solution,
                "type": row.get("type") or row.get("category", ""),
                "choices": [row[letter] for letter in letters],
                "sigma": float(row["sigma"]) if row.get("sigma") else None,
            }
            yield _common(known, row["question"], answer, ())


def _common(row: Mapping[str, Any], question: str, answer: str, images: tuple[str, ...]) -> DatasetRow:
    source = row.get("source")
    tour = row.get("tour") or (source.get("tour") if isinstance(source, Mapping) else "")
    return DatasetRow(
        id=str(row["id"]),
        tour=str(tour or ""),
        question=question,
        answer=answer,
        type=str(row.get("type") or ""),
        kind=str(row.get("kind") or ("programs" if "medium" in row and "reward" in row else "")),
        solution=str(row["solution"]),
        unit=str(row.get("unit") or ""),
        sigma=row.get("sigma"),
        choices=tuple(row.get("choices") or ()),
        twin=row.get("twin") or None,
        group=str(row.get("group") or ""),
        images=images,
        record=row,
    )


def _turns(turns: Any, speaker: str, text: str, asks: str, tells: str) -> tuple[str, str]:
    """The last question and its answer, without the client's marks."""
    question = next((turn[text] for turn in reversed(turns) if turn[speaker] == asks), "")
    answer = next((turn[text] for turn in reversed(turns) if turn[speaker] == tells), "")
    return str(question).replace("<image>", "").strip(), str(answer)


_READERS: tuple[tuple[str, Callable[[Path], Iterator[DatasetRow]]], ...] = (
    ("spatial*.jsonl", _open_rows),
    ("programs*.jsonl", _open_rows),
    ("train*.jsonl", _message_rows),
    ("val*.jsonl", _message_rows),
    ("questions_*.json", _llava_rows),
    ("several_questions_*.json", _llava_rows),
    ("programs_*.json", _llava_rows),
    ("questions/*.parquet", _parquet_rows),
    ("programs/*.parquet", _parquet_rows),
    ("*.tsv", _table_rows),
    ("test*.parquet", _vsibench_rows),
    ("train*.parquet", _vsibench_rows),
)

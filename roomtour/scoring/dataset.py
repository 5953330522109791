"""The rows of a dataset in one form, whichever format of ours it lies in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from roomtour.errors import RoomtourError
from roomtour.export.core.streams import read_row_files
from roomtour.files.paths import require_plain_files
from roomtour.scoring.records import DatasetRow

_Row = Mapping[str, Any]


def read_rows(dataset: Path) -> list[DatasetRow]:
    """All rows with a question and an answer, in file order; none where the folder holds other things only.

    Raises:
        RoomtourError: If there is no such folder, or a file of it is damaged.
    """
    if not dataset.is_dir():
        raise RoomtourError(f"--data {dataset}: no such folder; name a dataset made by roomtour export")
    require_plain_files(dataset)
    out: dict[str, DatasetRow] = {}
    for pattern, read in _READERS:  # the file that tells most of a row stands first
        for file, row in read_row_files(dataset, pattern, left_out="images"):
            try:
                found = read(row, file)
            except (ValueError, KeyError, TypeError) as error:
                raise RoomtourError(
                    f"{dataset / file}: is damaged ({error}); try roomtour validate {dataset}"
                ) from error
            if found is not None:
                out.setdefault(found.id, found)
    return list(out.values())


def _read_open(row: _Row, file: str) -> DatasetRow | None:
    """`jsonl`: the rows as the run has them, rejected ones left out."""
    if not row.get("accepted") or "question" not in row or "truth" not in row:
        return None
    solution = str(row["truth"])
    if row.get("correct") is not None:
        solution = row["choices"][row["correct"]]
    measured = row.get("measured") if row.get("form") == "number" else None
    return DatasetRow(
        id=row["id"],
        tour=row["tour"],
        question=row["question"],
        answer=row["answer"],
        type=row["type"],
        kind=file.split(".")[0].split("-0")[0],
        solution=solution,
        unit=measured["unit"] if measured else "",
        sigma=measured["sigma"] if measured else None,
        choices=tuple(row["choices"]),
        twin=row.get("twin"),
        group=row.get("group", ""),
        images=tuple(row.get("images", ())),
        record=row,
    )


def _read_messages(row: _Row, file: str) -> DatasetRow | None:
    if "messages" not in row or "solution" not in row:
        return None
    question, answer = _turns(row["messages"], "role", "content", "user", "assistant")
    return _common(row, question, answer, tuple(row.get("images", ())))


def _read_llava(row: _Row, file: str) -> DatasetRow | None:
    if "conversations" not in row or "solution" not in row:
        return None
    question, answer = _turns(row["conversations"], "from", "value", "human", "gpt")
    image = row.get("image", ())
    return _common(row, question, answer, (image,) if isinstance(image, str) else tuple(image))


def _read_parquet(row: _Row, file: str) -> DatasetRow:
    return _common({**row, "solution": row["ground_truth"]}, row["question"], row["answer"], ())


def _read_vsibench(row: _Row, file: str) -> DatasetRow | None:
    """The benchmark's own columns; answers may name a row by its number or by ours."""
    if "scene_name" not in row:
        return None
    known = {**row, "id": row.get("row") or row["id"], "solution": row["ground_truth"], "type": row["question_type"]}
    return replace(_common(known, row["question"], str(row["ground_truth"]), ()), kind="programs", record=row)


def _read_table(row: _Row, file: str) -> DatasetRow:
    letters = [letter for letter in "ABCDEFGH" if row.get(letter)]
    answer = row["answer"]
    known = {
        **row,
        "solution": row[answer] if letters and answer in letters else answer,
        "type": row.get("type") or row.get("category", ""),
        "choices": [row[letter] for letter in letters],
        "sigma": float(row["sigma"]) if row.get("sigma") else None,
    }
    return _common(known, row["question"], answer, ())


def _common(row: _Row, question: str, answer: str, images: tuple[str, ...]) -> DatasetRow:
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


_READERS: tuple[tuple[str, Callable[[_Row, str], DatasetRow | None]], ...] = (
    ("spatial*.jsonl", _read_open),
    ("programs*.jsonl", _read_open),
    ("train*.jsonl", _read_messages),
    ("val*.jsonl", _read_messages),
    ("questions_*.json", _read_llava),
    ("several_questions_*.json", _read_llava),
    ("programs_*.json", _read_llava),
    ("questions/*.parquet", _read_parquet),
    ("programs/*.parquet", _read_parquet),
    ("*.tsv", _read_table),
    ("test*.parquet", _read_vsibench),
    ("train*.parquet", _read_vsibench),
)

"""Check parquet for reinforcement learning: a picture for each mark, a truth that rewards its answer and no other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from instructions.asking.reward import reward
from recon.picture_faults import find_picture_fault
from roomtour.export.core.checking import SPLITS, Row, RowCheck, Text, Whole
from roomtour.export.core.conversations import IMAGE_TOKEN
from roomtour.export.core.records import Problem
from roomtour.export.core.talks.talk import METRIC_UNITS
from roomtour.export.formats.verl.write import FORMAT_PROMPT, SCHEMA, SYSTEM, file_name

_BATCH_ROWS = 64


class _Message(Row):
    role: Text
    content: Text


class _Image(Row):
    bytes: bytes
    path: Text


class _Truth(Row):
    style: Text
    ground_truth: Text


class _Extra(Row):
    split: Text
    index: Whole
    id: Text
    tour: Text
    unit: str
    scale_status: Text


class _Item(Row):
    data_source: Text
    prompt: Annotated[list[_Message], Field(min_length=1)]
    images: Annotated[list[_Image], Field(min_length=1)]
    ability: Text
    reward_model: _Truth
    extra_info: _Extra
    problem: Text
    answer: Text


def recognise(path: Path) -> bool:
    """Whether the folder holds a table with these columns."""
    for split in SPLITS:
        try:
            names = set(pq.read_schema(path / file_name(split)).names)
        except (OSError, UnicodeDecodeError, pa.ArrowException):
            continue
        if {"data_source", "prompt", "reward_model"} <= names:
            return True
    return False


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    ids: set[Any] = set()
    split_of: dict[str, str] = {}
    for split in SPLITS:
        files = sorted(path.glob(f"{split}*.parquet"))
        if split == "train" and not files:
            problems.append(Problem(file_name(split), None, "file", "a table", "no such file"))
        for file in files:
            try:
                _check_file(file, split, problems, ids, split_of)
            except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
                problems.append(Problem(file.name, None, "file", "a parquet file", str(error)[:80]))
    _check_format_prompt(path / FORMAT_PROMPT, problems)
    return problems


def _check_format_prompt(file: Path, problems: list[Problem]) -> None:
    """The question must come through, and the form that is rewarded must be asked for."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problems.append(Problem(file.name, None, "file", "a template around the question", type(error).__name__))
        return
    if "{{ content" not in text or SYSTEM not in text:
        problems.append(Problem(file.name, None, "format_prompt", "the question and the form of an answer", text[:60]))


def _check_file(file: Path, split: str, problems: list[Problem], ids: set[Any], split_of: dict[str, str]) -> None:
    table = pq.ParquetFile(file)
    missing = [name for name in SCHEMA.names if name not in table.schema_arrow.names]
    if missing:
        problems.append(Problem(file.name, None, "columns", ", ".join(SCHEMA.names), f"no {', '.join(missing)}"))
        return
    number = 0
    for batch in table.iter_batches(_BATCH_ROWS):
        for record in batch.to_pylist():
            number += 1
            row = RowCheck(file.name, number, record, problems)
            item = row.fit(_Item)
            if item is None:
                continue
            row.new("extra_info.id", item.extra_info.id, ids)
            if item.extra_info.split != split or split_of.setdefault(item.extra_info.tour, split) != split:
                row.bad("extra_info.split", f"a tour of {split} only", item.extra_info.tour)
            _check_item(row, item)


def _check_item(row: RowCheck, item: _Item) -> None:
    marks = sum(message.content.count(IMAGE_TOKEN) for message in item.prompt)
    if marks != len(item.images) or item.problem.count(IMAGE_TOKEN) != marks:
        row.bad("prompt", f"{len(item.images)} times {IMAGE_TOKEN}", f"{marks} times")
    if item.prompt[-1].role != "user":
        row.bad("prompt.role", "user last", item.prompt[-1].role)
    for image in item.images:
        fault = find_picture_fault(image.bytes)
        if fault is not None:
            row.bad("images.bytes", "a whole picture", fault)
    if item.extra_info.scale_status == "relative" and item.extra_info.unit in METRIC_UNITS:
        row.bad("extra_info.unit", "no metres from a relative scale", item.extra_info.unit)
    _check_truth(row, item.reward_model.ground_truth)


def _check_truth(row: RowCheck, text: str) -> None:
    """The truth, said as an answer, must earn everything, and silence no more than the form."""
    try:
        told = json.loads(text)
        is_number = told["form"] == "number" and not told.get("choices")
        truth = float(told["truth"]) if is_number else told["truth"]
    except (ValueError, TypeError, KeyError) as error:
        row.bad("reward_model.ground_truth", "JSON with form and truth", f"{text[:60]} ({type(error).__name__})")
        return
    said = (
        ", ".join(map(str, truth)) if isinstance(truth, list) else f"{truth:.6f}" if isinstance(truth, float) else truth
    )
    full, none = (reward([f"<think>.</think><answer>{answer}</answer>"], [text])[0] for answer in (said, "?"))
    if full < 1.0 - 1e-9 or none > 0.1 + 1e-9:
        row.bad("reward_model.ground_truth", "a truth that earns 1, and silence that earns 0.1", f"{full:g}, {none:g}")

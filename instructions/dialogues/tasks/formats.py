"""Rows as formats write them: turns with boxes in the encoder's space, and what a benchmark compares."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

from instructions.dialogues.records import CloudBox, Dialogue, Spot, TaskTruth
from instructions.dialogues.spots import LEAST_INSIDE, BoxSpace, BoxText, inside_square, place_spot, retell
from instructions.dialogues.tasks.tasks import BENCHMARKS


def split_sentences(text: str) -> list[str]:
    """Sentences of a text, by their stops."""
    return [one for one in re.split(r"(?<=[.!?])\s+", text.strip()) if re.search(r"\w", one)]


def tell_turns(row: Dialogue, space: BoxSpace = "picture", text: BoxText = "unit2") -> list[tuple[str, str]] | None:
    """Questions and answers of a row about one view or cloud, with the boxes in them as the encoder sees them; None
    where it would not see something that the row rests on. No mark of a client is in the texts.

    Raises:
        ValueError: For a row about several views, which these formats do not have.
    """
    if len(row.views) > 1:
        raise ValueError(f"row {row.id} is about {len(row.views)} views; leave it out")
    if space == "cropped" and row.size_px is not None and hides_something(row):
        return None
    turns = []
    for turn in row.turns:
        told: list[str] | None = [turn.question, turn.answer]
        if row.size_px is not None and turn.spots:
            told = retell(told, turn.spots, row.size_px, space, text)
        if told is None:
            return None
        turns.append((told[0], told[1]))
    return turns


def hides_something(row: Dialogue) -> bool:
    """Whether a thing of the row lies less than half in the middle square of its frame."""
    size = row.size_px
    return size is not None and any(inside_square(box.box_xyxy, size) < LEAST_INSIDE for box in row.boxes)


def benchmark_row(row: Dialogue, space: BoxSpace = "picture") -> dict[str, Any] | None:
    """What `meta_file/TASK.json` holds of a row, without its medium; None for what is no task or cannot be seen.

    The sentences of a description are the references of a caption.
    """
    is_caption = row.kind == "description" and len(row.views) < 2 and bool(row.turns)
    if not is_caption and (row.task is None or row.truth is None):
        return None
    turns = tell_turns(row, space)
    if turns is None:
        return None
    out: dict[str, Any] = {"id": row.id, "tour": row.tour, "query": turns[0][0]}
    if is_caption or row.truth is None:
        return out | {"sentences": split_sentences(row.turns[0].answer)}
    return out | _tell_truth(row.task or "", row.truth, row.size_px or (1, 1), space)


def _tell_truth(task: str, truth: TaskTruth, size_px: tuple[int, int], space: BoxSpace) -> dict[str, Any]:
    if task in ("detect", "ground", "locate"):
        boxes = ((box.name, _shares(box.box_xyxy, size_px, space)) for box in truth.objects)
        return {"object": [{"label": name, "bbox": box} for name, box in boxes]}
    if task in ("detect_cloud", "ground_cloud"):
        return {"object": [_cloud_object(box) for box in truth.cloud_objects]}
    if task == "keypoints":  # an error is measured by the person's longer side
        spots = {"point": truth.point or (), "person": truth.objects[0].box_xyxy}
        return {"object": [{"label": truth.label, **{k: _shares(one, size_px, space) for k, one in spots.items()}}]}
    if task == "words":
        return {"word_list": list(truth.words)}
    if task == "count":
        return {"num": truth.number}
    if task == "length":
        return {"metres": truth.metres, "interval": list(truth.interval_m or ())}
    if task in ("choice", "vqa_cloud"):
        return {"gt_choice": truth.correct, "gt_choices": list(truth.choices), "choices": list(truth.choices)}
    choices = {"gt_choice": 0 if truth.label == "yes" else 1, "gt_choices": ["yes", "no"]}
    return {"label": truth.label, **(choices if task == "presence" else {})}


def benchmark_name(row: Dialogue) -> str:
    """Name of the file that the row of a task, or a description, goes to.

    Raises:
        KeyError: For a row that is no task.
    """
    if row.kind == "description":
        return BENCHMARKS["caption" if row.views else "caption_cloud"].benchmark
    return BENCHMARKS[row.task or ""].benchmark


def _shares(spot: Spot, size_px: tuple[int, int], space: BoxSpace) -> list[float]:
    """A box or point as shares of the picture that an encoder sees."""
    placed, size = place_spot(spot, size_px, space)
    return [round(value / size[place % 2], 4) for place, value in enumerate(placed)]


def _cloud_object(box: CloudBox) -> dict[str, Any]:
    sides = [round(value, 4) for value in (*box.center, *box.lengths)]
    return {"label": box.name, "bbox": sides, "obb": asdict(box.obb)}

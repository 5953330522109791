"""Region knowledge as tables: rows in three parts beside the boxes of the view, and rows with their false twins."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from instructions.regions.records import Pair, RegionView
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.region_rows import region_talks, round_box
from roomtour.files.records import to_plain

QARS, PAIRS = "qars", "pairs"


def region_columns(image: pa.DataType) -> Mapping[str, Mapping[str, pa.DataType]]:
    """Columns of both configs.

    Args:
        image: Type of a column of pictures.
    """
    numbers = pa.list_(pa.int64())
    about: Mapping[str, pa.DataType] = {
        "id": pa.string(),
        "tour": pa.string(),
        "view": pa.string(),
        "licence": pa.string(),
        "image": image,
        "width": pa.int64(),
        "height": pa.int64(),
        "numbers": numbers,
        "boxes": pa.list_(pa.list_(pa.float64())),
        "labels": pa.list_(pa.string()),
        "objects": pa.list_(pa.string()),
    }
    return {
        QARS: {
            **about,
            "mode": pa.string(),
            "type": pa.string(),
            "question": pa.string(),
            "answer": pa.string(),
            "rationale": pa.string(),
            "mentioned": numbers,
            "verdicts": pa.string(),
            "checked_share": pa.float64(),
            "difficulty": pa.float64(),
            "score": pa.float64(),
            "scale_status": pa.string(),
            "writer": pa.string(),
        },
        PAIRS: {
            **about,
            "row": pa.string(),
            "change": pa.string(),
            "question": pa.string(),
            "chosen": pa.string(),
            "rejected": pa.string(),
            "because": pa.string(),
        },
    }


def find_region_rows(
    run: RunData, ledger: Ledger, image_of: Callable[[str, Path], dict[str, Any]] | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows of both configs with the name of their config: each accepted row, and its twin after it.

    Args:
        run: One tour.
        ledger: Counts rows whose view is gone, and pairs of rows that are not exported.
        image_of: Makes a picture's value of its tour and path; None for no pictures.
    """
    pairs: dict[str, list[Pair]] = defaultdict(list)
    for pair in run.region_pairs:
        pairs[pair.row].append(pair)
    images = run.scene.frame_by_index
    for talk in region_talks(run, ledger):
        path = run.frames_dir / images[talk.frame].image
        about = _about(run, talk.view, image_of(run.scene.id, path) if image_of is not None else None)
        row = talk.row
        yield (
            QARS,
            {
                "id": row.id,
                **about,
                "mode": row.mode,
                "type": row.type,
                "question": row.question,
                "answer": row.answer,
                "rationale": row.rationale,
                "mentioned": list(row.mentioned),
                "verdicts": json.dumps([to_plain(one, type(one)) for one in row.verdicts], ensure_ascii=False),
                "checked_share": row.checked_share,
                "difficulty": row.difficulty,
                "score": row.score,
                "scale_status": row.scale_status,
                "writer": row.writer,
            },
        )
        for pair in pairs.pop(row.id, ()):
            yield (
                PAIRS,
                {
                    "id": pair.id,
                    **about,
                    "row": row.id,
                    "change": pair.change,
                    "question": pair.question,
                    "chosen": pair.chosen,
                    "rejected": pair.rejected,
                    "because": pair.because,
                },
            )
    if pairs:
        ledger.dropped["pairs without their row"] += sum(map(len, pairs.values()))


def _about(run: RunData, view: RegionView, image: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "tour": run.scene.id,
        "view": view.id,
        "licence": run.scene.source.licence,
        "image": image,
        "width": view.width,
        "height": view.height,
        "numbers": [one.number for one in view.regions],
        "boxes": [round_box(one) for one in view.regions],
        "labels": [one.label for one in view.regions],
        "objects": [one.object for one in view.regions],
    }

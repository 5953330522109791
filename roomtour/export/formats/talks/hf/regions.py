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
from roomtour.export.core.talks.region_rows import region_talks, round_box
from roomtour.files.records import to_plain

QARS, PAIRS = "qars", "pairs"


_TEXT, _NUMBER, _NUMBERS = pa.string(), pa.float64(), pa.list_(pa.int64())
_OWN: Mapping[str, Mapping[str, pa.DataType]] = {
    QARS: {
        **dict.fromkeys(("mode", "type", "question", "answer", "rationale"), _TEXT),
        "mentioned": _NUMBERS,
        "verdicts": _TEXT,
        **dict.fromkeys(("checked_share", "difficulty", "score"), _NUMBER),
        **dict.fromkeys(("scale_status", "writer"), _TEXT),
    },
    PAIRS: dict.fromkeys(("row", "change", "question", "chosen", "rejected", "because"), _TEXT),
}
"""Columns that are fields of a row, or of a pair."""


def region_columns(image: pa.DataType) -> Mapping[str, Mapping[str, pa.DataType]]:
    """Columns of both configs.

    Args:
        image: Type of a column of pictures.
    """
    about: Mapping[str, pa.DataType] = {
        **dict.fromkeys(("id", "tour", "view", "licence"), _TEXT),
        "image": image,
        **dict.fromkeys(("width", "height"), pa.int64()),
        "numbers": _NUMBERS,
        "boxes": pa.list_(pa.list_(_NUMBER)),
        **dict.fromkeys(("labels", "objects"), pa.list_(_TEXT)),
    }
    return {config: {**about, **own} for config, own in _OWN.items()}


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
        for config, one in ((QARS, talk.row), *((PAIRS, pair) for pair in pairs.pop(talk.row.id, ()))):
            yield config, {"id": one.id, **about, **{name: _tell(name, getattr(one, name)) for name in _OWN[config]}}
    if pairs:
        ledger.dropped["pairs without their row"] += sum(map(len, pairs.values()))


def _tell(column: str, value: Any) -> Any:
    if column == "verdicts":
        return json.dumps([to_plain(one, type(one)) for one in value], ensure_ascii=False)
    return list(value) if isinstance(value, tuple) else value


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

"""Check waypoints: as many positions as there must be, in metres, with the pictures they are seen from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from roomtour.export.core.checking import SPLITS, Finite, Id, Positive, RelativePath, Row, objects, read_json
from roomtour.export.core.records import Problem
from roomtour.export.formats.waypoints.write import AHEAD, PAST, file_name

_Place = Annotated[list[Finite], Field(min_length=2, max_length=2)]


class _Seen(Row):
    id: Id
    images: Annotated[list[RelativePath], Field(min_length=PAST + 1, max_length=PAST + 1)]
    past: Annotated[list[_Place], Field(min_length=PAST, max_length=PAST)]
    waypoints: Annotated[list[_Place], Field(min_length=AHEAD, max_length=AHEAD)]
    period_s: Positive
    scale_status: Literal["metric", "assumed"]
    scale_sigma: Annotated[float, Field(ge=0, allow_inf_nan=False)]


def recognise(path: Path) -> bool:
    """Whether the folder holds files of waypoints."""
    return any((path / file_name(split)).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    ids: set[Any] = set()
    for split in SPLITS:
        name = file_name(split)
        if split != "train" and not (path / name).is_file():
            continue
        for row in objects(read_json(path, name, list, problems), name, problems):
            seen = row.fit(_Seen)
            if seen is None:
                continue
            row.new("id", seen.id, ids)
            lost = next((image for image in seen.images if not (path / image).is_file()), None)
            if lost is not None:
                row.bad("images", "pictures of the dataset", lost)
    return problems

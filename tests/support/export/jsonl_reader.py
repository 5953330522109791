"""Reads a dataset of format jsonl back into the records it was written from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from instructions.navigation.records import Instruction
from instructions.records import Observation, SceneObject
from roomtour.export.core.streams import shards
from roomtour.export.formats.scenes.jsonl import OBJECTS, ROW_TYPES, ROWS, SCENES, ObjectExtras, SceneRow
from trajectories.records import TrainingTrajectory, Trajectory


@dataclass(frozen=True)
class JsonlExport:
    """The records of a dataset, in file order."""

    scenes: tuple[SceneRow, ...]
    trajectories: tuple[Trajectory, ...]
    training: tuple[TrainingTrajectory, ...]
    objects: tuple[SceneObject, ...]
    observations: tuple[Observation, ...]
    rows: Mapping[str, tuple[Any, ...]]
    """By kind of data, accepted and rejected."""

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        return self.rows["navigation"]


def read_export(path: Path) -> JsonlExport:
    return JsonlExport(
        scenes=tuple(_read(path / SCENES, SceneRow)),
        trajectories=tuple(_read(path / "trajectories.jsonl", Trajectory)),
        training=tuple(_read(path / "training.jsonl", TrainingTrajectory)),
        objects=tuple(_read(path / OBJECTS, SceneObject)),
        observations=tuple(one for row in _read(path / OBJECTS, ObjectExtras) for one in row.observations),
        rows={kind: tuple(_read(path / name, ROW_TYPES[name][1])) for name, kind in ROWS.items()},
    )


def _read(path: Path, kind: type[Any]) -> Iterator[Any]:
    adapter = TypeAdapter(kind)
    for part in shards(path):
        with part.open(encoding="utf-8") as file:
            for line in file:
                yield adapter.validate_json(line)

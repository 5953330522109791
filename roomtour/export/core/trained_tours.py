"""Tours that a dataset was trained on: they cannot be in a benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roomtour.errors import RoomtourError
from roomtour.export.core.ledger import ExportOptions
from roomtour.files.records import parse_json


@dataclass(frozen=True, kw_only=True)
class TrainedOptions(ExportOptions):
    """Options of benchmarks."""

    trained: str = ""
    """Folder of the dataset that models were trained on: none of its training tours may be in the benchmark."""


def require_untrained(tour: str, folder: str) -> None:
    """Refuse a tour of the training split of a dataset, if one is named.

    Raises:
        RoomtourError: Naming the tour, or if the list of tours cannot be read.
    """
    if folder and tour in _read_trained_tours(folder):
        raise RoomtourError(
            f"tour {tour}: is in the training split of {folder}, so it cannot test what was trained on it; leave it out"
        )


def _read_trained_tours(folder: str) -> frozenset[str]:
    path = Path(folder) / "export.json"
    try:
        facts: Any = parse_json(path.read_text(encoding="utf-8"))
        return frozenset(entry["tour"] for entry in facts["tours"] if entry["split"] == "train")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RoomtourError(f"--options trained={folder}: {path} is no list of tours: {error}") from error

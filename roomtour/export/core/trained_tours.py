"""Tours that a dataset was trained on: they cannot be in a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from roomtour.errors import RoomtourError
from roomtour.files.json_text import parse_json


def read_trained_tours(folder: str) -> frozenset[str]:
    """Training tours of a dataset; none if no dataset is named.

    Raises:
        RoomtourError: If its list cannot be read.
    """
    if not folder:
        return frozenset()
    path = Path(folder) / "export.json"
    try:
        facts: Any = parse_json(path.read_text(encoding="utf-8"))
        return frozenset(entry["tour"] for entry in facts["tours"] if entry["split"] == "train")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RoomtourError(f"--options trained={folder}: {path} is no list of tours: {error}") from error


def require_untrained(tour: str, trained: frozenset[str], folder: str) -> None:
    """Refuse a tour of the training split.

    Raises:
        RoomtourError: Naming it.
    """
    if tour in trained:
        raise RoomtourError(
            f"tour {tour}: is in the training split of {folder}, so it cannot test what was trained on it; leave it out"
        )

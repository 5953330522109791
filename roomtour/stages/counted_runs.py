"""How often each kind of thing is met over the runs of a folder."""

from __future__ import annotations

from pathlib import Path

from instructions.regions.choose import count_labels
from roomtour.artifacts import DETECTIONS, OBJECTS
from roomtour.store import MANIFEST


def count_kinds(folder: Path) -> tuple[int, dict[str, float]]:
    """Over the runs that lie in a folder: how many have things, and how often each kind of thing is met, add-one.

    Raises:
        RoomtourError: Naming file, line and field of what cannot be read.
    """
    runs = sorted(path.parent for path in folder.glob(f"*/{MANIFEST}") if (path.parent / OBJECTS.path).exists())
    labels: list[str | None] = []
    for run in runs:
        things = OBJECTS.read(run)
        labels += [thing.category for thing in things] or [detection.label for detection in DETECTIONS.read(run)]
    return len(runs), count_labels(labels)

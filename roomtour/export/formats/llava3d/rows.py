"""Rows for a person to look at: each with the pictures of its scene."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roomtour.export.core.row_files import FileRow, read_row_files
from roomtour.export.formats.llava3d.check import SCENES
from roomtour.files.records import read_json


def read_rows(folder: Path) -> Iterator[FileRow]:
    """Rows whose `images` are the frames of their `video`."""
    scenes = read_json(folder / SCENES)
    for file, row in read_row_files(folder, "scenes_*.json"):
        video = str(row.pop("video", ""))
        yield file, {**row, "tour": video, "images": [name for name in scenes.get(video, ()) if name.startswith(video)]}

"""What a person looks at in SPRITE's files: a row per frame, with the things that it shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roomtour.export.core.row_files import FileRow, read_row_files
from roomtour.export.formats.sprite.write import SCENES
from roomtour.files.records import read_json

_PATTERN = "image_metatinfo/*_frame_*.json"


def read_rows(folder: Path) -> Iterator[FileRow]:
    """Frames by number of scene and of frame, as their files are named."""
    scenes = read_json(folder / SCENES)
    names = (path.stem for path in folder.glob(_PATTERN))
    things: dict[str, list[object]] = {name: [] for name in sorted(names, key=lambda name: (len(name), name))}
    for file, thing in read_row_files(folder, _PATTERN):
        things[Path(file).stem].append(thing)
    for name, shown in things.items():
        number, _, frame = name.partition("_frame_")
        names = ", ".join(str(thing.get("id")) for thing in shown if isinstance(thing, dict))
        row = {**scenes.get(number, {}), "id": name, "image": f"{number}/frame_{frame}", "text": names, "things": shown}
        yield "frames", row

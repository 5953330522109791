"""Check steps for NaVILA by what its loader opens and what its evaluation reads out of a sentence."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from roomtour.export.core.checking import Id, RelativePath, Row, Text, must, split_files
from roomtour.export.core.records import Problem
from roomtour.export.formats.navila.write import ANNOTATIONS

MOVES = re.compile(
    r"The next action is (?:move forward (?:25|50|75) cm|turn (?:left|right) (?:15|30|45) degrees?)\."
    r"|(?!.*\bis (?:move|turn)\b).*\bstop\b.*",
    re.IGNORECASE,
)
"""What the evaluation reads an action from; "stop" is looked for first."""


class _Step(Row):
    video_id: Id
    q: Text
    a: Annotated[str, must(lambda text: MOVES.fullmatch(text) is not None, "a move that the evaluation reads")]
    frames: Annotated[list[RelativePath], Field(min_length=1)]


def recognise(path: Path) -> bool:
    """Whether the folder holds frames by number of a way beside a list of rows."""
    return any((folder / ANNOTATIONS).is_file() for folder in path.glob("*") if any(folder.glob("*/frame_0.jpg")))


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    ids: set[Any] = set()
    there: set[Path] = set(path.glob("*/*/*.jpg"))
    for folder, row in split_files(path, ANNOTATIONS, problems):
        step = row.fit(_Step)
        if step is None:
            continue
        row.new("video_id", step.video_id, ids)
        lost = next((name for name in step.frames if folder / name not in there), None)
        if lost is not None:
            row.bad("frames", "pictures of the folder of the split: of a lost one the loader trains on black", lost)
        elif step.frames != [f"{Path(step.frames[0]).parent}/frame_{k}.jpg" for k in range(len(step.frames))]:
            row.bad("frames", "all frames of one way up to the current one, in order", step.frames)
    return problems

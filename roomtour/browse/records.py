"""What the page is told of a row, whatever it lies in, and where its pictures lie."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from instructions.records import Box
from roomtour.drawing.colors import object_color, text_on
from roomtour.drawing.text import printable, printable_lines
from roomtour.export.core.checking import PICTURES
from roomtour.export.core.fields import is_relative

MOST_PICTURES = 8
"""Of a walk with more of them, so many are shown, evenly over it."""
_MOST_LETTERS = 400
"""Of a folded value; a mask or the poses of a walk are longer."""


@dataclass(frozen=True)
class Picture:
    """A picture or a video of a row, or why it is not shown."""

    address: str = ""
    """Relative to the page; empty where there is nothing to show."""
    told: str = ""
    """Its name, or why it is not shown."""
    boxes: tuple[tuple[str, float, float, float, float, str, str], ...] = ()
    """Mark, corners in pixels, color of the box and of the mark; a point has both corners at its place."""


@dataclass(frozen=True, kw_only=True)
class PageRow:
    """One row. Those texts that are the same for many rows can be filtered by."""

    id: str
    kind: str = ""
    type: str = ""
    tour: str = ""
    split: str = ""
    state: str = "kept"
    reason: str = ""
    """Code of a rejected row."""
    pictures: tuple[Picture, ...] = ()
    turns: tuple[tuple[str, str], ...] = ()
    """Who says what, or what it is called in the row."""
    lines: tuple[str, ...] = ()
    """What explains the row."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Everything else that it holds, folded on the page."""


def color_boxes(
    boxes: Iterable[tuple[str, Box]], points: Iterable[tuple[str, tuple[float, float]]] = ()
) -> tuple[tuple[str, float, float, float, float, str, str], ...]:
    """Boxes and points with the colors of their marks: the same mark has one color in every picture."""
    colored = []
    for mark, (x0, y0, x1, y1) in (*boxes, *((mark, (*xy, *xy)) for mark, xy in points)):
        color = object_color(sum(map(ord, mark)))
        colored.append((mark, round(x0, 1), round(y0, 1), round(x1, 1), round(y1, 1), color, text_on(color)))
    return tuple(colored)


def fold(fields: Mapping[str, Any]) -> dict[str, str]:
    """Values as short texts; those that say nothing are left out."""
    told = {name: value if isinstance(value, str) else _to_json(value) for name, value in fields.items()}
    cut = {name: text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}…" for name, text in told.items()}
    return {
        printable(name): printable_lines(text) for name, text in cut.items() if fields[name] not in (None, "", [], {})
    }


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=lambda one: f"{len(one)} bytes")


VIDEO = ".mp4"


class Pictures:
    """Finds pictures below folders of one root; nothing outside of it gets onto the page."""

    def __init__(self, root: Path, page: Path, folders: tuple[str, ...] = ("",)) -> None:
        """Keep where names may lead.

        Args:
            root: What the page is about.
            page: The page; pictures that are no files go to a folder beside it, of its name.
            folders: Below the root, in which a name is looked for.
        """
        self._roots = [root.resolve() / folder for folder in folders]
        self._beside = page.resolve().parent
        self.folder = page.resolve().with_suffix("")
        self._found: dict[str, Picture] = {}

    @property
    def lost(self) -> int:
        """Names for which there is nothing to show."""
        return sum(not picture.address for picture in self._found.values())

    def find(self, name: str) -> Picture:
        """The picture of a name, without ending where a format leaves it out."""
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def write(self, data: bytes, name: str = "") -> Picture:
        """A picture that is no file, named by what it holds; `find` knows its name from then on."""
        suffix = Path(name).suffix.lower()
        path = self.folder / f"{sha256(data).hexdigest()[:16]}{suffix if suffix in PICTURES else '.jpg'}"
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        picture = Picture(self._link(path), name)
        self._found.setdefault(name, picture)
        return picture

    def _find(self, name: str) -> Picture:
        if not is_relative(name):
            return Picture(told=f"{name}: leads out of the folder, so it is not shown")
        for root in self._roots:
            for path in [root / name, *(root / f"{name}{suffix}" for suffix in PICTURES)]:
                if path.suffix.lower() in (*PICTURES, VIDEO) and path.is_file():
                    if not path.resolve().is_relative_to(self._roots[0]):
                        return Picture(told=f"{name}: is a link out of the folder, so it is not shown")
                    return Picture(self._link(path), name)
        return Picture(told=f"{name}: is not there")

    def _link(self, path: Path) -> str:
        return quote(os.path.relpath(path, self._beside).replace(os.sep, "/"))

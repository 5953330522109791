"""Addresses of pictures on a page: files where they lie, and those that are no files written beside the page."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from roomtour.browse.records import Picture
from roomtour.export.core.checking import PICTURES, is_relative

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

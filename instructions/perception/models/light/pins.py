"""Files of networks that no model hub keeps: where each comes from, by commit and content, and under what licence."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

Part = Literal["yolox", "deimv2", "mosaic", "deeplab", "tags", "depth", "xfeat", "embedding"]


@dataclass(frozen=True)
class LightFile:
    """One pinned file of weights."""

    part: Part
    """What it is used as."""
    path: str
    """Below the folder of light models."""
    what: str
    licence: str
    repository: str
    commit: str
    source_path: str
    sha256: str
    size_bytes: int

    @property
    def url(self) -> str:
        """Where this very content can be fetched."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.source_path}"

    @property
    def source(self) -> str:
        """How rows name it: `name@content`."""
        return f"{self.path.partition('/')[0]}@{self.sha256[:12]}"


def _read_pins() -> tuple[LightFile, ...]:
    table = tomllib.loads((files("instructions.perception.models.light") / "pins.toml").read_text(encoding="utf-8"))
    return tuple(LightFile(part, **row) for part, row in table.items())  # type: ignore[arg-type]  # keys are parts


LIGHT_FILES = _read_pins()
PERCEPTION_FILES = tuple(file for file in LIGHT_FILES if file.part not in ("xfeat", "embedding"))
"""What `--perception light` looks at frames with; the rest serves the reconstruction of hard homes, and `collect`."""


def hash_file(path: Path) -> str:
    """Sha256 of a file's content, in hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_unchanged_file(path: Path) -> str:
    """The same, read again only where the size or the time of the file has changed since."""
    status = path.stat()
    return _hash(path, status.st_size, status.st_mtime_ns)


@lru_cache
def _hash(path: Path, size: int, mtime_ns: int) -> str:
    return hash_file(path)

"""Pictures of messages: named by what is in them, read only when a question is really sent."""

from __future__ import annotations

import base64
from hashlib import sha256
from pathlib import Path

from instructions.errors import InstructionError

_TYPES = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n\x1a\n": "image/png"}
"""Media type by the first bytes of the file: every server that takes pictures takes these two."""


class PictureFiles:
    """Picture files on the disk. Keeps their paths, not their bytes."""

    def __init__(self) -> None:
        self._path_of: dict[str, Path] = {}

    def add(self, path: Path) -> str:
        """Make a file known; returns its sha256, by which messages name it.

        Raises:
            InstructionError: If it cannot be read.
        """
        digest = sha256(_read(path)).hexdigest()
        self._path_of[digest] = path
        return digest

    def read(self, digest: str) -> bytes:
        """The bytes of a file that was added.

        Raises:
            InstructionError: If it was not added, is gone, or has changed since.
        """
        path = self._path_of.get(digest)
        if path is None:
            raise InstructionError(f"picture {digest[:16]}: a message shows it, but no file with this sha256 was added")
        content = _read(path)
        if sha256(content).hexdigest() != digest:
            raise InstructionError(f"{path}: the picture has changed since the question was made; run the stage again")
        return content


def data_url(content: bytes) -> str:
    """A JPEG or PNG file as a `data:` address.

    Raises:
        InstructionError: For any other file.
    """
    media_type = next((name for start, name in _TYPES.items() if content.startswith(start)), None)
    if media_type is None:
        raise InstructionError(f"a picture begins with {content[:8]!r}: need a JPEG or PNG file")
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InstructionError(f"{path}: the picture cannot be read: {error.strerror or error}") from error

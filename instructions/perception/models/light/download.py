"""Fetches pinned files: goes on where an earlier attempt stopped, checks the content, puts nothing half in place."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path

from instructions.errors import InstructionError
from instructions.perception.models.light.pins import LightFile, hash_file

Progress = Callable[[int, int], None]
"""Told the bytes there are and the bytes there will be."""
_CHUNK_BYTES = 1 << 16
_TIMEOUT_S = 30.0
_PARTIAL = 206


def fetch(file: LightFile, folder: Path, *, url: str | None = None, progress: Progress | None = None) -> Path:
    """Fetch one file into the folder of light models; one that is there and sound is not fetched again.

    Args:
        file: What to fetch.
        folder: The folder of light models, made if absent.
        url: Where from; the pinned source if not given.
        progress: Told how far it is.

    Returns:
        Where the file lies.

    Raises:
        InstructionError: If it cannot be reached or written, or its content is another one.
    """
    target = folder / file.path
    if target.is_file() and hash_file(target) == file.sha256:
        return target
    aside = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _download(url or file.url, aside, file, progress or (lambda there, all_: None))
    except urllib.error.HTTPError as error:
        raise InstructionError(f"{file.path}: {_place(file, url)} answers {error.code} {error.reason}") from error
    except (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", None) or error or type(error).__name__
        raise InstructionError(
            f"{file.path}: {_place(file, url)} cannot be reached ({reason}). What came so far is kept; try again when "
            f"there is a network, or copy the file to {target}"
        ) from error
    except OSError as error:
        raise InstructionError(f"{target}: cannot be written: {error.strerror or error}") from error
    digest = hash_file(aside)
    if digest != file.sha256:
        size = aside.stat().st_size
        aside.unlink()
        raise InstructionError(
            f"{file.path}: {_place(file, url)} gave {size} bytes with sha256 {digest[:12]}, "
            f"need {file.size_bytes} with {file.sha256[:12]}; they were thrown away"
        )
    aside.replace(target)
    return target


def _download(url: str, aside: Path, file: LightFile, progress: Progress) -> None:
    """Append what is missing to the partial file, or begin anew where the server knows no ranges."""
    there = aside.stat().st_size if aside.is_file() else 0
    if there >= file.size_bytes:  # complete, to be judged by its content, or of something else
        if there == file.size_bytes:
            return
        there = 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={there}-"} if there else {})
    with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as reply:
        if reply.status != _PARTIAL:
            there = 0
        with aside.open("ab" if there else "wb") as out:
            while chunk := reply.read(_CHUNK_BYTES):
                out.write(chunk)
                there += len(chunk)
                progress(there, file.size_bytes)
                if there > file.size_bytes:
                    break  # of something else; the check of the content says so
            out.flush()
            os.fsync(out.fileno())
    if there < file.size_bytes:
        raise ConnectionError(f"the connection ended after {there} of {file.size_bytes} bytes")


def _place(file: LightFile, url: str | None) -> str:
    return url or f"{file.repository} at {file.commit[:12]}"

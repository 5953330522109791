"""Where the files of the light networks lie on this machine, and whether they are what they should be."""

from __future__ import annotations

import os
from pathlib import Path

from instructions.errors import InstructionError
from instructions.perception.models.light.pins import (
    LIGHT_FILES,
    PERCEPTION_FILES,
    LightFile,
    Part,
    hash_unchanged_file,
)
from instructions.perception.models.light.runtimes import INSTALL, find_missing_packages

VARIABLE = "ROOMTOUR_MODELS"
PULL = "roomtour models pull light"


def light_folder(asked: Path | None = None) -> Path:
    """The folder of light models: the one asked for, else that of `ROOMTOUR_MODELS`, else the user's cache."""
    if asked is not None:
        return asked.expanduser()
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "roomtour" / "models"


def why_not_light(folder: Path) -> str | None:
    """What keeps the light networks from running here, in words with what to do; None if nothing seems to.

    Looks for packages and files, not into them, so it is cheap enough to ask at every start.
    """
    packages = find_missing_packages()
    absent = [file for file in PERCEPTION_FILES if not (folder / file.path).is_file()]
    reasons = []
    if packages:
        reasons.append(f"{' and '.join(packages)} not installed: {INSTALL}")
    if absent:
        reasons.append(f"{len(absent)} of {len(PERCEPTION_FILES)} light models not in {folder}: {PULL}")
    return "; ".join(reasons) or None


def find_light_files(folder: Path) -> dict[Part, Path]:
    """Every file that perception needs, checked to hold what it should.

    Raises:
        InstructionError: If a package or file is missing, or a file is damaged.
    """
    problem = why_not_light(folder)
    if problem:
        raise InstructionError(f"--perception light: {problem}")
    for file in PERCEPTION_FILES:
        require_sound(file, folder / file.path)
    return {file.part: folder / file.path for file in PERCEPTION_FILES}


def find_light_file(part: Part, folder: Path) -> Path | None:
    """One network, checked to hold what it should; None if it or what runs it is not here.

    Raises:
        InstructionError: If the file is damaged.
    """
    (file,) = (file for file in LIGHT_FILES if file.part == part)
    path = folder / file.path
    package = "onnxruntime" if path.suffix == ".onnx" else "ai_edge_litert"
    if package in find_missing_packages() or not path.is_file():
        return None
    require_sound(file, path)
    return path


def require_sound(file: LightFile, path: Path) -> None:
    """Refuse a file whose content is not the pinned one.

    Raises:
        InstructionError: Naming the file and how to get it again.
    """
    digest = hash_unchanged_file(path)
    if digest != file.sha256:
        raise InstructionError(
            f"{path}: damaged or of another version: {path.stat().st_size} bytes with sha256 {digest[:12]}, need "
            f"{file.size_bytes} with {file.sha256[:12]}. Delete it and fetch it again: "
            f"{PULL}"
        )

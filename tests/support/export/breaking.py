"""Break one rule of a dataset at a time, and see that the check names it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from roomtour.export import validate_export

Break = Callable[[Any], object]
"""Changes an item in place."""


def set_to(*keys: Any, value: Any) -> Break:
    """Set the value at the end of a chain of keys."""

    def change(item: Any) -> None:
        for key in keys[:-1]:
            item = item[key]
        item[keys[-1]] = value

    return change


def without(*keys: Any) -> Break:
    """Remove the last key of a chain."""

    def change(item: Any) -> None:
        for key in keys[:-1]:
            item = item[key]
        del item[keys[-1]]

    return change


def fields_after(folder: Path, file: str, change: Break) -> set[str]:
    """Fields of the problems once a JSON file was changed. The dataset must be valid before."""
    assert validate_export(folder) == []
    content = json.loads((folder / file).read_text())
    change(content)
    (folder / file).write_text(json.dumps(content))
    problems = validate_export(folder)
    assert all(problem.file for problem in problems)
    return {problem.field for problem in problems}


def frames_on_disk(folder: Path, count: int = 30, width: int = 640, height: int = 360) -> Path:
    """Real images, each of one colour of its own."""
    folder.mkdir(exist_ok=True)
    for k in range(1, count + 1):
        image = np.full((height, width, 3), (k % 256, 2 * k % 256, 100), dtype=np.uint8)
        assert cv2.imwrite(str(folder / f"{k:06d}.jpg"), image)
    return folder

"""Arrays that were made of videos, kept so that another call need not look at the videos again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray]
_KEY = "key"


class KeptArrays:
    """A file per video, made under a key that names what it was made of."""

    def __init__(self, folder: Path):
        """Files lie in `folder`, which is made with the first."""
        self._folder = folder

    def get_or_make(self, name: str, key: str, make: Callable[[], Arrays]) -> Arrays:
        """Those that were kept under this key, or new ones, which are kept; with the key as `key`."""
        kept = self.get_last(name)
        if kept is not None and str(kept[_KEY]) == key:
            return kept
        made = make()
        self._folder.mkdir(parents=True, exist_ok=True)
        part = self._folder / f".{name}.npz"
        arrays: dict[str, Any] = {_KEY: np.array(key), **made}
        np.savez(part, **arrays)
        part.replace(self._folder / f"{name}.npz")
        return arrays

    def get_last(self, name: str) -> Arrays | None:
        """Those that were kept last, whatever they were made of; None if none were."""
        try:
            with np.load(self._folder / f"{name}.npz", allow_pickle=False) as file:
                return {one: file[one] for one in file.files}
        except (OSError, ValueError, KeyError, EOFError):
            return None

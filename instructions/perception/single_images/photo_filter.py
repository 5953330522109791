"""Which images are photos of places: a zero-shot comparison with two lists of prompts (after SpatialVLM, CVPR 2024).

Of images from the web most are no such photos (93 % fell there), and a depth map of a painting measures nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import ImageWords, RgbImage


@cache
def photo_prompts() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Prompts of what is kept, and of what is dropped."""
    place = files("instructions.perception.single_images") / "photo_prompts.toml"
    table = tomllib.loads(place.read_text(encoding="utf-8"))
    return tuple(table["keep"]), tuple(table["drop"])


def find_photos(images: Sequence[RgbImage], words: ImageWords) -> NDArray[np.bool_]:
    """Which images (N,) fit a prompt of what is kept better than all of what is dropped."""
    if not images:
        return np.zeros(0, dtype=bool)
    keep, drop = photo_prompts()
    logits = words.score(words.embed(images), [*keep, *drop])
    return logits.argmax(axis=1) < len(keep)

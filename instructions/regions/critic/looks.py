"""What a critic may see of the pictures: an embedding of each view and of each of its regions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil, floor
from pathlib import Path

import numpy as np

from instructions.perception.interfaces import ImageEmbedder
from instructions.regions.records import RegionView
from instructions.regions.sight.pictures import read_rgb
from recon.geometry import Array


@dataclass(frozen=True, eq=False)
class ViewLook:
    """Embeddings of a view, (D,) each, of unit length."""

    image: Array
    regions: Mapping[int, Array]
    """By number."""


def look_at_views(views: Iterable[RegionView], frames_dir: Path, embedder: ImageEmbedder) -> dict[str, ViewLook]:
    """Embed views and the crops of their regions, one picture at a time, by id of the view.

    Raises:
        InstructionError: If a picture cannot be read.
    """
    out = {}
    for view in views:
        image = read_rgb(frames_dir / view.image)
        crops = []
        for one in view.regions:
            x0, y0, x1, y1 = one.box_xyxy
            left, top = max(floor(x0), 0), max(floor(y0), 0)
            crops.append(image[top : max(ceil(y1), top + 1), left : max(ceil(x1), left + 1)])
        vectors = np.asarray(embedder.embed([image, *crops]), dtype=np.float64)
        numbers = [one.number for one in view.regions]
        out[view.id] = ViewLook(vectors[0], dict(zip(numbers, vectors[1:], strict=True)))
    return out

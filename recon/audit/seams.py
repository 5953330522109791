"""Cut a model in parts: two honest models are worth more than one that is broken inside."""

from __future__ import annotations

from collections.abc import Sequence

import pycolmap

from recon.audit.verdict import cut_at
from recon.colmap.subset import subset


def split_at(model: pycolmap.Reconstruction, seams: Sequence[tuple[int, int]]) -> list[pycolmap.Reconstruction]:
    """The parts of a model between seams, in time order; the model itself if there are none."""
    if not seams:
        return [model]
    return [subset(model, part) for part in cut_at(sorted(model.reg_image_ids()), seams)]

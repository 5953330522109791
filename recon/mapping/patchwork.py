"""One start for a walk from models that each hold a part of it, every one in a frame and unit of its own.

What follows stands each piece over the floor that it sees itself (`floor.start`), so nothing has to bring the models
together before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pycolmap

from recon.colmap.fuse import fuse
from recon.colmap.subset import subset
from recon.geometry import Sim3


@dataclass(frozen=True, eq=False)
class CompositeSubmap:
    """A model whose frames come from several."""

    model: pycolmap.Reconstruction  # with the camera of the first of them
    seams: tuple[tuple[int, int], ...]
    """Neighbouring frames (before, after) of two models: between them neither pose nor scale means anything."""


def concatenate_submaps(models: Sequence[pycolmap.Reconstruction]) -> CompositeSubmap:
    """All frames of some models, each as the first that has it sees it, and the points that at least two of them keep.

    All are of the same keypoints and one camera, the better first.
    """
    source = {frame: 0 for frame in models[0].reg_image_ids()}
    whole = models[0]
    for number, model in enumerate(models[1:], 1):
        new = sorted(set(model.reg_image_ids()) - source.keys())
        if new:
            whole = fuse(whole, subset(model, new), Sim3(1.0, np.eye(3), np.zeros(3)))
            source |= dict.fromkeys(new, number)
    neighbours = pairwise(sorted(source))
    return CompositeSubmap(
        whole, tuple((before, after) for before, after in neighbours if source[before] != source[after])
    )

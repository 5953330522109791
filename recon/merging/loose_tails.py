"""Ends of a model whose scale against the rest is not known: nothing may be joined over them.

Where the camera turns on the spot before a clip ends, new things come into view that no step shows in depth. The frames
behind lie right by themselves, but their unit is their own: on a made apartment nine of them came out ten times too
small, at 0.35 px, and a clip joined over them became ten times too small with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from recon.diagnosis.seams import subset
from recon.geometry import Array
from recon.ranges import AtLeastOne, Count, NotNegative
from recon.records import SubModel


@dataclass(frozen=True, kw_only=True)
class LooseTailOptions:
    """When the end of a model is not to be joined over."""

    max_sigma: NotNegative = 0.05
    """Standard deviation of the log scale. Walking: at most 0.04; turning on the spot: 0.06 to open."""
    ends: Count = 2
    """Frames at either end that never tell their scale, since too few views lie behind them."""
    min_frames: AtLeastOne = 8
    """A model keeps all its frames where no stretch of as many holds together."""


def cut_loose_tails(
    models: Sequence[SubModel], sigmas: Sequence[Array], options: LooseTailOptions = LooseTailOptions()
) -> tuple[list[SubModel], frozenset[int]]:
    """The models without the ends over which they would be joined at a wrong scale, and the frames cut off.

    Only an end that shares a frame with another model is cut off. Where all is firm the models are the same objects.

    Args:
        models: Never modified.
        sigmas: Of each model, from `scale_sigmas`.
        options: What counts as firm.

    Returns:
        The models in the same order, and the frames that were cut off any of them; another may have them still.
    """
    kept: list[SubModel] = []
    cut_off: set[int] = set()
    for model, hold in zip(models, sigmas, strict=True):
        elsewhere = {frame for other in models if other is not model for frame in other.frames}
        tails = [tail for tail in _loose_tails(model.frames, hold, options) if not elsewhere.isdisjoint(tail)]
        if not tails:
            kept.append(model)
            continue
        rest = set(model.frames).difference(*tails)
        kept.append(replace(model, reconstruction=subset(model.reconstruction, rest)))
        cut_off.update(*tails)
    return kept, frozenset(cut_off)


def _loose_tails(frames: tuple[int, ...], sigmas: Array, options: LooseTailOptions) -> list[tuple[int, ...]]:
    """Frames before and behind the longest firm stretch; none where it is too short to be one."""
    if len(sigmas) <= 2 * options.ends:
        return []
    inner = sigmas[options.ends : len(sigmas) - options.ends]
    loose = np.flatnonzero(inner > options.max_sigma) + options.ends
    edges = np.concatenate([[-1], loose, [len(frames) - 1]])
    longest = int(np.argmax(np.diff(edges)))
    first, last = int(edges[longest]) + 1, int(edges[longest + 1])
    if last + 1 - first < options.min_frames:
        return []
    return [tail for tail in (frames[:first], frames[last + 1 :]) if tail]

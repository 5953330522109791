"""How models are cut and refined, and what every step of merging is given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recon.adjust.refine import RefineOptions
from recon.merging.regrow import StraightenOptions


@dataclass(frozen=True, kw_only=True)
class MergeBars:
    """How models are cut and refined; no options, but other ones for other keypoints."""

    straighten: StraightenOptions = StraightenOptions()
    """Cutting bent models, before they are joined and after."""
    refine: RefineOptions = RefineOptions(search_rounds=1, max_views=15)
    """Refinement of every merged model. Asking 15 frames of each point costs half of asking all on ten minutes of tour,
    for the same result."""


@dataclass(frozen=True)
class MergeJob:
    """What every step needs."""

    database_path: Path | None
    seed: int
    bars: MergeBars = MergeBars()

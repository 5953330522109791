"""When sub-models may become one, and what every step of merging is given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recon.adjust.refine import RefineOptions
from recon.colmap.shared_frames import Agreement
from recon.merging.regrow import StraightenOptions
from recon.ranges import AtLeastOne, HalfTurn, NotNegative, Share


@dataclass(frozen=True, kw_only=True)
class MergeOptions:
    """When two sub-models may become one."""

    min_shared_frames: AtLeastOne = 4
    """The paper joins models that share more than 3 frames."""
    max_center_disagreement_steps: NotNegative = 1.0
    """Median distance of the shared cameras after alignment, in median steps of the first model's walk."""
    max_center_disagreement_depth: NotNegative = 0.05
    """The same as a share of the median depth. Both must be exceeded: steps mean nothing where the camera stands."""
    max_rotation_disagreement_deg: HalfTurn = 3.0
    """Median angle between the shared cameras; two good models agree within a few tenths."""
    max_scale_disagreement: NotNegative = 0.15
    """Change of the relative scale along the shared frames, and between them and the frames beyond. Sound seams: at
    most 0.02; one over a bent part: 0.05; where the camera turned on the spot: a factor of 7 and far more."""
    max_contradicting_pairs: Share = 0.2
    """Share of the verified pairs across a link that may contradict the joined model: sound ones at most 0.05, one at a
    scale wrong by half 0.49."""

    @property
    def agreement(self) -> Agreement:
        """What is asked of shared frames."""
        return Agreement(
            turn_deg=self.max_rotation_disagreement_deg,
            steps=self.max_center_disagreement_steps,
            depth=self.max_center_disagreement_depth,
            scale=self.max_scale_disagreement,
        )


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

    options: MergeOptions
    database_path: Path | None
    seed: int
    bars: MergeBars = MergeBars()

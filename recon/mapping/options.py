"""How one clip is mapped: which mapper, and what is asked of what it makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le

from recon.adjust.refine import RefineOptions, until_convergence
from recon.audit.contradictions import ContradictionOptions
from recon.audit.torn import TornOptions
from recon.ranges import AtLeastOne, HalfTurn, NotNegative, Pixels, Share


@dataclass(frozen=True, kw_only=True)
class SfmOptions:
    """How one clip is mapped."""

    mapper: Literal["auto", "incremental", "global"] = "auto"
    """`auto` maps incrementally, from another start where that tears, and globally where `auto_registered_share` of the
    clip is not whole yet; the longest sound stretch wins."""
    min_model_frames: Annotated[int, Ge(2), Le(1_000_000)] = 3
    """Smaller sub-models are dropped (and counted in a finding)."""
    init_min_inliers: AtLeastOne = 50
    """Matches a first pair needs. Half of COLMAP's default: 360-line frames have few keypoints."""
    init_min_angle_deg: HalfTurn = 6.0
    """Median triangulation angle of a first pair. COLMAP asks for 16 and 100 matches, which in a walk leads to pairs
    far apart: of 20 first mappings of the office 15 were torn, with 8 degrees and 50 matches 7, with 6 degrees 4."""
    register_min_inliers: AtLeastOne = 15
    """3D points a new frame must agree with. Half of COLMAP's default; with 30 office walks break at blank walls."""
    register_min_inlier_ratio: Share = 0.25
    """And the share of those it might see; COLMAP's default, by which it chooses how many poses it tries."""
    register_max_error_px: Pixels = 8.0
    """Reprojection error that counts as agreement. COLMAP's 12 are meant for large pictures."""
    register_by_matches: bool = True
    """Whether a frame that sees too few points may be placed by its matches with frames that have poses, as COLMAP does
    it. Without it the first mapping of a clip of the office held 33 of 80 frames at seven of seven seeds, and the clip
    came out 4 to 72 cm off at three times the CPU; with it 67 to 80 frames at eight of eight, 4 to 9 cm off. Not done
    with learned keypoints: in a dark, blurred room it took 74 of 80 CPU-seconds for six frames, all of them cut off
    again as unsound."""
    auto_registered_share: Share = 0.9
    """`auto` accepts incremental mapping when its sub-models hold this share of the clip, and the largest has
    no tear or an untorn stretch of that length; merging looks after the rest."""
    min_relative_baseline: NotNegative = 0.05
    """Spread of the camera centres over the median depth; below it there is no parallax and depths mean nothing."""
    min_parallax_share: Share = 0.2
    """Share of its matches, in a median frame, that no homography explains; below it the camera stood or only turned,
    or each frame shows one plane. On walks past furniture 0.28 and more, through empty rooms 0.05 to 0.29, standing
    before moving people 0.13, turning 0.05."""
    min_observations: AtLeastOne = 20
    """Points an average frame of a sub-model must see; poses that hang on fewer are chance."""
    last_refine: Literal["usual", "full"] = "usual"
    """`full` refines the poses of the finished models once more, by more keypoints in the pictures at full resolution.
    For clean pictures: on 100 exact made ones the error fell from 0.4 to 0.1 cm, for 1.7 times the CPU of all the rest
    of the reconstruction."""


@dataclass(frozen=True, kw_only=True)
class MappingBars:
    """How a mapped model is doubted and refined; no options, but other ones for other keypoints."""

    torn: TornOptions | None = TornOptions()
    """When a model is mapped again because it is torn; None: never."""
    check: ContradictionOptions | None = ContradictionOptions()
    """When it is because its matches contradict it, which takes half a second for 200 frames; None: never."""
    refine: RefineOptions = RefineOptions()
    """Final refinement of each sub-model."""
    learned_follow: bool = False
    """Whether learned keypoints are tried where these fail: a clip less than half of which is consistent is then left
    to them, and neither mapped from another start nor globally before."""


SIFT_BARS = MappingBars()
LEARNED_BARS = MappingBars(torn=None, check=None, refine=until_convergence(RefineOptions()))
"""Many matches, each less exact: what is mapped is judged as a whole (`judge`), and adjusted for longer."""

"""What steps of a reconstruction are given, how one clip is mapped, and what is asked of what a mapper makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotated_types import Ge, Le

from recon.adjust.refine import RefineOptions, until_convergence
from recon.audit.contradictions import ContradictionOptions
from recon.audit.torn import TornOptions
from recon.floor_masks import FloorMask
from recon.matching.interfaces import Features
from recon.records import Frame
from recon.tasks import FanOut, map_here
from recon.video.picture import Image

Floors = Callable[[Sequence[Frame]], Mapping[int, FloorMask]]
"""Says where the pictures of frames show the floor; nothing where no model can tell."""
Pictures = Callable[[Sequence[Frame], Path], Path]
"""Gives a folder with pictures of frames, perhaps larger ones, by the frames' names; it may make it at the path."""


def find_no_floors(frames: Sequence[Frame]) -> Mapping[int, FloorMask]:
    """Masks of no frame, where there is no segmenter."""
    return {}


@dataclass(frozen=True, eq=False, kw_only=True)
class TourInputs:
    """The frames of a tour and who looks at them."""

    frames: Sequence[Frame]  # in time order
    frames_dir: Path  # folder with their pictures
    mask: Image | None = None  # (H, W) of the frames, 0 where none may have a keypoint
    learned: Features | None = None  # learned keypoints, for clips that SIFT leaves short, torn or in pieces
    pictures: Pictures | None = None  # Where learned keypoints are looked for; in the frames' own pictures if not given
    floors_of: Floors = find_no_floors  # tells where pictures show the floor
    seed: int = 0  # of all random sampling
    fan_out: FanOut = map_here  # gives out tasks. No result depends on it.


ENOUGH_OF_CLIP = 0.9
"""Share of a clip's frames, in all models or in one consistent stretch, with which no further mapper and no other
keypoints are asked: merging joins a broken clip's parts where they share frames, and refinement rescues the rest."""


@dataclass(frozen=True, kw_only=True)
class SfmOptions:
    """How one clip is mapped."""

    min_model_frames: Annotated[int, Ge(2), Le(1_000_000)] = 3
    """Smaller sub-models are dropped (and counted in a finding)."""


@dataclass(frozen=True, kw_only=True)
class MappingBars:
    """How a clip is mapped, and a model doubted and refined; no options, but other ones for other keypoints."""

    torn: TornOptions | None = TornOptions()  # when a model is mapped again because it is torn; None: never
    check: ContradictionOptions | None = ContradictionOptions()
    """When it is because its matches contradict it, which takes half a second for 200 frames; None: never."""
    refine: RefineOptions = RefineOptions()  # final refinement of each sub-model
    init_min_inliers: int = 50
    """Matches a first pair needs. Half of COLMAP's default: 360-line frames have few keypoints."""
    register_min_inlier_ratio: float = 0.25
    """Share of the 3D points that a new frame might see, with which it must agree; COLMAP's default, by which it
    chooses how many poses it tries."""
    register_by_matches: bool = True
    """Whether a frame that sees too few points may be placed by its matches with frames that have poses. Without it the
    first mapping of a clip of the office held 33 of 80 frames at seven of seven seeds, and the clip came out 4 to 72 cm
    off at three times the CPU; with it 67 to 80 frames at eight of eight, 4 to 9 cm off. With learned keypoints it
    took 74 of 80 CPU-seconds in a dark, blurred room for six frames, all of them cut off again as unsound."""
    may_map_globally: bool = True  # whether a clip of which nine tenths are not whole yet is mapped globally too
    learned_follow: bool = False
    """Whether learned keypoints are tried where these fail: a clip less than half of which is consistent is then left
    to them, and neither mapped from another start nor globally before."""


SIFT_BARS = MappingBars()
LEARNED_BARS = MappingBars(
    torn=None,
    check=None,
    refine=until_convergence(RefineOptions()),
    init_min_inliers=40,
    register_min_inlier_ratio=0.15,
    register_by_matches=False,
    may_map_globally=False,
)
"""Many matches, each less exact: what is mapped is judged as a whole (`judge`), and adjusted for longer. With these
thresholds five hard phone tours registered every frame."""

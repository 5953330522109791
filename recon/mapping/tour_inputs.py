"""What every step of a tour's reconstruction is given besides what the steps before it made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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
    pictures: Pictures | None = None
    """Where learned keypoints are looked for; in the frames' own pictures if not given."""
    floors_of: Floors = find_no_floors  # tells where pictures show the floor
    seed: int = 0  # of all random sampling
    fan_out: FanOut = map_here  # gives out tasks. No result depends on it.

"""Options of region knowledge."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from instructions.claims.view_claims import ViewBars
from recon.ranges import AtLeastOne, Count, HalfTurn, NotNegative, Share

Descriptor = Literal["global", "local", "dynamic"]
"""What a writer reads of a view: lines about the whole, a line per region, and questions with answers."""
DESCRIPTORS: tuple[Descriptor, ...] = ("global", "local", "dynamic")


@dataclass(frozen=True, kw_only=True)
class ViewCoverOptions:
    """Which frames of a tour become views."""

    most: Count = 60
    """Views per tour; 0 for every frame that shows things."""
    apart_m: NotNegative = 1.0
    """A frame within this of a chosen one, in (nominal) metres ..."""
    apart_deg: HalfTurn = 30.0
    """... and within this turn ..."""
    apart_s: NotNegative = 3.0
    """... and within these seconds is skipped."""


@dataclass(frozen=True, kw_only=True)
class RegionChoiceOptions:
    """Which parts of a view are numbered."""

    most: AtLeastOne = 10
    """Regions of a view: the paper's example has ten."""
    most_read: AtLeastOne = 300
    """Detections read per picture, best first."""
    most_persons: Count = 4
    """Persons of a view."""
    most_alike: AtLeastOne = 3
    """Regions of one label."""
    least_score: Share = 0.3
    """Detector confidence."""
    least_side_px: NotNegative = 16.0
    """Short side of a box."""
    least_area: Share = 0.001
    """Area of a box as a share of the picture."""
    same_iou: Share = 0.7
    """Two boxes of one label that overlap more are one thing."""
    most_iou: Share = 0.5
    """Overlap with a chosen region."""
    most_inside: Share = 0.9
    """Share of a box inside a chosen one of the same label."""


@dataclass(frozen=True, kw_only=True)
class RegionOptions:
    """Questions, answers and reasons about numbered parts of views."""

    views: ViewCoverOptions = ViewCoverOptions()
    """Which frames become views"""
    choice: RegionChoiceOptions = RegionChoiceOptions()
    """Which parts are numbered"""
    bars: ViewBars = ViewBars()
    """When a claim about a view is true"""
    people: Literal["keep", "drop"] = "keep"
    """Whether persons may be regions."""
    calls: AtLeastOne = 3
    """Rounds of questions per view and mode, three rows each."""
    repeat_cosine: Share = 0.85
    """A row this alike to one before it of the same view is a repeat."""
    sight: Literal["off", "server"] = "off"
    """Whether the language server also looks at the views (it must take pictures): captions, narratives, answers."""
    descriptors: tuple[Descriptor, ...] = DESCRIPTORS
    """What a language model gets to read of a view; leave one out to see what it is worth."""
    sentences: Path | None = None
    """Folder of a sentence encoder (transformers, local files): rows that say the same are found by its vectors."""
    counted: Path | None = None
    """Folder of runs over whose things rarity is counted; by default over those of the tour itself."""
    labels: Literal["measured", "models"] = "measured"
    """Where a view's lines on places, things and ideas come from: measures, or the image model of `--vision.tags`."""
    choices: Count = 0
    """Comparison tasks of each shape (VCR, Sherlock, one of fifty) per tour, for tours that nobody trains on."""
    critic: Path | None = None
    """Folder of a trained critic, which scores every row."""
    threshold: Share = 0.8
    """Least score of the critic for a row to be kept."""

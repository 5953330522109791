"""Options of questions about single views and about sets of views."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from instructions.asking.bars import GateOptions
from recon.ranges import AtLeastOne, Count, HalfTurn, NotNegative, Share


@dataclass(frozen=True, kw_only=True)
class ChoiceOptions:
    """How much is asked."""

    rows_per_view: Count = 12
    """Rows about one frame, twins counted; 0 for all that may be asked."""
    rows_per_pair: Count = 4
    """Rows about the same two things in one frame, twins counted; 0 for all."""
    again_m: NotNegative = 0.5
    """(Nominal) metres to go before the same is asked of the same things again; with `again_deg`. 0 asks it always."""
    again_deg: HalfTurn = 20.0
    """Degrees to turn before the same is asked of the same things again."""
    halves: bool = True
    """As many questions with a number as with a word."""
    unseen_share: Share = 0.05
    """Rows that repeat a question where one of its things is out of view, as a share of the others; 0 for none."""
    thing_share: Share = 0.34
    """Share of the rows about things that may be about one thing, if its name was found and not given: where that is
    wrong, so many rows are. A thing is in eight rows even so. 0 for any."""


@dataclass(frozen=True, kw_only=True)
class MarkOptions:
    """Questions about marks, which need no name."""

    rows_per_view: Count = 6
    """Rows that begin with one frame, twins counted; up to three times as many where frames are a second apart; 0 for
    none."""


@dataclass(frozen=True, kw_only=True)
class SpatialOptions:
    """Questions from geometry."""

    gates: GateOptions = GateOptions()
    """When something is asked"""
    choice: ChoiceOptions = ChoiceOptions()
    """How much is asked"""
    marks: MarkOptions = MarkOptions()
    """Questions about marks and about the camera's motion, which need no name"""


@dataclass(frozen=True, kw_only=True)
class ViewSetOptions:
    """Which views are asked about."""

    video_views: AtLeastOne = 32
    """Views evenly over the time of a model (SPRITE, 2025)."""
    images: Count = 4
    """Single views per model: those with most things that have a name."""
    image_sets: Count = 4
    """Sets of 2 to 5 views per model."""
    set_things: AtLeastOne = 4
    """Things with a name that a set must show together."""


@dataclass(frozen=True, kw_only=True)
class ProgramChoiceOptions:
    """How much is asked."""

    rows_per_image: Count = 12
    """Rows about one image or set of images, twins counted; 0 for all."""
    rows_per_video: Count = 40
    """Rows about one video, twins counted; 0 for all."""
    rows_per_type: Count = 4
    """Rows of one type about the same views, twins counted; 0 for all."""
    tries: AtLeastOne = 60
    """Combinations of things that are looked at for one type and the same views."""
    choices: Share = 0.3
    """Share of the rows, where options can be given, that are multiple choice."""
    compound: Count = 8
    """Questions about the same views that join two others; 0 for none."""
    unseen: Count = 4
    """Questions per model that are asked twice in the same words, where a thing is in view and where it is not."""
    thing_share: Share = 0.34
    """The same as of questions about single views."""


@dataclass(frozen=True, kw_only=True)
class ProgramBars:
    """Bars of these questions beyond those that all questions share."""

    least_side_gap: Share = 0.10
    """Length and width are not asked of a box whose level sides differ by less."""
    most_tilt_deg: NotNegative = 10.0
    """A box of which no axis is so near the vertical has no level sides to be asked for."""
    flat_m: NotNegative = 0.05
    """(Nominal) metres: a box with a thinner side has no volume to be asked for."""
    least_stand_m: NotNegative = 0.5
    """(Nominal) metres between where one stands and what one faces or asks about."""
    off_border_deg: NotNegative = 10.0
    """Degrees from the border between two directions."""
    least_recall: Share = 0.8
    """Share of the frames that should show things of a category which must have found them, for it to be counted."""
    corner_area: Share = 0.03
    """Share of the picture below which a thing that two borders cut is not asked about: a leaf shows of a plant. In a
    known world nothing is left out for this."""
    half_seen: Share = 0.10
    """A thing of which a view shows more than this, and less than enough, is neither in it nor out of it."""
    order_views: AtLeastOne = 2
    """Sampled views between the first times of two things, for one to come first."""
    steady_s: NotNegative = 1.0
    """Seconds that a thing must stay in view to have appeared; what is gone and back sooner flickers."""


VIEW_BARS = ProgramBars(corner_area=0.0)
"""Of questions about single views: what borders cut is asked about there."""


@dataclass(frozen=True, kw_only=True)
class ProgramOptions:
    """Questions answered by programs."""

    gates: GateOptions = GateOptions()
    """When something is asked"""
    bars: ProgramBars = ProgramBars()
    """When something of these types is asked"""
    views: ViewSetOptions = ViewSetOptions()
    """Which views are asked about"""
    choice: ProgramChoiceOptions = ProgramChoiceOptions()
    """How much is asked"""
    sight: Literal["off", "server"] = "off"
    """Whether the language server is also shown the views (it must take pictures) when it asks."""

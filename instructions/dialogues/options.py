"""Options of dialogues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge, Le

from instructions.dialogues.records import TalkKind
from recon.ranges import AtLeastOne, Count, HalfTurn, Metres, NotNegative, Positive, Share, Step


@dataclass(frozen=True, kw_only=True)
class TalkGates:
    """When something of a view may be said; lengths in (nominal) metres."""

    min_visible: Share = 0.30
    """Share of a thing that a frame must see to be named and counted."""
    faint_visible: Share = 0.05
    """From here up to `min_visible` nobody knows whether a person would count it, so nothing of its kind is counted."""
    min_score: Share = 0.40
    """Of a thing's detection in this very frame: what is less sure is often another thing."""
    min_views: AtLeastOne = 3
    """Frames that must have seen a thing before a text may name it."""
    border: Share = 0.02
    """Share of the width around a border between two sides of the picture where no side is told."""
    sigmas: NotNegative = 2.0
    """A difference must also exceed so many of its standard deviations."""
    fills: Share = 0.35
    """Share of a crop that a thing must fill to be what the crop shows."""
    room_probability: Share = 0.80
    """From here up a room is named."""


@dataclass(frozen=True, kw_only=True)
class CloudOptions:
    """How clouds are made."""

    step_px: AtLeastOne = 4
    """Every n-th pixel of a depth map."""
    agree_m: Metres = 0.05
    """A point stays where a second view sees the same depth within so much."""
    voxel_m: Step = 0.02
    """Points of one such cube become their mean."""
    most_points: AtLeastOne = 150_000
    """What loaders read at once."""
    least_points: AtLeastOne = 1000
    """A cloud of fewer shows no shapes: what is said of it could not be seen in it."""
    thing_points: AtLeastOne = 30
    """Points that must lie in a thing's box (5 cm wider) for anything to be said of it: else nobody sees it there."""
    box_sigma: Share = 0.15
    """Error of a thing's size, as a share of its longest side, above which its box is no truth and none is counted."""
    lone_m: Metres = 0.10
    """A point with fewer than four others within so much is dropped."""


PictureCount = Annotated[int, Ge(3), Le(10)]
"""Pictures of one talk."""


@dataclass(frozen=True, kw_only=True)
class WalkOptions:
    """Talks about several views of one walk; lengths in (nominal) metres."""

    views: PictureCount = 4
    """Pictures of a talk."""
    gap_s: Positive = 15.0
    """Seconds between two of them, at most: later it is another walk."""
    side_slack_deg: NotNegative = 10.0
    """From the edge of ahead, left, right or behind, besides the error of the thing's place."""
    away_m: NotNegative = 1.0
    """What is nearer to the camera has no direction that a person would name."""
    approach_m: NotNegative = 0.5
    """By so much we must have come nearer or gone away, and"""
    approach: Share = 0.20
    """by this share of the greater distance."""
    different_m: Metres = 1.0
    """Two things of a kind whose middles are further apart than this, and than their errors, are two."""


@dataclass(frozen=True, kw_only=True)
class MixOptions:
    """Wanted shares of the kinds, after the paper's 49, 42, 49 and 46 thousand rows."""

    daily: Share = 0.263
    """Talks (C1)."""
    factual: Share = 0.226
    """Background knowledge (C2)."""
    description: Share = 0.263
    """Long descriptions (C3)."""
    task: Share = 0.248
    """Tasks of vision (C4)."""
    surplus: Literal["keep", "cut"] = "keep"
    """Whether kinds that are more than their share stay: `cut` leaves rows out by lot until the shares are as wanted.
    Nothing true is thrown away by default: what loads the data can weigh the kinds, and the finding tells them."""

    @property
    def shares(self) -> Mapping[TalkKind, float]:
        """By kind."""
        return {"daily": self.daily, "factual": self.factual, "description": self.description, "task": self.task}


@dataclass(frozen=True, kw_only=True)
class DialogueOptions:
    """Dialogues about views and clouds."""

    views: Count = 40
    """Frames that are talked about, of each tour; 0 for all."""
    apart_m: NotNegative = 1.0
    """(Nominal) metres between two of them, or `apart_deg`."""
    apart_deg: HalfTurn = 30.0
    """Degrees between two of them, or `apart_m`."""
    most_turns: AtLeastOne = 8
    """Turns of a talk; a longer one is cut in two."""
    tasks_per_view: Count = 6
    """Rows of kind `task` about one view; 0 for all that are true."""
    rows_per_thing: AtLeastOne = 8
    """Rows of one medium that may name the same thing."""
    text_tokens: AtLeastOne = 400
    """What follows the medium in a loader; the rest would be cut off unseen."""
    most_count_share: Share = 0.30
    """Of the rows that count, with the same number."""
    most_wording_share: Share = 0.02
    """Of the rows of a task, with the same class in the same wording; one such row is always let in."""
    knowledge: Path | None = None
    """JSONL of background texts {category, qid?, text, url, licence} for kind `factual`, besides our own."""
    annotations: Path | None = None
    """JSONL of what people or programs say of frames and clouds {image | frame | cloud, label?, attributes?, captions?,
    words?, people?, pairs?, source?}: read words and keypoints become tasks, the rest is told to writers."""
    captions: Literal["off", "server"] = "off"
    """Who captions views for contexts: nobody, or the server of `language`, which must take pictures."""
    sight: Literal["off", "server"] = "off"
    """Whether the language server is also shown each view that it writes about (it must take pictures)."""
    words: Literal["off", "rapidocr"] = "off"
    """Who reads what is written in views, for the task of reading words: nobody, or RapidOCR (extra `ocr`)."""
    word_score: Share = 0.9
    """What is read with less confidence is no truth; the number is chosen, not measured."""
    pools: Path | None = None
    """Folder of further templates by task (`TASK.toml`), as `roomtour dialogues pool` writes them; each is checked."""
    skip_pilot: bool = False
    """Let the language model write all rows though nobody has rated a pilot; every row says so."""
    pilot_ratings: Path | None = None
    """Ratings of a pilot (`dialogue_ratings.jsonl`) besides those that lie in the run's own `reviews/`."""
    medium: Literal["both", "view", "cloud"] = "both"
    """What is talked about."""
    gates: TalkGates = TalkGates()
    """When something may be said"""
    walks: WalkOptions = WalkOptions()
    """Talks about several views"""
    clouds: CloudOptions = CloudOptions()
    """Point clouds"""
    mix: MixOptions = MixOptions()
    """Wanted shares of the kinds"""

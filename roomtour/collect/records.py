"""What is known of a video before it is processed, and what each check says of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from recon.ranges import NotNegative, Positive, Share
from roomtour.tour_facts import UNKNOWN, Consent

Heard = Literal["yes", "no", "unknown"]
Step = Literal["facts", "titles", "download", "probe", "duplicates", "sample", "look"]
STEPS: tuple[Step, ...] = ("facts", "titles", "download", "probe", "duplicates", "sample", "look")
"""In order, the cheap ones first; a video that one rejects is asked nothing more."""


@dataclass(frozen=True)
class Candidate:
    """One video of a list. What nobody said is empty, 0 or `unknown`."""

    id: str
    """Letters, digits, `-` and `_`; the name of its tour."""
    path: str = ""
    """Of its file; empty as long as it was not fetched."""
    url: str = ""
    title: str = ""
    author: str = ""
    channel: str = ""
    """Under which the platform lists it; often, and not always, its author."""
    published: str = ""
    retrieved: str = ""
    seconds: float = 0.0
    width: int = 0
    height: int = 0
    licence: str = UNKNOWN
    """The platform's or owner's field, word for word."""
    licence_source: str = ""
    """What says so: `list`, or the end of the file's name, `info.json` or `tour.json`; empty if nothing does."""
    consent: Consent = UNKNOWN
    consent_note: str = ""
    """Who agreed, when, where that lies: for people."""
    home: str = ""
    """Tours of one home fall into one split; see `name_home` where the list does not say."""
    home_source: Literal["", "list", "title", "pictures"] = ""
    """What says so; empty if nothing does."""
    availability: str = ""
    """Who may watch it, in the downloader's words: `public`, `unlisted`, `needs_auth`, `subscriber_only` and others."""
    has_speech: Heard = UNKNOWN
    """Whether the platform has subtitles of it."""
    tool: str = ""
    """What described it, with its version."""
    sha256: str = ""
    """Of its file; empty as long as nobody read it."""
    is_live: bool = False
    age_limit: int = 0
    description: str = ""


@dataclass(frozen=True)
class Judgement:
    """What a step said of a video."""

    id: str
    step: Step
    code: str
    """Why it was rejected, such as `too-short`; empty if it passed."""
    value: float | str = ""
    """What was found."""
    bar: float | str = ""
    """What was asked for."""
    figures: dict[str, float] = field(default_factory=dict)
    """What was measured; kept, so that other bars need no second look at the video."""
    sha256: str = ""
    """Of the file that was measured."""


def call_unreadable(name: str, step: Step, error: object, asked: str) -> Judgement:
    """The rejection of a video that a step cannot read."""
    return Judgement(name, step, "unreadable", str(error)[:300], asked)


@dataclass(frozen=True, kw_only=True)
class CollectOptions:
    """What makes a video worth processing."""

    min_seconds: NotNegative = 5.0
    """Shorter ones are a few steps. A tour that somebody films by phone has 5 to 60 s; the paper's bar, for tours of a
    video platform, is 180."""
    max_seconds: Positive = 3600.0
    """Longer ones are rarely one walk."""
    min_short_side: Positive = 240.0
    """Pixels. Pictures are sampled at 360; walks of 270 lines, as messengers send them, reconstruct whole."""
    max_age_limit: NotNegative = 0.0
    """Years; videos with an age limit are left out."""
    licences: tuple[str, ...] = ()
    """Only these, word for word; all if empty, and exports then warn where it is unknown."""
    forbidden_words: tuple[str, ...] = ()
    """Words of a title or description that reject a video."""
    max_black_share: Share = 0.2
    """Of key frames that are nearly black."""
    max_still_share: Share = 0.5
    """Of key frames equal to the one before: slides and stills are no walk."""
    max_bars_share: Share = 0.35
    """Of the picture that black bars take."""
    shots_count: Positive = 9.0
    """So many longest shots hold at least `shots-share` of the time."""
    shots_share: Share = 0.8
    """What those hold; the paper's "nine continuous shots occupying over 80 %"."""
    max_overlay_share: Share = 0.35
    """Of the picture that stands still over the moving one: titles, frames, a second picture."""
    min_sharpness: NotNegative = 6.0
    """Median of the variance of the Laplacian over sampled frames. A dark phone walk full of blur that came out right
    has 58, sharp ones 300 and more; behind a smeared lens it is 1 to 3."""
    max_standing_share: Share = 0.9
    """Of the time in which the picture hardly changes within a second: a camera on a tripod walks nowhere."""
    max_people_share: Share = 0.4
    """Of frames looked at in which a person takes more than 15 % of the picture: somebody talks to the camera."""
    max_outdoors_share: Share = 0.5
    """Of frames looked at that show mostly what lies outdoors."""
    max_text_share: Share = 0.5
    """Of frames looked at by large models that show text: slides, titles, documents."""
    min_indoors_share: Share = 0.3
    """Of frames looked at that show mostly walls, floors, ceilings and furniture."""
    same_home: Share = 0.65
    """Likeness of two videos' pictures from which on these are compared, to find videos of one home for splits; 1 turns
    it off. Pictures of one place have 0.75 and more, different homes up to 0.71."""
    same_place_points: Positive = 20.0
    """Points that two pictures share if they show one place. By chance 8 to 14 fit."""

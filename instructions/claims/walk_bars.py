"""The bars of the judge of walks.

Lengths are in nominal metres. The bars are wider than the writer's own (`navigation.progression`), never narrower, so
that what falls is false and not merely untypical. Where a reason names no source, the bar was set by hand on made walks
and the office tour; no study measured it.
"""

from __future__ import annotations

from dataclasses import dataclass

_SLIGHT_DEG = 60.0
"""Turns told by less are told as slight."""


def is_slight(angle_deg: float | None) -> bool:
    """Whether the words of a turn by so much say that it is slight."""
    return angle_deg is not None and abs(angle_deg) < _SLIGHT_DEG


@dataclass(frozen=True, kw_only=True)
class MotionBars:
    """What the judge takes for walking, standing and turning, moment by moment."""

    step_s: float = 0.5
    """The velocity at a position is that from so long before to so long after."""
    moves_m_s: float = 0.2
    """Slower than this it stands: sway of a standing person, and noise of poses at 10 per second."""
    rest_s: float = 0.8
    """A shorter rest is a slow step."""
    heads_m_s: float = 0.4
    """Slower than this the feet shift, and where they go says nothing about where the walk faces."""
    steady_deg: float = 30.0
    """Where the feet go against the view changes by less than this from one position to the next, or they are between
    two ways of going."""
    sway_s: float = 0.8
    """Bodies sway from foot to foot; so long to either side, the sway of two steps evens out."""
    ahead_deg: float = 75.0
    """Who goes at most so far off the view goes about forward, and the walk faces where it goes."""
    straight_deg: float = 45.0
    """Who looks far aside and keeps going within this angle of one direction goes on facing there."""
    look_back_deg: float = 35.0
    """Turning that ends within this angle of where it began ..."""
    look_s: float = 10.0
    """... so soon ..."""
    look_m: float = 1.3
    """... and within so far of there, on a path of at most twice that, is a look about, not a turn of the way."""
    look_most_deg: float = 75.0
    """Of a look that one turns back from and beyond, to the other side, at most so much may be left out."""
    look_ahead_share: float = 0.25
    """Where less of the frames goes ahead, the view looks about at any length of the path: no turn of the way."""
    view_lag_s: float = 1.5
    """Feet and head turn one after the other, at most so far apart."""
    turn_ahead_share: float = 0.75
    """Where less than this share of the frames goes ahead, a turn may be one of the view."""
    feet_share: float = 0.5
    """Where the walk turns by at least this share of what the view turns, and follows it in the end, the view tells how
    far one has turned."""
    follow_deg: float = 45.0
    """Feet that go in the quarter ahead of the view follow it ..."""
    follow_share: float = 0.6
    """... if they do, or rest, in so many of the frames up to `view_lag_s` after a turn."""
    swing_deg: float = 35.0
    """A swing by less is nothing that a text had to tell; writers tell turns from 30 degrees."""


@dataclass(frozen=True, kw_only=True)
class ClaimBars:
    """What must be measured between the frames of a claim for it to be true."""

    walk_m: float = 0.5
    """A walk goes at least this far in the direction told; less is a step on the spot."""
    walk_off_deg: float = 60.0
    """And at most this far off it, against the view of each moment (writers tell four, 90 degrees apart) ..."""
    aside_off_deg: float = 52.0
    """Sideways is nearer to the side than that: who looks 35 degrees aside on a curve walks forward."""
    walk_share: float = 0.65
    """... for at least this share of the way: a third may be a look aside or the turn before a stop."""
    walk_stand_share: float = 0.5
    """At most this share of the frames stand."""
    walk_swing_deg: float = 50.0
    """A walk that swings by this much to both sides is told only together with its turns."""
    turn_deg: float = 20.0
    """A turn changes the heading at least this much; less is sway. Writers tell turns from 30 degrees."""
    turn_tolerance_deg: float = 30.0
    """An angle told may be this far off: words know slight, plain, sharp and half turns."""
    slight_most_deg: float = 75.0
    """A turn told as slight (`bear`, `slightly`) turns by at most this much."""
    turn_back_deg: float = 35.0
    """A turn comes back from its extreme by at most this much: more is two turns, and a net value hides both."""
    around_least_deg: float = 135.0
    """A turn around: from here ..."""
    around_most_deg: float = 225.0
    """... to here, 45 degrees either side of a half turn."""
    pass_clear_m: float = 0.2
    """The centre of a passed thing lies at least this far to the side told: below it, the side is within pose noise."""
    pass_margin_m: float = 0.1
    """It was ahead by more than this before, and is behind by more than this after."""
    pass_within_m: float = 3.0
    """Its nearest side is at most this far away at the closest point; beyond, it is seen rather than passed."""
    pass_reach_m: float = 0.5
    """The direction of passing is that between places so far from the closest point; nearer ones tell only sway."""
    pass_seen_before_s: float = 7.0
    """It was in view at most this long before ..."""
    pass_seen_after_s: float = 1.0
    """... or this soon after: a listener cannot be told of what is not to be seen."""
    approach_share: float = 0.15
    """An approach makes at least this share of the distance; writers ask for twice as much."""
    approach_view_deg: float = 40.0
    """And ends with the thing within this angle of the optical axis, about half of a wide phone camera's view."""
    seen_s: float = 2.5
    """What is approached was in view so near to the end."""
    approach_seen_s: float = 1.2
    """And was in view, to so long before or after, ..."""
    approach_seen_share: float = 0.5
    """... for so much of the stretch: nobody walks towards what comes into view on arriving."""
    approach_course_deg: float = 40.0
    """And the way as a whole leads at most so far past it: one comes nearer to much that one walks by."""
    approach_shown_deg: float = 7.0
    """And some picture shows the thing at most so far beside the place where the way leads."""
    behind_m: float = 0.6
    """Nothing of a known category is nearer by so much on the straight line to what one faces or walks towards."""
    flat_m: float = 0.15
    """What is less high than this hinders nobody: a rug."""
    front_deg: float = 25.0
    """`In front` is within this angle of the optical axis: the middle of the image and a little more."""
    front_seen_s: float = 1.5
    """What is in front is in view so near to that moment."""
    filled_seen_s: float = 2.5
    """A thing that fills enough of a picture by its box is in view there if pictures so near to it named it ..."""
    filled_share: float = 0.03
    """... if it is this share of the picture."""
    across_share: float = 0.08
    """What fills a picture from so much of its width left of the middle to so much right of it is in front."""
    stop_m: float = 3.2
    """One stops `in front of` things at most this far away."""
    face_m: float = 7.0
    """One faces things at most this far away: across a large room."""
    side_least_deg: float = 3.0
    """On a side of the view is more than this off the axis ..."""
    side_most_deg: float = 100.0
    """... and not behind, ..."""
    side_m: float = 5.0
    """... so near that it tells one place from others, ..."""
    side_seen_s: float = 1.0
    """... and in view so near to that moment."""
    side_across_share: float = 0.12
    """Its box reaches at most so much of the picture's width beyond the middle to the other side, or it is ahead."""
    range_seen_s: float = 1.0
    """How far a thing is was measured so near to the moment it is told of."""
    enter_s: float = 1.0
    """A change of room is not a moment: so long to either side."""
    length_m: float = 0.5
    """A told length is rounded to whole metres ..."""
    length_share: float = 0.15
    """... and to what a person tells apart, beside the error of the scale."""
    untold_turn_deg: float = 50.0
    """A text may leave out this much turning, added up swing by swing; more leads a listener elsewhere."""

"""What a text says of a view, claim by claim, and by which bars a claim is true, false or unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from recon.ranges import NotNegative, Positive, Share

ViewClaimKind = Literal[
    "visible", "count", "side", "color", "kind", "room", "distance", "height", "gap", "left of", "right of", "nearer",
    "farther", "in front of", "behind", "on", "under", "above", "below", "next to", "larger", "smaller", "taller",
    "shorter", "wider", "narrower",
]  # fmt: skip
State = Literal["true", "false", "unknown"]


@dataclass(frozen=True)
class ViewClaim:
    """One checkable statement about a view."""

    kind: ViewClaimKind
    words: str
    """The claim as a sentence."""
    subject: tuple[str, ...] = ()
    """Id of the thing that it is about; none for what is not there, and for the room of the view itself."""
    other: tuple[str, ...] = ()
    """Id of what the thing is compared with."""
    value: str | float | None = None
    """A side, color, kind or room; a count; a length in meters, rounded as people round."""
    denied: bool = False
    """The text says that it is not so."""

    @property
    def value_number(self) -> float:
        """The value of a claim about a number."""
        if not isinstance(self.value, float | int):
            raise AssertionError(f"a claim of kind {self.kind} has no number: {self.value!r}")
        return float(self.value)


@dataclass(frozen=True)
class Verdict:
    """What is known of a claim."""

    claim: ViewClaim
    state: State
    reason: str
    """The numbers behind it, in words."""
    measured: float | None = None
    margin: float | None = None
    """How far the measured value is beyond its bar, as a share of it; negative for what is unknown or false."""


def find_false(verdicts: Sequence[Verdict]) -> Verdict | None:
    """The first false claim, if there is one."""
    return next((verdict for verdict in verdicts if verdict.state == "false"), None)


@dataclass(frozen=True, kw_only=True)
class ViewBars:
    """When a claim about a view is true, and when it is false; between the two it is unknown. Lengths in metres."""

    border_share: Share = 0.02
    """Centres this near to the border between two sides of the picture are on neither, as a share of its width."""
    size_frames: Positive = 3
    """A thing that fewer frames saw has no size that anybody knows."""
    counted: Share = 0.30
    """A thing counts if the view shows at least this share of it."""
    uncounted: Share = 0.05
    """A thing of which the view shows less does not; between the two nobody can count."""
    visible: Share = 0.10
    """Share of a thing that a view must show of it."""
    distance_m: NotNegative = 0.25
    """A stated length may be off by this much ..."""
    distance_share: Share = 0.20
    """... or by this share of the true one, whichever is more."""
    room_probability: Share = 0.80
    """Of a room's label, to be told or denied."""

"""What is true of views and may be asked about them; what finds it is in `things`, `sets` and `marks`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from instructions.asking.names import Naming
from instructions.facts.measured import Measured
from instructions.questions.core.records import TruthSource
from instructions.questions.core.types import QuestionType
from instructions.questions.core.view_sets import ViewSet
from instructions.questions.core.world import Given, Value

REASONS: Mapping[str, str] = {
    "unsure_name": "too few frames are sure of its name, other names have 40 % of the evidence, or nothing called so "
    "can be so high",
    "missed_often": "frames that should show such things found them less than four times in five, so more may be there",
    "cut_to_corner": "two borders of the picture cut it, and less than 3 % of the picture shows what is left",
    "few_things": "the views show too few things with a name of their own for this type",
    "sides_alike": "length and width are within 10 %, so nobody can say which side is the length",
    "no_length": "nobody speaks of the length or width of a plant",
    "tilted": "no axis of its box is within 10 degrees of the vertical, so it has no level sides",
    "flat": "a side is under 5 cm, so there is no volume to speak of",
    "stands_too_near": "one would stand less than 0.5 m from what one faces or is asked about",
    "near_border": "the direction is within 10 degrees of the border between two answers",
    "too_alike": "the best and the second best are within 10 %, 0.15 m or three standard deviations",
    "overlap": "neither is completely above the other",
    "touching": "the two touch, so there is no gap",
    "near_limit": "a thing is within 0.15 m of the distance asked for",
    "none_or_too_many": "nothing, everything, or more than ten things would be in the list",
    "set_incomplete": "a thing of the category was found in a view and joined to nothing, or by one frame only",
    "count_differs": "the scan states another number than it lists, or lists what is no box",
    "half_seen": "a view shows a tenth to a third of it, so it is neither in view nor out of it",
    "unsure_if_seen": "a view should show it and nothing found it there",
    "too_near_in_time": "they come into view less than two sampled views apart",
    "never_shown": "no view shows enough of it, long enough",
    "edge_of_corridor": "it is at the edge of what lies between",
    "ends_there": "the walk begins, ends or turns where it comes nearest to the thing, so it does not pass it",
    "no_rooms": "nothing knows the rooms, or how large they are",
    "floor_open": "the outlines of the rooms are those of the floor that was seen free, so there is more of it",
    "type_full": "the views have their rows of this type",
    "views_full": "the views have all their rows",
    "same_name": "two of the things have the same name",
}
"""Why something of sets of views is not asked; those that all kinds share are in `instructions.asking.gates`."""


@dataclass(frozen=True, eq=False)
class Truth:
    """Something that may be asked about some views, and what is true."""

    kind: QuestionType
    views: ViewSet
    things: tuple[str, ...]
    """In the order of the definition."""
    names: tuple[tuple[Naming, ...], ...]
    """Of each thing: ways to call it that mean it alone."""
    value: Value
    """True, false, `yes`, `no`, `too close`, a number in full, a label, an id, or several."""
    given: Given = Given()
    measured: Measured | None = None
    evidence: tuple[Measured, ...] = ()
    source: TruthSource = "reference"
    parts: tuple[str, ...] = ()
    """What a composed truth was made of: type, things and value of each part."""
    twin: Value | None = None
    """The answer with its two things swapped; None where it is not asked so."""
    candidates: tuple[str, ...] = ()
    """Things that the question names as possible answers; all but those it is held against if empty."""
    only_as_seen: bool = False
    """The width is only that which shows from here, and the words must say so."""


@dataclass(frozen=True)
class Judged:
    """What a gate lets through."""

    value: Value | None = None
    """None for what the type's reference program says."""
    measured: Measured | None = None
    evidence: tuple[Measured, ...] = ()
    twin: Value | None = None
    """The answer with the two things swapped, where no reference program tells it."""
    things: tuple[str, ...] = ()
    """In which order they are asked about, where it hangs on what is true."""
    only_as_seen: bool = False
    """See `Truth`."""

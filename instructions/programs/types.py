"""The types of question: 17 about images, `in_same`, 16 about videos, VSI-Bench's ten and those beyond; one table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from instructions.asking.bars import Dimension
from instructions.programs.world import Given

Medium = Literal["image", "images", "video", "vsi", "scan"]
"""What a question is about; `vsi`: a video as VSI-Bench asks about it, `scan`: a world without known views."""
Form = Literal["number", "yes_no", "label", "thing", "order", "things", "text"]
"""What an answer is: a number, a word of few, one of the things, all of them in order, some of them, or words."""
QUADRANTS = ("front-left", "front-right", "back-left", "back-right")
SIDES = ("left", "right")
AHEAD = ("front", "back")


@dataclass(frozen=True)
class ProgramType:
    """One type of question."""

    name: str
    media: tuple[Medium, ...]
    form: Form
    things: tuple[int, int]
    """Least and most things that a question names; the first is the one that the others are held against."""
    unit: str
    """Of the answer: `m`, `cm`, `m2`, `m3`, or none."""
    dimension: Dimension
    """What it is about, which references must not give away."""
    definition: str
    """What is true, in a sentence."""
    givens: tuple[Given, ...] = (Given(),)
    """What a question may ask for, one of these."""
    sized: bool = False
    """The whole extent of the things must show."""
    has_twin: bool = False
    """It is also asked with its two things swapped."""
    words: str = ""
    """Whose templates it takes; its own if empty."""
    options: Literal["some", "always", "never"] = "some"
    """Whether it is multiple choice: some of its rows, or as the benchmark that defines it has it."""
    spellings: tuple[str, ...] = ()
    """Names of it in released files, besides its own."""

    @property
    def template(self) -> str:
        """Name of its file of templates."""
        return self.words or self.name


_ALL: tuple[Medium, ...] = ("image", "images", "video", "scan")
_STILL: tuple[Medium, ...] = ("image", "images", "scan")
_VIDEO: tuple[Medium, ...] = ("video",)
_VSI: tuple[Medium, ...] = ("vsi",)
_DIMS = tuple(Given(side=side) for side in ("height", "length", "width", "longest"))
_LARGER = (Given(word="largest"), Given(word="smallest"))
_NEARER = (Given(word="nearest"), Given(word="furthest"))
_ENDS = (Given(word="start"), Given(word="end"))
_SENSES = (Given(sense="center"), Given(sense="nearest"))

_ROWS = (
    ProgramType("size_estimation", _ALL, "number", (1, 1), "m", "height",
        "Height is the extent along z; length and width are the longer and shorter level side of the box; longest is "
        "the longest of the three.", _DIMS, sized=True, spellings=("object_size_estimation", "size_est", "size")),
    ProgramType("size_comparison", _STILL, "thing", (2, 2), "", "height",
        "Which has the greater (or smaller) height, length, width or longest side.",
        tuple(Given(side=one.side, word=word) for one in _DIMS for word in ("greater", "smaller")), sized=True,
        has_twin=True, spellings=("object_size_comparison", "size_compare")),
    ProgramType("volume_estimation", _ALL, "number", (1, 1), "m3", "volume", "Product of the full sides of the box.",
        sized=True, spellings=("object_volume_estimation", "volume")),
    ProgramType("volume_comparison", _ALL, "thing", (2, 4), "", "volume",
        "Which of them has the largest (or smallest) product of the full sides.", _LARGER, sized=True,
        spellings=("object_volume_comparison", "volume_compare")),
    ProgramType("above", _ALL, "yes_no", (2, 2), "", "vertical",
        "A is completely above B: its lowest point is no lower than the highest point of B.", has_twin=True,
        spellings=("above_position", "object_above")),
    ProgramType("below", _ALL, "yes_no", (2, 2), "", "vertical",
        "A is completely below B: its highest point is no higher than the lowest point of B.", has_twin=True,
        spellings=("below_position", "object_below")),
    ProgramType("high_and_low", _ALL, "thing", (2, 2), "", "vertical", "Whose center is higher (or lower).",
        (Given(word="higher"), Given(word="lower")), has_twin=True,
        spellings=("high_and_low_position", "high_low", "high_low_position")),
    ProgramType("facing_complex", _ALL, "label", (3, 3), "", "lateral",
        "Standing at A and facing B, C is ahead or behind by (C - A) . f and right or left by (C - A) . r, with "
        "f = (B - A) on the floor and r = (f_y, -f_x).",
        spellings=("facing_direction_complex", "object_facing_complex")),
    ProgramType("facing_simple", _ALL, "label", (3, 3), "", "lateral",
        "The same with one of the two only: right or left, or ahead or behind.",
        (Given(word="left_right"), Given(word="front_back")),
        spellings=("facing_direction_simple", "object_facing_simple")),
    ProgramType("absolute_distance", _ALL, "number", (2, 2), "m", "none",
        "Between the centers, or between the nearest points of the boxes; the question says which.", _SENSES,
        spellings=("object_abs_distance", "object_absolute_distance", "abs_distance")),
    ProgramType("relative_distance", _ALL, "thing", (3, 5), "", "none",
        "Whose center is nearest to (or furthest from) the center of A.", _NEARER,
        spellings=("object_rel_distance", "object_relative_distance", "rel_distance")),
    ProgramType("nearby", _ALL, "things", (3, 6), "", "none",
        "All of those named whose center is at most so far from that of A, the border included.",
        tuple(Given(within_m=float(metres)) for metres in (1, 2, 3, 4, 5)),
        spellings=("nearby_objects", "object_nearby")),
    ProgramType("counting", _ALL, "number", (0, 0), "", "none",
        "Things of the category that the views show; without views, all there are.",
        spellings=("object_counting", "object_count", "count")),
    ProgramType("camera_distance_absolute", ("image",), "number", (1, 1), "m", "ahead",
        "From the eye of the view to the center.",
        spellings=("object_distance_camera_abs", "object_distence_camera_abs")),
    ProgramType("camera_distance_relative", ("image",), "thing", (2, 2), "", "ahead",
        "Whose center is nearer to (or further from) the eye of the view.",
        (Given(word="nearer"), Given(word="further")), has_twin=True,
        spellings=("object_distance_camera_rel", "object_distence_camera_rel")),
    ProgramType("camera_direction_complex", ("image",), "label", (2, 2), "", "lateral",
        "A against B as this camera sees it: front is less far ahead, right is further to the right.", has_twin=True,
        spellings=("object_direction_camera_complex", "camera_direction")),
    ProgramType("camera_direction_simple", ("image",), "label", (2, 2), "", "lateral",
        "The same with one of the two only: right or left, or in front or behind.",
        (Given(word="left_right"), Given(word="front_back")), has_twin=True,
        spellings=("object_direction_camera_simple",)),
    ProgramType("in_same", ("images",), "yes_no", (2, 2), "", "none", "Whether one of the images shows both.",
        spellings=("in_same_image", "in_the_same_image", "object_in_same")),
    ProgramType("appearance_order", _VIDEO, "order", (3, 4), "", "none",
        "By the first view that shows at least 0.3 of each and 0.4 % of the picture.",
        spellings=("obj_appearance_order", "object_appearance_order")),
    ProgramType("temporal_sequence", _VIDEO, "thing", (2, 2), "", "none", "Which is shown first.",
        (Given(word="first"), Given(word="last")), has_twin=True,
        spellings=("temporal_order", "object_temporal_sequence")),
    ProgramType("in_frame", _VIDEO, "things", (3, 6), "", "none",
        "Which of those named the view shows in which A is shown first.",
        spellings=("object_in_frame", "in_frame_objects")),
    ProgramType("height_determination", (*_VIDEO, "scan"), "thing", (2, 4), "", "height",
        "Which has the largest extent along z: which is tallest, not which hangs highest.", (Given(word="tallest"),),
        sized=True, spellings=("object_height_determination", "height")),
    ProgramType("vsi_object_counting", _VSI, "number", (0, 0), "", "none", "Things of the category, two or more.",
        words="counting", spellings=("vsi_counting",), options="never"),
    ProgramType("vsi_absolute_distance", _VSI, "number", (2, 2), "m", "none",
        "Between the nearest points of the boxes.",
        (Given(sense="nearest"),), words="absolute_distance", spellings=("object_abs_distance_vsi",), options="never"),
    ProgramType("vsi_object_size", _VSI, "number", (1, 1), "cm", "height",
        "The longest side of the box in centimeters.",
        (Given(side="longest"),), sized=True, words="size_estimation", options="never"),
    ProgramType("vsi_room_size", _VSI, "number", (0, 0), "m2", "none",
        "Area of the floor, of all rooms together if there are several.", words="room_size",
        spellings=("room_size_estimation", "room_size"), options="never"),
    ProgramType("vsi_relative_distance", _VSI, "thing", (5, 5), "", "none", "Nearest of four by nearest points.",
        (Given(word="nearest", sense="nearest"),), words="relative_distance", options="always"),
    ProgramType("vsi_direction_easy", _VSI, "label", (3, 3), "", "lateral", "Left or right.",
        (Given(word="left_right"),), words="facing_simple", spellings=("object_rel_direction_easy",), options="always"),
    ProgramType("vsi_direction_medium", _VSI, "label", (3, 3), "", "lateral",
        "Left, right, or back from 135 degrees on.",
        words="direction_medium", spellings=("object_rel_direction_medium",), options="always"),
    ProgramType("vsi_direction_hard", _VSI, "label", (3, 3), "", "lateral", "One of the four quadrants.",
        words="facing_complex", spellings=("object_rel_direction_hard",), options="always"),
    ProgramType("vsi_appearance_order", _VSI, "order", (4, 4), "", "none", "First views of four.",
        words="appearance_order", options="always"),
    ProgramType("vsi_route_plan", _VSI, "label", (4, 4), "", "lateral",
        "From A facing B to C and on to D: left, right or back at either stop.", words="route_plan",
        spellings=("route_planning", "route_plan"), options="always"),
    ProgramType("in_between", _ALL, "yes_no", (3, 3), "", "none",
        "Whether the center of A lies, seen from above, in the corridor from B to C, as wide as the narrower of them."),
    ProgramType("path_length", _VIDEO, "number", (0, 0), "m", "none", "Way of the camera over the floor."),
    ProgramType("room_transitions", _VIDEO, "number", (0, 0), "", "none",
        "How often the camera goes from one room into another."),
    ProgramType("seen_from", _VIDEO, "yes_no", (3, 3), "", "none",
        "Whether C is in view from right over A, as high as the camera is carried, looking towards B, 90 degrees "
        "across, with at least 0.3 of its faces not hidden by other boxes."),
    ProgramType("walk_between", _VIDEO, "number", (2, 2), "m", "none",
        "Way of the camera over the floor from the first view of A to the first view of B."),
    ProgramType("walk_straight", _VIDEO, "number", (0, 0), "m", "none",
        "Straight over the floor from where the walk begins to where it ends."),
    ProgramType("walk_turned", _VIDEO, "label", (0, 0), "", "none",
        "To which side of its first direction the camera looks in the end.", (Given(word="left_right"),)),
    ProgramType("walk_turned_between", _VIDEO, "label", (2, 2), "", "none",
        "To which side of its direction at the first view of A it looks at the first view of B.",
        (Given(word="left_right"),)),
    ProgramType("walk_closest", _VIDEO, "thing", (3, 4), "", "none",
        "Whose center the walk comes nearest to, over the floor.", (Given(word="nearest"),)),
    ProgramType("walk_nearest_at", _VIDEO, "thing", (3, 4), "", "none",
        "Whose center is nearest to the camera where the walk starts or ends, over the floor.", _ENDS),
    ProgramType("walk_side_at", _VIDEO, "label", (1, 1), "", "lateral",
        "Left or right of where the camera looks where the walk starts or ends, in view or not.", _ENDS),
    ProgramType("walk_quadrant_at", _VIDEO, "label", (1, 1), "", "lateral",
        "The quadrant around the camera where the walk starts or ends.", _ENDS),
    ProgramType("walk_approach", _VIDEO, "yes_no", (1, 1), "", "none",
        "Whether the camera is nearer to A at the end than at the start, over the floor."),
    ProgramType("walk_pass_side", _VIDEO, "label", (1, 1), "", "lateral",
        "On which side of the walk A is where the walk comes nearest to it.", (Given(word="left_right"),)),
)  # fmt: skip
TYPES: Mapping[str, ProgramType] = {one.name: one for one in _ROWS}
"""By name."""
LABELS: Mapping[str, tuple[str, ...]] = {"left_right": SIDES, "front_back": AHEAD}


def labels_of(kind: ProgramType, given: Given) -> tuple[str, ...]:
    """The words that answer a question of this type; none for other forms."""
    if kind.form == "yes_no":
        return ("yes", "no")
    if kind.form != "label":
        return ()
    if kind.name == "vsi_direction_medium":
        return ("left", "right", "back")
    if kind.name == "vsi_route_plan":
        turns = ("left", "right", "back")
        return tuple(f"turn {one}, then turn {other}" for one in turns for other in turns)
    if kind.name == "walk_side_at":
        return SIDES
    return LABELS.get(given.word, QUADRANTS)


_SPELLINGS = {_spelling: one.name for one in _ROWS for _spelling in (one.name, *one.spellings)}


def read_category(text: str, medium: Medium | None = None) -> str | None:
    """The type that a released file calls so, or None.

    Case, blanks, hyphens and a trailing `image` or `video` do not matter. A name that VSI-Bench shares with the others
    means VSI-Bench's type where `medium` is `vsi`.
    """
    plain = re.sub(r"[^a-z0-9]+", "_", text.strip().lower()).strip("_")
    plain = re.sub(r"^(image|video|multi_image)_|_(image|video|multi_image|estimate)$", "", plain).replace(
        "distence", "distance"
    )
    name = _SPELLINGS.get(plain)
    if medium == "vsi" and name in _IN_VSI:
        return _IN_VSI[name]
    return name


_IN_VSI = {
    "counting": "vsi_object_counting",
    "absolute_distance": "vsi_absolute_distance",
    "size_estimation": "vsi_object_size",
    "relative_distance": "vsi_relative_distance",
    "appearance_order": "vsi_appearance_order",
}

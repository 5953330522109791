"""When a question must not be asked: pure functions over numbers, each answer a named reason that is counted.

Which of two things has more of something is decided in `facts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import dist, hypot

from instructions.asking.bars import GateOptions
from instructions.facts.overlap import box_iou, measure_contained_share
from instructions.facts.sizes import elevation
from instructions.facts.things import Thing
from instructions.view import SeenThing, find_cut_sides

REASONS = {
    "no_sides": "the camera looks more than 60 degrees up or down, so there is no left and no ahead",
    "not_upright": "nothing says what is up",
    "no_floor": "no floor was found",
    "no_scale": "the scale is relative, so there are no metres",
    "hidden": "the frame sees less than 30 % of the thing",
    "partly_hidden": "the frame sees less than 60 % of the thing, too little for a size",
    "small_in_image": "its box in the picture is under 24 px or 0.4 % of it",
    "box_unclear": "its box in the picture may show only a part of it, or something else too",
    "cut_by_border": "its box touches the border, so its size is not to be seen",
    "near_camera": "it is nearer than 0.3 m",
    "spans_picture": "its box reaches from border to border, so nobody sees where its middle is",
    "off_picture": "the reconstruction puts it elsewhere in the picture than where it was seen",
    "boxes_overlap": "the boxes of the two overlap by more than half in the picture",
    "boxes_nested": "of two marks, the box of one lies inside that of the other in the picture",
    "marks_near": "two marked points are nearer in the picture than an eighth of its shorter side",
    "inside_other": "one thing is inside the other",
    "surface": "it is a surface or a light, no thing with a place of its own",
    "ambiguous": "its alias fits another thing of the scene",
    "not_one": "its box may hold several of its kind",
    "disputed": "the same place has two names",
    "not_unique": "no phrase for it fits one thing of the view only",
    "clause_tells": "only a phrase that gives the answer away would tell it apart",
    "undecided": "the difference is neither clear nor nothing",
    "image_disagrees": "the picture does not show them in that order",
    "orders_disagree": "straight ahead, optical depth and distance give different orders",
    "side_by_side": "more than half of the lower one stands beside the other, so none is above",
    "alike_in_size": "the ratio is too near to one",
    "not_so": "the relation does not hold, so there is no such difference",
    "uncertain": "the relative error is over the bar",
    "out_of_range": "the number is under 0.05 m or over 30 m",
    "far_or_near": "a thing is not between 1 m and 10 m away, where depth is reliable",
    "turned": "no side of the box faces the viewer, so it has no width",
    "between_hours": "the bearing is within 5 degrees of a half hour",
    "not_on_floor": "one of them does not stand on the floor",
    "nothing_beneath": "A does not end where B begins, nor is it clearly elsewhere",
    "no_step": "a step aside would end in a thing",
    "not_ahead": "whoever takes these steps ends elsewhere: the camera went sideways or backward",
    "out_of_view": "after the step it would be out of the picture",
    "same_order": "a step that changes their order in the picture is to be as frequent as one that does not",
    "foot_unseen": "its box ends above the floor, and nothing is known to hold it: its foot may be hidden",
    "asked_before": "asked from a view less than 0.5 m and 20 degrees away",
    "pair_full": "the pair has its four rows of the view",
    "view_full": "the view has its twelve rows",
    "share": "qualitative and quantitative rows are to be equal in number",
    "thing_full": "a third of the rows about things are about it already; more come with more things of a sure name",
    "doubled": "the view has the same question",
    "few_spots": "too few points with a sure depth are in view",
    "alike": "what would be compared is too much alike for its error",
    "no_view": "no other view fits",
    "usual_answer": "the answer would be the usual one more often than by chance",
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
    "no_rooms": "nothing knows the rooms, or how large they are: of a floor only what was seen free is measured",
    "type_full": "the views have their rows of this type",
    "views_full": "the views have all their rows",
    "same_name": "two of the things have the same name",
}
"""Why something was not asked, in words."""
_FOOT_M = 0.15
"""Metres above the floor up to which a measured box stands on it."""
APART_SHARE = 1.0 / 8.0
"""Of the shorter side of the picture: two marked points are never nearer to each other."""
_NESTED = 0.80
"""Share of the smaller of two boxes."""


def hide_thing(one: SeenThing, size_px: tuple[int, int], metre: float, bars: GateOptions) -> str | None:
    """Why a thing cannot be asked about in a view at all, or None."""
    x0, y0, x1, y1 = one.box
    width, height = size_px
    if one.seen.visible_fraction < bars.min_visible:
        return "hidden"
    if min(x1 - x0, y1 - y0) < bars.min_side_px or (x1 - x0) * (y1 - y0) < bars.min_area * width * height:
        return "small_in_image"
    return "near_camera" if one.seen.depth < bars.min_depth * metre else None


def spans_picture(one: SeenThing, size_px: tuple[int, int], bars: GateOptions) -> bool:
    """Whether the box of a thing touches the left and the right border of the picture, or the upper and the lower."""
    x0, y0, x1, y1 = one.box
    ends = ((x0, size_px[0] - x1), (y0, size_px[1] - y1))
    return any(max(low, high) <= bars.border_px for low, high in ends)


def lies_elsewhere(one: SeenThing, pixel: tuple[float, float], bars: GateOptions) -> bool:
    """Whether the body's centre, drawn into the picture, lies outside the box that the thing was seen in."""
    x0, y0, x1, y1 = one.box
    off_x = max(x0 - pixel[0], pixel[0] - x1, 0.0) / max(x1 - x0, 1e-9)
    off_y = max(y0 - pixel[1], pixel[1] - y1, 0.0) / max(y1 - y0, 1e-9)
    return max(off_x, off_y) > bars.most_off


def hide_size(one: SeenThing, size_px: tuple[int, int], bars: GateOptions) -> str | None:
    """Why the size of a thing cannot be judged from a view, or None."""
    if not one.is_one:
        return "not_one"
    if one.point is not None:
        return "box_unclear"
    if one.seen.visible_fraction < bars.min_visible_size:
        return "partly_hidden"
    return "cut_by_border" if find_cut_sides(one.box, size_px, bars.border_px) else None


def hide_foot(known: Thing, floor_z: float | None, metre: float) -> str | None:
    """Why the height of a thing cannot be judged from a box that was measured, or None.

    Tables seen from above lose their legs, and their boxes what stands on the floor: one that ends above the floor
    although nothing else is known to hold the thing may reach lower.

    Args:
        known: The thing.
        floor_z: Height of the floor in the model; None if there is none.
        metre: One (nominal) metre in the model's unit.
    """
    if known.sigma == 0 or known.is_given or floor_z is None or known.thing.support not in (None, "floor"):
        return None
    return "foot_unseen" if elevation(known.body, floor_z) > _FOOT_M * metre else None


def hide_pair(a: SeenThing, b: SeenThing, bars: GateOptions) -> str | None:
    """Why two things cannot be told apart in a view, or None."""
    has_masks = a.seen.mask is not None and b.seen.mask is not None
    return "boxes_overlap" if not has_masks and box_iou(a.box, b.box) > bars.most_iou else None


def hide_marks(marked: Sequence[SeenThing], size_px: tuple[int, int]) -> str | None:
    """Why nobody can tell what each of several marks means: of a picture, a drawn box lies inside another, or a point
    beside another; or None.
    """
    least_px = APART_SHARE * min(size_px)
    for one, other in combinations(marked, 2):
        if one.seen.frame != other.seen.frame:
            continue
        both_boxes = one.point is None and other.point is None
        if both_boxes and measure_contained_share(one.box, other.box) > _NESTED:
            return "boxes_nested"
        if one.point is not None and other.point is not None and dist(one.point, other.point) < least_px:
            return "marks_near"
    return None


def refuse_number(value: float, sigma: float, scale_sigma: float, metre: float, bars: GateOptions) -> str | None:
    """Why a length, with its error from box and pose in the model's unit, cannot be asked for: its relative error with
    that of the scale, or its size; None if it can.
    """
    if not bars.least_m * metre <= value <= bars.most_m * metre:
        return "out_of_range"
    return "uncertain" if hypot(scale_sigma, sigma / value) > bars.relative_sigma_bar else None

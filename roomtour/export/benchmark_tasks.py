"""Which tasks of public benchmarks our types of questions correspond to."""

from __future__ import annotations

from collections.abc import Collection, Mapping

_SIDES = ("facing_simple", "facing_complex", "facing_side", "facing_clock")
_ELSEWHERE = ("view_side", "view_behind", "view_turn", "view_clock")
BENCHMARK_TASKS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "VSI-Bench": {
        "object_counting": ("vsi_object_counting", "counting"),
        "object_abs_distance": ("vsi_absolute_distance", "absolute_distance", "gap", "mark_pair_distance"),
        "object_size_estimation": ("vsi_object_size", "size_estimation", "height", "width"),
        "room_size_estimation": ("vsi_room_size",),
        "object_rel_distance": ("vsi_relative_distance", "relative_distance", "mark_closer_choice"),
        "object_rel_direction": ("vsi_direction_easy", "vsi_direction_medium", "vsi_direction_hard", *_SIDES),
        "route_planning": ("vsi_route_plan",),
        "obj_appearance_order": ("vsi_appearance_order", "appearance_order"),
    },
    "MMSI-Bench": {
        "Positional Relationship (Cam.-Cam.)": ("motion_ahead_choice", "motion_side_choice", "way_back_side_class"),
        "Positional Relationship (Cam.-Obj.)": _ELSEWHERE,
        "Positional Relationship (Obj.-Obj.)": ("facing_simple", "facing_complex", "relative_distance", "in_between"),
        "Attribute (Meas.)": ("size_comparison", "size_estimation", "absolute_distance"),
        "Motion (Cam.)": (
            *("motion_turn_choice", "motion_tilt_choice", "motion_height_choice", "motion_turn_angle"),
            *("motion_distance", "motion_description"),
        ),
        "MSR": ("compound_nearest_side", "compound_order_by_distance", "way_turn_choice"),
    },
    "MindCube": {
        "rotation": ("motion_turn_choice", "motion_turn_angle", "view_turn"),
        "around": _ELSEWHERE,
        "among": (*_ELSEWHERE, "facing_simple", "facing_complex"),
    },
    "ViewSpatial": {
        "Camera perspective - Relative Direction": ("left_right_class", "above_below_class", "behind_front_class"),
        "Person perspective - Scene Simulation Relative Direction": (*_SIDES, "vsi_direction_hard"),
    },
    "SITE": {
        "3d information understanding": ("mark_nearer_choice", "mark_depth_order", "mark_distance", "distance"),
        "counting & existence": ("counting", "vsi_object_counting"),
        "movement prediction & navigation": ("motion_ahead_choice", "motion_turn_choice", "way_next_choice"),
        "multi-view & cross-image reasoning": ("match_choice", "overlap_pair_choice", *_ELSEWHERE),
        "object localization & positioning": ("picture_quarter_class", "left_right_class", "above_below_class"),
        "spatial relationship reasoning": ("left_predicate", "right_predicate", "above_predicate", "below_predicate"),
    },
    "BLINK": {
        "Counting": ("counting",),
        "Multi-view_Reasoning": ("motion_side_choice", "motion_turn_choice"),
        "Relative_Depth": ("mark_nearer_choice", "mark_farther_predicate"),
        "Spatial_Relation": ("left_predicate", "right_predicate", "above_predicate", "below_predicate", "stands_on"),
        "Visual_Correspondence": ("match_choice",),
    },
    "3DSRBench": {
        "height_higher": ("mark_higher_choice", "mark_lower_predicate", "above_choice", "below_choice"),
        "location_above": ("above_predicate", "below_predicate"),
        "location_closer_to_camera": ("mark_nearer_choice", "camera_distance_relative", "front_choice"),
        "location_next_to": ("nearby", "gap"),
        "multi_object_closer_to": ("relative_distance", "mark_closer_choice"),
    },
    "EmbSpatial": {
        "left, right": ("left_predicate", "left_choice", "right_predicate", "right_choice", "picture_left_choice"),
        "above, under": ("above_predicate", "above_choice", "below_predicate", "below_choice"),
        "close, far": ("front_choice", "behind_choice", "camera_distance_relative", "mark_nearer_choice"),
    },
}
"""By benchmark and task as it names them, the types that ask for the same relation.

VSI-Bench-Debiased and MindCube-tiny are parts of theirs. A task that is missing has no counterpart: which way a thing
or a person itself faces, the motion of things, the attributes of regions, appearance."""


def match_tasks(types: Collection[str]) -> list[tuple[str, str, str]]:
    """Benchmark, task, and those of the types that correspond to it; tasks without one are left out."""
    rows = [
        (benchmark, task, ", ".join(f"`{name}`" for name in ours if name in types))
        for benchmark, tasks in BENCHMARK_TASKS.items()
        for task, ours in tasks.items()
    ]
    return [row for row in rows if row[2]]

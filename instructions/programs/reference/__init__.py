"""The reference program of every type: its native answer, before any gate says whether the question may be asked.

Truth is here; what judges whether it may be asked is in `instructions.programs.judge`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from instructions.programs.reference import cameras, distances, facing, sight, sizes, times, walks, ways
from instructions.programs.types import TYPES
from instructions.programs.world import Given, ProgramScene, ProgramThing, Value

Reference = Callable[[Sequence[ProgramThing], ProgramScene, Given], Value]
REFERENCES: Mapping[str, Reference] = {
    "size_estimation": sizes.estimate_size,
    "size_comparison": sizes.compare_sizes,
    "volume_estimation": sizes.estimate_volume,
    "volume_comparison": sizes.compare_volumes,
    "height_determination": sizes.find_tallest,
    "above": sizes.is_above,
    "below": sizes.is_below,
    "high_and_low": sizes.compare_heights,
    "facing_complex": facing.face_quadrants,
    "facing_simple": facing.face_halves,
    "absolute_distance": distances.measure_distance,
    "relative_distance": distances.find_nearest,
    "nearby": distances.list_nearby,
    "in_between": distances.is_between,
    "camera_distance_absolute": cameras.measure_range,
    "camera_distance_relative": cameras.compare_ranges,
    "camera_direction_complex": cameras.direct_quadrants,
    "camera_direction_simple": cameras.direct_halves,
    "counting": times.count_category,
    "in_same": times.share_view,
    "appearance_order": times.order_by_first_view,
    "temporal_sequence": times.find_first,
    "in_frame": times.list_in_first_view,
    "vsi_object_counting": times.count_category,
    "vsi_absolute_distance": distances.measure_distance,
    "vsi_object_size": sizes.estimate_size_cm,
    "vsi_room_size": walks.measure_floor,
    "vsi_relative_distance": distances.find_nearest,
    "vsi_direction_easy": facing.face_halves,
    "vsi_direction_medium": facing.face_thirds,
    "vsi_direction_hard": facing.face_quadrants,
    "vsi_appearance_order": times.order_by_first_view,
    "vsi_route_plan": facing.plan_route,
    "path_length": walks.measure_path,
    "room_transitions": walks.count_transitions,
    "seen_from": sight.is_seen_from,
    "walk_between": ways.measure_between,
    "walk_straight": ways.measure_straight,
    "walk_turned": ways.tell_turn,
    "walk_turned_between": ways.tell_turn_between,
    "walk_closest": ways.find_closest,
    "walk_nearest_at": ways.find_nearest_at,
    "walk_side_at": ways.tell_side_at,
    "walk_quadrant_at": ways.tell_quadrant_at,
    "walk_approach": ways.is_approached,
    "walk_pass_side": ways.tell_pass_side,
}


def analyse(kind: str, ids: Sequence[str], scene: ProgramScene, given: Given = Given()) -> Value:
    """The native answer of a type.

    Args:
        kind: Name of a type.
        ids: Things in the order of its definition.
        scene: Where they are; `cameras[0]` is the view of a question about one image.
        given: What is asked for where the type leaves a choice.

    Raises:
        ValueError: For an unknown type or thing, a wrong number of things, or what has no answer.
    """
    if kind not in TYPES:
        raise ValueError(f"no type {kind!r}; known: {', '.join(TYPES)}")
    least, most = TYPES[kind].things
    if not least <= len(ids) <= most:
        raise ValueError(f"{kind} needs {least} to {most} things, got {len(ids)}")
    unknown = [one for one in ids if one not in scene.things]
    if unknown:
        raise ValueError(f"{kind}: the scene has no thing {unknown[0]}")
    return REFERENCES[kind]([scene.things[one] for one in ids], scene, given)

"""All types about sets of views, one module per family, and how released files call them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from instructions.questions.core.types import Medium, QuestionType
from instructions.questions.core.world import Given, ProgramScene, Value
from instructions.questions.sets.families import cameras, distances, facing, sizes, times, walks, ways

_FAMILIES = (sizes, facing, distances, times, cameras, walks, ways)
SET_TYPES: Mapping[str, QuestionType] = {one.name: one for family in _FAMILIES for one in family.TYPES}
"""By name, family by family."""
_SPELLINGS = {spelling: one.name for one in SET_TYPES.values() for spelling in (one.name, *one.spellings)}
_IN_VSI = {
    "counting": "vsi_object_counting",
    "absolute_distance": "vsi_absolute_distance",
    "size_estimation": "vsi_object_size",
    "relative_distance": "vsi_relative_distance",
    "appearance_order": "vsi_appearance_order",
}


def analyse(kind: str, ids: Sequence[str], scene: ProgramScene, given: Given = Given()) -> Value:
    """The answer of a type's reference program, before any gate says whether the question may be asked.

    Args:
        kind: Name of a type.
        ids: Things in the order of its definition.
        scene: Where they are; `cameras[0]` is the view of a question about one image.
        given: What is asked for where the type leaves a choice.

    Raises:
        ValueError: For an unknown type or thing, a wrong number of things, or what has no answer.
    """
    found = SET_TYPES.get(kind)
    if found is None or found.reference is None:
        raise ValueError(f"no type {kind!r}; known: {', '.join(SET_TYPES)}")
    least, most = found.things
    if not least <= len(ids) <= most:
        raise ValueError(f"{kind} needs {least} to {most} things, got {len(ids)}")
    unknown = [one for one in ids if one not in scene.things]
    if unknown:
        raise ValueError(f"{kind}: the scene has no thing {unknown[0]}")
    return found.reference([scene.things[one] for one in ids], scene, given)


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
    return _IN_VSI.get(name or "", name) if medium == "vsi" else name

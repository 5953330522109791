"""How texts name things of known category, so that a reader can tell those of one kind apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from instructions.records import SceneObject


def name_objects(objects: Sequence[SceneObject]) -> tuple[SceneObject, ...]:
    """Fill `alias` and `ambiguous`.

    A thing that is alone of its category is called by it: `sofa`. Others get the shortest of these that no other thing
    of the scene could be called as well: with colour, with size, with both, and each of them with the room:
    `red chair`, `tall plant in the bedroom`. Where even the longest fits several, they are ambiguous.
    """
    forms = [_forms(thing) for thing in objects]
    could_be = Counter(form for own in forms for form in dict.fromkeys(own))
    out = []
    for thing, own in zip(objects, forms, strict=True):
        alone = next((form for form in own if could_be[form] == 1), None)
        out.append(replace(thing, alias=alone or own[-1], ambiguous=alone is None))
    return tuple(out)


def _forms(thing: SceneObject) -> list[str]:
    """Names from short to long; the longest is the last."""
    kind = thing.category or "object"
    words = [
        (kind,),
        (thing.color, kind),
        (thing.size_word, kind),
        (thing.size_word, thing.color, kind),
    ]
    plain = list(dict.fromkeys(" ".join(word for word in form if word) for form in words))
    if thing.room is None:
        return plain
    return [*plain, *(f"{form} in the {thing.room}" for form in plain)]

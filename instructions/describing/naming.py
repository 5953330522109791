"""How a thing of a view is called so that only it is meant; nothing, where no words single it out."""

from __future__ import annotations

import re
from functools import lru_cache

from instructions.asking.names import are_alike
from instructions.claims.view_judge import is_disputed
from instructions.facts.existence import judge_alone
from instructions.facts.things import Thing
from instructions.view import LEAST_DETECTION_SCORE, SeenThing, View
from instructions.wording.colors import COLORLESS, base_color, may_be_one_color
from instructions.wording.english import head_noun

SURFACES = re.compile(r"\b(?:(?:floor|wall|walls|ceiling|ground)(?= in the | of |$)|window light|reflection|shadow)\b")
"""What is no thing with a place of its own; a ceiling lamp is one."""


def base_colour(thing: Thing) -> str | None:
    """Its colour without `dark` and `light`."""
    return base_color(thing.color) if thing.color else None


def name_thing(view: View, thing: SeenThing) -> str | None:
    """A phrase without article that fits one thing of the view: `sofa`, else `red sofa`; None where none does.

    What the frame itself calls something else has no name, and what has no category only its alias.
    """
    if SURFACES.search(thing.alias) or is_disputed(view, thing):
        return None
    noun = thing.head
    alike = [
        (rival, colour) for name, rival, colour in _find_all(view) if name != thing.id and noun in (rival, "object")
    ]
    alike += [(noun, None) for other in view.things if other.id != thing.id and are_alike(thing, other)]
    colour = base_colour(thing)
    if thing.category is None:
        return thing.alias if not alike or not any(_may_be(colour, other) for _, other in alike) else None
    if judge_alone(thing.category, len(alike), is_detected=thing.is_detected).state:
        return thing.category
    if colour is not None and noun not in COLORLESS and not any(_may_be(colour, other) for _, other in alike):
        return f"{colour} {thing.category}"
    return None


def _may_be(colour: str | None, other: str | None) -> bool:
    return colour is None or other is None or may_be_one_color(colour, other)


@lru_cache(maxsize=4)  # of a view whose things are named one after the other
def _find_all(view: View) -> tuple[tuple[str | None, str, str | None], ...]:
    """Id, noun and colour of everything that the view shows or may show; what is no thing has no id."""
    out: list[tuple[str | None, str, str | None]] = [(one.id, one.head, base_colour(one)) for one in view.things]
    out += [(None, head_noun(one.label), None) for one in view.loose if one.score >= LEAST_DETECTION_SCORE]
    if view.has_pose and not view.is_exact:
        out += [(one.id, one.head, base_colour(one)) for one, _ in view.expected]
    return tuple(out)

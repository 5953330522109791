"""Words that say nothing, and names of things that mean the same."""

from __future__ import annotations

from instructions.wording.english import pluralize

_STOPS = (
    "a about all also an and any are as at be because been being but by can could did do does down each for from had "
    "has have he here how i if in into is it its many may might more most much no not of on or other out over she so "
    "some such than that the their them then there these they this those to up very was we were what when where which "
    "while who why will with would you"
)
STOP_WORDS = frozenset(_STOPS.split())
"""Articles, pronouns, prepositions, conjunctions, auxiliaries and question words."""
_SYNONYMS: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split(", "))
    for group in (
        "sofa, couch, settee, loveseat", "television, tv, television set", "refrigerator, fridge",
        "screen, monitor, display", "picture, painting, poster, photograph", "plant, potted plant, houseplant",
        "cabinet, cupboard", "trash can, bin, garbage can, waste bin, dustbin", "rug, carpet", "bookshelf, bookcase",
        "nightstand, bedside table, night table", "lamp, light", "stove, cooker, hob", "bag, handbag",
        "hall, hallway, corridor", "bathroom, washroom, restroom", "living room, lounge, sitting room",
        "person, human, man, woman", "laptop, notebook computer", "dresser, chest of drawers",
    )
)  # fmt: skip


def find_names(label: str) -> frozenset[str]:
    """A label and its synonyms, singular and plural, lower case with blanks between words."""
    label = label.lower().replace("_", " ")
    group = next((group for group in _SYNONYMS if label in group), frozenset({label}))
    return group | {pluralize(name) for name in group}

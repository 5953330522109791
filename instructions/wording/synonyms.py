"""Other words for things and rooms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

SYNONYMS: Mapping[str, str] = {
    "couch": "sofa", "settee": "sofa", "television": "tv", "refrigerator": "fridge", "bookcase": "bookshelf",
    "thing": "object", "item": "object", "grey": "gray", "big": "large", "huge": "large", "little": "small",
    "tiny": "small", "drapes": "curtain", "broad": "wide", "painting": "picture", "carpet": "rug",
}  # fmt: skip
"""By a word of a thing's name, the word that it is compared as."""
ROOM_WORDS: Mapping[str, Sequence[str]] = {
    "living room": ("living room", "lounge", "sitting room", "living area", "family room"),
    "kitchen": ("kitchen", "kitchenette", "galley kitchen"),
    "dining room": ("dining room", "dining area"),
    "bedroom": ("bedroom", "master bedroom", "guest bedroom"),
    "bathroom": ("bathroom", "bath", "washroom", "restroom", "shower room"),
    "hall": ("hall", "hallway", "corridor", "passageway"),
    "entrance": ("entrance hall", "foyer", "entryway", "vestibule", "entrance"),
    "study": ("study", "home office", "office", "den"),
    "laundry room": ("laundry room", "laundry", "utility room"),
    "closet": ("walk-in closet", "closet"),
    "garage": ("garage",),
    "balcony": ("balcony", "terrace", "patio", "deck"),
    "stairs": ("stairs", "staircase", "stairwell"),
    "basement": ("basement", "cellar"),
    "attic": ("attic", "loft"),
    "pantry": ("pantry", "larder", "storage room"),
    "nursery": ("nursery", "playroom", "kids room", "children's room"),
    "gym": ("gym",),
    "garden": ("garden", "yard", "backyard"),
    "pool": ("pool",),
    "library": ("library",),
    "toilet": ("toilet room", "powder room", "lavatory", "wc"),
}
"""Names of rooms by label. A label that a tour knows is a room even if it is not listed."""

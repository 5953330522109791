"""What words do in a text about a way: what they govern, follow and settle, and what is told of a thing by them."""

from __future__ import annotations

from collections.abc import Mapping

from instructions.records import Range
from instructions.truth.lexicon import Tag
from instructions.truth.told import ToldKind

RANGES: Mapping[Tag, Range] = {"near range": "near", "closer range": "closer", "further range": "further"}
THAN: Mapping[str, Range] = {
    **dict.fromkeys(("closer", "nearer"), "near"),
    **dict.fromkeys(("further", "farther", "away", "off", "distant"), "further"),
}
CIRCLES = ("circle", "circles", "circling")
OBJECT_KIND: dict[Tag | None, ToldKind] = {
    "pass": "pass",
    "approach": "approach",
    "to": "approach",
    "leave": "leave",
    "stop": "stop",
    "front": "front",
    "near": "near",
    "behind": "leave",
}
ROOM_KIND: dict[Tag | None, ToldKind] = {
    "into": "enter",
    "to": "enter",
    "approach": "enter",
    "stop": "room",
    "out of": "exit",
    "leave": "exit",
    "from": "exit",
}
STANDING_IN_FRONT = (
    "in front of",
    "directly in front of",
    "right in front of",
    "just in front of",
    "straight in front of",
)
STANDING_IN_FRONT += ("before", "right before", "opposite")
GOVERNS: tuple[Tag, ...] = ("pass", "approach", "to", "leave", "front", "near", "see", "hold", "into", "out of")
GOVERNS += ("from", "through", "behind", "stop")
FOLLOWS: tuple[Tag, ...] = ("pass", "approach", "front", "leave", "near", "behind")
TAKES_IT: tuple[Tag, ...] = ("pass", "approach", "front", "near", "stop", "leave", "to")
ROUND = ("around", "round")
"""After a verb of walking, these tell of a whole round or of a part of one."""
WALKED: tuple[Tag, ...] = ("walk", "back", "aside", "approach", "leave", "pass", "to")
"""After these a length is that of the walk; elsewhere it may be one of a thing, which texts may not give."""
PLACES: tuple[Tag, ...] = ("front", "behind", "near", "leave", "further range", "closer range")
SETTLES = frozenset({"sit", "sitting", "lie", "lying", "touch", "open", "climb"})
"""After `don't`: what nobody does on a walk."""
SIZES = frozenset(
    ["wide", "tall", "high", "long", "deep", "away", "apart", "of", "from", "off", "beyond", "across", "ahead"]
)
"""After a length: it is one of a thing, or between things."""
MOTIONS: tuple[Tag, ...] = ("walk", "back", "aside", "turn", "around", "circle", *GOVERNS)
WITNESSING = (None, "hold", "see")
VERBS_OF_BEING = ("is", "are", "will", "waits", "stands", "comes")

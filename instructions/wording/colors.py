"""Names of colors, and which of them one thing may have in different light."""

from __future__ import annotations

NAMES = ("black", "gray", "white", "red", "pink", "orange", "brown", "beige", "yellow", "green", "turquoise", "blue")
NAMES += ("purple",)
"""The palette that pixels are measured in."""
WORDS = frozenset({*NAMES, "grey"})
"""As texts write them, the British ones too, without `dark` and `light`."""
OPTIONS = ("red", "blue", "green", "white", "black", "yellow", "brown", "purple")
"""Wrong answers to a question about a color, where they are not near to the right one."""
COLORLESS = frozenset(
    {"plant", "window", "mirror", "screen", "tv", "picture", "painting", "poster", "lamp", "person"}
    | {"bookshelf", "book", "books", "whiteboard"}
)
"""Nouns of things of many colors, or of those of what they show or what shines through: no color tells which is
meant."""
_NEAR = (
    {"black", "gray", "blue", "brown"},
    {"white", "gray", "beige", "yellow"},
    {"brown", "beige", "orange", "red", "yellow"},
    {"red", "pink", "purple", "orange"},
    {"blue", "purple", "green", "gray", "turquoise"},
    {"yellow", "green"},
)
"""Colors that light and a camera turn into each other."""


def base_color(color: str) -> str:
    """The color without `dark` and `light`, in the spelling of `NAMES`; the empty text for the empty text."""
    return color.lower().split(" ")[-1].replace("grey", "gray")


def may_be_one_color(one: str, other: str) -> bool:
    """Whether a thing measured in one color may be of the other: the same, near it, or both too dark to say."""
    a, b = base_color(one), base_color(other)
    is_dark = all(color == "black" or color.startswith("dark ") for color in (one, other))
    return a == b or is_dark or any(a in group and b in group for group in _NEAR)

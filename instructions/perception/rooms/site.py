"""Where cameras and things of one model stand: in which place, and what form it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_NARROW_M = 2.13
"""Habitable rooms other than kitchens are at least 7 ft wide (International Residential Code R304.2)."""
_LARGE_M2 = 11.2
"""One room of a dwelling had to have 120 square feet (R304.1 until 2015): the living room."""
_LONG = 2.5
_MANY_DOORWAYS = 3
_PASSAGE_DOORWAYS = 2
_WALLED = 0.5
"""So much of a place's outline has to be seen for its form to be known."""
_ONE_ROOM_M2 = 30.0
"""Few rooms of homes are larger: living rooms average 17 to 25 m2 by decade of building. A larger floor without a door
is open plan, and so may be one whose walls were not seen."""


@dataclass(frozen=True)
class PlaceForm:
    """A part of the floor between doors. Lengths in metres, nominal ones where the model has no scale."""

    area_m2: float
    width_m: float
    """Of the widest circle on its floor."""
    walled: float
    """Share of its outline that stands at something that was seen, 0 to 1."""
    doorways: int
    """Openings out of it."""

    @property
    def is_one_room(self) -> bool:
        """Whether everything in it is in one room: one without a doorway was not seen well enough to have walls."""
        return self.walled >= _WALLED and self.area_m2 <= _ONE_ROOM_M2 and self.doorways > 0

    @property
    def forms(self) -> dict[str, bool]:
        """The forms of the table of rooms, and whether the place has them; none where its walls were not seen."""
        if not self.is_one_room:
            return {}
        return {
            "large": self.area_m2 >= _LARGE_M2,
            "narrow": self.width_m < _NARROW_M,
            "long": self.area_m2 > _LONG * self.width_m**2,
            "passage": self.width_m < _NARROW_M and self.doorways >= _PASSAGE_DOORWAYS,
            "many doorways": self.doorways >= _MANY_DOORWAYS,
        }


@dataclass(frozen=True)
class Site:
    """One model."""

    places: tuple[PlaceForm, ...]
    of_frame: Mapping[int, int]
    """Row of `places` by frame; frames in none are left out."""
    ahead_of_frame: Mapping[int, int]
    """The same for the spot that each frame looks at."""
    of_thing: Mapping[str, int]
    """By id of the object."""

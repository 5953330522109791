"""What a text says of rooms: which one enters, crosses, keeps to, or starts and ends in."""

from __future__ import annotations

from instructions.truth.clauses import Draft
from instructions.truth.governing import ROOM_KIND
from instructions.truth.moves import MoveReader
from instructions.truth.names import Item


class RoomReader(MoveReader):
    """Reads names of rooms by what governs them."""

    def _name_room(self, at: int, item: Item) -> None:
        if self._denied:
            return
        governor = self._clause.governor
        kind = ROOM_KIND.get(governor, "room")
        if kind == "enter" and "hold" in self._clause.tags:
            kind = "room"  # `staying inside the office`
        named = any(draft.room is not None and draft.rank == self._now for draft in self._drafts)
        if named and self._shift == 0.0:
            self._rank += 1.0  # `from the hall through the kitchen to the bath`
        opens = governor == "from" and self._opens(at)
        if opens or (governor == "from" and self._clause.governor_words.startswith(("start", "begin"))):
            kind = "room"
        draft = Draft(kind, self._add_governor(item.words), self._now, room=item.room, count=item.count)
        if self._side is not None and item.room is not None:  # `on the right is the kitchen`
            self._room_beside, self._side = (item.room, self._side), None
        last = self._drafts[-1] if self._drafts else None
        begins = last is not None and last.kind == "walk" and last.words.startswith(("start", "begin"))
        draft.is_listed = kind == "room" and (self._is_listed(at) or self._is_in_list(at))
        draft.is_start = opens or (kind == "room" and begins)
        is_part = at > 0 and self._items[at - 1].words == "of"  # `the end of the hall`
        draft.is_end = kind == "room" and "stop" in self._clause.tags and not is_part
        self._add(draft)

    def _is_in_list(self, at: int) -> bool:
        """`Bedroom, hall, bathroom: ...`: rooms and nothing else between commas, from the start of a sentence on."""
        start = at
        while start and self._items[start - 1].kind in ("room", "comma"):
            start -= 1
        opens = start == 0 or self._items[start - 1].kind == "stop"
        rooms = [one for one in self._items[start:at] if one.kind == "room"]
        is_followed = at + 2 < len(self._items) and self._items[at + 1].kind == "comma"
        return opens and (bool(rooms) or (is_followed and self._items[at + 2].kind == "room"))

    def _opens(self, at: int) -> bool:
        """Whether `from the hall,` opens the text: one is there then, and leaves it by what follows."""
        is_first = not self._drafts and self._clause.tags == ["from"]
        return is_first and at + 1 < len(self._items) and self._items[at + 1].kind == "comma"

    def _room_not_left(self, at: int) -> str | None:
        """The room of `never leave the kitchen`, `without getting out of the kitchen`."""
        following = [one for one in self._items[at + 1 : at + 4] if one.words not in ("get", "getting", "go", "going")]
        if len(following) < 2 or following[0].tag not in ("leave", "out of"):
            return None
        return following[1].room

"""Clauses and the order of time: what governs, what has been named, and when the text says that it happens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from instructions.records import Range, Side
from instructions.truth.lexicon import Tag
from instructions.truth.names import Item
from instructions.truth.told import Told, ToldKind

_OPENING = ("first", "firstly", "comes", "come")
"""Words before the first of a list."""


@dataclass(eq=False)
class Draft:
    """A statement being read; sides, sizes and kinds may still change."""

    kind: ToldKind
    words: str
    rank: float
    things: tuple[str, ...] = ()
    side: Side | None = None
    size: Literal["slight", "wide"] | None = None
    count: int | None = None
    room: str | None = None
    range: Range | None = None
    than: tuple[str, ...] = ()
    length_m: float | None = None
    governor: Tag | None = None
    is_round: bool = False
    is_loose: bool = False
    is_start: bool = False
    is_end: bool = False
    is_listed: bool = False
    is_walked: bool = False
    clause: Clause | None = None

    def told(self) -> Told:
        """As it was read in the end."""
        return Told(
            kind=self.kind,
            words=self.words.strip(),
            rank=self.rank,
            things=self.things,
            side=self.side,
            size=self.size,
            count=self.count,
            room=self.room,
            range=self.range,
            than=self.than,
            length_m=self.length_m,
            is_round=self.is_round,
            is_loose=self.is_loose,
            is_start=self.is_start,
            is_end=self.is_end,
            is_listed=self.is_listed,
            is_walked=self.is_walked,
        )


@dataclass(eq=False)
class Clause:
    """What has been read since the last boundary."""

    governor: Tag | None = None
    governor_words: str = ""
    tags: list[Tag] = field(default_factory=list)
    named: list[Draft] = field(default_factory=list)
    unsided: list[Draft] = field(default_factory=list)
    turn: Draft | None = None
    size: Literal["slight", "wide"] | None = None
    starts: bool = False
    """It tells where the way starts."""


class ClauseState:
    """Where in a text the reader is. Ranks grow with the time told, not with the words."""

    def __init__(self, items: Sequence[Item], as_turns: frozenset[int] = frozenset()):
        self._items = items
        self._as_turns = as_turns
        """Places of sides that are to be taken for turns."""
        self.bare_sides: list[int] = []
        """Places of sides that were given to things, and may as well be turns."""
        self._drafts: list[Draft] = []
        self._added: list[list[Draft]] = [[]]
        """By sentence, what was read in it; some of it may be dropped later."""
        self._clause = Clause()
        self._rank = 0.0
        self._shift = 0.0
        self._bump_at_comma = False
        self._side: Side | None = None
        self._last_side: Side | None = None
        self._range: Draft | None = None
        self._than: Draft | None = None
        self._last_thing: Draft | None = None
        self._boundary = "start"
        self._sentence_began = 0
        self._denied = False
        self._room_beside: tuple[str, Side] | None = None

    @property
    def _now(self) -> float:
        return self._rank + self._shift

    @property
    def _begins_clause(self) -> bool:
        return self._boundary in ("start", "then", "comma", "and") and not self._clause.tags

    def _end_sentence(self) -> None:
        self._rank += 3.0
        self._shift = 0.0
        self._bump_at_comma = False
        self._side = None
        self._range = self._than = None
        self._clause = Clause()
        self._boundary = "start"
        self._sentence_began = len(self._drafts)
        self._added.append([])
        self._denied = False

    def _end_clause(self, boundary: str) -> None:
        """A comma or `and`: what governs goes on governing a list, the rest begins anew."""
        old = self._clause
        governor, words = (None, "") if old.governor == "turn" else (old.governor, old.governor_words)
        self._clause = Clause(governor=governor, governor_words=words, tags=[])
        self._clause.unsided = [one for one in old.unsided if one.kind not in ("front", "end facing")]
        self._boundary = boundary
        self._denied = False
        if boundary == "comma":
            if self._shift > 0.0:  # the end of `before ...,`: what follows happens first
                self._shift, self._boundary = 0.0, "before"
            elif self._bump_at_comma:
                self._rank += 1.0
                self._shift = 0.0
            self._bump_at_comma = False

    def _new_clause(self, boundary: str) -> None:
        self._clause = Clause()
        self._boundary = boundary
        self._denied = False

    def _govern(self, tag: Tag | None, words: str) -> None:
        self._clause.governor, self._clause.governor_words = tag, words

    def _add(self, draft: Draft) -> None:
        draft.is_loose = self._shift > 0.0
        self._drafts.append(draft)
        self._added[-1].append(draft)

    def _is_named_since(self, turn: Draft) -> bool:
        return any(self._drafts.index(named) > self._drafts.index(turn) for named in self._clause.named)

    def _connect(self, at: int, item: Item, tag: Tag) -> None:
        is_first = len(self._drafts) == self._sentence_began
        if tag == "after" and self._next_is_it(at) and self._clause.named and self._ends_at(at + 2):
            self._rank += 1.0  # `the sofa first and the lamp after it`
            self._clause.named[-1].rank = self._now
        elif tag == "after" and self._next_is_it(at):
            governor, words = self._clause.governor, self._clause.governor_words
            self._rank += 1.0
            self._shift = 0.0
            self._new_clause("then")
            if at + 2 < len(self._items) and self._items[at + 2].kind in ("thing", "unknown"):
                self._govern(governor, words)  # `past the sofa and after it the lamp`
        elif tag == "and":
            self._end_clause("but" if item.words == "but" else "and")
        elif tag == "then" or tag == "until":
            self._rank += 1.0
            self._shift = 0.0
            governor, words = self._clause.governor, self._clause.governor_words
            self._new_clause("then")
            if tag == "then" and self._next_is_name(at):  # `past the sofa, then the lamp`
                self._govern(governor, words)
        elif tag == "while":
            if is_first:
                self._bump_at_comma = False
            self._new_clause("while")
        elif tag == "before":
            if is_first or self._begins_clause:
                self._shift = 0.5
            else:
                self._rank += 1.0
            self._new_clause("before")
        elif tag == "after":
            begins = is_first or self._begins_clause
            if self._boundary == "but" or not begins:
                self._shift = -0.5
            else:
                self._bump_at_comma = True
            self._new_clause("after")

    def _begin_motion(self, tag: Tag) -> None:
        """The first verb after a boundary is the next thing that happens."""
        if self._clause.tags:
            return
        is_subject_standing = tag == "stop" and bool(self._clause.named)  # `a fridge stands to the left`
        is_subject_standing |= tag == "pass" and bool(self._clause.named)  # `a shelf goes by on the left`
        if (
            tag not in ("see", "hold", "near", "to", "through")
            and self._boundary != "which"
            and not is_subject_standing
        ):
            self._clause.unsided = []
        if self._boundary in ("start", "then", "while", "before", "after", "which"):
            return
        if self._shift < 0.0:  # the end of `..., after ...`
            self._shift = 0.0
        if tag in ("see", "hold", "near", "to", "through") and self._boundary == "comma":
            return
        if self._drafts and self._shift >= 0.0:
            self._rank += 1.0

    def _is_listed(self, at: int) -> bool:
        """Whether a name is one of a list of what one comes to, without a verb: `first a sofa, then a lamp`."""
        before = self._items[at - 1] if at else None
        opens = before is not None and before.words in _OPENING and self._boundary == "start"
        goes_on = before is not None and before.tag == "then" and bool(self._drafts)
        if self._clause.tags or not (opens or goes_on):
            return False
        for item in self._items[at + 1 :]:
            if item.kind in ("stop", "comma") or item.tag in ("and", "then"):
                return True
            if item.tag not in (None, "left", "right", "middle", "hold", "front", "through") or item.kind == "unknown":
                return False
        return True

    def _next_tag(self, at: int) -> Tag | None:
        return self._items[at + 1].tag if at + 1 < len(self._items) else None

    def _ends_at(self, at: int) -> bool:
        return at >= len(self._items) or self._items[at].kind in ("stop", "comma") or self._items[at].tag == "and"

    def _next_is_it(self, at: int) -> bool:
        return at + 1 < len(self._items) and self._items[at + 1].words in ("it", "them", "this", "these")

    def _next_is_name(self, at: int) -> bool:
        return at + 1 < len(self._items) and self._items[at + 1].kind in ("thing", "unknown")

    def _name_ahead(self, at: int) -> bool:
        """Whether a name follows before the next boundary."""
        for item in self._items[at + 1 :]:
            if item.kind in ("stop", "comma") or item.tag in ("and", "then", "while", "until", "before", "after"):
                return False
            if item.kind in ("thing", "unknown", "room"):
                return True
        return False

    def _add_governor(self, words: str) -> str:
        return f"{self._clause.governor_words} {words}".strip()

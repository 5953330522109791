"""Which turn or which thing a `left` or `right` belongs to."""

from __future__ import annotations

from instructions.records import Side
from instructions.truth.clauses import ClauseState, Draft
from instructions.truth.lexicon import Tag


class SideReader(ClauseState):
    """Gives each side to what it stands with."""

    def _read_side(self, at: int, tag: Tag) -> None:
        if self._denied:
            return
        side: Side = "left" if tag == "left" else "right"
        self._last_side = side
        if self._is_relation(at):
            self._side = "right" if side == "left" else "left"
            if self._clause.governor not in ("pass", "hold"):
                self._govern("pass", f"to the {side} of")
            return
        if at in self._as_turns:
            self._begin_motion("turn")
            self._govern(None, "")
            self._turn_by_going(side)
            self._clause.tags.append("turn")
            return
        count = sum(one.kind == "turn" for one in self._drafts)
        self._settle_side(at, tag, side)
        if sum(one.kind == "turn" for one in self._drafts) == count and self._may_be_turn(at):
            self.bare_sides.append(at)

    def _turn_that_way(self) -> None:
        """`The kitchen is on your right; turn that way`: to the side that was told last."""
        turn = self._clause.turn
        if turn is not None and turn.side is None and self._last_side is not None:
            turn.side, turn.words = self._last_side, f"{turn.words} {self._last_side}"

    def _may_be_turn(self, at: int) -> bool:
        """Whether a side stands without what makes it the place of something: `on the left`, `left-hand side`."""
        following = self._items[at + 1].words if at + 1 < len(self._items) else ""
        is_noun = following in ("side", "hand") or self._items[at].words.endswith(("-hand", "-side"))
        return not is_noun and self._prefix(at) not in ("on", "at", "to", "from") and self._clause.turn is None

    def _settle_side(self, at: int, tag: Tag, side: Side) -> None:
        turn = self._clause.turn
        if self._is_bare_turn(at) or self._is_listed_turn(at) or self._is_walked(at) or self._is_elliptic_turn(at):
            self._turn_by_going(side)
            return
        is_on = self._prefix(at) in ("on", "at")
        if is_on and self._drafts and self._drafts[-1].room is not None and not self._clause.unsided:
            self._turn_into(side)
            return
        if self._is_alone(at) or self._is_noun(at):
            self._begin_motion("turn")
            self._turn_by_going(side)
            return
        if is_on and (self._clause.unsided or turn is None or self._name_ahead(at)):
            self._give_side(side)
        elif turn is not None and turn.side is None and not self._is_named_since(turn):
            for one in self._drafts[self._sentence_began :]:
                if one.kind == turn.kind and one.side is None and one.words == turn.words and one is not turn:
                    one.side, one.words = side, f"{one.words} {side}"  # `two turns to the left`
            turn.side, turn.words = side, f"{turn.words} {side}"
            if self._clause.governor == "to":  # of `turn to the left`: what follows is not gone to
                self._govern("turn", turn.words)
        elif self._next_tag(at) in ("turn", "circle", "around"):
            self._side = side
        elif self._clause.unsided:
            self._give_side(side)
        elif self._clause.governor in ("hold", "pass", "see", "near") and self._name_ahead(at):
            self._side = side
        elif self._clause.tags == ["to"] and len(self._drafts) == self._sentence_began:
            self._side = side  # `to the left, there is a ...`
        elif self._clause.tags or (self._boundary == "then" and self._drafts):
            self._turn_by_going(side)
        else:
            self._side = side

    def _is_bare_turn(self, at: int) -> bool:
        """`Left at the painting`: a side that begins a sentence."""
        begins = at == 0 or self._items[at - 1].kind == "stop"
        return begins and at + 1 < len(self._items) and self._items[at + 1].words == "at"

    def _is_listed_turn(self, at: int) -> bool:
        """`Two turns: first to the right, then to the left`."""
        is_announced = any(one.words in ("turns", "corners", "bends") for one in self._items[:at])
        is_announced |= any(one.kind == "turn" and one.side is not None for one in self._drafts[self._sentence_began :])
        return is_announced and self._prefix(at) == "to" and self._clause.tags == ["to"] and not self._name_ahead(at)

    def _is_alone(self, at: int) -> bool:
        """`Down the hallway, right, and straight on`: a side that is all of its clause, and that no thing waits for."""
        earlier = [
            one
            for one in self._items[max(at - 3, 0) : at]
            if one.tag not in ("slight", "wide") and one.words not in ("first", "firstly", "later", "again")
        ]
        before = earlier[-1] if earlier else None
        begins = before is None or before.kind in ("comma", "stop") or before.tag in ("then", "and")
        if not begins or self._clause.tags:
            return False
        if self._clause.size is not None and self._ends_at(at + 1):  # `past the shelf, slightly right, to the sofa`
            return True
        if self._next_tag(at) == "after":  # `left once you are past the shelf`
            return True
        is_end = self._ends_at(at + 1) or self._next_tag(at) == "then"
        return is_end and not self._clause.unsided

    def _is_second_turn(self, at: int) -> bool:
        """`Turn left after the bench and right after the shelf`: no `immediately`, but a turn without its verb."""
        is_turned = any(one.kind == "turn" and one.side == "left" for one in self._drafts[self._sentence_began :])
        begins = self._boundary == "and" and not self._clause.tags and self._next_tag(at) == "after"
        return is_turned and begins and not self._next_is_it(at + 1)

    def _is_noun(self, at: int) -> bool:
        """`A slight left takes you into the kitchen`."""
        before = [one for one in self._items[max(at - 2, 0) : at] if one.tag not in ("slight", "wide")]
        is_article = bool(before) and before[-1].words in ("a", "another", "one")
        is_subject = at + 1 < len(self._items) and self._items[at + 1].words in ("takes", "brings", "leads", "one")
        return is_article and is_subject and self._clause.turn is None

    def _is_walked(self, at: int) -> bool:
        """`At the armchair go left`: the side stands right after a verb of walking, whatever was named before."""
        return at > 0 and self._items[at - 1].tag == "walk" and bool(self._clause.named) and not self._name_ahead(at)

    def _is_elliptic_turn(self, at: int) -> bool:
        """`Take a right and, later, a left`: the second turn has no verb."""
        is_turned = any(one.kind == "turn" for one in self._drafts[self._sentence_began :])
        is_alone = at > 0 and self._items[at - 1].words == "a" and self._ends_at(at + 1)
        return is_turned and is_alone and self._clause.turn is None

    def _turn_into(self, side: Side) -> None:
        """`Go into the kitchen on your right`: a turn that the sentence does not tell otherwise."""
        room, told = self._drafts[-1], self._drafts[self._sentence_began :]
        if room.kind == "room" and room.room is not None:
            self._room_beside = room.room, side
        if room.kind in ("enter", "exit") and not any(one.kind in ("turn", "around", "circle") for one in told):
            words = f"{room.words} ({side})"
            began = min(one.rank for one in told)  # somewhere on the way there
            self._add(Draft("turn", words, began, side=side, governor="turn"))

    def _enter_beside(self, tag: Tag) -> None:
        """Into the room that was told to be on a side: that is a turn to that side, told otherwise or not."""
        if self._room_beside is None:
            return
        (room, side), self._room_beside = self._room_beside, None
        turn = self._clause.turn
        if turn is not None and turn.side is None:
            turn.side = side
        elif not any(one.kind == "turn" for one in self._drafts[self._sentence_began :]):
            self._add(Draft("turn", f"{room} ({side})", self._now, side=side, governor="turn"))
        self._add(Draft("enter", f"into the {room}", self._now, room=room, governor=tag))

    def _turn_by_going(self, side: Side) -> None:
        """`Go left`, `head to the right`; for a side step the side of the step."""
        last = self._drafts[-1] if self._drafts else None
        if last is not None and last.kind == "aside":
            last.side, last.words = side, f"{last.words} {side}"
            return
        if last is not None and last.kind == "walk" and last.rank == self._now:
            self._drafts.remove(last)
        draft = Draft("turn", self._add_governor(side), self._now, side=side, size=self._clause.size, governor="turn")
        self._add(draft)
        self._clause.turn = draft

    def _give_side(self, side: Side) -> None:
        if not self._clause.unsided:
            self._side = side
            return
        mine = [draft for draft in self._clause.unsided if draft in self._clause.named]
        for draft in mine if mine and self._boundary == "comma" else self._clause.unsided:
            draft.side = side
            self._take_side(draft)
        self._clause.unsided = []
        if self._clause.governor == "to":  # of `to the left`: what follows is not gone to
            self._govern(None, "")

    def _take_side(self, draft: Draft) -> None:
        """Things left, seen or met on a side are told by their side."""
        draft.words = f"{draft.words} ({draft.side})"
        if draft.kind == "leave":
            draft.kind = "pass"
        elif draft.kind == "approach" and self._boundary == "comma" and len(self._clause.tags) == 0:
            draft.kind = "side"  # `towards the table, the sofa on your left`
        elif draft.kind in ("see", "near", "front", "end facing"):
            draft.kind = "side"

    def _is_relation(self, at: int) -> bool:
        """`to the left of the sofa`."""
        position = at + 1
        while position < len(self._items) and self._items[position].words in ("side", "hand"):
            position += 1
        is_of = position < len(self._items) and self._items[position].words == "of"
        return is_of and position + 1 < len(self._items) and self._items[position + 1].kind == "thing"

    def _prefix(self, at: int) -> str:
        for item in reversed(self._items[max(0, at - 4) : at]):
            if item.words not in ("the", "your", "its", "our", "my", "far", "immediate"):
                return item.words.split()[-1]
        return ""

    def _previous_is_side(self, at: int) -> bool:
        return at > 0 and self._side is not None and self._items[at - 1].tag in ("left", "right")

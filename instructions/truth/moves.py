"""Which turns, circles and walks a text tells: of what size and to which side, and which words only repeat them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from instructions.records import Side
from instructions.truth.clauses import Draft
from instructions.truth.governing import WITNESSING
from instructions.truth.lexicon import NUMBERS, Tag, find_turn_size
from instructions.truth.sides import SideReader
from instructions.truth.told import ToldKind

LOOKS = (
    "look",
    "looks",
    "looking",
    "glance",
    "glances",
    "glancing",
    "peer",
    "gaze",
    "peek",
    "peeks",
    "peeking",
    "pan",
    "pans",
    "panning",
)
_LOOKING = frozenset((*LOOKS, "peers", "gazes"))
LASTING = frozenset({"curve", "curves", "curving", "circle", "circling", "loop", "keep", "keeps", "keeping"})
"""Words of turning that goes on, however far."""
RETURNS = frozenset(
    f"{verb}{back}"
    for verb, backs in (
        ("", ("there and back", "back to where", "straight back", "back again", "and back", "the way back")),
        ("", ("come back", "comes back", "coming back", "came back")),
        ("return", (" to where", " to the start")),
        ("returns", (" to where", " to the start")),
        ("returning", (" to where", " to the start")),
        ("come", (" straight back", " back to where")),
        ("comes", (" straight back", " back to where")),
        ("coming", (" straight back", " back to where")),
    )
    for back in backs
)
"""Words of going where one came from: on a way without a turn around or a round told before, that is one."""
_LONG_TURNS = ("round", "curve", "arc", "bend", "the curve", "the bend")
CLOCKWISE: Mapping[str, Side] = {"clockwise": "right", "counterclockwise": "left", "anticlockwise": "left"}


def is_look(words: str) -> bool:
    """Whether words of a turn tell that the view alone turns, as a head does."""
    return not _LOOKING.isdisjoint(words.split()) or " head" in words


class MoveReader(SideReader):
    """Reads how the walk goes and turns."""

    def _read_turn(self, at: int, tag: Tag, words: str) -> None:
        turn = self._clause.turn
        told = self._drafts[self._sentence_began :]
        if tag == "circle" and any(one.kind == "circle" for one in told) and not self._clause.tags:
            return  # `follow a circle around the table, 360 degrees`
        if tag == "circle" and (lasting := self._find_lasting_turn()) is not None:
            lasting.kind, lasting.words = "circle", f"{lasting.words} {words}"
            return  # `keep turning left around the table, one full round`
        is_turned = any(draft.kind == "around" for draft in self._drafts)
        if words in RETURNS and (self._last_looks() or any(one.kind in ("around", "circle") for one in self._drafts)):
            return  # `turn around and return to where you began`
        if words.split()[0].endswith("ing") and (lap := self._find_lap()) is not None:
            self._clause.turn = lap  # takes the side
            return  # `walk round the table, turning left all the time`
        if tag == "around" and is_turned and (self._drafts[-1].kind == "around" or words.startswith("the way ")):
            return  # `turn about and look the other way`, `turn around and go back the way you came`
        if turn is not None and not self._is_named_since(turn):
            if words in _LONG_TURNS and "bear" in turn.words:
                turn.size = None  # to bear is slight; to bear round, or in a long curve, is not
            if tag != "turn":
                turn.kind = "around" if tag == "around" else "circle"
            turn.words = f"{turn.words} {words}"
            return
        kind: ToldKind = "turn" if tag == "turn" else "around" if tag == "around" else "circle"
        side = self._side if self._previous_is_side(at) and words not in RETURNS else None
        size = self._clause.size or (find_turn_size(words) if kind == "turn" else None)
        if words in ("arc", "curve", "curves", "bend", "bends") and size == "slight":
            size = None  # a gentle arc may be long
        draft = Draft(kind, words, self._now, side=side, size=size, governor=tag)
        if self._sums_up(at, words):
            draft.rank = min(one.rank for one in self._drafts[self._sentence_began :])
        if side is not None:
            draft.words = f"{side} {words}"
            self._side = None
        if words.split()[0] in CLOCKWISE:
            draft.side = CLOCKWISE[words.split()[0]]
        self._add(draft)
        self._clause.turn = draft
        if self._clause.governor not in ("hold",):
            self._govern("turn", words)
        times = self._number_before(at)
        if times is not None:
            self._repeat(times - 1)

    def _find_lap(self) -> Draft | None:
        """A round about a thing that the sentence tells last and that has no sense yet."""
        told = self._drafts[self._sentence_began :]
        return told[-1] if told and told[-1].is_round and told[-1].side is None else None

    def _find_lasting_turn(self) -> Draft | None:
        """A turn of this sentence that is told to go on: a round told after it says how far."""
        turns = (one for one in self._drafts[self._sentence_began :] if one.kind == "turn" and one.side is not None)
        return next((one for one in turns if LASTING.intersection(one.words.split())), None)

    def _read_walk(self, at: int, tag: Tag, words: str) -> None:
        if tag == "back" and words.endswith(" back") and self._is_return(at):
            tag = "walk"
        ahead = words in ("straight ahead", "directly ahead")
        if ahead and self._clause.named and self._clause.named[-1].governor in WITNESSING:
            self._clause.named[-1].kind = self._front_kind()
            return
        kind: ToldKind = "back" if tag == "back" else "aside" if tag == "aside" else "walk"
        last = self._drafts[-1] if self._drafts else None
        if kind != "walk" and last is not None and last.kind == "walk" and last.rank == self._now:
            self._drafts.remove(last)  # `walk backwards` is no walk ahead
            words = f"{last.words} {words}"
        self._add(Draft(kind, words, self._now, governor=tag))
        self._clause.starts |= words.startswith(("start", "begin"))
        self._govern(tag, words)

    def _is_return(self, at: int) -> bool:
        """Whether `walk back` is a walk the other way, rather than one backwards."""
        turns = [draft for draft in self._drafts[self._sentence_began :] if draft.kind == "turn"]
        if turns and turns[-1].side is None and turns[-1].words.startswith("turn"):
            turns[-1].kind = "around"  # `turn and walk back`
        return self._next_tag(at) in ("to", "approach", "pass", "into", "through") or any(
            draft.kind in ("around", "circle") for draft in self._drafts
        )

    def _last_looks(self) -> bool:
        """Whether the turn told last is one of the view alone, in this sentence or the one before."""
        turns = [draft for draft in self._drafts if draft.kind in ("turn", "around", "circle")]
        if turns and any(draft.kind == "walk" for draft in self._drafts[self._drafts.index(turns[-1]) :]):
            turns = [draft for draft in turns if draft in self._drafts[self._sentence_began :]]
        return bool(turns) and is_look(turns[-1].words)

    def _set_size(self, size: Literal["slight", "wide"]) -> None:
        turn = self._clause.turn
        if turn is not None and size == "slight" and turn.words in ("bends", "curves"):
            return  # `the path bends gently through a right angle`
        if turn is not None and not self._is_named_since(turn):
            turn.size = size
        else:
            self._clause.size = size

    def _repeat(self, times: int) -> None:
        """`turn left twice`."""
        turns = [draft for draft in self._drafts if draft.kind in ("turn", "around", "circle")]
        for _ in range(times):
            if turns:
                one = turns[-1]
                self._rank += 1.0
                copy = Draft(one.kind, one.words, self._now, side=one.side, size=one.size, governor=one.governor)
                self._add(copy)
                self._clause.turn = copy

    def _number_before(self, at: int) -> int | None:
        for item in reversed(self._items[max(0, at - 3) : at]):
            if item.tag in ("left", "right"):  # `two left turns`
                continue
            if item.kind != "word" or item.words == "rooms":  # the number is of something else
                return None
            if 2 <= NUMBERS.get(item.words, 0) <= 4:
                return NUMBERS[item.words]
        return None

    def _read_clockwise(self, words: str) -> None:
        circles = [draft for draft in self._drafts[self._sentence_began :] if draft.kind == "circle"]
        if circles:
            circles[-1].side = CLOCKWISE[words]
        else:
            self._add(Draft("circle", words, self._now, side=CLOCKWISE[words], governor="circle"))

    def _sums_up(self, at: int, words: str) -> bool:
        """`Go into the kitchen and stop by the sink, turning right once`: a turn on the way that was just told."""
        told = self._drafts[self._sentence_began :]
        before = self._items[at - 1] if at else None
        is_aside = words.split()[0].endswith("ing") and before is not None and before.kind == "comma"
        is_there = any(one.kind in ("stop", "enter", "end facing") for one in told)
        is_means = any(one.words in ("by", "with") for one in self._items[max(at - 3, 0) : at])
        return is_there and (is_means or (is_aside and not self._names_follow(at)))

    def _names_follow(self, at: int) -> bool:
        """Whether anything is named before the next comma."""
        for item in self._items[at + 1 :]:
            if item.kind in ("stop", "comma"):
                return False
            if item.kind in ("thing", "room", "unknown"):
                return True
        return False

    def _front_kind(self) -> ToldKind:
        return "end facing" if "stop" in self._clause.tags else "front"

"""The words that say something in a text about a way: what a reworded text has to tell of each claim, and may tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from instructions.claims.words import ClaimWords, ToldClaim
from instructions.records import Claim
from instructions.tour import Tour
from instructions.wording.colors import WORDS as COLORS
from instructions.wording.english import NUMBER_WORDS, head_noun
from instructions.wording.synonyms import ROOM_WORDS


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_GROUPS = tuple(
    _words(words)
    for words in (
        "left", "right", "middle center centre", "ahead front", "around",
        "back backward backwards", "sidestep sidesteps sideways aside",
        "near nearby close", "far distant", "another", "few couple",
        "meter meters metre metres", "dark", "light bright pale", "tall high", "low short", "large big", "small little",
        "wide broad", "narrow", "long", "round", "square", "slight slightly", "sharp sharply", "half",
        "quarter quarters", *sorted(COLORS - {"gray", "grey"}), "gray grey", *NUMBER_WORDS[2:],
    )
)  # fmt: skip
"""Words of one meaning: a text that has one of them has one of them in the words of its claim, and the other way."""
_TURN = _words("turn turns turning turned pivot pivots swing swings veer veers bear bears rotate rotates pan pans")
_STOP = _words("stop stops stopping stopped halt halts end ends ending finish finishes arrive arrives")
_PASS = _words("past pass passes passing passed")
_ENTER = _words("enter enters entering entered into")
_LEAVE = _words("leave leaves leaving exit exits exiting out")
_FACE = _words("face faces facing see sees seeing visible look looks looking")
_REACH = _words("towards toward approach approaches approaching reach reaches reaching")
_MOVES = {
    "turn": _TURN, "look": _FACE | _TURN, "pass": _PASS, "enter": _ENTER, "exit": _LEAVE, 
    "approach": _REACH, "stop_at": _STOP, "see": _FACE, "visible": _FACE,
}  # fmt: skip
"""By kind of claim, the words that may tell what happens."""
_NEEDED = ("turn", "pass", "enter", "exit", "stop_at")
"""Kinds that a text tells by one of these words, or not at all."""
FREE = _words("on moves head heads headed continue continues continuing proceed proceeds continued")
"""Words of plain walking, which a text about a way may use as it likes."""
TELLING = frozenset().union(*_GROUPS, *_MOVES.values())


def find_way_words(tour: Tour) -> ClaimWords:
    """What the things and rooms of a tour are called."""
    nouns = {word for one in tour.objects for word in (one.category, head_noun(one.alias)) if word}
    rooms = {form: room for room, forms in ROOM_WORDS.items() for form in (room, *forms) if form not in nouns}
    own = {span.room: span.room for span in tour.rooms}
    return ClaimWords({**rooms, **own, **{noun: noun for noun in sorted(nouns)}}, TELLING, FREE)


def list_told(claims: Sequence[Claim], words: ClaimWords) -> list[ToldClaim]:
    """What a text has to tell of each claim of our own text, and may tell; of the last one also that the way ends."""
    before = [None, *(one.kind for one in claims)]
    told = [_tell(one, words, is_new=one.kind != kind) for one, kind in zip(claims, before[:-1], strict=True)]
    return [*told[:-1], *(replace(one, may=one.may | _STOP) for one in told[-1:])]


def _tell(claim: Claim, words: ClaimWords, *, is_new: bool) -> ToldClaim:
    """The words of a claim; what one does again (`past the sofa and past the bed`) is told once."""
    things, told = words.find_told(claim.text)
    moves = _MOVES.get(claim.kind, frozenset())
    groups = [group for group in _GROUPS if not group.isdisjoint(told)]
    needs = [*groups, *([moves | _spoken(told)] if is_new and claim.kind in _NEEDED else [])]
    return ToldClaim(tuple(things), tuple(needs), moves.union(told, *groups))


def _spoken(told: Sequence[str]) -> frozenset[str]:
    """Words of moves that the claim's own text has."""
    return frozenset(told).intersection(frozenset().union(*_MOVES.values()))

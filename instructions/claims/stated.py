"""Claims as a language model states them beside its text: by the number of each thing, so that nothing has to be read.

A claim is judged by whoever knows the place (`KnownPlace.judge`); that the text tells it is a question to its words
(`words`), and to a second reading by the model (`entailment`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import BaseModel, ConfigDict, Field

from instructions.claims.view_claims import State, ViewClaim, ViewClaimKind
from instructions.claims.words import ClaimWords, ToldClaim
from instructions.wording.colors import WORDS as COLORS
from instructions.wording.english import NUMBER_WORDS, number_of, with_article
from instructions.wording.synonyms import ROOM_WORDS, SYNONYMS


class StatedClaim(BaseModel):
    """One claim of a reply."""

    model_config = ConfigDict(extra="forbid")
    says: ViewClaimKind
    thing: int | None = Field(default=None, ge=0)
    """By its number; None for what is not there, and for the room of the place itself."""
    other: int | None = Field(default=None, ge=0)
    """What the thing is compared with."""
    value: str | float | None = None
    """A side, color, room or kind that is not there; a number; a length in meters."""
    denied: bool = False


@dataclass(frozen=True)
class Fault:
    """Why a text cannot stay: a code of `FAULTS` and what is wrong in words."""

    code: str
    words: str


FAULTS = {
    "false_claim": "geometry contradicts it",
    "unknown_claim": "nobody knows whether it is so, or which thing is meant",
    "other_words": "its words tell something that no claim states, or leave a claim out",
    "other_meaning": "a second reading says that it does not tell its claims, or tells more",
}


@dataclass(frozen=True)
class NumberedThing:
    """A thing as a prompt numbers it."""

    id: str
    kind: str
    phrase: str | None
    """Words that mean it alone, without article, or its mark (`[0]`); None where nothing does."""

    @property
    def is_marked(self) -> bool:
        """Whether texts name it by its mark only."""
        return self.phrase is not None and self.phrase.startswith("[")


@dataclass(frozen=True, eq=False)
class KnownPlace:
    """A view or a cloud, as claims are about it."""

    things: Sequence[NumberedThing]
    """By number."""
    kinds: frozenset[str]
    """Kinds that a text may name, there or not."""
    judge: Callable[[ViewClaim], tuple[State, str]]
    """Whether a claim holds, and the numbers behind it."""
    rooms: frozenset[str] = frozenset()
    """Rooms of the tour; those that everybody knows may be named besides."""


_PLAIN: Mapping[str, tuple[str, str, str]] = {
    "left of": ("to the left of", "left", ""),
    "right of": ("to the right of", "right", ""),
    "nearer": ("nearer than", "nearer nearest closer closest first sooner", "farther further"),
    "farther": ("farther away than", "farther farthest further furthest", "nearer closer"),
    "in front of": ("in front of", "front", ""),
    "behind": ("behind", "behind", ""),
    "on": ("on", "on upon atop top", "carries carry carrying supports support supporting holds hold holding bears"),
    "under": ("under", "under underneath beneath below", ""),
    "above": ("above", "above over", ""),
    "below": ("below", "below under underneath beneath", ""),
    "next to": ("next to", "next beside near close alongside adjacent", ""),
    "larger": ("larger than", "larger largest bigger biggest", "smaller"),
    "smaller": ("smaller than", "smaller smallest", "larger bigger"),
    "taller": ("taller than", "taller tallest higher highest", "shorter lower"),
    "shorter": ("shorter than", "shorter shortest lower lowest", "taller higher"),
    "wider": ("wider than", "wider widest broader", "narrower"),
    "narrower": ("narrower than", "narrower narrowest", "wider broader"),
}
"""Relations of two things: how a statement says them, their words, and words that say them the other way round."""
_SAID = {
    "distance": "about {value:g} meters away",
    "height": "about {value:g} meters tall",
    "gap": "about {value:g} meters from {b}",
}
"""What a statement says of a thing, besides relations; any other claim says its value."""
_BESIDES = {"left of": "on", "right of": "on", "next to": "right", "on": ""}
_SIDES = {"left": "left", "right": "right", "middle": "middle center centre ahead"}
_NUMBERED, _WORDED = ("count", "distance", "height", "gap"), ("side", "color", "kind", "room")
"""Claims with a number, and with a word."""
_ABOUT = frozenset({"about", "roughly", "approximately"})
_METERS = frozenset({"m", "meter", "meters", "metre", "metres"})
_HIGH = frozenset({"tall", "high"})
_SHADES = frozenset({"dark", "light", "bright", "pale"})
_NUMBERS = frozenset(NUMBER_WORDS[2:]) | {"zero", "half", "dozen", "pair", "couple", "both", "hundred"}
TELLING = (
    frozenset(word for _, words, turned in _PLAIN.values() for word in f"{words} {turned}".split())
    | {word for words in _SIDES.values() for word in words.split()} | _ABOUT | _METERS | _HIGH | _SHADES
    | COLORS | _NUMBERS
)  # fmt: skip
"""Words that no text about a place says without a claim; so are digits and denials."""


@dataclass(frozen=True, eq=False)
class PlaceClaims:
    """The claims that texts about a place may state."""

    place: KnownPlace
    free: frozenset[str] = frozenset()
    """Words that need no claim, such as those of a reference text."""

    @cached_property
    def words(self) -> ClaimWords:
        """What its things and rooms are called."""
        things = self.place.things
        named = {word for thing in things for word in (thing.kind, thing.phrase) if word} | {*self.place.kinds}
        rooms = {form: room for room, forms in ROOM_WORDS.items() for form in (room, *forms)}
        rooms |= {room: room for room in sorted(self.place.rooms)}
        same = {word: kind for word, kind in SYNONYMS.items() if kind in named - {"object"} and word not in named}
        return ClaimWords({**rooms, **same, **{word: word for word in sorted(named)}}, TELLING, self.free)

    def find_fault(self, text: str, stated: Sequence[StatedClaim], question: str = "") -> Fault | None:
        """Why a text with its claims cannot stay, before anybody reads it a second time; None if it may.

        Args:
            text: A statement, or the answer to a question.
            stated: Its claims, in the order of the text.
            question: That it answers.
        """
        told: list[ToldClaim] = []
        for one in stated:
            claim, words = self._bind(one), self._tell(one)
            if claim is None or words is None:
                return Fault("unknown_claim", f"{one.says!r} of thing {one.thing}: nobody knows which thing is meant")
            state, reason = self.place.judge(claim)
            if state != "true":
                return Fault(f"{'false' if state == 'false' else 'unknown'}_claim", f"{claim.words!r}: {reason}")
            told.append(words)
        mismatch = self.words.find_mismatch(text, told, question)
        return None if mismatch is None else Fault("other_words", f"{text[:80]!r}: {mismatch}")

    def find_claims(self, stated: Sequence[StatedClaim]) -> list[ViewClaim]:
        """The claims with ids of things, and as sentences in their `words`; those of no thing are left out."""
        return [claim for one in stated if (claim := self._bind(one)) is not None]

    def _find(self, number: int | None) -> NumberedThing | None:
        things = self.place.things
        return things[number] if number is not None and number < len(things) else None

    def _bind(self, claim: StatedClaim) -> ViewClaim | None:
        """The claim with the ids of its things; None for numbers that no thing has, and for a value of no use."""
        thing, other = self._find(claim.thing), self._find(claim.other)
        is_bare = claim.thing is None and (claim.says == "room" or (claim.says == "visible" and claim.denied))
        is_of_two = claim.says in (*_PLAIN, "gap")
        if (thing is None) != is_bare or (other is not None) != is_of_two or (is_of_two and thing is other):
            return None
        value = claim.value
        if claim.says in _NUMBERED and not (isinstance(value, float) and value >= 0.0):
            return None
        if (claim.says in _WORDED or (is_bare and claim.says == "visible")) and not (isinstance(value, str) and value):
            return None
        if claim.says == "count" and value != int(float(value or 0)):
            return None
        ids = [(one.id,) if one is not None else () for one in (thing, other)]
        return ViewClaim(claim.says, self._say(claim, thing, other), ids[0], ids[1], value, claim.denied)

    def _say(self, claim: StatedClaim, thing: NumberedThing | None, other: NumberedThing | None) -> str:
        a, b = (_name(each) if each else "it" for each in (thing, other))
        no = "not " if claim.denied else ""
        if claim.says in _PLAIN:
            return f"{a} is {no}{_PLAIN[claim.says][0]} {b}"
        if claim.says == "visible":
            if thing is not None:
                return f"{_name(thing) if thing.is_marked else with_article(thing.kind)} is {no}seen"
            return f"no {claim.value} is seen"
        if claim.says == "count" and thing is not None:
            return f"{'not ' if claim.denied else ''}{number_of(int(float(claim.value or 0)), thing.kind)} in all"
        if claim.says == "side":
            return f"{a} is {no}{'in' if claim.value == 'middle' else 'on'} the {claim.value} of the picture"
        if claim.says == "room":
            return f"{a if thing else 'this'} is {no}{'in ' if thing else ''}the {claim.value}"
        value = with_article(str(claim.value)) if claim.says == "kind" else claim.value
        return f"{a} is {no}" + _SAID.get(claim.says, "{value}").format(value=value, b=b)

    def _tell(self, claim: StatedClaim) -> ToldClaim | None:
        """The words that may tell a claim; None where nobody would know which thing is meant."""
        thing, other = self._find(claim.thing), self._find(claim.other)
        if claim.says == "visible":
            name = str(claim.value).lower() if thing is None else str(thing.phrase) if thing.is_marked else thing.kind
            return ToldClaim((name,), is_denied=claim.denied) if self.words.knows(name) else None
        if claim.says == "count":
            return None if thing is None else _tell_count(thing.kind, claim)
        named = [each.phrase for each in (thing, other) if each is not None]
        if None in named:
            return None
        names = tuple(one for one in named if one is not None)
        if claim.says in _PLAIN:
            _, words, turned = _PLAIN[claim.says]
            is_directed = claim.says != "next to"
            may = frozenset(f"{turned} {_BESIDES.get(claim.says, '')}".split())
            needs = frozenset(f"{words} {turned}".split())
            return ToldClaim(names, (needs,), may, is_directed, frozenset(turned.split()), claim.denied)
        if claim.says == "side":
            return ToldClaim(names, (frozenset(_SIDES.get(str(claim.value), "?").split()),), frozenset({"on"}),
                             is_denied=claim.denied)  # fmt: skip
        if claim.says == "color":
            color = next((word for word in str(claim.value).lower().split() if word in COLORS), "?")
            spellings = frozenset({"gray", "grey"} if color in ("gray", "grey") else {color})
            return ToldClaim(names, (spellings,), _SHADES,
                             is_denied=claim.denied)  # fmt: skip
        if claim.says in ("room", "kind"):
            word = str(claim.value).lower()
            return ToldClaim((*names, word), is_denied=claim.denied) if self.words.knows(word) else None
        may = frozenset({"1", "1.0"}) | (_HIGH if claim.says == "height" else {"next"})
        return ToldClaim(
            names, (_ABOUT, _METERS, *_tell_number(float(claim.value or 0.0))), may, is_denied=claim.denied
        )


def _name(thing: NumberedThing) -> str:
    return str(thing.phrase) if thing.is_marked else f"the {thing.phrase or thing.kind}"


def restate(claim: ViewClaim, numbers: Mapping[str, int]) -> StatedClaim | None:
    """A claim by the numbers of its things; None where one has none."""
    ids = (*claim.subject, *claim.other)
    if any(one not in numbers for one in ids):
        return None
    thing, other = (*(numbers[one] for one in ids), None, None)[:2]
    return StatedClaim(says=claim.kind, thing=thing, other=other, value=claim.value, denied=claim.denied)


def _tell_count(kind: str, claim: StatedClaim) -> ToldClaim:
    count = int(float(claim.value or 0))
    if count == 0:
        return ToldClaim((kind,), is_denied=not claim.denied)
    more = {2: "both pair couple", 12: "dozen"}.get(count, "")
    needs = [needs | frozenset(more.split()) for needs in _tell_number(float(count))]
    return ToldClaim((kind,), tuple(needs), frozenset({"1"}) if count == 1 else frozenset(), is_denied=claim.denied)


def _tell_number(value: float) -> list[frozenset[str]]:
    """Sets of words of which a number needs one each; `one` is told by an article too."""
    whole, part = int(value), value - int(value)
    word = NUMBER_WORDS[whole] if whole < len(NUMBER_WORDS) else ""
    digits = frozenset({f"{value:g}", f"{value:.1f}"})
    if part == 0.0:
        return [digits | {word} - {""}] if whole >= 2 else []
    if part != 0.5:
        return [digits]
    return [digits | {str(whole), word} - {""}, digits | {"half"}] if whole >= 2 else [digits | {"half"}]

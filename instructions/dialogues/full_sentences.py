"""Answers in full: a question and its short answer as plain statements that a reader of claims knows.

`Which is taller, the lamp or the chair?` `The lamp.` becomes `The lamp is taller than the chair.` Nothing here asks
what is true, and what no rule reads gives no statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instructions.dialogues.english import NUMBER_WORDS, plural, with_article

_NOT_A_SIDE = r"(?! (?:of|than|here|now|away|beside|next|behind|above|below|in front|on top)\b)"
_SIDE = re.compile(rf"\b(left|right)\b(?: side| hand| half| edge)?{_NOT_A_SIDE}", re.I)
SIDE_OF = re.compile(
    r"\b(?:(?:more|further|farther) )?(left|right)\b(?: hand)?(?: side)?(?: of| than)\b|"
    r"\b(?:more|most|further|farther|furthest|farthest) (?:to(?:wards)? the |on the )?(left|right)\b|"
    r"\b(?:on|to) its (left|right)\b",
    re.I,
)
_COLORS = "black|grey|gray|white|red|pink|orange|brown|beige|yellow|green|turquoise|blue|purple"
_ROOMS = (
    "living room|dining room|bedroom|kitchen|bathroom|hallway|hall|corridor|office|study|garage|garden|balcony|"
    "laundry room|meeting room"
)
_NEAR = re.compile(r"\b(?:nearer|nearest|closer|closest|foreground|first|before|not as far|less far)\b", re.I)
_FAR = re.compile(r"\b(?:further|farther|furthest|farthest|more distant|deeper)\b", re.I)
_TALL = re.compile(
    r"\b(?:taller|tallest|rises? higher|tower\w* over|wins in height|(?:more|greater) height|overtops?)\b", re.I
)
_SHORT = re.compile(r"\b(?:shorter|shortest|less (?:tall|high|height)|not (?:as|so) (?:tall|high))\b", re.I)
_UP = re.compile(r"\bup (?:further|farther)\b", re.I)
"""A height, no distance."""
_LENGTH = re.compile(rf"\b((?:\d+|{'|'.join(NUMBER_WORDS[1:])})(?: and a half)?) met(?:re|er)s?\b", re.I)
_HEIGHT = re.compile(r"\b(?:tall\w*|height|tower\w*|rises?|reach\w* up)\b", re.I)
_YES = re.compile(
    r"^(?:yes|yeah|exactly|indeed|correct|right|true|certainly|clearly)\b|"
    r"^(?:it|that|there|this|they|you|we|one|i) (?:is|are|am|does|do|did|can|could|has|have|would)\b"
    r"(?=(?: so| true| right| correct)?(?:[.,!]|$))",
    re.I,
)
"""What agrees: a word, or `it is` and the like with nothing after it."""
_NO = re.compile(
    r"^(?:no|not|nope|none)\b(?! \w+ (?:is|are|can|stands?)\b)|"
    r"^(?:it|that|there|this|they|you|we|one|i) "
    r"(?:(?:is|are|am|does|do|did|can|could|has|have|would)(?: not|n't)|cannot)"
    r"(?=(?: so| true| right)?(?:[.,!]|$))",
    re.I,
)
_NONE = re.compile(
    r"\b(?:none|not one|(?:do|can|could)(?: not|n't) (?:see|find|spot|make out)|cannot (?:see|find|spot)|"
    r"(?:is|are)(?: not|n't) (?:an?|any|one)\b|there (?:is|are) no\b|no such)",
    re.I,
)
_ON = re.compile(r"\bon (?:top of )?the\b(?! (?:left|right|other)\b)", re.I)
_OF_VIEW = re.compile(r" (?:of|in) (?:the|this) (?:view|picture|image|photo)\b", re.I)
_PLACELESS = (
    r"(?: (?:here|anywhere|around|visible|in (?:view|sight|here|this \w+)|part of (?:this|the|it|what)(?: \w+)?|"
    r"to be seen))*"
)


@dataclass(frozen=True)
class _Named:
    """A mention of a kind of thing."""

    kind: str
    is_definite: bool
    at: int

    @property
    def words(self) -> str:
        return f"the {self.kind}"


def deny_presence(question: str, answer: str, kinds: Sequence[str]) -> str | None:
    """The kind that a turn says is not there (`Do you see a piano?` `No.`); None where it says no such thing."""
    names = _pattern(kinds)
    asks = re.search(rf"\b(?:an?|any|of) ({names}){_PLACELESS}\s*\?", question, re.I)
    told = re.search(rf"\b(?:no|any|an?) ({names})\b{_PLACELESS}\s*(?:[.!,]|$)", answer, re.I)
    if told and (_NONE.search(answer[: told.end()]) or told.group().lower().startswith("no ")):
        return _kind(told.group(1), kinds)
    if asks and not re.search(r"\bthe\b", question[: asks.start()], re.I) and not _mentions(answer, kinds):
        denies = _NO.search(answer) or _NONE.search(answer) or re.search(r"\bisn't one\b", answer, re.I)
        return _kind(asks.group(1), kinds) if denies else None
    return None


def say_in_full(question: str, answer: str, kinds: Sequence[str]) -> tuple[str, ...]:
    """Statements that a turn makes, in plain words.

    Args:
        question: Of the turn.
        answer: As short as people speak.
        kinds: Names of things, in the singular, that may be meant.
    """
    if not kinds:
        return ()
    turn = _Turn(question, answer, kinds)
    found = (
        turn.presence(),
        turn.order(),
        turn.sides(),
        turn.counts(),
        turn.colors(),
        turn.rooms(),
        turn.supports(),
        turn.distances(),
    )
    return tuple(dict.fromkeys(one for part in found for one in part))


def _pattern(kinds: Sequence[str]) -> str:
    forms = {form for kind in kinds for form in (kind, plural(kind))}
    return "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))


def _kind(form: str, kinds: Sequence[str]) -> str:
    return next(kind for kind in kinds if form.lower() in (kind, plural(kind)))


def _mentions(text: str, kinds: Sequence[str]) -> list[_Named]:
    pattern = rf"(?:\b(the|an?|any|no|each|one)\s+)?(?:\b\w+\s+)??\b({_pattern(kinds)})\b"
    return [
        _Named(_kind(found.group(2), kinds), (found.group(1) or "").lower() == "the", found.start())
        for found in re.finditer(pattern, text, re.I)
    ]


class _Turn:
    """A question and its answer with what they name."""

    def __init__(self, question: str, answer: str, kinds: Sequence[str]) -> None:
        if not {"picture", "image", "photo"} & set(kinds):
            question, answer = (_OF_VIEW.sub("", text) for text in (question, answer))
        self._question, self._answer, self._kinds = question, answer, kinds
        self._asked = list({one.kind: one for one in reversed(_mentions(question, kinds))}.values())[::-1]
        self._told = list({one.kind: one for one in reversed(_mentions(answer, kinds))}.values())[::-1]
        self._yes, self._no = bool(_YES.search(answer)), bool(_NO.search(answer))

    def _pair(self) -> tuple[str, str] | None:
        """Subject and other of a comparison: the answer's own, else by what the question is about."""
        asked, told = [one.words for one in self._asked], [one.words for one in self._told]
        if len(told) == 2:
            return told[0], told[1]
        if len(told) == 1 and len(set(asked) | set(told)) == 2:
            (other,) = set(asked) - set(told) or {""}
            begins = self._answer[: self._told[0].at]
            # `It lies left of the sofa`: what the answer names is what is compared with.
            return (other, told[0]) if re.search(r"\b(?:of|than|on|as|over)\s*$", begins, re.I) else (told[0], other)
        if not told and len(asked) == 2:
            found = re.search(
                r"\bwhere (?:is|are|does|do|can)(?: (?:you|one|i|we) (?:see|find|put))? (the [\w ]+)",
                self._question,
                re.I,
            )
            first = next((one for one in asked if found and found.group(1).lower().startswith(one)), asked[0])
            return first, next(one for one in asked if one != first)
        return None

    def order(self) -> Iterator[str]:
        """Of two things which is further to a side, nearer or taller."""
        pair = self._pair()
        if pair is None:
            return
        for word in (self._side_word(), self._compare(_NEAR, _FAR, "nearer", "farther"),
                     self._compare(_TALL, _SHORT, "taller", "shorter")):  # fmt: skip
            if word is None:
                continue
            a, b = pair
            yield f"{a.capitalize()} is {word} {b}."

    def _side_word(self) -> str | None:
        """`left of` or `right of`, as the answer has it, else as a question that it agrees with."""
        said = SIDE_OF.search(self._answer)
        if said is None and len(self._asked) + len(self._told) >= 2:
            asked = SIDE_OF.search(self._question)
            bare_no = self._no and not self._told
            agrees = self._yes or bool(self._told) or "other way" in self._answer
            if asked is None or not agrees or (bare_no and "other way" not in self._answer):
                return None
            side = (next(filter(None, asked.groups()))).lower()
            if bare_no:
                side = "left" if side == "right" else "right"
            return f"{side} of"
        return f"{(next(filter(None, said.groups()))).lower()} of" if said else None

    def _compare(self, more: re.Pattern[str], less: re.Pattern[str], up: str, down: str) -> str | None:
        """The comparison that the answer makes, else that of a question to which it names one or says yes."""
        if up == "taller" and _HEIGHT.search(self._question):
            # Asked for heights, `higher` and `lower` are none of places.
            found = re.search(r"\b(?:(higher|wins)|lower)\b", self._answer)
            if found:
                return f"{up if found.group(1) else down} than"
        for text in (self._answer, self._question):
            if text is self._question and not self._told and not self._yes:
                return None  # `No.` says that it is not so, not that it is the other way round
            plain = _UP.sub("", SIDE_OF.sub("", text))  # `further left than` is no distance
            said, other = more.search(plain), less.search(plain)
            if said and other:
                return None
            if said or other:
                return f"{up if said else down} than"
        return None

    def sides(self) -> Iterator[str]:
        """Where in the view one thing is."""
        if SIDE_OF.search(self._question) or SIDE_OF.search(self._answer):
            return
        named = self._told or self._asked
        if len({one.kind for one in named}) != 1:
            return
        said = {one.lower() for one in _SIDE.findall(self._answer)}
        asked = {one.lower() for one in _SIDE.findall(self._question)}
        if not said and len(asked) == 1 and not self._no:
            said = asked
        if len(said) == 1:
            yield f"{named[0].words.capitalize()} is on the {said.pop()}."

    def presence(self) -> Iterator[str]:
        """That something is there, where the answer only agrees."""
        asks = re.search(rf"\b(?:an?|any) ({_pattern(self._kinds)}){_PLACELESS}\s*\?", self._question, re.I)
        if asks and self._yes and not re.search(r"\bthe\b", self._question[: asks.start()], re.I):
            yield f"There is {with_article(_kind(asks.group(1), self._kinds))}."

    def counts(self) -> Iterator[str]:
        """How many there are of the kind that was asked for, where the answer leaves it out."""
        asks = re.search(r"\b(?:how many|count|number of|any|what about|so|are there)\b", self._question, re.I)
        asks = asks or re.search(r"\b(?:what|which|the) number\b", self._question, re.I)
        asks = asks or re.search(r"\bof (?:those|these|them)\b", self._answer, re.I)
        numbers = re.findall(rf"\b({'|'.join(NUMBER_WORDS[1:])}|\d+)\b", self._answer, re.I)
        many = [one for one in self._asked if re.search(rf"\b{re.escape(plural(one.kind))}\b", self._question, re.I)]
        if asks and len(numbers) == 1 and len(many) == 1 and not self._told:
            yield f"There are {numbers[0].lower()} {plural(many[0].kind)}."

    def colors(self) -> Iterator[str]:
        """The colour of the one thing that a turn names."""
        named = {one.kind for one in (*self._asked, *self._told)}
        said = re.findall(rf"\b({_COLORS})\b", self._answer, re.I)
        asked = re.findall(rf"\b({_COLORS})\b", self._question, re.I)
        if not said and self._yes:
            said = asked
        if len(named) == 1 and len(said) == 1 and not re.search(r"\bnot\b", self._answer):
            yield f"The {named.pop()} is {said[0].lower()}."

    def rooms(self) -> Iterator[str]:
        """What room this is."""
        asks = re.search(r"\b(?:room|place|where are (?:we|you)|is this|does this)\b", self._question, re.I)
        said = re.findall(rf"\b({_ROOMS})\b", self._answer, re.I)
        if not said and self._yes:
            said = re.findall(rf"\b({_ROOMS})\b", self._question, re.I)
        if asks and len(said) == 1 and not self._asked and not self._told:
            yield f"This is {with_article(said[0].lower())}."

    def supports(self) -> Iterator[str]:
        """What stands on what."""
        pair = self._pair()
        if pair is None or (self._no and not self._told) or len(self._told) != 1:
            return
        bears = re.match(r"what (?:does|do) the [\w ]+ (?:bear|carry|hold|support)\b", self._question, re.I)
        if bears:
            asked = next((one.words for one in self._asked if one.kind != self._told[0].kind), None)
            if asked:
                yield f"{self._told[0].words.capitalize()} is on {asked}."
            return
        if re.search(r"\b(?:holds? up|carr(?:y|ies)|supports?)\b", self._question, re.I):
            asked = next((one.words for one in self._asked if one.kind != self._told[0].kind), None)
            if asked:
                yield f"{asked.capitalize()} is on {self._told[0].words}."
        elif (
            (re.search(r"\bon (?:top of )?(?:it|that)\b", self._answer, re.I) and self._told[0].words == pair[0])
            or _ON.search(self._answer)
            or re.search(rf"^what \w+ {_ON.pattern}", self._question, re.I)
        ):
            yield f"{pair[0].capitalize()} is on {pair[1]}."

    def distances(self) -> Iterator[str]:
        """How far from us the one thing is that a turn is about."""
        named = {one.kind for one in (*self._asked, *self._told)}
        said = _LENGTH.findall(self._answer)
        asks = re.search(r"\b(?:far|distance|met(?:re|er)s|close|away)\b", self._question, re.I)
        of_itself = re.search(r"\b(?:tall|high|wide|long|deep|big|large|height|width|length|apart|between)\b",
                              f"{self._question} {self._answer}", re.I)  # fmt: skip
        if len(named) == 1 and len(said) == 1 and asks and not of_itself and not self._no:
            yield f"The {named.pop()} is about {said[0].lower()} metres away."

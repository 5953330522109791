"""Relations that a turn tells: what each is said of, what that is compared with, and whether it is denied."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from instructions.dialogues.turn_marks import ASKS_ORDER, FAMILIES, RANKS, TURNS_ORDER
from instructions.dialogues.turn_statements import Statement, compare, put_on_side, stand_on_floor
from instructions.dialogues.turn_text import (
    MARK,
    REVERSED,
    THING,
    WHOSE,
    YES,
    TurnText,
    denies,
    find_things,
    plain_word,
)

_REACHES = re.compile(r"\b(?:reach|get to|meet|touch|come to|arrive)\b.*\bfirst\b|\bfirst\b.*\b(?:reach|meet)\b")
_CHOICE = re.compile(r"\bor\b[^.;?!]*@")
_PLACES = {"first": 0, "second": 1, "third": 2, "last": 99}
_PLACE = "|".join(_PLACES)
_IN_PLACE = re.compile(
    rf"(?:(?:it is|there is) )?(?:({_PLACE}) )?(?:(?:is|comes|ranks) )?{THING}"
    rf"(?: (?:is|comes|ranks))?(?: ({_PLACE}))?( (?:only )?(?:after(?: it| that)?|afterwards|next))?"
)


class RelationReader:
    """Reads the relations of one turn."""

    def __init__(self, turn: TurnText) -> None:
        self._turn = turn
        self._q, self._a = turn.question, turn.answer
        self._topic: str | None = None
        """What the last clause began with."""

    def read(self) -> Iterator[Statement]:
        """Every relation; that of the question where the answer has none of its own."""
        seen: list[str] = []
        told = False
        for clause in self._turn.own:
            if REVERSED.search(clause) and not MARK.search(clause):
                continue
            for match in MARK.finditer(clause):
                if self.is_edge(clause, match):
                    continue
                for made in self._relate_all(clause, match, seen):
                    told = True
                    yield made
            self._topic = find_things(clause)[0] if find_things(clause) else self._topic
            seen += [one for one in find_things(clause) if one not in seen]
        if told or any(not self.is_edge(one, match) for one in self._turn.own for match in MARK.finditer(one)):
            return
        yield from self._answer_question(seen)

    def is_edge(self, clause: str, match: re.Match[str]) -> bool:
        """`Nearest to it`, asked for what is nearest to the left edge."""
        asks = re.search(r"#(?:left|right)\+", self._q.text)
        return match.group(1) == "near" and bool(asks and re.match(r" (?:to|of) (?:it|that)\b", clause[match.end() :]))

    def may_relate(self, text: str, match: re.Match[str]) -> bool:
        """Not so of `on it` where no other thing is named: it may be a list."""
        is_on = FAMILIES[match.group(1)] == "on" or match.group(1) == "front"
        return (
            len(self._turn.kinds) >= 2 or not is_on or f"{text[match.end() :]} ".startswith((" @", " any @", " of @"))
        )

    def _answer_question(self, named: Sequence[str]) -> Iterator[Statement]:
        """The relation of a question, of the thing that the answer names or with which it agrees."""
        marks = list(MARK.finditer(self._q.text))
        ranked = next((mark for mark, words in RANKS.items() if words.search(self._q.text)), None)
        if self._turn.order is not None and named:
            ranked = self._turn.order.group(1)
        if ranked is not None:
            follows = re.search(
                rf"{THING} (?:is|comes|stands|lies)? ?(?:only )?(after|#near than|before) {THING}", self._a.text
            )
            if follows is not None and self._turn.order is not None:
                ends = (plain_word(follows.group(1)), plain_word(follows.group(3)))
                first, second = reversed(ends) if follows.group(2) == "after" else ends
                yield compare(ranked, first, second)
                return
            ends = self._rank()
            if ends is not None and (self._turn.order is not None or len(named) == 2):
                yield compare(ranked, *ends)
            return
        if ASKS_ORDER.search(self._q.text):
            return  # an order of which nobody knows where it begins
        if not marks and _REACHES.search(self._q.text):
            marks = list(re.finditer(r"#(near)(\+?)", self._q.text + " #near"))
        if len({match.group(1) for match in marks}) != 1:
            return
        match, text = marks[-1], self._q.text
        mark = match.group(1)
        if mark in ("evenhigh", "evenfar", "middle", "floor", "out"):
            if self._turn.agrees is not None and (self._turn.agrees or mark in ("middle", "floor")):
                for made in self._relate_all(text, match, []):
                    yield replace(made, denied=made.denied == self._turn.agrees)
            return
        is_choice = bool(_CHOICE.search(text))
        says_yes = self._turn.agrees and YES.match(next(iter(self._a.clauses()), ""))  # not so `the chair, clearly`
        if is_choice and self._turn.agrees is not None and (says_yes or not named or WHOSE.search(self._a.text)):
            return  # yes or no, to one of two: nobody knows to which
        chooses = (
            self._turn.agrees is None
            or is_choice
            or not set(named) & set(self._q.kinds)
            or re.search(r"\b(?:which|what)\b", text)
        )
        if named and chooses:
            thing, other = named[0], named[1] if len(named) > 1 else self._turn.other(named[0])
            denied = denies(next((one for one in self._turn.own if f"@{thing.replace(' ', '_')}" in one), ""))
            if FAMILIES[mark] == "side" and len(self._q.kinds) + len(set(named) - set(self._q.kinds)) < 2:
                yield put_on_side(thing, mark, denied)
            elif FAMILIES[mark] == "on":
                after = re.match(rf"(?: of)? {THING}", text[match.end() :])
                if other is not None:
                    yield (
                        compare(mark, thing, other, denied)
                        if after or mark in ("upper", "lower")
                        else compare(mark, other, thing, denied)
                    )
            elif other is not None:
                yield compare(mark, thing, other, denied)
            return
        if self._turn.agrees is not None:
            made = self._relate(text, match, [])
            if made is not None:
                yield replace(made, denied=made.denied == self._turn.agrees)

    def _rank(self) -> tuple[str, str] | None:
        """What comes first and what follows, of an answer that is an order and nothing else."""
        if TURNS_ORDER.search(self._q.text):
            return None
        places: dict[str, int] = {}
        for clause in self._turn.own:
            found = _IN_PLACE.fullmatch(clause)
            if found is None or plain_word(found.group(2)) in places or (found.group(4) and not places):
                return None
            place = found.group(1) or found.group(3)
            places[plain_word(found.group(2))] = _PLACES[place] if place else len(places)
        if set(places) != set(self._a.kinds) or len(set(places.values())) < len(places):
            return None
        if len(places) == 1:
            ((named, place),) = places.items()
            other = self._turn.other(named)
            return None if other is None else (named, other) if place == 0 else (other, named)
        first, second, *_ = sorted(places, key=lambda one: places[one])
        return first, second

    def _relate_all(self, clause: str, match: re.Match[str], seen: Sequence[str]) -> Iterator[Statement]:
        """The statements of one relation word: things of one height are neither taller nor shorter."""
        mark = {"evenhigh": "tall", "evenfar": "near"}.get(match.group(1))
        if mark is None:
            made = self._relate(clause, match, seen)
            yield from [made] if made is not None else []
            if made is not None and len(made.things) == 2 and re.search(r"\bneither\b", clause[: match.start()]):
                yield compare(
                    match.group(1),
                    *reversed(self._ends(clause, match, None, find_things(clause), seen) or made.things),
                    denied=True,
                )
            return
        ends = self._ends(clause, match, None, find_things(clause), seen)
        if ends is not None and not denies(clause[: match.start()]):
            yield compare(mark, *ends, denied=True)
            yield compare(mark, *reversed(ends), denied=True)

    def _relate(self, clause: str, match: re.Match[str], seen: Sequence[str]) -> Statement | None:
        """The statement of one relation word of a clause."""
        mark, compares = match.group(1), bool(match.group(2))
        if mark in ("out", "evenhigh", "evenfar"):
            return None
        mark = "near" if mark == "front" else mark
        if mark == "floor":
            here = find_things(clause[: match.start()])
            subject = (here or list(seen[-1:]) or [self._topic or self._turn.subject()])[-1]
            return stand_on_floor(subject, denies(clause[: match.start()])) if subject else None
        family = FAMILIES[mark]
        here = find_things(clause)
        denied = denies(clause[: match.start()]) or bool(re.match(r" (?:nothing|none|no one)\b", clause[match.end() :]))
        pair = len(set(self._q.kinds) | set(here)) >= 2
        of = _object_of(clause, match, family) if mark not in ("upper", "lower") else None
        is_alone = of is None and len(here) < 2 and len(self._q.kinds) < 2 and not WHOSE.search(clause)
        if family == "side" and not compares and is_alone:
            thing = here[0] if here else seen[-1] if seen else self._q.kinds[0] if self._q.kinds else None
            return put_on_side(thing, mark, denied) if thing else None
        if mark == "middle" or (family == "near" and of is None and not pair):
            return None
        ends = self._ends(clause, match, of, here, seen)
        return compare(mark, *ends, denied) if ends is not None else None

    def _ends(
        self, clause: str, match: re.Match[str], of: str | None, here: Sequence[str], seen: Sequence[str]
    ) -> tuple[str, str] | None:
        """What a relation is said of, and what it is compared with."""
        if of == "it":
            if len(here) >= 2:
                return here[1], here[0]
            if here:
                before = next((one for one in reversed(seen) if one != here[0]), None) or self._turn.other(here[0])
                return (here[0], before) if before else None
            of = None
        if of is None and len(here) < 2:
            whose = WHOSE.search(clause)
            of = plain_word(whose.group(1)) if whose and FAMILIES[match.group(1)] != "on" else None
        elif of is None:
            whose = re.search(rf"\b(?:from|with|than to|than|compared to|against) {THING}", clause)
            of = plain_word(whose.group(1)) if whose else None
        if of is not None:
            subject = next((one for one in here if one != of), None)
            if subject is None and re.search(r"\b(?:it|which|that|one|they)\b", clause[: match.start()]):
                subject = next((one for one in reversed(seen) if one != of), None)
            subject = subject or self._turn.other(of)
            return (subject, of) if subject else None
        if len(here) >= 2:
            return here[0], here[1]
        if here:
            other = self._turn.other(here[0])
            if other is None:
                return None
            ends_with = FAMILIES[match.group(1)] == "on" and re.fullmatch(r"[\s.]*", clause[match.end() :])
            if ends_with and re.search(r"\bit\b", clause[clause.find("@") : match.start()]):
                return other, here[0]  # `it is the table that it stands on`
            return here[0], other
        subject = (seen[-1] if seen and clause.startswith("which") else self._topic) or self._turn.subject()
        other = self._turn.other(subject) if subject else None
        return (subject, other) if subject and other else None


def _object_of(clause: str, match: re.Match[str], family: str) -> str | None:
    """What stands behind a relation word as that with which it compares: a thing, or `it`."""
    link = {"on": "(?: (?:of|than|to|as))?", "near": " (?:of|than|as)"}.get(family, " (?:of|than|from|to|as)")
    fill = r"(?: (?:away|off|back|one|up|down|to|from|us|me|you|we|here|by|much|still|is|are|side))*?"
    whom = rf"(?:where |that of |that to |the one to |one to )?(?:{THING}|(it|its|that|which)\b)"
    found = re.match(rf"{fill}{link} {whom}", clause[match.end() :])
    if found is None:
        return None
    return plain_word(found.group(1)) if found.group(1) else "it"

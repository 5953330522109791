"""What a question and its answer say together, read as things, relations and negations in whatever sentence they stand.

A reading finds for every relation what it is said of and what it is compared with; what the answer leaves out, the
question gives. Content words that no reading accounts for are left over, and told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from instructions.dialogues.english import with_article
from instructions.dialogues.turn_asked import find_asked
from instructions.dialogues.turn_marks import ASKS_ORDER, FAMILIES, OF_ITSELF, RANKS, TURNS_ORDER, Marked, mark_text
from instructions.dialogues.turn_statements import (
    Statement,
    bound_count,
    bound_distance,
    compare,
    count,
    paint,
    put_on_side,
    show,
    stand_on_floor,
)

_THING = r"(?:any |no )?@([^\s@#%=~^*.,;:?!]+)\*?"
_MARK = re.compile(r"#(\w+)(\+?)")
_YES = re.compile(
    r"^(?:yes|yeah|yep|exactly|indeed|correct|right|true|certainly|clearly|absolutely|sure|definitely|spot on|surely|"
    r"of course|mm-?hm|confirmed)\b|^i(?:'m| am) (?:quite )?sure(?: of (?:it|that))?$|"
    r"^that(?:'s| is) (?:what|where|how|so|the case)\b.*|^(?:it|that|one)(?:'s| is) among them$|"
    r"^(?:it|that|there|this|they|you|we|one|i|somebody|someone|something(?: here)?) (?:certainly |surely )?"
    r"(?:is|are|am|does|do|did|can|could|has|have|would|will)(?: indeed| say| so| true| correct)*$|"
    r"^(?:you are|you're|that's|that is|it is)(?: in luck| true| correct| exactly)?(?: where it is| how it is| so)?$"
)
_NO = re.compile(
    r"^(?:no|nope|none|nowhere|not (?:at all|quite|really|so|a chance)|not|hardly|far from it|no way|"
    r"by no means)$|"
    r"^(?:that is |that's )?(?:quite |simply |plainly |not )?(?:wrong|false|untrue|incorrect)$|^not (?:true|so|"
    r"correct|right)$|"
    r"^(?:(?:it|that|there|this|they|you|we|one|i|nobody)"
    r"(?: is|'s| are| am| does| do| did| can| could| has| have| would| will)?(?: not| n't)|"
    r"nobody (?:is|does|could|can|has))(?: be)?(?: so| true| right| wrong| mistaken| afraid| the case)*$"
)
_PARTICLE = re.compile(r"^(?:yes|no|nope|yeah|well|sure|gladly|honestly|correct|right|exactly|indeed|okay)$")
_NEGATES = re.compile(
    r"\b(?:no|not|n't|never|none|nobody|nowhere|nothing|without|lacks?|lacking|missing|absent|in vain|forgot\w*|gone|"
    r"used to be)"
    r"(?![\w'])"
)
_REACHES = re.compile(r"\b(?:reach|get to|meet|touch|come to|arrive)\b.*\bfirst\b|\bfirst\b.*\b(?:reach|meet)\b")
_REVERSED = re.compile(r"\b(?:other way (?:round|around)|contrary|reverse|opposite)\b")
_PRESENCE = re.compile(r"\b(?:one|ones|any|none|some|nowhere|no|sight|sign|missing|lacks?|without|luck|there)\b|@")
_EXISTS = re.compile(
    r"\b(?:none|nowhere|used to be|no sign|one is|is one|(?:got|have|has|see|put) (?:one|any)|n't \w+ (?:one|any))\b"
)
_SEES = re.compile(r"\b(?:see|visible|in view|in sight|find|spot)\b")
_WHOSE = re.compile(r"\b(?:from|with|compared to|relative to|than|than to|against|using) " + _THING)
_CHOICE = re.compile(r"\bor\b[^.;?!]*@")
_ORDER = re.compile(r"\bfrom (?:the )?#(left|right)\+? (?:(?:side )?to (?:the )?)?#(?:left|right)\+?")
_RELATED_NUMBERS: tuple[tuple[re.Pattern[str], Callable[[int], int]], ...] = (
    (re.compile(r"\b(?:twice|double)(?: as many| that)?\b"), lambda number: 2 * number),
    (re.compile(r"\b(?:one (?:more|too few)|another(?: one)?)\b"), lambda number: number + 1),
    (re.compile(r"\bone (?:fewer|less|too many)\b"), lambda number: max(number - 1, 0)),
)
"""What a number is that is told by the one of the question."""
_PLACES = {"first": 0, "second": 1, "third": 2, "last": 99}
_PLACE = "|".join(_PLACES)
_IN_PLACE = re.compile(
    rf"(?:(?:it is|there is) )?(?:({_PLACE}) )?(?:(?:is|comes|ranks) )?{_THING}"
    rf"(?: (?:is|comes|ranks))?(?: ({_PLACE}))?( (?:only )?(?:after(?: it| that)?|afterwards|next))?"
)


@dataclass(frozen=True)
class Reading:
    """What a turn says."""

    statements: tuple[Statement, ...]
    leftover: tuple[str, ...]
    """Families of content words that no statement accounts for."""
    asked: frozenset[str] = frozenset()
    """Families of which the question asks for one, so that an answer that tells none of them is not understood."""


def read_turn(question: str, answer: str, kinds: Sequence[str]) -> Reading:
    """The statements of a turn, and what is left over.

    Args:
        question: Of the turn.
        answer: As short, long or winding as people speak.
        kinds: Names of things, in the singular, that may be meant.
    """
    turn = _Turn(mark_text(question, kinds), mark_text(answer, kinds))
    found = tuple(dict.fromkeys(turn.read()))
    told = {one.family for one in found}
    return Reading(found, tuple(sorted(turn.content(bool(found)) - told)), find_asked(question, turn.question))


class _Turn:
    """A question and its answer, marked."""

    def __init__(self, question: Marked, answer: Marked) -> None:
        question, answer = _settle_out(question, answer)
        order = _ORDER.search(answer.text) or _ORDER.search(question.text)
        answer = replace(answer, text=_ORDER.sub(" ", answer.text))
        self._q, self._a = question, answer
        self._clauses = [one for one in answer.clauses() if not _PARTICLE.match(one)]
        self._agrees = self._agreement()
        self._kinds = tuple(dict.fromkeys((*answer.kinds, *question.kinds)))
        self._own = [one for one in self._clauses if not _YES.match(one) and not _NO.match(one)]
        # `Leaving the other side to other things` says nothing; what names a thing does.
        self._own = [one for one in self._own if "@" in one or not one.startswith("leaving ")]
        self._own = [re.sub(r"^leaving (#\w+)\+? (?:to|for) ([^@]*@\S+)$", r"\2 on \1", one) for one in self._own]
        self._is_bare = not any(re.search(r"[#%^=~]", one) for one in self._own)
        self._topic: str | None = None
        """What the last clause began with."""
        self._order = order or re.search(r"#(left|right)\S* (?:to )?#(?:left|right)", question.text)

    @property
    def question(self) -> Marked:
        """As it was marked."""
        return self._q

    def _agreement(self) -> bool | None:
        """Whether the answer begins by saying yes (or that it is so), or no."""
        for clause in self._a.clauses():
            if _REVERSED.search(clause) or _NO.match(clause):
                return False
            if _YES.match(clause):
                return True
        first = next(iter(self._a.clauses()), "")
        return True if re.match(r"(?:yes|yeah)\b", first) else False if re.match(r"(?:no|not|nope)\b", first) else None

    def content(self, is_read: bool) -> set[str]:
        """Families of content words that the answer says, or takes over from its question."""
        takes_over = self._is_bare and (self._agrees is not None or self._a.kinds)
        texts = [self._a.text, re.sub(r"(@\S+) =\w+", r"\1", self._q.text)] if takes_over else [self._a.text]
        found: set[str] = set()
        for text in texts:
            marks = [
                one for one in _MARK.finditer(text) if not self._is_edge(text, one) and self._may_relate(text, one)
            ]
            found |= {FAMILIES[one.group(1)] for one in marks}
            for sign, family in (("=", "colour"), ("~", "room"), ("^", "distance"), ("%", "count")):
                if sign in text and (sign != "%" or "*" in self._q.text + self._a.text):
                    found.add(family)
        if takes_over:
            found |= {FAMILIES[mark] for mark, words in RANKS.items() if words.search(self._q.text)}
        if takes_over and ASKS_ORDER.search(self._q.text):
            said = (("tall", r"\bheights?\b"), ("near", r"\b(?:distances?|near|far)\b"))
            found |= {family for family, words in said if re.search(words, self._q.text)}
        is_open = re.search(r"\b(?:any|no) @", self._q.text) and self._agrees is not None
        if is_open and not self._a.kinds and not found and not is_read:
            found.add("visible")
        return found

    def read(self) -> Iterator[Statement]:
        """Everything that is said."""
        yield from self._relations()
        yield from self._counts()
        yield from self._colors()
        yield from self._rooms()
        yield from self._distances()
        yield from self._presence()

    # Relations

    def _relations(self) -> Iterator[Statement]:
        seen: list[str] = []
        told = False
        for clause in self._own:
            if _REVERSED.search(clause) and not _MARK.search(clause):
                continue
            for match in _MARK.finditer(clause):
                if self._is_edge(clause, match):
                    continue
                for made in self._relate_all(clause, match, seen):
                    told = True
                    yield made
            self._topic = _things(clause)[0] if _things(clause) else self._topic
            seen += [one for one in _things(clause) if one not in seen]
        if told or any(not self._is_edge(one, match) for one in self._own for match in _MARK.finditer(one)):
            return
        yield from self._answer_question(seen)

    def _is_edge(self, clause: str, match: re.Match[str]) -> bool:
        """`Nearest to it`, asked for what is nearest to the left edge."""
        asks = re.search(r"#(?:left|right)\+", self._q.text)
        return match.group(1) == "near" and bool(asks and re.match(r" (?:to|of) (?:it|that)\b", clause[match.end() :]))

    def _may_relate(self, text: str, match: re.Match[str]) -> bool:
        """Not so of `on it` where no other thing is named: it may be a list."""
        is_on = FAMILIES[match.group(1)] == "on" or match.group(1) == "front"
        return len(self._kinds) >= 2 or not is_on or f"{text[match.end() :]} ".startswith((" @", " any @", " of @"))

    def _answer_question(self, named: Sequence[str]) -> Iterator[Statement]:
        """The relation of a question, of the thing that the answer names or with which it agrees."""
        marks = list(_MARK.finditer(self._q.text))
        ranked = next((mark for mark, words in RANKS.items() if words.search(self._q.text)), None)
        if self._order is not None and named:
            ranked = self._order.group(1)
        if ranked is not None:
            follows = re.search(
                rf"{_THING} (?:is|comes|stands|lies)? ?(?:only )?(after|#near than|before) {_THING}", self._a.text
            )
            if follows is not None and self._order is not None:
                ends = (_plain(follows.group(1)), _plain(follows.group(3)))
                first, second = reversed(ends) if follows.group(2) == "after" else ends
                yield compare(ranked, first, second)
                return
            ends = self._rank()
            if ends is not None and (self._order is not None or len(named) == 2):
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
            if self._agrees is not None and (self._agrees or mark in ("middle", "floor")):
                for made in self._relate_all(text, match, []):
                    yield replace(made, denied=made.denied == self._agrees)
            return
        is_choice = bool(_CHOICE.search(text))
        says_yes = self._agrees and _YES.match(next(iter(self._a.clauses()), ""))  # not so `the chair, clearly`
        if is_choice and self._agrees is not None and (says_yes or not named or _WHOSE.search(self._a.text)):
            return  # yes or no, to one of two: nobody knows to which
        chooses = (
            self._agrees is None
            or is_choice
            or not set(named) & set(self._q.kinds)
            or re.search(r"\b(?:which|what)\b", text)
        )
        if named and chooses:
            thing, other = named[0], named[1] if len(named) > 1 else self._other(named[0])
            denied = _denies(next((one for one in self._own if f"@{thing.replace(' ', '_')}" in one), ""))
            if FAMILIES[mark] == "side" and len(self._q.kinds) + len(set(named) - set(self._q.kinds)) < 2:
                yield put_on_side(thing, mark, denied)
            elif FAMILIES[mark] == "on":
                after = re.match(rf"(?: of)? {_THING}", text[match.end() :])
                if other is not None:
                    yield (
                        compare(mark, thing, other, denied)
                        if after or mark in ("upper", "lower")
                        else compare(mark, other, thing, denied)
                    )
            elif other is not None:
                yield compare(mark, thing, other, denied)
            return
        if self._agrees is not None:
            made = self._relate(text, match, [])
            if made is not None:
                yield replace(made, denied=made.denied == self._agrees)

    def _rank(self) -> tuple[str, str] | None:
        """What comes first and what follows, of an answer that is an order and nothing else."""
        if TURNS_ORDER.search(self._q.text):
            return None
        places: dict[str, int] = {}
        for clause in self._own:
            found = _IN_PLACE.fullmatch(clause)
            if found is None or _plain(found.group(2)) in places or (found.group(4) and not places):
                return None
            place = found.group(1) or found.group(3)
            places[_plain(found.group(2))] = _PLACES[place] if place else len(places)
        if set(places) != set(self._a.kinds) or len(set(places.values())) < len(places):
            return None
        if len(places) == 1:
            ((named, place),) = places.items()
            other = self._other(named)
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
                    *reversed(self._ends(clause, match, None, _things(clause), seen) or made.things),
                    denied=True,
                )
            return
        ends = self._ends(clause, match, None, _things(clause), seen)
        if ends is not None and not _denies(clause[: match.start()]):
            yield compare(mark, *ends, denied=True)
            yield compare(mark, *reversed(ends), denied=True)

    def _relate(self, clause: str, match: re.Match[str], seen: Sequence[str]) -> Statement | None:
        """The statement of one relation word of a clause."""
        mark, compares = match.group(1), bool(match.group(2))
        if mark in ("out", "evenhigh", "evenfar"):
            return None
        mark = "near" if mark == "front" else mark
        if mark == "floor":
            here = _things(clause[: match.start()])
            subject = (here or list(seen[-1:]) or [self._topic or self._subject()])[-1]
            return stand_on_floor(subject, _denies(clause[: match.start()])) if subject else None
        family = FAMILIES[mark]
        here = _things(clause)
        denied = _denies(clause[: match.start()]) or bool(
            re.match(r" (?:nothing|none|no one)\b", clause[match.end() :])
        )
        pair = len(set(self._q.kinds) | set(here)) >= 2
        of = _object_of(clause, match, family) if mark not in ("upper", "lower") else None
        is_alone = of is None and len(here) < 2 and len(self._q.kinds) < 2 and not _WHOSE.search(clause)
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
                before = next((one for one in reversed(seen) if one != here[0]), None) or self._other(here[0])
                return (here[0], before) if before else None
            of = None
        if of is None and len(here) < 2:
            whose = _WHOSE.search(clause)
            of = _plain(whose.group(1)) if whose and FAMILIES[match.group(1)] != "on" else None
        elif of is None:
            whose = re.search(rf"\b(?:from|with|than to|than|compared to|against) {_THING}", clause)
            of = _plain(whose.group(1)) if whose else None
        if of is not None:
            subject = next((one for one in here if one != of), None)
            if subject is None and re.search(r"\b(?:it|which|that|one|they)\b", clause[: match.start()]):
                subject = next((one for one in reversed(seen) if one != of), None)
            subject = subject or self._other(of)
            return (subject, of) if subject else None
        if len(here) >= 2:
            return here[0], here[1]
        if here:
            other = self._other(here[0])
            if other is None:
                return None
            ends_with = FAMILIES[match.group(1)] == "on" and re.fullmatch(r"[\s.]*", clause[match.end() :])
            if ends_with and re.search(r"\bit\b", clause[clause.find("@") : match.start()]):
                return other, here[0]  # `it is the table that it stands on`
            return here[0], other
        subject = (seen[-1] if seen and clause.startswith("which") else self._topic) or self._subject()
        other = self._other(subject) if subject else None
        return (subject, other) if subject and other else None

    def _other(self, thing: str) -> str | None:
        """The one other thing of the turn."""
        others = [one for one in self._kinds if one != thing]
        return others[0] if len(others) == 1 else None

    def _subject(self) -> str | None:
        """What the question is about."""
        if not self._q.kinds:
            return None
        where = re.search(rf"\bwhere (?:\w+ )?(?:\w+ )?{_THING}", self._q.text)
        if where:
            return _plain(where.group(1))
        than = re.search(rf"\bthan (?:that to |the one to |to |between )?{_THING}", self._q.text)
        if than and len(self._q.kinds) == 2:
            return self._other(_plain(than.group(1)))
        whose = re.search(
            rf"\b(?:from|with|to|than|against|using|of|as|were|(?:start|begin)(?:ing)? at) {_THING}", self._q.text
        )
        named = [one for one in self._q.kinds if not whose or one != _plain(whose.group(1))]
        return named[0] if named else self._q.kinds[0]

    # Single things

    def _counts(self) -> Iterator[Statement]:
        asked = re.findall(rf"{_THING[:-3]}\*", self._q.text)
        told = re.findall(r"%([<>]=?)?(\d+) @([^\s*.,;:?!]+)\*", self._a.text)
        for bound, number, kind in told:
            yield bound_count(bound, int(number), _plain(kind)) if bound else count(int(number), _plain(kind))
        is_any = re.search(r"\bany @", self._q.text)
        singular = (
            list(self._kinds) if is_any and re.search(r"%\S+ (?:of (?:them|those|these)|such)\b", self._a.text) else []
        )
        asked = asked or singular
        if told or not asked or len(set(asked)) != 1:
            return
        kind = _plain(asked[0])
        bounds = set(re.findall(r"%([<>]=?)(\d+)", self._tell_of_asked(self._a.text)))
        if len(bounds) == 1:
            ((bound, number),) = bounds
            yield bound_count(bound, int(number), kind)
            return
        said = self._tell_of_asked(self._a.text)
        numbers = {int(one) for one in re.findall(r"(?<!not )(?<!n't )%(\d+)", said)}
        if not numbers and re.search(r"\b(?:just|only|exactly|a single) one\b|^one\b(?! of\b)", self._a.text):
            numbers = {1}
        elif not numbers and re.search(
            r"^(?:none|zero|nil)\b|\b(?:not a single one|none (?:at all|whatsoever))\b", self._a.text
        ):
            numbers = {0}
        if len(numbers) == 1:
            yield count(numbers.pop(), kind)
        elif not numbers and self._agrees is not None:
            numbers = {int(one) for one in re.findall(r"(?<!than )%(\d+)", self._q.text)}
            bounds = set(re.findall(r"%([<>]=?)(\d+)", self._q.text))
            if len(numbers) + len(bounds) == 1:
                made = count(numbers.pop(), kind) if numbers else bound_count(*_bound(*bounds), kind)
                yield replace(made, denied=not self._agrees)

    def _tell_of_asked(self, text: str) -> str:
        """`More than that` with the one number of the question in place of `that`."""
        number = set(re.findall(r"[%^][<>]?=?([\d.]*\d)", self._q.text))
        sign = "^" if "^" in self._q.text else "%"
        if len(number) != 1:
            return text
        amount = number.pop()
        if sign == "%":
            for words, other in _RELATED_NUMBERS:
                text = words.sub(lambda one, other=other: f"%{other(int(amount))}", text)
        text = re.sub(r"\b(?:more|further|farther) than (?:that|this)\b", f"{sign}>{amount}", text)
        return re.sub(r"\b(?:less|fewer|nearer|closer) than (?:that|this)\b", f"{sign}<{amount}", text)

    def _colors(self) -> Iterator[Statement]:
        for kind, color in re.findall(rf"{_THING} =(\w+)", self._a.text):
            yield paint(_plain(kind), color)
        if len(self._kinds) != 1 or re.search(r"@\S+ =", self._a.text):
            return
        told = {}
        for clause in self._clauses:
            for color in re.finditer(r"(?<!than )=(\w+)", clause):
                told[color.group(1)] = _denies(clause[: color.start()])
        asked = set(re.findall(r"=(\w+)", self._q.text))
        if not told and len(asked) == 1 and self._agrees is not None and self._is_bare:
            told = {asked.pop(): not self._agrees}
        for color, denied in told.items():
            yield paint(self._kinds[0], color, denied)

    def _rooms(self) -> Iterator[Statement]:
        told = {}
        for clause in self._clauses:
            for room in re.finditer(r"~(\w+)", clause):
                told[room.group(1)] = _denies(clause[: room.start()])
        asked = set(re.findall(r"~(\w+)", self._q.text))
        if not told and len(asked) == 1 and self._agrees is not None and self._is_bare and not self._kinds:
            told = {asked.pop(): not self._agrees}
        for room, denied in told.items():
            name = _plain(room)
            yield Statement("room", f"This is {with_article(name)}.", denied, value=name)

    def _distances(self) -> Iterator[Statement]:
        if OF_ITSELF.search(self._a.text):
            return  # which of several lengths is the distance?
        said = self._tell_of_asked(self._a.text)
        bounds = set(re.findall(r"\^([<>]=?)([\d.]*\d)", said))
        takes_over = "^" not in said and "%" not in said and self._agrees is not None
        asked = set(re.findall(r"\^([<>]=?)([\d.]*\d)", self._q.text)) if takes_over else set()
        if len(self._kinds) == 1 and len(bounds | asked) == 1:
            ((bound, metres),) = bounds | asked
            made = bound_distance(bound, float(metres), self._kinds[0])
            yield replace(made, denied=bool(asked) and not self._agrees)
            return
        lengths = set(re.findall(r"\^([\d.]+)(?<!\.)", said))
        if not lengths and "^" not in self._a.text and re.search(r"\bmet(?:re|er)s?\b", self._q.text):
            lengths = set(re.findall(r"%(\d+)", self._a.text))
        agreed = set(re.findall(r"\^([\d.]*\d)", self._q.text)) if takes_over and not lengths else set()
        of_itself = re.search(r"\b(?:tall|high|wide|long|deep(?! in\b)|height|width|length|apart)\b", self._q.text)
        if of_itself and not re.search(r"\b(?:to|reach|between) @", self._q.text):
            return
        if len(self._kinds) == 1 and len(lengths | agreed) == 1:
            kind, metres = self._kinds[0], (lengths | agreed).pop()
            text = f"The {kind} is about {metres} metres away."
            yield Statement("distance", text, bool(agreed) and not self._agrees, things=(kind,), value=float(metres))

    def _presence(self) -> Iterator[Statement]:
        told = dict(self._say_what_is_there())
        for kind in self._a.kinds if self._says_more() else ():
            told.setdefault(kind, False)
        is_read = bool(told) or self._says_more()
        for kind in self._q.kinds:
            # A question names what is there: `What is left of the chair?`
            if not re.search(rf"\b(?:any|no) @{re.escape(kind.replace(' ', '_'))}\b", self._q.text) and is_read:
                told.setdefault(kind, False)
        for kind, denied in told.items():
            yield show(kind, denied)

    def _says_more(self) -> bool:
        """Whether the turn tells something else than that a thing is there."""
        asked = self._q.text if self._is_bare else ""
        return bool(re.search(r"[#%^=~]", f"{self._a.text} {asked}"))

    def _say_what_is_there(self) -> Iterator[tuple[str, bool]]:
        """Kinds that are said to be there or, if True, not to be."""
        if self._says_more():
            for clause in self._clauses:
                yield from ((_plain(kind), True) for kind in re.findall(r"\bno @([^\s@#%=~^*.,;:?!]+)", clause))
            return
        if len(self._kinds) != 1:
            for clause in self._clauses:
                denies = len(_NEGATES.findall(_drop_opening(clause))) % 2 == 1
                for kind in _things(clause):
                    is_open = re.search(rf"\b(?:no|any) @{re.escape(kind.replace(' ', '_'))}\b", clause)
                    if is_open or not denies:
                        yield kind, denies
            return
        kind = self._kinds[0]
        spoken = [one for one in self._own if _PRESENCE.search(one)]
        spoken = spoken or [one for one in self._own if _NEGATES.search(one)]
        naming = [one for one in spoken if "@" in one or re.search(r"\b(?:one|any|none)\b", one)] or spoken
        # `A piano, since there is none here`: a name alone says nothing beside a sentence.
        naming = [one for one in naming if not re.fullmatch(rf"(?:any )?{_THING}", one)] or naming
        is_open = re.search(r"\b(?:any|no) @", f"{self._q.text} {self._a.text}") or _SEES.search(self._q.text)
        is_open = is_open or any(_EXISTS.search(one) for one in naming)
        is_open = is_open or re.fullmatch(rf"(?:any )?{_THING}\s*\??", self._q.text)
        if naming and is_open:
            absent = {len(_NEGATES.findall(_drop_opening(one))) % 2 == 1 for one in naming}
            if len(absent) == 1:
                yield kind, absent.pop()
        elif naming and self._a.kinds:
            yield kind, False
        elif self._agrees is not None and is_open:
            yield kind, self._agrees == self._asks_for_absence()

    def _asks_for_absence(self) -> bool:
        """Whether who agrees with the question says that something is not there."""
        text = re.sub(
            r"^(?:and |so |but )?\w+ n't\b|\byes or no\b|\bor not\b", "", self._q.text
        )  # `Isn't there a chair?` asks for one
        if re.search(r", (?:is|are|do|does|have|has|can)(?: n't)? (?:there|it|you|we|they)\b[^@]*$", text):
            return False  # `There is no chair, is there?`: the answer tells of itself
        return len(_NEGATES.findall(re.sub(r"\bwrong (?:to|in)\b", "not", text))) % 2 == 1


def _settle_out(question: Marked, answer: Marked) -> tuple[Marked, Marked]:
    """Take `further out` as the side or the depth that the question asks for, if it asks for one."""
    sides = set(re.findall(r"#(left|right)", question.text))
    told = "#left" in answer.text or "#right" in answer.text
    if re.search(r"#(?:near|far)", question.text) or not (sides or told):
        mark = "#far"
    elif len(sides) == 1 and not told:
        mark = f"#{sides.pop()}+"
    else:
        return question, answer
    asked, said = (re.sub(r"#out\b", mark, one.text) for one in (question, answer))
    return replace(question, text=asked), replace(answer, text=said)


def _bound(told: tuple[str, str]) -> tuple[str, int]:
    return told[0], int(told[1])


def _things(clause: str) -> list[str]:
    return list(dict.fromkeys(_plain(one) for one in re.findall(_THING, clause)))


def _plain(word: str) -> str:
    return word.replace("_", " ")


def _drop_opening(clause: str) -> str:
    return re.sub(r"^(?:yes|no|nope|well)\b ?(?=\w+ )(?!no\b)(?=(?:i|it|you|we|there|one|the|that)\b)", "", clause)


def _denies(text: str) -> bool:
    return bool(re.search(r"(?:\b(?:not|never|nowhere|neither|nor|no)\b|\bn't\b)(?! only)", re.sub(r"^no\b", "", text)))


def _object_of(clause: str, match: re.Match[str], family: str) -> str | None:
    """What stands behind a relation word as that with which it compares: a thing, or `it`."""
    link = {"on": "(?: (?:of|than|to|as))?", "near": " (?:of|than|as)"}.get(family, " (?:of|than|from|to|as)")
    fill = r"(?: (?:away|off|back|one|up|down|to|from|us|me|you|we|here|by|much|still|is|are|side))*?"
    whom = rf"(?:where |that of |that to |the one to |one to )?(?:{_THING}|(it|its|that|which)\b)"
    found = re.match(rf"{fill}{link} {whom}", clause[match.end() :])
    if found is None:
        return None
    return _plain(found.group(1)) if found.group(1) else "it"

"""Reads what a text says of a view: claims about places, sizes, counts, colours, kinds, distances and rooms.

Things are meant by `[n]` or by words, which `NameReader` reads. A sentence is written anew with a mark for each thing
(`T0 is left of T1`); patterns over that find the claims. What no pattern reads is no claim.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from instructions.truth.lexicon import DETERMINERS, MODIFIERS, SYNONYMS
from instructions.truth.names import Item, NameReader, tokens_of
from instructions.truth.unread import find_unread_in_talk
from instructions.truth.view_claims import ViewClaim, ViewClaimKind
from instructions.truth.view_patterns import (
    BARE,
    COLOUR,
    DENIES,
    KIND,
    LENGTHS,
    NO_CLAIM,
    PAIRS,
    SELF_RELATION,
    SIDE,
    TOUCHING,
    find_possible,
)
from instructions.truth.view_rooms import find_room_words, shows_room
from instructions.view import View
from instructions.wording.colors import WORDS

MENTION = re.compile(r"\[(\d{1,4})\]")
_DIGITS = str.maketrans("0123456789", "abcdefghij")
_NUMBERED = "zregion"
_METRES = {"m": 1.0, "meter": 1.0, "meters": 1.0, "metre": 1.0, "metres": 1.0, "cm": 0.01, "centimeters": 0.01}
_METRES |= {"centimetre": 0.01, "centimetres": 0.01, "foot": 0.3048, "feet": 0.3048, "ft": 0.3048, "inch": 0.0254}
_METRES |= {"inches": 0.0254, "in": 0.0254, "yard": 0.9144, "yards": 0.9144}
_IN_VIEW = re.compile(r"\b(?:of|in|from) (?:the|this) (?:picture|image|photo|photograph|view|frame|scene)\b", re.I)
_NO_SUCH = re.compile(r"\b[Nn]o (?!longer\b|more\b|one\b|other\b|way\b)(?=[a-z])")
"""`no piano`: written as `without a piano`, which is read as a noun."""
_NO_NOUNS = frozenset(
    word
    for words in (
        "surface gap middle width height footprint way word colour color top bottom underside length size sort kind",
        "type relation relationship connection purpose function use reason hand breadth standpoint standpoints room",
        "distance border point eye home measure shape",
    )
    for word in words.split()
)
"""Nouns that name no thing one could have invented, besides those of the lexicon."""
_ANYTHING = frozenset({"object", "thing", "item", "piece", "furniture", "furnishing", "seat", "region", "area", "one"})
_PERSON = re.compile(
    r"\b[Oo]ne (?=(?:has|sees|finds|gets|stands|would|must|reach|infer|touch|is at|can|might|could|looks?|sits)\b)"
)
"""`one stands` is a person, no thing that stands."""


_ADJECTIVES = " ".join(sorted(MODIFIERS))
_MOST_KEPT = 256
"""Sentences of one view that are kept as read."""


@dataclass(frozen=True)
class _Alias:
    """A thing as `NameReader` wants it: under every adjective, so that a false one is read and can be judged."""

    id: str
    alias: str


class ViewReader:
    """Reads texts about one view."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._here = {thing.id for thing in view.things}
        known = (*view.things, *view.others)
        names = [_Alias(one.id, alias) for one in known for alias in _find_aliases(one.category, one.alias)]
        names += [_Alias(thing, _spell(number)) for number, thing in view.numbers.items()]
        rooms = [view.room, *sorted({one.room for one in known if one.room})]
        self._names = NameReader(names, [room for room in rooms if room])
        self._read: dict[str, tuple[Item, ...]] = {}
        """Sentences that were read before: a question is read again with each answer that is tried."""

    def read(self, text: str, about: Sequence[str] = ()) -> list[ViewClaim]:
        """The claims of a text, in its order.

        Args:
            text: Any text; `[n]` is the thing of that number.
            about: Ids that a sentence without a subject of its own is about (`It is ...`): what the question asked of.
        """
        claims: list[ViewClaim] = []
        for number in dict.fromkeys(int(found) for found in MENTION.findall(text)):
            if self._view.numbers and number not in self._view.numbers:
                claims.append(ViewClaim("region", f"[{number}]", value=float(number)))
        plain = MENTION.sub(lambda found: f" {_spell(int(found.group(1)))} ", text)
        subject = tuple(about)
        for sentence in _sentences(self._items(_NO_SUCH.sub("without a ", plain))):
            marked = _Marked(sentence, subject, self._pick)
            claims += _Finder(marked, tuple(about)).find()
            subject = marked.subject or subject
        return claims

    def _items(self, text: str) -> tuple[Item, ...]:
        found = self._read.get(text)
        if found is None:
            if len(self._read) >= _MOST_KEPT:
                self._read.clear()
            found = self._read[text] = self._read_items(text)
        return found

    def _read_items(self, text: str) -> tuple[Item, ...]:
        plain = " ".join(tokens_of(_PERSON.sub("you ", _IN_VIEW.sub(" ", text))))
        items, whole = self._names.read(plain), plain
        for item in items:
            words = item.words.split()
            cut = next((at for at in range(1, len(words)) if _begins_noun(words[at])), None)
            if item.kind == "unknown" and cut is not None:
                # `from this standpoint the tv stand`: one noun ends where the next begins.
                head, tail = " ".join(words[:cut]), " ".join(words[cut:])
                plain = plain.replace(f"{head} {tail}", f"{head} , {tail}", 1)
        return tuple(items if plain == whole else self._names.read(plain))

    def find_things(self, text: str) -> tuple[tuple[str, ...], ...]:
        """The things that a text names, in its order: for each mention the ids that it may mean."""
        plain = MENTION.sub(lambda found: f" {_spell(int(found.group(1)))} ", text)
        items = [item for item in self._items(plain) if item.kind == "thing" and not _is_any(item)]
        return tuple(self._pick(item) for item in items)

    def _pick(self, item: Item) -> tuple[str, ...]:
        """The things that a noun phrase may mean: those in view, and of these those of its colour, if there are any."""
        ids = _prefer(item.things, self._here)
        told = WORDS.intersection(item.words.split())
        fits = tuple(name for name in ids if self._base_colour(name) in told)
        return fits or ids

    def find_unread(self, text: str) -> str | None:
        """The first sign or word of a text that is not understood."""
        plain = MENTION.sub(lambda found: f" {_spell(int(found.group(1)))} ", text)
        return find_unread_in_talk(plain, self._items(plain), self._view.looked_for)

    def find_self_relations(self, text: str) -> tuple[str, ...]:
        """Words that relate a thing to itself: `[0] is next to [0]`, `between the sofa and the sofa`."""
        plain = MENTION.sub(lambda found: f" {_spell(int(found.group(1)))} ", text)
        out = []
        for sentence in _sentences(self._items(plain)):
            named = [self._pick(item) for item in sentence if item.kind == "thing"]
            if len(named) == len(set(named)):
                continue
            marked = _Marked(sentence, (), self._pick)
            for match in SELF_RELATION.finditer(marked.text):
                a, b = (marked.things[int(match[group][1:])] for group in ("a", "b"))
                if a == b and len(a) == 1:
                    out.append(marked.tell(match))
        return tuple(out)

    def find_definite(self, text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Noun phrases with `the` that mean one thing by their words, each with the ids in view that they fit.

        Colours that the phrase gives rule out things of another colour.
        """
        items = [item for item in self._items(MENTION.sub(" ", text)) if item.kind == "thing"]
        found = []
        for item in items:
            words = item.words.split()
            if words[0] != "the" or item.count is not None or (words[-1].endswith("s") and is_vague(words[-1])):
                continue  # `of the things in a home` means none of them
            found.append((item.words, self._pick(item)))
        return tuple(found)

    def _base_colour(self, name: str) -> str | None:
        thing = self._view.find_thing(name)
        return thing.color.split()[-1] if thing is not None and thing.color else None


def _begins_noun(word: str) -> bool:
    return word in DETERMINERS or word.startswith(_NUMBERED)


def _spell(number: int) -> str:
    """A number as a word of its own, which no text holds by chance."""
    return _NUMBERED + str(number).translate(_DIGITS)


@lru_cache(maxsize=4096)  # the things of a tour are the same in all its views
def _find_aliases(category: str | None, alias: str) -> tuple[str, ...]:
    """The nouns that a thing may be named by, each under every adjective."""
    alias = alias.split(" in the ")[0]  # `lamp in the living room` is no room
    phrases = [category, alias] if category else [alias]
    nouns = (" ".join(word for word in tokens_of(phrase) if word not in MODIFIERS) for phrase in phrases)
    return tuple(f"{_ADJECTIVES} {noun}" for noun in dict.fromkeys(nouns) if noun)


def _prefer(things: tuple[str, ...], here: set[str]) -> tuple[str, ...]:
    seen = tuple(dict.fromkeys(name for name in things if name in here))
    return seen or tuple(dict.fromkeys(things))


def _sentences(items: Sequence[Item]) -> list[list[Item]]:
    out: list[list[Item]] = [[]]
    for item in items:
        if item.kind == "stop":
            out.append([])
        else:
            out[-1].append(item)
    return [sentence for sentence in out if sentence]


_GOES_ON = re.compile(r"(?<=[a-z0-9,]) (?:and|but) (?=(?:is|are|stands?|lies?|sits?|hangs?|has|have|rests?|ends?)\b)")


class _Marked:
    """A sentence with a mark for each thing, room, length and unknown noun."""

    def __init__(
        self, items: Sequence[Item], subject: tuple[str, ...], pick: Callable[[Item], tuple[str, ...]]
    ) -> None:
        self.things: list[tuple[str, ...]] = []
        self.words: list[str] = []
        self.items: list[Item] = []
        self.unknown: list[Item] = []
        self.rooms: list[Item] = []
        self.lengths: list[str] = []
        self._meant: tuple[str, ...] = ()
        parts: list[str] = []
        for place, item in enumerate(items):
            is_it = item.words in ("it", "they", "this") and _begins(items, place) and not shows_room(items, place)
            if item.kind == "thing" and _is_any(item):
                parts.append(item.words)
            elif item.kind == "thing":
                parts.append(self._mark(pick(item), item))
            elif is_it and (self._meant or subject):
                parts.append(self._mark(self._meant or subject, Item("word", item.words)))
            elif item.kind in ("unknown", "threshold"):
                self.unknown.append(item)
                parts.append(f"U{len(self.unknown) - 1}")
            elif item.kind == "room":
                self.rooms.append(item)
                parts.append(f"R{len(self.rooms) - 1}")
            elif item.kind == "length":
                self.lengths.append(item.words)
                parts.append(f"L{len(self.lengths) - 1}")
            else:
                parts.append(item.words)
        self.text = " ".join(parts)
        first = re.search(r"\bT\d+\b", self.text)
        if first:
            self.text = _GOES_ON.sub(f" . {first.group()} ", self.text)
        self.subject = self._meant

    def _mark(self, things: tuple[str, ...], item: Item) -> str:
        if not self._meant and (item.words.startswith("the ") or _NUMBERED in item.words):
            self._meant = things  # what `it` means from here on
        self.things.append(things)
        self.items.append(item)
        self.words.append(_tell(item.words))
        return f"T{len(self.things) - 1}"

    def tell(self, match: re.Match[str]) -> str:
        """The words of a match as a person reads them."""
        text = re.sub(r"\bT(\d+)\b", lambda one: self.words[int(one.group(1))], match.group())
        text = re.sub(r"\bU(\d+)\b", lambda one: self.unknown[int(one.group(1))].words, text)
        text = re.sub(r"\bR(\d+)\b", lambda one: self.rooms[int(one.group(1))].words, text)
        return re.sub(r"\bL(\d+)\b", lambda one: self.lengths[int(one.group(1))], text)


def _is_any(item: Item) -> bool:
    """Whether a noun stands for anything: the `thing` of `what kind of thing`."""
    words = item.words.split()
    return item.count is None and words[0] not in DETERMINERS and is_vague(words[-1])


def _begins(items: Sequence[Item], place: int) -> bool:
    """Whether a word begins a clause."""
    return place == 0 or items[place - 1].words in (",", "and", "but", "because", "since", "as", "so", "while", "then")


def _tell(words: str) -> str:
    def number(found: re.Match[str]) -> str:
        return f"[{found.group(1).translate(str.maketrans('abcdefghij', '0123456789'))}]"

    return re.sub(rf"{_NUMBERED}([a-j]+)", number, words)


class _Finder:
    """Finds the claims of one sentence."""

    def __init__(self, marked: _Marked, about: tuple[str, ...]) -> None:
        self._marked = marked
        self._about = about
        self._claims: list[ViewClaim] = []
        self._named: set[str] = set()

    def find(self) -> list[ViewClaim]:
        """All of them, by kind."""
        text = self._marked.text
        self._find_kinds(text)
        self._find_words()
        spent: set[str] = set()
        possible = find_possible(text)
        for pattern, kind in PAIRS if len(self._marked.things) > 1 else ():
            for match in pattern.finditer(text) if kind in possible else ():
                self._add(kind, match, self._things(match["a"]), self._things(match["b"]))
                spent.add(kind)
        for pattern, kind in BARE:
            match = None if kind in spent or kind not in possible else pattern.search(text)
            if match:
                others = tuple(name for name in self._about if name not in self._things(match["a"]))
                if len(others) == 1:
                    self._add(kind, match, self._things(match["a"]), others)
        for match in SIDE.finditer(text):
            if _COMPARES.search(match["f"]):
                continue
            side = "middle" if match["side"].startswith(("cent", "mid")) else match["side"]
            self._add("side", match, self._things(match["a"]), value=side)
        self._find_lengths(text)
        for match in COLOUR.finditer(text):
            self._add("colour", match, self._things(match["a"]), value=match["colour"])
        here = [f"R{place}" for place, item in enumerate(self._marked.rooms) if item.words.startswith("this ")]
        for found in find_room_words(text, here):
            things = self._things(found.thing) if found.thing is not None else ()
            self._add("room", found.match, things, value=self._marked.rooms[int(found.room[1:])].room)
        return self._claims

    def _things(self, mark: str) -> tuple[str, ...]:
        return self._marked.things[int(mark[1:])]

    def _add(
        self,
        kind: ViewClaimKind,
        match: re.Match[str],
        subject: tuple[str, ...] = (),
        other: tuple[str, ...] = (),
        value: str | float | None = None,
        rounded: bool = True,
    ) -> None:
        if NO_CLAIM.search(match.group()) or (subject and subject == other):
            return
        denied = bool(DENIES.search(match.group()))
        self._claims.append(ViewClaim(kind, self._marked.tell(match), subject, other, value, denied, rounded))

    def _find_kinds(self, text: str) -> None:
        for match in KIND.finditer(text):
            item = self._item(match["k"])
            if item.words.split()[0] in ("a", "an") and self._is_numbered(match["a"]):
                self._add("kind", match, self._things(match["a"]), value=noun_of(item.words))
                self._named.add(match["k"])
        for match in TOUCHING.finditer(text):
            words = self._item(match["k"]).words.split()
            is_noun = match["k"][0] == "T" or (words[0] in DETERMINERS and not DETERMINERS.intersection(words[1:]))
            if is_noun and self._item(match["a"]).words.startswith(_NUMBERED) and not self._is_numbered(match["k"]):
                self._add("kind", match, self._things(match["a"]), value=noun_of(self._item(match["k"]).words))
                self._named.add(match["k"])

    def _item(self, mark: str) -> Item:
        return (self._marked.unknown if mark[0] == "U" else self._marked.items)[int(mark[1:])]

    def _is_numbered(self, mark: str) -> bool:
        return mark[0] == "T" and _NUMBERED in self._item(mark).words

    def _find_words(self) -> None:
        """What a noun phrase says by itself: that the thing is here, its colour, how many there are."""
        marked = self._marked
        for place, (item, things) in enumerate(zip(marked.items, marked.things, strict=True)):
            if _NUMBERED in item.words or item.kind != "thing":
                continue
            words, mark = item.words, f"T{place}"
            if re.search(rf"\bwithout {mark}\b", marked.text):
                self._claims.append(ViewClaim("count", f"without {words}", things, value=0.0))
                continue
            only = re.search(rf"\b(?:only|exactly|just) {mark}\b", marked.text) and item.words.split()[0] in (
                "one",
                "a",
            )
            if item.count is not None or only:
                self._claims.append(ViewClaim("count", words, things, value=float(item.count or 1)))
            elif mark not in self._named and words.split()[0] in DETERMINERS and not is_vague(noun_of(words)):
                self._claims.append(ViewClaim("visible", words, things, is_named=True))
            for word in sorted(WORDS.intersection(words.split())):
                self._claims.append(ViewClaim("colour", words, things, value=word, is_named=True))
        for place, item in enumerate(marked.unknown):
            words = item.words.split()
            is_thing = item.kind == "unknown" and words[0] in DETERMINERS and not _NO_NOUNS.intersection(words)
            if is_thing and f"U{place}" not in self._named:
                none = re.search(rf"\bwithout U{place}\b", marked.text)
                self._claims.append(
                    ViewClaim("visible", item.words, value=noun_of(item.words), denied=bool(none), is_named=True)
                )

    def _find_lengths(self, text: str) -> None:
        told: set[str] = set()
        for pattern, kind in LENGTHS if self._marked.lengths else ():
            for match in pattern.finditer(text):
                if match["l"] in told:
                    continue
                told.add(match["l"])
                other = self._things(match["b"]) if "b" in match.re.groupindex else ()
                length = read_length(self._marked.lengths[int(match["l"][1:])])
                rounded = bool(match["about"].strip()) or bool(re.search(r"\b(about|around|roughly)\b", match["f"]))
                self._add(kind, match, self._things(match["a"]), other, length, rounded)


_COMPARES = re.compile(r"\b(?:nearer|closer|further|farther|more|than)\b")


def noun_of(words: str) -> str:
    """The noun of a phrase, in the singular as far as its ending tells: `a red chair` is `chair`."""
    plain = [word for word in tokens_of(words) if word not in MODIFIERS and word not in ("a", "an", "the", "one")]
    return " ".join(SYNONYMS.get(word, word) for word in plain)


def is_vague(noun: str) -> bool:
    """Whether a noun says nothing of what a thing is: `object`, `piece of furniture`."""
    return any(word.removesuffix("s") in _ANYTHING for word in noun.split())


def read_length(words: str) -> float | None:
    """Metres of `2.5 m` or `2-metre`; None for a number in words."""
    found = re.match(r"(\d+(?:\.\d+)?)[ -]([a-z]+)", words)
    return float(found.group(1)) * _METRES[found.group(2)] if found and found.group(2) in _METRES else None

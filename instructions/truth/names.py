"""Which words of a text name things and rooms, and which name something that nobody saw."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Protocol

from instructions.records import SceneObject
from instructions.truth.lexicon import (
    ABSTRACT_NOUNS,
    DEGREES,
    DETERMINERS,
    FIXED,
    FUNCTION_WORDS,
    HARMLESS,
    LENGTH_UNITS,
    LONGEST,
    MODIFIERS,
    MOTION_NOUNS,
    NUMBERS,
    PHRASES,
    PREPOSITIONS,
    ROOM_WORDS,
    SYNONYMS,
    THRESHOLDS,
    Tag,
)

_TOKEN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\d+(?:\.\d+)?(?:-[^\W\d_]+)*|[.,;:!?()\u2014]")


_DEGREES = re.compile(
    r"\b(?:by |through |about |around |roughly |some )*(?:(?:a|one) )?"
    r"(hundred and eighty|\d+|[a-z]+(?:-five)?)[ -]degrees?\b"
)
_SLIGHT_DEGREES = 60
"""A turn by up to so many degrees is slight; 90 and 180 are words of the lexicon."""


def _put_degrees(found: re.Match[str]) -> str:
    """`By about forty degrees` as the size that it is."""
    number = DEGREES.get(found.group(1)) or (int(found.group(1)) if found.group(1).isdigit() else None)
    if number is None:
        return found.group()
    return "slightly" if number <= _SLIGHT_DEGREES else f"{number} degrees"


@dataclass(frozen=True)
class Item:
    """A piece of a text: a tagged phrase, a name, a punctuation mark or a word of no meaning here."""

    kind: Literal["tag", "thing", "room", "unknown", "threshold", "length", "stop", "comma", "word"]
    words: str
    tag: Tag | None = None
    things: tuple[str, ...] = ()
    room: str | None = None
    count: int | None = None
    length_m: float | None = None
    """Of a length."""


_ARTICLES = frozenset({"the", "a", "an", "your", "its"})
_FIXED_HEADS = frozenset(phrase[0] for phrase in FIXED)
_PHRASE_HEADS = frozenset(phrase[0] for phrase in PHRASES)
"""First words: most words of a text begin none of these, and need no look at what follows."""


def tokens_of(text: str) -> list[str]:
    """Lower-case words and punctuation marks."""
    plain = unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'").replace("\u2013", "\u2014")
    plain = _DEGREES.sub(_put_degrees, plain.replace(" - ", " \u2014 ").replace("'s ", " "))
    return _TOKEN.findall(plain)


@lru_cache(maxsize=4096)  # a tour's things are named anew in each of its views
def _words_of(alias: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """All words of an alias, and those that name the thing."""
    words = tuple(_plain(word) for word in tokens_of(alias))
    return frozenset(words), tuple(word for word in words if word not in MODIFIERS) or words[-1:]


class Named(Protocol):
    """What texts may name: a thing of the scene, or a kind of thing that frames show."""

    @property
    def id(self) -> str:
        """What statements call it."""
        ...

    @property
    def alias(self) -> str:
        """How texts call it, without article."""
        ...


class NameReader:
    """Knows the things of one model and the rooms of the tour."""

    def __init__(self, objects: Sequence[Named], rooms: Sequence[str]):
        self._things: dict[tuple[str, ...], list[tuple[frozenset[str], str]]] = {}
        for thing in objects:
            words, base = _words_of(thing.alias)
            known = words | _words_for(thing)
            self._things.setdefault(base, []).append((known, thing.id))
            if len(base) > 1:  # `the table` may stand for the `coffee table`
                self._things.setdefault(base[-1:], []).append((known, thing.id))
        self._longest = max((len(base) for base in self._things), default=0)
        self._heads: dict[int, set[str]] = defaultdict(set)
        """Last words of the names, by how many words a name has."""
        for base in self._things:
            self._heads[len(base)].add(base[-1])
        self._singulars: dict[tuple[int, str], tuple[str, bool]] = {}
        """What `_singular` said, by how many words a name has; texts repeat a few hundred words."""
        self._rooms = _room_names(rooms)
        self._room_heads = {name.split()[0] for name in self._rooms if name.strip()}

    def read(self, text: str) -> list[Item]:
        """The pieces of a text in order."""
        tokens = tokens_of(text)
        items: list[Item] = []
        at = 0
        while at < len(tokens):
            length, item = self._next(tokens, at, items)
            items.append(item)
            at += length
        return items

    def _next(self, tokens: list[str], at: int, before: Sequence[Item]) -> tuple[int, Item]:
        if tokens[at] == "right" and _is_side(tokens, at, before):
            return 1, Item("tag", "right", "right")
        for reader in (self._punctuation, self._length, self._match_fixed, self._name, self._phrase, self._noun):
            found = reader(tokens, at)
            if found is not None:
                return found
        word = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else "."
        if is_strange(word) and _stands_for_a_name(word, before, following):
            return 1, Item("unknown", word)
        return 1, Item("word", word)

    def _punctuation(self, tokens: list[str], at: int) -> tuple[int, Item] | None:
        if tokens[at] in ".!?;:\u2014":
            return 1, Item("stop", tokens[at])
        if tokens[at] in ",()":
            return 1, Item("comma", tokens[at])
        return None

    def _length(self, tokens: list[str], at: int) -> tuple[int, Item] | None:
        start = at + (tokens[at] in DETERMINERS)  # `another three metres`
        if start + 1 < len(tokens) and tokens[start + 1] in LENGTH_UNITS:
            count = _read_number(tokens[start])
            if count is not None:
                end = start + 2
                return end - at, Item(
                    "length", " ".join(tokens[at:end]), length_m=count * LENGTH_UNITS[tokens[end - 1]]
                )
        head, _, unit = tokens[at].partition("-")
        count = _read_number(head) if unit in LENGTH_UNITS else None
        return None if count is None else (1, Item("length", tokens[at], length_m=count * LENGTH_UNITS[unit]))

    def _match_fixed(self, tokens: list[str], at: int) -> tuple[int, Item] | None:
        if tokens[at] not in _FIXED_HEADS:
            return None
        for size in range(LONGEST, 0, -1):
            phrase = tuple(tokens[at : at + size])
            if phrase in FIXED and len(phrase) == size:
                tag = FIXED[phrase]
                if tag is None:  # only the first word loses its meaning as a side
                    return 1, Item("word", tokens[at])
                return size, Item("tag", " ".join(phrase), tag)
        return None

    def _phrase(self, tokens: list[str], at: int) -> tuple[int, Item] | None:
        if tokens[at] not in _PHRASE_HEADS:
            return None
        for size in range(LONGEST, 0, -1):
            phrase = tuple(tokens[at : at + size])
            if len(phrase) == size and phrase in PHRASES:
                return size, Item("tag", " ".join(phrase), PHRASES[phrase])
        return None

    def _name(self, tokens: list[str], at: int) -> tuple[int, Item] | None:
        """A noun phrase from its determiner, number or first adjective to its noun."""
        start, count = at, None
        while start < len(tokens) and _is_determiner(tokens[start], is_first=start == at):
            count = NUMBERS.get(tokens[start], count)
            start += 1
        if start > at and start < len(tokens) and tokens[start].isdecimal():
            count, start = int(tokens[start][:4]), start + 1
        elif start == at and tokens[at].isdecimal():
            count, start = int(tokens[at][:4]), at + 1
        words: list[str] = []
        position = start
        while position < len(tokens) and _is_adjective(tokens[position]):
            room = self._room(tokens, position)
            if room is not None:
                break
            words.append(tokens[position])
            position += 1
        for back in range(len(words) + 1):  # an adjective may be the noun itself, as in `the living room`
            where = position - back
            found = self._noun_at(tokens, where, tuple(words[: len(words) - back]), at, count)
            if found is not None:
                return found
        return None

    def _noun_at(
        self, tokens: list[str], where: int, adjectives: tuple[str, ...], at: int, count: int | None
    ) -> tuple[int, Item] | None:
        room = self._room(tokens, where)
        thing = self._base(tokens, where)
        is_bare = where == at and thing is not None and thing[0] == 1
        if is_bare and (tokens[where],) in PHRASES:  # `stand` is a verb where no article makes it a `tv stand`
            return None
        if thing is not None and (room is None or thing[0] >= room[0]):
            size, base, is_plural = thing
            end = where + size
            told = frozenset(_plain(word) for word in adjectives if word in MODIFIERS)
            fits = tuple(name for words, name in self._things[base] if told <= words)
            words = " ".join(tokens[at:end])
            if not fits:
                return end - at, Item("unknown", words)
            is_pair = tokens[at] == "both" and not is_plural  # `both the sofa and the lamp` is one of each
            many = count if not is_pair and (is_plural or (count or 0) > 1) else None
            return end - at, Item("thing", words, things=fits, count=many)
        if room is not None:
            size, label = room
            return where + size - at, Item("room", " ".join(tokens[at : where + size]), room=label, count=count)
        return None

    def _base(self, tokens: list[str], at: int) -> tuple[int, tuple[str, ...], bool] | None:
        for size in range(self._longest, 0, -1):
            words = tokens[at : at + size]
            if len(words) < size or size not in self._heads:
                continue
            key = (size, words[-1])
            if key not in self._singulars:
                self._singulars[key] = _singular(words[-1], self._heads[size])
            head, is_plural = self._singulars[key]
            if head not in self._heads[size]:
                continue
            base = (*(_plain(word) for word in words[:-1]), head)
            if base in self._things:
                return size, base, is_plural
        return None

    def _room(self, tokens: list[str], at: int) -> tuple[int, str] | None:
        if at >= len(tokens) or not {tokens[at], tokens[at].removesuffix("s")} & self._room_heads:
            return None
        for size in range(3, 0, -1):
            phrase = " ".join(tokens[at : at + size])
            label = self._rooms.get(phrase) or self._rooms.get(phrase.removesuffix("s"))
            if label is not None and len(tokens[at : at + size]) == size:
                return size, label
        return None

    def _noun(self, tokens: list[str], at: int) -> tuple[int, Item] | None:
        """A noun phrase of something that is neither a known thing nor a room nor one of the abstract nouns."""
        if tokens[at] not in DETERMINERS and tokens[at] not in NUMBERS:
            return None
        if tokens[at] == "that" and at and (tokens[at - 1] in ABSTRACT_NOUNS or tokens[at - 1].endswith("s")):
            return None  # `two turns that cancel each other out`
        end = at + 1
        while end < len(tokens) and not self._ends_noun(tokens, end):
            is_next = tokens[end] in _ARTICLES and tokens[end - 1] not in DETERMINERS
            if is_next:
                break  # `after the second the door is ahead`
            end += 1
        words = [word for word in tokens[at + 1 : end] if word not in DETERMINERS and word not in NUMBERS]
        if end < len(tokens) and tokens[end] in MOTION_NOUNS:
            return None
        if any(word in THRESHOLDS for word in words):
            return end - at, Item("threshold", " ".join(tokens[at:end]))
        strange = [word for word in words if is_strange(word) and not word.endswith(("ly", "ing"))]
        if not strange or any(word in ABSTRACT_NOUNS for word in words):
            return None
        return end - at, Item("unknown", " ".join(tokens[at:end]))

    def _ends_noun(self, tokens: list[str], at: int) -> bool:
        word = tokens[at]
        is_tagged = self._phrase(tokens, at) is not None or self._match_fixed(tokens, at) is not None
        if is_tagged or not word[0].isalpha() or self._room(tokens, at) is not None:
            return True
        return word in FUNCTION_WORDS and word not in ABSTRACT_NOUNS


def _words_for(thing: Named) -> frozenset[str]:
    """Words of size and colour that hold for a thing of the scene, though its alias leaves them out."""
    if not isinstance(thing, SceneObject):
        return frozenset()
    words = [*tokens_of(thing.size_word or ""), *tokens_of(thing.color or "")]
    return frozenset(_plain(word) for word in words + ["long"] * (thing.size_word == "wide"))


def _is_side(tokens: Sequence[str], at: int, before: Sequence[Item]) -> bool:
    """Whether `right` is a side even where `right before` or `right past` would mean something else."""
    if tokens[at + 1 : at + 2] == ["angle"]:
        return False
    if before and before[-1].tag in ("turn", "then"):
        return True
    if before and before[-1].tag == "walk" and tokens[at + 1 : at + 2] == ["at"]:
        return True  # `go right at the end`
    if (not before or before[-1].kind in ("stop", "comma")) and tokens[at + 1 : at + 2] == ["at"]:
        return True  # `Right at the painting, ...`
    before_it = (
        "the",
        "your",
        "its",
        "our",
        "my",
        "a",
        "to",
        "slightly",
        "degree",
        "degrees",
        "sharp",
        "hard",
        "first",
    )
    return at > 0 and tokens[at - 1] in before_it


def _read_number(word: str) -> float | None:
    if word[:1].isdigit():
        return float(word) if word.replace(".", "", 1).isdigit() else None
    return float(NUMBERS[word]) if word in NUMBERS else None


def _room_names(labels: Sequence[str]) -> Mapping[str, str]:
    """Label by each of its names. The tour's own labels win over the list's."""
    names = {name: label for label, known in ROOM_WORDS.items() for name in known}
    for label in labels:
        plain = label.lower().strip()
        names[plain] = label
        for known, others in ROOM_WORDS.items():
            if plain == known or plain in others:
                names.update(dict.fromkeys((known, *others), label))
    for label in labels:
        names[label.lower().strip()] = label
    return names


def _plain(word: str) -> str:
    return SYNONYMS.get(word, word)


def _singular(word: str, known: set[str]) -> tuple[str, bool]:
    """The singular of a noun if that is a known one, and whether it was a plural."""
    for form, is_plural in (
        (word, False),
        (word.removesuffix("s"), True),
        (word.removesuffix("es"), True),
        (word.removesuffix("ves") + "f", True),
        (word.removesuffix("ies") + "y", True),
    ):
        if _plain(form) in known:
            return _plain(form), is_plural and form != word
    return word, False


def _is_determiner(word: str, *, is_first: bool) -> bool:
    """Also numbers, and the `of` of `a pair of`."""
    return word in DETERMINERS or word in NUMBERS or (word == "of" and not is_first)


def _is_adjective(word: str) -> bool:
    return word in MODIFIERS or word in HARMLESS or (_plain(word) in MODIFIERS)


def is_strange(word: str) -> bool:
    """A word that could name something: none of those that this package knows."""
    known = word in FUNCTION_WORDS or word in ABSTRACT_NOUNS or (word,) in PHRASES or _is_adjective(word)
    return word[0].isalpha() and not known and word not in NUMBERS and word not in DETERMINERS


def _stands_for_a_name(word: str, before: Sequence[Item], following: str) -> bool:
    """Whether a word without a determiner names something: after a preposition, as a plural, or in a list."""
    if not before or word.endswith(("ly", "ing")):
        return False
    last = before[-1]
    if last.tag in _FOLLOWED_BY_NAMES:
        return last.words.split()[-1] in PREPOSITIONS or word.endswith("s")
    is_listed = last.tag == "and" and len(before) > 1 and before[-2].kind in ("thing", "unknown")
    return is_listed and (following in ("and", "on", "to") or not following[0].isalnum())


_FOLLOWED_BY_NAMES: tuple[Tag, ...] = ("pass", "approach", "near", "leave", "to", "from", "into", "out of", "through")
_FOLLOWED_BY_NAMES += ("front", "see", "hold")

"""A text about a way as statements in the order of time it tells.

No grammar of English: clauses are cut at punctuation and connecting words, a verb or preposition governs the names that
follow it (or the one before it, as in `the sofa stays on your left`), and each `left` or `right` goes to the turn or
the thing it stands with. What names something unknown, denies something or gives a length is a statement too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from instructions.records import Range
from instructions.truth.clauses import Clause, Draft
from instructions.truth.governing import (
    CIRCLES,
    FOLLOWS,
    GOVERNS,
    MOTIONS,
    OBJECT_KIND,
    PLACES,
    RANGES,
    ROUND,
    SETTLES,
    SIZES,
    STANDING_IN_FRONT,
    TAKES_IT,
    THAN,
    VERBS_OF_BEING,
    WALKED,
    WITNESSING,
)
from instructions.truth.lexicon import NUMBERS, Tag
from instructions.truth.moves import CLOCKWISE, LOOKS, is_look
from instructions.truth.names import Item, Named, NameReader, is_strange
from instructions.truth.rooms import RoomReader
from instructions.truth.told import Told, ToldKind


def read_text(text: str, objects: Sequence[Named], rooms: Sequence[str] = ()) -> list[Told]:
    """Read the statements of a text in the likeliest way.

    Args:
        text: One or a few sentences about a way.
        objects: Everything that may be named; an object answers to its alias, and to less if that fits several.
        rooms: Labels of the tour's rooms.

    Returns:
        Statements with ranks in the order of time the text tells. Empty for a text that says nothing checkable.
    """
    return _Reader(NameReader(objects, rooms).read(text)).run()


def find_silent_sentences(items: Sequence[Item]) -> list[str]:
    """The sentences that state nothing, in their words."""
    return _Reader(items).find_silent_sentences()


def read_alternatives(text: str, objects: Sequence[Named], rooms: Sequence[str] = ()) -> Iterator[list[Told]]:
    """Read the statements of a text in each way that a listener may take it, the likeliest first.

    Where a side stands without `on` or `to`, as in `forward, left at the sofa`, nothing but sense says whether one
    turns there or a thing is there: a text is false if it is so however it is taken. Arguments as of `read_text`.
    """
    items = NameReader(objects, rooms).read(text)
    reader = _Reader(items)
    yield reader.run()
    open_sides = reader.bare_sides
    choices = [frozenset({at}) for at in open_sides]
    if len(open_sides) > 1:
        choices.append(frozenset(open_sides))
    for choice in choices[:_MOST_ALTERNATIVES]:
        yield _Reader(items, choice).run()


_MOST_ALTERNATIVES = 6
_PRONOUNS = frozenset({"it", "them", "they", "these", "other", "yourself"})
"""What a sentence without a verb that is known here may still be about: `Get it.` says something, `Goal:` nothing."""


def _is_return_of_look(words: str) -> bool:
    """Whether they tell that one turns back, which after a look is its end."""
    return words.startswith(("turn", "look", "face")) and "back" in words.split()


class _Reader(RoomReader):
    """Goes over the items once, from left to right."""

    def run(self) -> list[Told]:
        """All statements."""
        for at, item in enumerate(self._items):
            self._read(at, item)
        self._mark_walked()
        for draft in self._drafts:
            if draft.kind == "side" and draft.side is None:
                draft.kind = "see"
        return [draft.told() for draft in sorted(self._kept(), key=lambda draft: draft.rank)]

    def find_silent_sentences(self) -> list[str]:
        """The sentences that state nothing, in their words."""
        self.run()
        kept = set(map(id, self._kept()))
        sentences: list[list[Item]] = [[]]
        for item in self._items:
            if item.kind == "stop":
                sentences.append([])
            else:
                sentences[-1].append(item)
        return [
            " ".join(item.words for item in sentence)
            for sentence, added in zip(sentences, self._added, strict=True)
            if any(item.tag not in (None, "stop", "see") or item.words in _PRONOUNS for item in sentence)
            and not any(id(draft) in kept for draft in added)
        ]

    def _kept(self) -> list[Draft]:
        """All that was read but turns to no side."""
        return [draft for draft in self._drafts if draft.kind != "turn" or draft.side is not None]

    def _mark_walked(self) -> None:
        """What one keeps on a side as one walks: `with the desk on your left walk to the television`."""
        for draft in self._drafts:
            tags = draft.clause.tags if draft.clause is not None else []
            is_going = bool({"walk", "approach", "pass"}.intersection(tags))
            is_going &= draft.clause is not None and not draft.clause.starts
            if draft.kind == "near" and draft.words.split()[0] in ROUND and "walk" in tags:
                draft.is_round = True  # `round the table you go`
            draft.is_walked = draft.kind == "side" and draft.governor == "hold" and is_going and "turn" not in tags

    def _read(self, at: int, item: Item) -> None:
        if item.kind == "stop":
            self._end_sentence()
        elif item.kind == "comma":
            self._end_clause("comma")
            if item.words == ")":
                self._govern(None, "")  # `the sofa (pass it), the table (stop)`
            if self._is_subject(at + 1):
                self._govern(None, "")  # `when you have passed the lamp, the table is in front of you`
        elif item.kind == "thing":
            self._name_thing(at, item)
        elif item.kind == "room":
            self._name_room(at, item)
        elif item.kind in ("unknown", "threshold"):
            self._add(Draft(item.kind, item.words, self._now))
        elif item.kind == "length":
            kind: ToldKind = "unreadable" if self._measures_thing(at) else "length"
            self._add(Draft(kind, item.words, self._now, length_m=item.length_m))
        elif item.kind == "word":
            self._read_word(at, item)
        elif item.tag in ("left", "right"):
            self._read_side(at, item.tag)
        elif item.tag is not None:
            self._read_tag(at, item, item.tag)

    def _measures_thing(self, at: int) -> bool:
        """Whether a length is not that of the walk but of a thing, or how far away one is: texts may not give these."""
        is_walked = any(tag in WALKED for tag in self._clause.tags)
        following = self._items[at + 1 : at + 2]
        is_ahead = bool(following) and following[0].words in ("ahead", "straight ahead") and is_walked
        if following and not is_ahead and (following[0].tag in PLACES or following[0].words in SIZES):
            return True
        return not is_walked and bool(self._clause.named) and self._clause.governor in (None, "see", "hold")

    def _is_number(self, at: int) -> bool:
        """Whether `once` says how often: nothing follows that could come first."""
        return self._ends_at(at + 1) or self._next_tag(at) in (
            "to",
            "left",
            "right",
            "around",
            "circle",
            "stop",
            "hold",
        )

    def _goes_in(self, at: int, item: Item, tag: Tag) -> bool:
        """`The kitchen is on your right; go in`, `turn into it`."""
        if tag == "through" and item.words == "in":
            return "walk" in self._clause.tags and self._ends_at(at + 1)
        return tag == "into" and self._next_is_it(at)

    def _is_subject(self, at: int) -> bool:
        """Whether a thing begins a clause of its own: the next word is its verb."""
        following = self._items[at : at + 2]
        return len(following) == 2 and following[0].kind == "thing" and following[1].words in VERBS_OF_BEING

    def _is_purpose(self, at: int, tag: Tag) -> bool:
        """`To get to the sink, ...`: where the sentence leads in the end."""
        begins = len(self._drafts) == self._sentence_began and not self._clause.tags
        return tag == "to" and begins and self._next_tag(at) == "approach"

    def _read_tag(self, at: int, item: Item, tag: Tag) -> None:
        if self._is_purpose(at, tag):
            self._shift = 0.5
            self._new_clause("before")
            return
        if tag == "approach" and item.words == "near" and self._clause.tags:
            tag = "near"  # `start near the sofa`: no verb where there is one already
        if tag == "before" and self._next_is_name(at):
            tag = "front"
        if item.words == "once" and self._is_number(at):
            return
        if self._room_beside is not None and self._goes_in(at, item, tag):
            self._enter_beside(tag)
            return
        if tag in ("then", "before", "after", "while", "until", "and"):
            self._connect(at, item, tag)
            return
        if tag == "not":
            self._denied = True
            stays_in = self._room_not_left(at)
            if stays_in is not None:
                words = f"{item.words} leave {stays_in}"
                self._add(Draft("rooms", words, self._now, count=1))
                self._add(Draft("room", words, self._now, room=stays_in))
                return
            if self._denies_nothing(at):
                return
            following = [one.tag for one in self._items[at + 1 : at + 4]]
            says_no_turn = "turn" in following and not {"left", "right"}.intersection(following)  # judged anyway
            if item.words not in ("without", "avoid", "avoiding") and not says_no_turn:
                self._add(Draft("unreadable", item.words, self._now))
            return
        if self._denied:
            return
        if tag in ("slight", "wide"):
            self._set_size("slight" if tag == "slight" else "wide")
            return
        if tag == "again":
            self._repeat(2 if "three" in item.words or item.words == "thrice" else 1)
            return
        if tag in RANGES and self._next_is_than(at):
            return
        if tag in RANGES:
            self._read_range(item.words, RANGES[tag])
            return
        if tag == "middle":
            self._give_side("middle")
            return
        if tag in MOTIONS:
            self._begin_motion(tag)
        if tag == "around" and _is_return_of_look(item.words) and self._last_looks():
            return  # `glance left, turn back and go on`
        if tag == "turn" and item.words in CIRCLES and self._next_is_name(at):
            tag = "circle"
        if tag in ("turn", "around", "circle"):
            is_of_it = self._next_is_it(at) and self._last_thing is not None
            if (tag == "around" or item.words == "round") and (self._next_is_name(at) or is_of_it):
                if item.words.startswith(("all the way", "right round", "completely")):
                    self._read_turn(at, "circle", item.words)
                self._govern("near", item.words)
            else:
                self._read_turn(at, tag, item.words)
        elif tag in ("walk", "back", "aside"):
            self._read_walk(at, tag, item.words)
        elif tag in GOVERNS:
            self._read_governor(at, tag, item.words)
        if tag == "stop" and self._stops_there(at) and self._last_thing is not None:
            last = self._last_thing
            self._add(Draft("stop", f"{item.words} there: {last.words}", self._now, last.things))
        self._clause.tags.append(tag)

    def _stops_there(self, at: int) -> bool:
        """`Walk until the mirror and stop there`: at what was named last, to which one came."""
        words = self._items[at + 1].words if at + 1 < len(self._items) else ""
        last = self._last_thing
        is_last = last is not None and last is next((one for one in reversed(self._drafts) if one.things), None)
        return words in ("there", "here") and is_last and last is not None and last.kind in ("approach", "see", "near")

    def _denies_nothing(self, at: int) -> bool:
        """`Don't sit down on the sofa`: a verb that says nothing of the way."""
        following = self._items[at + 1] if at + 1 < len(self._items) else None
        is_strange_verb = following is not None and following.kind == "word" and is_strange(following.words)
        return is_strange_verb or (following is not None and following.words in SETTLES)

    def _read_governor(self, at: int, tag: Tag, words: str) -> None:
        named = self._clause.named
        if words in ("nearby", "close by") and named and not self._next_is_name(at):
            self._read_range(words, "near")
            return
        if tag in FOLLOWS and named and named[-1].governor in WITNESSING and not self._name_ahead(at):
            named[-1].kind = self._front_kind() if tag == "front" else OBJECT_KIND[tag]
            named[-1].words = f"{named[-1].words} {words}"
            if tag == "pass":
                self._pass_subjects()
            if tag == "pass" and named[-1] in self._clause.unsided:
                named[-1].kind = "pass"
            return
        self._govern(tag, words)

    def _next_is_than(self, at: int) -> bool:
        return at + 1 < len(self._items) and self._items[at + 1].words == "than"

    def _read_than(self, at: int) -> None:
        """`Further away than the sofa`: of the thing named last."""
        word = self._items[at - 1].words.split()[-1] if at else ""
        told = THAN.get(word)
        if told is not None and self._last_thing is not None:
            last = self._last_thing
            self._than = Draft("range", f"{last.words} {word} than", last.rank, last.things, range=told)

    def _read_range(self, words: str, told: Range) -> None:
        """How far the thing is that was just named in this clause, or else the next one."""
        named = self._clause.named or self._clause.unsided
        if named:
            last = named[-1]
            self._add(Draft("range", f"{last.words} {words}", last.rank, last.things, range=told))
        else:
            self._range = Draft("range", words, self._now, range=told)

    def _pass_subjects(self) -> None:
        """`A bed, then a mirror go by`: all of the subject."""
        for draft in reversed(self._drafts[self._sentence_began : -1]):
            if draft.kind != "see" or draft.governor is not None:
                break
            draft.kind = "pass"

    def _name_thing(self, at: int, item: Item) -> None:
        if self._than is not None:
            self._than.words, self._than.than = f"{self._than.words} {item.words}", item.things
            self._add(self._than)
            self._than = None
            return
        kind = self._kind_of_thing()
        draft = Draft(kind, self._add_governor(item.words), self._now, item.things, governor=self._clause.governor)
        draft.count = item.count
        draft.clause = self._clause
        last = self._last_thing
        draft.is_listed = self._is_listed(at)
        is_pair = self._clause.governor_words == "between" and self._boundary == "and" and last is not None
        if is_pair and last is not None and last.words.startswith("between") and kind == "near":
            draft.kind, draft.than = "between", last.things
        draft.is_round = kind == "near" and self._is_walked_round()
        turn = self._clause.turn
        if kind == "front" and turn is not None and turn.words.split()[0] in LOOKS:
            draft.side = turn.side
        if item.range is not None:
            self._add(Draft("range", item.words, self._now, item.things, range=item.range))
        if self._boundary in ("comma", "and") and not self._clause.tags and self._drafts and self._shift >= 0.0:
            self._rank += 1.0  # the next of a list
            draft.rank = self._now
        self._add_named(draft)

    def _follows_look(self) -> bool:
        """Whether the last that the sentence tells is a look, and this only says at what."""
        told = self._drafts[self._sentence_began :]
        is_phrase = self._clause.governor_words in ("toward", "towards", "in the direction of")
        return (
            is_phrase
            and self._boundary == "comma"
            and bool(told)
            and told[-1].kind == "turn"
            and is_look(told[-1].words)
        )

    def _is_walked_round(self) -> bool:
        return self._clause.governor_words in ROUND and "walk" in self._clause.tags

    def _kind_of_thing(self) -> ToldKind:
        clause = self._clause
        governor = clause.governor
        if "stop" in clause.tags and governor in ("front", "near", "stop", "to"):
            is_there = clause.governor_words in STANDING_IN_FRONT or governor != "front"
            return "stop" if is_there else "end facing"
        if governor == "hold":
            return "side"
        if governor == "turn" and clause.turn is not None and clause.turn.kind == "circle":
            return "near"
        if governor == "turn" or ("turn" in clause.tags and governor in ("to", "approach", "front")):
            return "front"
        if governor == "approach" and clause.tags == ["approach"] and self._follows_look():
            return "front"  # `glances to the left, toward the fireplace`
        return OBJECT_KIND.get(governor, "see")

    def _read_word(self, at: int, item: Item) -> None:
        if item.words in ("it", "them") and self._last_thing is not None and at > 0:
            before = self._items[at - 1]
            is_round = before.tag in ("turn", "around") and self._clause.governor == "near"
            is_named = (before.tag in TAKES_IT or is_round) and self._ends_noun_place(at)
            if is_named or before.tag == "hold":
                last = self._last_thing
                draft = Draft(self._kind_of_thing(), self._add_governor(item.words), self._now, last.things)
                draft.is_round = draft.kind == "near" and self._is_walked_round()
                self._add_named(draft)
        elif item.words == "that" and at + 1 < len(self._items) and self._items[at + 1].words in ("way", "direction"):
            self._turn_that_way()
        elif item.words == "than":
            self._read_than(at)
        elif item.words == "right" and self._is_second_turn(at):
            self._begin_motion("turn")
            self._turn_by_going("right")
            self._clause.tags.append("turn")
        elif item.words in CLOCKWISE:
            self._read_clockwise(item.words)
        elif item.words in ("which", "that") and self._last_thing is not None and self._boundary != "start":
            self._clause = Clause(named=[self._last_thing], unsided=[self._last_thing])
            self._last_thing.governor = None
            self._boundary = "which"
        elif item.words in NUMBERS and at + 1 < len(self._items) and self._items[at + 1].words == "rooms":
            self._add(Draft("rooms", f"{item.words} rooms", self._now, count=NUMBERS[item.words]))
        elif is_strange(item.words):  # a verb nobody knows: what was said before it no longer governs
            self._govern(None, "")

    def _ends_noun_place(self, at: int) -> bool:
        """Whether `it` stands where a name would, rather than before a verb of its own."""
        if at + 1 >= len(self._items):
            return True
        following = self._items[at + 1]
        if following.words in ("on", "at", "to") and self._clause.governor in ("pass", "hold", "leave"):
            return any(one.tag in ("left", "right") for one in self._items[at + 2 : at + 5])
        if following.words == "again":  # `pass it again on the left`
            return at + 2 >= len(self._items) or self._items[at + 2].words in (".", ",", "on", "to", "and", "then")
        if following.words == "once":  # `walk round it once`
            return True
        return following.kind in ("stop", "comma") or following.tag in (
            "and",
            "then",
            "while",
            "until",
            "before",
            "left",
        )

    def _add_named(self, draft: Draft) -> None:
        if self._denied:
            return
        if self._side is not None:
            draft.side, self._side = self._side, None
            self._take_side(draft)
        else:
            self._clause.unsided.append(draft)
        self._clause.named.append(draft)
        self._last_thing = draft
        self._add(draft)
        if self._range is not None:
            words = f"{self._range.words} {draft.words}"
            self._add(Draft("range", words, draft.rank, draft.things, range=self._range.range))
            self._range = None

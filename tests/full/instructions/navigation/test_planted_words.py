"""Texts of our own about made walks tell their claims; with one thing changed they do not."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from instructions.claims.words import ClaimWords
from instructions.navigation.grammar_writer import write_instructions
from instructions.navigation.language_writer import find_way_words, list_told
from instructions.navigation.records import Instruction
from instructions.navigation.room_writer import write_room_texts
from instructions.records import RoomSpan
from instructions.tour import Tour
from tests.support.worlds.boxworld import World, true_objects
from tests.support.worlds.made_walks import random_world

NAMES = ("sofa", "bed", "desk", "piano", "oven", "table", "sink", "table", "chair", "chair")
ROOMS = (("kitchen", "hallway"), ("kitchen",), ("hall", "living room", "bedroom"), ("kitchen", "hallway", "kitchen"))


def know(seed: int) -> tuple[Tour, World]:
    """A made walk through rooms; in every other world things have no names."""
    world = random_world(seed)
    objects, observations = true_objects(world)
    if seed % 2:
        objects = [replace(one, category=name, alias=name) for one, name in zip(objects, NAMES, strict=False)]
    frames, rooms = world.trajectory.frames, ROOMS[seed % 4]
    cuts = [round(row * len(frames) / len(rooms)) for row in range(len(rooms) + 1)]
    stays = zip(rooms, cuts, cuts[1:], strict=False)
    spans = [
        RoomSpan(f"s{row}", room, frames[first], frames[last - 1], 0.9, rooms[row - 1] if row else None)
        for row, (room, first, last) in enumerate(stays)
    ]
    return Tour(world.scene, objects, observations, rooms=spans, seed=seed), world


@pytest.fixture(scope="module")
def own() -> list[tuple[ClaimWords, Instruction]]:
    """Accepted texts of our own."""
    found: list[tuple[ClaimWords, Instruction]] = []
    for seed in range(24):
        tour, world = know(seed)
        rows = write_instructions(tour, [world.trajectory]) + write_room_texts(tour, [world.trajectory])
        found += [(find_way_words(tour), row) for row in rows if row.accepted]
    return found


def find_mismatch(words: ClaimWords, row: Instruction, text: str) -> str | None:
    return words.find_mismatch(text, list_told([check.claim for check in row.claims], words))


def plant(row: Instruction) -> Iterator[tuple[str, str]]:
    """The text of a row with one thing wrong, by kind."""
    text, middle = row.text, row.text.find(", ") + 2
    before, after = text[:middle], text[middle:]
    turns = {"left": "right", "right": "left"}
    for side in re.finditer(r"\b(left|right)\b", text):
        yield "another side", text[: side.start()] + turns[side[1]] + text[side.end() :]
        yield "a side left out", f"{text[: side.start()]}there{text[side.end() :]}"
    for word in ("kitchen", "hallway", "bedroom"):
        if word in text:
            yield "another room", re.sub(word, "garage", text, count=1)
            yield "a room left out", re.sub(rf"the {word}", "there", text, count=1)
    named = [word for word in dict.fromkeys(NAMES) if re.search(rf"\b{word}\b", text)]
    if len(named) > 1:
        one, other = named[:2]
        swap = {one: other, other: one}
        yield "two things in each other's place", re.sub(rf"\b({one}|{other})\b", lambda word: swap[word[1]], text)
        yield "a thing left out", re.sub(rf"\b(?:a|the) {one}\b", "it", text)
    if named:
        yield "a thing that nobody saw", re.sub(rf"\b{named[0]}\b", "harp", text)
        yield "a denied thing", re.sub(rf"\b(?:a|the) {named[0]}\b", f"no {named[0]}", text, count=1)
    if middle > 1:
        yield "a turn besides", f"{before}turn left, {after}"
        yield "a turn around besides", f"{before}turn around, {after}"
        yield "a look besides", f"{before}look right, {after}"
        yield "a stop besides", f"{before}stop there, {after}"
        yield "a room besides", f"{before}enter the garage, {after}"
        yield "a length besides", f"{before}for 4 meters, {after}"
        yield "a color besides", f"{before}by the purple way, {after}"
        yield "a size besides", f"{before}along the narrow way, {after}"
    yield "a denial", f"Do not do this. {text}"
    yield "a word that nobody knows", f"{text} It smells of coffee."
    yield "a count", f"{text} You see seven of them."
    if "turn" in text:
        turn = r"\b(?:and |it then )?(?:make|makes|turn|turns) [a-z ]*?(?:left|right)( turn)?"
        yield "a turn left out", re.sub(turn, "", text, count=1)
        yield "the size of a turn", re.sub(r"\b(turns?) (left|right)", r"\1 sharply \2", text, count=1)
    sentences = re.split(r"(?<=\.) ", text)
    if len(sentences) > 1:
        yield "another order", " ".join(sentences[::-1])
        yield "a sentence left out", sentences[0]


def test_own_texts_tell_their_claims(own: list[tuple[ClaimWords, Instruction]]):
    assert len(own) > 150
    assert {find_mismatch(words, row, row.text) for words, row in own} == {None}


def test_what_is_planted_is_caught(own: list[tuple[ClaimWords, Instruction]]):
    planted, missed = Counter[str](), Counter[str]()
    kept: list[tuple[str, str]] = []
    for words, row in own:
        for kind, text in plant(row):
            if text != row.text:
                planted[kind] += 1
                if find_mismatch(words, row, text) is None:
                    missed[kind] += 1
                    kept.append((kind, text))
    print({kind: (count, missed[kind]) for kind, count in planted.items()})
    assert len(planted) >= 20
    assert missed.total() <= 0.02 * planted.total(), kept[:20]

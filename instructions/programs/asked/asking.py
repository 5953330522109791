"""Has a language model ask questions about a set of views, and keeps those that can be read as one of our types.

What models and programs are told of a scene is one table, which writes both the data and the words for prompts.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BaseModel, ConfigDict, Field

from instructions.asking.counts import NotAsked
from instructions.asking.names import Naming
from instructions.language.model import Message
from instructions.language.prompts import load
from instructions.language.quoting import clean
from instructions.language.requests import Request
from instructions.programs.asked.wording import add_unit, find_fault, read_given, say_type, types_asked
from instructions.questions.core.asker import Asker
from instructions.questions.core.view_sets import Truth
from instructions.questions.core.world import Given, Ids, ProgramCamera, ProgramThing
from instructions.questions.sets.judging import SET_TYPES, judge_question, read_category
from instructions.records import Obb

DIGITS = 3
"""Metres are rounded to 1 mm."""


@dataclass(frozen=True)
class Shown:
    """One field that programs may read."""

    name: str
    meaning: str
    read: Callable[[ProgramThing], Any]


def _round(numbers: ArrayLike, digits: int = DIGITS) -> Any:
    return (np.round(np.asarray(numbers, dtype=np.float64), digits) + 0.0).tolist()


BOX_FIELDS = (
    Shown("center", "[x, y, z] of the middle of its box, metres", lambda one: _round(one.obb.center)),
    Shown(
        "sizes",
        "three full side lengths along the box's own axes, metres",
        lambda one: _round(2 * np.array(one.obb.half_extents)),
    ),
    Shown("half_extents", "half of sizes, metres", lambda one: _round(one.obb.half_extents)),
    Shown(
        "rotation",
        "3x3, rows; column i is the direction of sizes[i] in the world",
        lambda one: _round(one.obb.rotation, 6),
    ),
    Shown(
        "volume",
        "product of sizes, cubic metres",
        lambda one: round(float(np.prod(2 * np.array(one.obb.half_extents))), 6),
    ),
)
THING_FIELDS = (
    Shown("category", "what it is", lambda one: one.category),
    Shown("obb", "its oriented box, a dict of: ", lambda one: {column.name: column.read(one) for column in BOX_FIELDS}),
    Shown("appear", "numbers of the frames that show it, in order of time", lambda one: list(one.appear)),
    Shown("room", "name of its room, or None", lambda one: one.room),
)
CAMERA_FIELDS = {
    "position": "[x, y, z] of the eye, metres",
    "forward": "unit vector along the line of sight; it may look down, so use its level part for front and behind",
    "right": "unit vector to the right of the picture",
    "up": "unit vector to the top of the picture",
    "frame": "number of the frame",
}
AXES = "The world is right-handed with z up: x and y are the floor, height is z. All lengths are metres."


def describe_things(things: Iterable[ProgramThing], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """The metadata of a scene, as a program gets it.

    Args:
        things: Of the views asked about.
        names: Id to the name that people say, which is the program's `id`. Things without are left out.

    Returns:
        Fresh plain data in the order of the things: no path, no file name, nothing of another scene.
    """
    return [_own(thing, names[thing.id]) for thing in things if thing.id in names]


def describe_camera(camera: ProgramCamera) -> dict[str, Any]:
    """The second argument of a program about an image: its camera."""
    up = np.cross(camera.right, camera.forward)
    return {
        "position": _round(camera.position),
        "forward": _round(camera.forward, 6),
        "right": _round(camera.right, 6),
        "up": _round(up, 6),
        "frame": camera.frame,
    }


def explain_metadata(*, with_camera: bool) -> str:
    """The fields, axes and units in words, for prompts; the same table writes the data."""
    lines = [AXES, "", "metadata is a list with one dict per thing:", "- id: the name of the thing, a text"]
    for column in THING_FIELDS:
        lines.append(f"- {column.name}: {column.meaning}")
        if column.name == "obb":
            lines += [f"  - {one.name}: {one.meaning}" for one in BOX_FIELDS]
    if with_camera:
        lines += ["", "camera is a dict:", *(f"- {name}: {text}" for name, text in CAMERA_FIELDS.items())]
    else:
        lines += ["", "camera is None: the question has no view of its own."]
    return "\n".join(lines)


def _own(thing: ProgramThing, name: str) -> dict[str, Any]:
    return {"id": name, **{column.name: column.read(thing) for column in THING_FIELDS}}


def _make_example() -> dict[str, Any]:
    """A made thing of no scene of ours, written by the same code as real ones."""
    turned = ((0.8, -0.6, 0.0), (0.6, 0.8, 0.0), (0.0, 0.0, 1.0))
    box = Obb((1.204, -0.35, 0.61), (0.775, 0.31, 0.61), turned)
    return _own(ProgramThing("m0_7", "piano", box, (4, 7, 12), "music room"), "the piano")


EXAMPLE = _make_example()
"""One thing as programs see it, of another scene: for prompts."""


PER_IMAGE, PER_VIDEO = 20, 40
"""Questions asked for (paper)."""
_SYMMETRIC = frozenset({"absolute_distance", "in_same", "appearance_order", "volume_comparison", "temporal_sequence"})
"""Types whose things may be named in any order."""


class AskedQuestion(BaseModel):
    """One question as the model wrote it."""

    model_config = ConfigDict(extra="ignore")

    instruction: str = Field(min_length=8, max_length=400)
    objects: list[str] = Field(max_length=8)
    objects_category: list[str] = Field(max_length=8)
    category: str = Field(max_length=60)


class AskedQuestions(BaseModel):
    """A reply."""

    model_config = ConfigDict(extra="ignore")

    questions: list[AskedQuestion] = Field(min_length=1, max_length=80)


@dataclass(frozen=True, eq=False)
class FreeQuestion:
    """A question that can be read, with the reference truth that the gates let through."""

    instruction: str
    truth: Truth
    names: Mapping[str, Naming]
    """Of its things, by id."""

    @property
    def objects(self) -> list[str]:
        """Names of its things, in the order of the definition."""
        return [self.names[thing].text for thing in self.truth.things]


@dataclass(eq=False)
class FreeAsker:
    """Asks about one set of views."""

    asker: Asker
    seed: int
    show: Callable[[int], str] | None = None
    """The sha256 of a frame's picture; without it the model is told of the views only."""
    _texts: set[str] = field(default_factory=set)

    @cached_property
    def names(self) -> dict[str, Naming]:
        """The shortest name that means a thing alone, of every thing that can be asked about; no name twice."""
        ways = {thing: found for thing in self.asker.clear if (found := self.list_ways(thing))}
        found = {thing: min(some, key=lambda way: (len(way.text), way.text)) for thing, some in ways.items()}
        often = Counter(one.text.casefold() for one in found.values())
        return {thing: one for thing, one in found.items() if often[one.text.casefold()] == 1}

    def list_ways(self, thing: str) -> tuple[Naming, ...]:
        """All names that mean a thing alone."""
        found = self.asker.find_names(thing, "none")
        return () if isinstance(found, str) else found

    def make_request(self) -> Request[AskedQuestions] | None:
        """The request for questions; None where fewer than two things have a name."""
        if len(self.names) < 2:
            return None
        prompt = load("instructions.programs", "ask")
        views = self.asker.views
        category = {name: self.asker.scene.things[name].category for name in self.names}
        counts = Counter(thing.category for thing in self.asker.scene.things.values())
        told = {
            "medium": views.medium,
            "things": {naming.text: category[one] for one, naming in self.names.items()},
            "counts": dict(sorted(counts.items())),
            "types": [say_type(kind) for kind in types_asked(views.medium)],
            "metadata_example": EXAMPLE,
            "number_of_questions": PER_VIDEO if views.medium == "video" else PER_IMAGE,
        }
        shown = tuple(map(self.show, views.frames)) if self.show else ()
        messages = (Message("system", prompt.text), Message("user", json.dumps(told, ensure_ascii=False), shown))
        about = f"programs/{views.model.name}/{views.medium}/{'_'.join(map(str, views.frames[:5]))}"
        return Request(about, messages, AskedQuestions, seed=self.seed, likely_tokens=1500)

    def read(self, asked: AskedQuestion, dropped: NotAsked) -> FreeQuestion | None:
        """The question, if it is one of ours and may be asked; otherwise None, counted by type and reason."""
        return _count(self._read(asked), dropped)

    def take(self, name: str, things: Ids, given: Given, text: str, dropped: NotAsked) -> FreeQuestion | None:
        """The same of a question whose type and things are known, and which says their names in order."""
        return _count(self._check(name, things, given, text), dropped)

    def state(self, name: str, things: Ids, given: Given, text: str, dropped: NotAsked) -> FreeQuestion | None:
        """The same in words of our own, which need no check."""
        return _count(self._judge(name, things, given, text), dropped)

    def _read(self, asked: AskedQuestion) -> FreeQuestion | tuple[str, str]:
        views = self.asker.views
        name = read_category(asked.category, views.medium)
        if name is None or SET_TYPES[name] not in types_asked(views.medium):
            return "asked", "unknown_type"
        kind = SET_TYPES[name]
        text = clean(asked.instruction, 400)
        ids = {naming.text.casefold(): one for one, naming in self.names.items()}
        things = [ids.get(clean(one, 120).casefold()) for one in asked.objects]
        if name == "counting":
            given = read_given(kind, text, asked.objects_category)
            known = {thing.category for thing in self.asker.scene.things.values()}
            if given is None or given.category not in known or given.category.split()[-1] not in text.lower():
                return name, "unknown_thing"
            chosen: Ids = ()
        else:
            chosen = tuple(one for one in things if one is not None)
            if len(chosen) < len(things) or len(set(chosen)) < len(chosen):
                return name, "unknown_thing"
            if not kind.things[0] <= len(chosen) <= kind.things[1]:
                return name, "wrong_count"
            places = [text.casefold().find(self.names[one].text.casefold()) for one in chosen]
            if min(places) < 0:
                return name, "not_named"
            if places != sorted(places) and name not in _SYMMETRIC:
                return name, "wrong_order"
            given = read_given(kind, self.hide_names(text, chosen), [])
        if given is None:
            return name, "open_meaning"
        found = self._check(name, chosen, given, text)
        if isinstance(found, FreeQuestion):
            said = found.instruction.casefold()
            if said in self._texts:
                return name, "doubled"
            self._texts.add(said)
        return found

    def _check(self, name: str, things: Ids, given: Given, text: str) -> FreeQuestion | tuple[str, str]:
        """Whether it says what its type asks and no more, and the gates let it through: a margin, a scale, a name that
        tells nothing of the answer.
        """
        kind, rest = SET_TYPES[name], self.hide_names(text, things)
        if self._names_another(rest, given.category):
            return name, "other_thing"
        if find_fault(kind, rest, is_video=self.asker.views.medium in ("video", "scan")) is not None:
            return name, "bad_wording"
        return self._judge(name, things, given, add_unit(kind, text))

    def _judge(self, name: str, things: Ids, given: Given, text: str) -> FreeQuestion | tuple[str, str]:
        for one in things:
            allowed = self.asker.find_names(one, SET_TYPES[name].dimension)
            if isinstance(allowed, str) or self.names[one] not in allowed:
                return name, "clause_tells"
        truth = judge_question(self.asker, name, things, given)
        return (name, truth) if isinstance(truth, str) else FreeQuestion(text, truth, self.names)

    def _names_another(self, rest: str, counted: str) -> bool:
        """Whether what is left of a text without its things' names still speaks of a thing of the tour."""
        words = {one.head.casefold() for one in self.asker.views.known.values() if one.thing.category}
        words -= {counted.split()[-1].casefold()} if counted else set()
        return any(re.search(rf"\b{re.escape(word)}(s|es)?\b", rest) for word in words)

    def hide_names(self, text: str, things: Ids) -> str:
        """The text in small letters with `it` for the names of things: what is left are the words of the question."""
        return hide_names(text, [self.names[thing].text for thing in things])


def hide_names(text: str, names: Sequence[str]) -> str:
    """The text in small letters with `it` for some names."""
    plain = text.casefold()
    for name in sorted(names, key=len, reverse=True):
        plain = plain.replace(name.casefold(), "it")
    return plain


def _count(question: FreeQuestion | tuple[str, str], dropped: NotAsked) -> FreeQuestion | None:
    if isinstance(question, FreeQuestion):
        return question
    dropped[question] += 1
    return None

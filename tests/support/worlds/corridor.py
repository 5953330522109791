"""A known walk and its questions: red on the left, green on the right, a left turn, yellow on the right, blue ahead."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pydantic import BaseModel

from instructions.claims.entailment import Sameness
from instructions.language.client import ServerModel
from instructions.language.model import Message, Reply
from instructions.language.options import LanguageOptions
from instructions.language.requests import Answer, Answers
from instructions.language.runner import ask_all
from instructions.navigation.language_writer import Question, Texts, Written, find_questions, write_with_language_model
from instructions.records import Observation, RoomSpan, SceneObject
from instructions.tour import Tour
from tests.support.worlds.boxworld import World, make_world, true_objects

TRUE = (
    "Facing the tall green object, walk past the large red object on your left and the tall green object on your "
    "right, turn left, pass the large yellow object on the right towards the large blue object and stop in front of it."
)
ALSO_TRUE = (
    "Start facing the tall green object. Pass the large red object on the left, then the tall green object on the "
    "right. Make a turn to the left. Go past the large yellow object on your right, approach the large blue object and "
    "stop in front of it."
)
FALSE = TRUE.replace("red object on your left", "red object on your right")
INVENTED = TRUE.replace("large red object", "grand piano")
ROOMS = (
    RoomSpan("s0", "hall", 1, 33, 0.9, None),
    RoomSpan("s1", "living room", 34, 51, 0.9, "hall"),
)


@dataclass(frozen=True, eq=False)
class Corridor:
    world: World
    objects: list[SceneObject]
    observations: list[Observation]

    def tour(self, rooms: tuple[RoomSpan, ...] = (), seed: int = 0) -> Tour:
        return Tour(self.world.scene, self.objects, self.observations, rooms=rooms, seed=seed)

    def questions(self, options: LanguageOptions, rooms: tuple[RoomSpan, ...] = (), seed: int = 0) -> list[Question]:
        world = self.world
        return find_questions(self.tour(rooms, seed), [world.trajectory], options)

    def ask(self, folder: Path, options: LanguageOptions) -> Answers[Texts]:
        requests = [question.request for question in self.questions(options)]
        return ask_all(requests, lambda: ServerModel(options), folder, options)

    def write(
        self,
        folder: Path,
        options: LanguageOptions,
        rooms: tuple[RoomSpan, ...] = (),
        seed: int = 0,
        model: Script | None = None,
    ) -> Written:
        """With a model of this process, or with the server of the options."""
        return write_with_language_model(
            self.tour(rooms, seed),
            [self.world.trajectory],
            replies=folder,
            options=options,
            connect=None if model is None else lambda: model,
        )


@dataclass
class Script:
    """A model that gives its replies in their order, the last one again and again, and remembers what it was asked."""

    replies: list[Reply]
    asked: list[tuple[tuple[Message, ...], int]] = field(default_factory=list)
    """Messages and seed, but for second readings."""
    differs: str = "~"
    """A second reading of a text with these words finds that it says more."""

    def ask(
        self, messages: tuple[Message, ...], schema: type[BaseModel], *, temperature: float | None, seed: int
    ) -> Reply:
        if schema is Sameness:
            is_same = self.differs not in messages[-1].content
            return reply(json.dumps({"same": is_same, "why": "it says more"}))
        self.asked.append((messages, seed))
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def reply(content: str, refusal: str | None = None, finish: str = "stop") -> Reply:
    return Reply(content, refusal, finish, 900, 50, "fake-1")


def telling(*texts: str) -> Reply:
    """A good reply."""
    return reply(json.dumps({"texts": texts}))


def texts_of(answer: Answer[Texts]) -> tuple[str, ...]:
    """None for an answer without a value."""
    return tuple(answer.value.texts) if answer.value is not None else ()


@cache
def corridor() -> Corridor:
    world = make_world()
    return Corridor(world, *true_objects(world))


def options(base_url: str | None, **changes: object) -> LanguageOptions:
    """Quick and impatient, one question at a time so that the order of faults is known."""
    settings: dict[str, object] = {"model": "fake-1", "retries": 2, "timeout_s": 60.0, "concurrency": 1, **changes}
    return LanguageOptions(base_url=base_url, key_variable="ROOMTOUR_TEST_KEY", **settings)  # type: ignore[arg-type]

"""A language model that answers by a function, and remembers what it was asked."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic import BaseModel

from instructions.language.model import Message, Reply


@dataclass
class ScriptedModel:
    """Gives `answer(messages)` as its reply."""

    answer: Callable[[tuple[Message, ...]], object]
    asked: list[tuple[Message, ...]] = field(default_factory=list)

    def ask(
        self, messages: tuple[Message, ...], schema: type[BaseModel], *, temperature: float | None, seed: int
    ) -> Reply:
        self.asked.append(messages)
        said = self.answer(messages)
        text = said if isinstance(said, str) else json.dumps(said)
        return Reply(text, None, "stop", 10, 10, "scripted")


def told(messages: tuple[Message, ...]) -> dict:
    """The JSON object of the first message of the user."""
    found = re.search(r"\{.*\}", messages[1].content, re.S)
    assert found is not None
    return json.loads(found.group())

"""A typed request to a language model and its answer, what every kind of data asks with; and replies that are kept."""

from __future__ import annotations

import itertools
import json
import os
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from instructions.language.budget import Usage, sum_usage
from instructions.language.model import Message, Reply
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions

_REPLY = TypeAdapter(Reply)


class StrictModel(BaseModel):
    """What a person or a language model hands in as JSON: no field that it does not know."""

    model_config = ConfigDict(extra="forbid")


class ReplyCache:
    """A folder of replies, one file each, written aside and renamed. Never holds a key or an address."""

    def __init__(self, folder: Path):
        self._folder = folder

    def get(self, key: str) -> Reply | None:
        """The reply kept under a key; None if there is none, or if its file was damaged."""
        return self._read(self._path(key))

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply. Two threads that keep the same one do not disturb each other."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.part")
        with aside.open("wb") as file:
            file.write(_REPLY.dump_json(reply, indent=1))
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)

    def set_aside(self, key: str) -> None:
        """Keep a reply only for what it cost: the same question is asked again."""
        path = self._path(key)
        aside = (path.with_suffix(f".{number}.json") for number in itertools.count(1))
        with suppress(FileNotFoundError):  # another thread has done so
            path.rename(next(one for one in aside if not one.exists()))

    def sum_spent(self) -> Usage:
        """What all replies cost when they were asked for, with those set aside."""
        kept = (reply for path in self._folder.glob("??/*.json") if (reply := self._read(path)) is not None)
        return sum_usage(*(Usage(0, 0, reply.prompt_tokens, reply.reply_tokens, 1) for reply in kept))

    def _read(self, path: Path) -> Reply | None:
        try:
            return _REPLY.validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"


T_co = TypeVar("T_co", bound=BaseModel, covariant=True)


@dataclass(frozen=True, eq=False)
class Request(Generic[T_co]):
    """One question whose reply is a `T_co`."""

    id: str
    """For people and progress; no part of what decides the reply."""
    messages: tuple[Message, ...]
    schema: type[T_co]
    """Lengths and characters that matter are checked by its validators: servers promise none."""
    seed: int = 0
    """Handed to the server; another seed is another question."""
    temperature: float | None = None
    """None for that of the options. Models that take none (an option) get none."""
    likely_tokens: int = 120
    """How long the reply will probably be; for estimates only."""
    after: Request[BaseModel] | None = None
    """The request whose reply decides the words of this one, which stand for them in estimates: where that reply is
    kept, whatever was asked because of it is taken to be kept as well."""

    def temperature_with(self, options: LanguageOptions) -> float | None:
        """What the server is told."""
        if options.temperature is None or self.temperature is None:
            return options.temperature
        return self.temperature


@dataclass(frozen=True, eq=False)
class Answer(Generic[T_co]):
    """What became of one request."""

    request: Request[T_co]
    value: T_co | None = None
    """None for a question that stays open."""
    open_because: str | None = None
    """Of an open question, the reason: a code of `open_questions.CAUSES`."""
    said: str = ""
    """Of an open question, how the unusable reply or the server's refusal begins."""
    reply_key: str | None = None
    """Of the kept reply that the value was read from."""
    served_by: str | None = None
    """The model by the server's own name, where there is a value."""


@dataclass(frozen=True, eq=False)
class Answers(Generic[T_co]):
    """Every request with its answer, in the order asked, and what that cost."""

    answers: tuple[Answer[T_co], ...]
    usage: Usage

    @property
    def open(self) -> OpenQuestions:
        """What was asked, and what of it has no usable answer."""
        reasons = Counter(answer.open_because for answer in self.answers if answer.open_because is not None)
        said = {
            answer.open_because: answer.said for answer in reversed(self.answers) if answer.open_because and answer.said
        }
        return OpenQuestions(len(self.answers), reasons, said)


def request_key(request: Request[BaseModel], options: LanguageOptions) -> str:
    """Name a request by all that decides its reply. 32 hex digits.

    The longest reply allowed is no part of it: it decides only a reply that it cuts off, and that is no answer.
    """
    identity = [
        [message.identity for message in request.messages],
        request.schema.model_json_schema(),
        options.model,
        request.temperature_with(options),
        request.seed,
    ]
    return sha256(json.dumps(identity, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:32]

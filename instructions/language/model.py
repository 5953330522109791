"""What the writer needs of a language model: one question, one reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel

from instructions.errors import InstructionError


@dataclass(frozen=True)
class Message:
    """One message of a conversation."""

    role: str
    """`system`, `user` or `assistant`."""
    content: str


@dataclass(frozen=True)
class Reply:
    """What came back, before anyone has looked whether it is of use."""

    content: str
    """The words of the model; empty if there are none."""
    refusal: str | None
    """The model's reason if it refused."""
    finish: str
    """`stop`; or `length` for a reply that was cut off, `content_filter` for one that was withheld."""
    prompt_tokens: int
    reply_tokens: int
    served_by: str
    """Model name as the server gives it."""


class ServerUnusable(InstructionError):
    """The server cannot be used at all: wrong address, key or model. No further question is asked."""


class NoReply(InstructionError):
    """One question got no usable answer, after all retries."""


class TextModel(Protocol):
    """Answers questions in JSON of a given schema."""

    def ask(self, messages: tuple[Message, ...], schema: type[BaseModel], seed: int) -> Reply:
        """Ask once.

        Raises:
            ServerUnusable: If asking anything is useless.
            NoReply: If this question has no answer.
        """
        ...

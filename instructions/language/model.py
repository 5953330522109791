"""What is said to a language model and what comes back, whichever server it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel

from instructions.errors import InstructionError

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Message:
    """One message of a conversation."""

    role: str
    """`system`, `user` or `assistant`."""
    content: str
    pictures: tuple[str, ...] = ()
    """Shown after the text, in this order: the sha256 of each file, 64 hex digits. `pictures` finds the bytes."""

    def __post_init__(self) -> None:
        wrong = [digest for digest in self.pictures if not _SHA256.fullmatch(digest)]
        if wrong:
            raise InstructionError(f"a picture of a message is named {wrong[0][:80]!r}, need a sha256 of 64 hex digits")

    @property
    def identity(self) -> dict[str, object]:
        """What decides the reply, as JSON. Without pictures there is no entry for them, so kept replies stay valid."""
        said: dict[str, object] = {"role": self.role, "content": self.content}
        return {**said, "pictures": list(self.pictures)} if self.pictures else said


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


class Unanswered(ServerUnusable):
    """The server did not answer every question: what it answered is kept, the others may be asked again."""


class UnusableReplies(Unanswered):
    """The server answered, and most of what it said is unusable: time alone mends nothing."""


class NoReply(InstructionError):
    """One question got no usable answer, after all retries."""

    def __init__(
        self, message: str, *, may_pass: bool = True, is_load: bool = False, retry_after_s: float | None = None
    ):
        """Make one.

        Args:
            message: What the server did, in one line.
            may_pass: The fault is the server's and not the question's: asked again later, it may be answered.
            is_load: The server says that it is asked too much.
            retry_after_s: When it wants to be asked again; None if it did not say.
        """
        super().__init__(message)
        self.may_pass, self.is_load, self.retry_after_s = may_pass, is_load, retry_after_s


class TextModel(Protocol):
    """Answers questions in JSON of a given schema."""

    def ask(
        self, messages: tuple[Message, ...], schema: type[BaseModel], *, temperature: float | None, seed: int
    ) -> Reply:
        """Ask once.

        Raises:
            ServerUnusable: If asking anything is useless.
            NoReply: If this question has no answer.
        """
        ...

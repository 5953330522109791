"""Tokens and money: estimated before, reserved while under way, counted after."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from operator import add

from pydantic import BaseModel

from instructions.language.model import Message, Reply
from instructions.language.options import LanguageOptions

BYTES_PER_TOKEN = 3.0
"""English JSON has 3 to 4 bytes per token with the usual vocabularies; the lower figure never promises too little."""
MESSAGE_TOKENS = 8
"""What chat formats add per message."""
PICTURE_TOKENS = 2500
"""Set aside for one picture, whose size a digest does not tell. A guess on the high side for the default model, not
measured; what is counted after the reply is the server's own figure."""


@dataclass(frozen=True)
class Usage:
    """What a set of replies cost."""

    questions: int = 0
    from_cache: int = 0
    """Of the questions: answered without a server."""
    prompt_tokens: int = 0
    """Of replies that a server gave, not of those from the cache."""
    reply_tokens: int = 0
    requests: int = 0
    """Sent to a server, whether it answered or not."""

    def cost(self, options: LanguageOptions) -> float | None:
        """In the currency of the prices; None without prices."""
        if options.price_per_million_in is None or options.price_per_million_out is None:
            return None
        return (
            self.prompt_tokens * options.price_per_million_in + self.reply_tokens * options.price_per_million_out
        ) / 1e6

    def __add__(self, other: Usage) -> Usage:
        return Usage(*map(add, astuple(self), astuple(other)))


def sum_usage(*parts: Usage) -> Usage:
    """All of them together."""
    return sum(parts, Usage())


def text_tokens(text: str) -> int:
    """Upper estimate of the tokens of a text."""
    return round(len(text.encode()) / BYTES_PER_TOKEN)


def question_tokens(messages: Sequence[Message], schema: type[BaseModel]) -> int:
    """Upper estimate of the tokens of a question; servers may put the schema into the prompt."""
    said = sum(text_tokens(message.content) + MESSAGE_TOKENS for message in messages)
    shown = sum(len(message.pictures) for message in messages) * PICTURE_TOKENS
    return said + shown + text_tokens(str(schema.model_json_schema()))


class Budget:
    """Lets questions through while the worst case of all under way still fits. Thread-safe."""

    def __init__(self, options: LanguageOptions, spent: Usage = Usage()):
        self._options, self._before = options, spent
        self._lock = threading.Lock()
        self._reserved = Usage()
        self.usage = Usage()
        """What this run of the command asked and spent."""

    def reserve(self, prompt_tokens: int) -> bool:
        """Set aside the worst case of one request, which is sent then; False if that would pass the budget."""
        options, worst = self._options, Usage(prompt_tokens=prompt_tokens, reply_tokens=self._options.max_reply_tokens)
        with self._lock:
            after = sum_usage(self._before, self.usage, self._reserved, worst, Usage(requests=1))
            for value, most in (
                (after.requests, options.max_requests),
                (after.prompt_tokens + after.reply_tokens, options.max_tokens),
                (after.cost(options), options.max_cost),
            ):
                if value is not None and most is not None and value > most:
                    return False
            self._reserved += worst
            self.usage += Usage(requests=1)
            return True

    def release(self, prompt_tokens: int) -> None:
        """Give back what was set aside for one question."""
        with self._lock:
            self._reserved += Usage(prompt_tokens=-prompt_tokens, reply_tokens=-self._options.max_reply_tokens)

    def count(self, reply: Reply | None) -> None:
        """Note a question with what a server's reply to it cost; None for one that a kept reply answers."""
        with self._lock:
            if reply is None:
                self.usage += Usage(questions=1, from_cache=1)
            else:
                self.usage += Usage(questions=1, prompt_tokens=reply.prompt_tokens, reply_tokens=reply.reply_tokens)

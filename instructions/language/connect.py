"""Makes the client of a language server, behind a gate where one is wanted: it lets us ask, and is told when the server
wants a pause. Only here is the extra `llm` needed, and only once something is asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from pydantic import BaseModel

from instructions.language.budget import question_tokens
from instructions.language.gate import Gate, SharedGate
from instructions.language.model import Message, NoReply, Reply, ServerUnusable, TextModel
from instructions.language.options import LanguageOptions
from instructions.language.pictures import PictureFiles

_gate: Gate | None = None


def connect_server(options: LanguageOptions, pictures: PictureFiles | None = None) -> TextModel:
    """An OpenAI-compatible server by the options.

    Raises:
        InstructionError: If the extra is not installed.
        ServerUnusable: If no server is named.
    """
    from instructions.language.client import ServerModel

    gate = _gate
    if gate is None and (options.requests_per_minute or options.tokens_per_minute or options.job_max_cost):
        gate = SharedGate(options)
    if gate is None:
        return ServerModel(options, pictures)
    return GatedModel(ServerModel(replace(options, retries=0), pictures), gate, options)


def use_gate(gate: Gate | None) -> None:
    """Let everything that this process asks go through a gate that it shares with others; None for none."""
    global _gate
    _gate = gate


_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 120.0


class GatedModel:
    """Asks a model that does not itself ask again. Thread-safe."""

    def __init__(
        self, model: TextModel, gate: Gate, options: LanguageOptions, sleep: Callable[[float], None] = time.sleep
    ):
        self._model, self._gate, self._options, self._sleep = model, gate, options, sleep

    def ask(
        self, messages: tuple[Message, ...], schema: type[BaseModel], *, temperature: float | None, seed: int
    ) -> Reply:
        """Ask once; again after what is worth it, each time through the gate.

        Raises:
            ServerUnusable: If asking anything is useless, or the budget of the job is spent.
            NoReply: If this question has no answer.
        """
        tokens = question_tokens(messages, schema) + self._options.max_reply_tokens
        for tries_left in range(self._options.retries, -1, -1):
            self._enter(tokens)
            reply = None
            try:
                reply = self._model.ask(messages, schema, temperature=temperature, seed=seed)
                return reply
            except NoReply as error:
                if not error.may_pass or not tries_left:
                    raise
                self._wait_after(error, self._options.retries - tries_left)
            finally:
                took = (reply.prompt_tokens, reply.reply_tokens) if reply else (0, 0)
                self._gate.settle(tokens, *took)
        raise AssertionError("the last try returns or raises")

    def _enter(self, tokens: int) -> None:
        word = self._gate.ask(tokens)
        while word.wait_s > 0 and not word.refused:
            self._sleep(word.wait_s)
            word = self._gate.ask(tokens, word.ticket)
        if word.refused:
            raise ServerUnusable(word.refused)

    def _wait_after(self, error: NoReply, tried: int) -> None:
        """A server that names a time, or has too much to do, is asked by nobody until then; else we alone wait."""
        pause = min(_LONGEST_PAUSE_S, error.retry_after_s or _FIRST_PAUSE_S * 2**tried)
        if error.is_load or error.retry_after_s is not None:
            self._gate.pause(pause)
        else:
            self._sleep(pause)

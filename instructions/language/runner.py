"""Ask many requests at once: cache first, then the server, one repair, and a budget that ends it cleanly."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from instructions.language.budget import Budget, question_tokens, text_tokens
from instructions.language.cache import ReplyCache
from instructions.language.model import Message, NoReply, Reply, ServerUnusable, TextModel, Unanswered
from instructions.language.options import LanguageOptions
from instructions.language.quoting import clean
from instructions.language.requests import Answer, Answers, Request, request_key

T = TypeVar("T", bound=BaseModel)

GIVE_UP_AFTER = 4
"""Questions without any answer, one after the other, after which the server is taken for down."""
_GO_ON = "replies so far are kept, run the same command again to ask only the others"
_FINAL = ("refused", "withheld")
"""Asking again would bring the same."""


def ask_all(
    requests: Sequence[Request[T]],
    connect: Callable[[], TextModel],
    folder: Path,
    options: LanguageOptions,
    *,
    progress: Callable[[float], None] | None = None,
) -> Answers[T]:
    """Ask every request that the cache cannot answer.

    Args:
        requests: In the order wanted back.
        connect: Makes the model; called once, and only if something has to be asked.
        folder: Where replies are kept. Replies already there cost nothing and need no server.
        options: Limits and budget.
        progress: Told the fraction answered.

    Raises:
        ServerUnusable: If the server cannot be used or has gone away. What was answered is kept in the folder.
        Unanswered: If questions stay without a reply, after all have been asked; what was answered is kept as well, so
            that the same call asks only these.
    """
    asker = _Asker(connect, ReplyCache(folder), options)

    def answer_one(request: Request[T]) -> Answer[T]:
        return asker.answer(request)

    answers: list[Answer[T]] = []
    with ThreadPoolExecutor(options.concurrency, thread_name_prefix="language") as pool:
        try:
            for number, answer in enumerate(pool.map(answer_one, requests), start=1):
                answers.append(answer)
                if progress is not None:
                    progress(number / len(requests))
        except BaseException:
            asker.stop()
            raise
    asker.require_answers(len(requests))
    return Answers(tuple(answers), asker.budget.usage)


class _Asker:
    """What the threads share."""

    def __init__(self, connect: Callable[[], TextModel], cache: ReplyCache, options: LanguageOptions):
        self.budget = Budget(options, cache.sum_spent())
        self._connect, self._cache, self._options = connect, cache, options
        self._lock = threading.Lock()
        self._model: TextModel | None = None
        self._unanswered = 0
        self._stopped: ServerUnusable | None = None
        self._faults: list[str] = []
        self._keys: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def stop(self) -> None:
        """Let requests that wait for a thread go."""
        self._stopped = self._stopped or ServerUnusable("stopped")

    def require_answers(self, asked: int) -> None:
        """Refuse to go on without the answers that the server still owes.

        Raises:
            Unanswered: Naming how many, and the most frequent cause.
        """
        if self._faults:
            (cause, _), *_ = Counter(self._faults).most_common(1)
            raise Unanswered(f"{len(self._faults)} of {asked} questions had no answer ({cause}); {_GO_ON}")

    def answer(self, request: Request[T]) -> Answer[T]:
        """Answer one request, with one repair round."""
        asked, fault, words, first_key = request, "", "", None
        for attempt in (1, 2):
            key = request_key(asked, self._options)
            try:
                reply = self._reply(key, asked)
            except NoReply as error:
                if error.may_pass:
                    self._faults.append(str(error))
                    return Answer(request)
                return Answer(request, rejected_because="no_reply", rejection=f"no reply: {error}")
            if reply is None and attempt == 2:
                return Answer(request, None, fault, f"{words}; the budget allowed no repair", reply_key=first_key)
            if reply is None:
                return Answer(request, is_open=True)
            value, fault, words = read_reply(reply, request.schema)
            if value is not None:
                return Answer(request, value, reply_key=key, served_by=reply.served_by)
            if fault in _FINAL:
                return Answer(request, None, fault, words, reply_key=key, served_by=reply.served_by)
            if attempt == 1:
                first_key = key
                said = Message("assistant", clean(reply.content, 2000) or "(nothing)")
                again = Message("user", _repair().format(problem=words))
                asked = replace(request, messages=(*request.messages, said, again))
        return Answer(request, None, fault, f"{words}, also after one repair", reply_key=key)

    def _reply(self, key: str, request: Request[T]) -> Reply | None:
        """The kept reply, or a new one; None where the budget does not allow one."""
        with self._lock:
            alone = self._keys[key]
        with alone:  # who asks the same at the same time waits for its reply and pays nothing
            return self._reply_alone(key, request)

    def _reply_alone(self, key: str, request: Request[T]) -> Reply | None:
        reply = self._cache.get(key)
        if reply is not None:
            self.budget.count_cached()
            return reply
        tokens = question_tokens(request.messages, request.schema)
        if not self.budget.reserve(tokens):
            return None
        try:
            reply = self._ask(request)
            if not reply.prompt_tokens:  # a server that counts nothing
                reply = replace(reply, prompt_tokens=tokens, reply_tokens=text_tokens(reply.content))
            self._cache.put(key, reply)
            self.budget.count(reply)
        finally:
            self.budget.release(tokens)
        return reply

    def _ask(self, request: Request[T]) -> Reply:
        with self._lock:
            if self._stopped is not None:
                raise self._stopped
            if self._model is None:
                self._model = self._connect()
            model = self._model
        temperature = request.temperature_with(self._options)
        try:
            reply = model.ask(request.messages, request.schema, temperature=temperature, seed=request.seed)
        except ServerUnusable as error:
            self._stopped = error
            raise
        except NoReply as error:
            with self._lock:
                self._unanswered += 1
                if self._unanswered >= GIVE_UP_AFTER:
                    many = f"{self._unanswered} questions in a row had no answer"
                    self._stopped = Unanswered(f"{many} ({error}); {_GO_ON}")
                    raise self._stopped from error
            raise
        with self._lock:
            self._unanswered = 0
        return reply


def read_reply(reply: Reply, schema: type[T]) -> tuple[T | None, str, str]:
    """The value of a reply; or None, the code of `REPLY_FAULTS` and what is wrong with it in words."""
    if reply.refusal is not None:
        return None, "refused", f"the model refused: {clean(reply.refusal, 160)}"
    if reply.finish == "content_filter":
        return None, "withheld", "the server withheld the reply (content filter)"
    if reply.finish == "length":
        return None, "cut", "the reply was cut off at the most tokens allowed"
    if not reply.content.strip():
        return None, "empty", "the reply is empty"
    try:
        return schema.model_validate_json(reply.content), "", ""
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return None, "schema", clean(f"{where}: {first['msg']}" if where else first["msg"], 200)


@cache
def _repair() -> str:
    """What is said to a model whose reply could not be used."""
    return files("instructions.language").joinpath("repair.txt").read_text(encoding="utf-8").strip()

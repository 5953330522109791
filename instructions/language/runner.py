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
from instructions.language.model import Message, NoReply, Reply, ServerUnusable, TextModel, Unanswered
from instructions.language.open_questions import BUDGET, GO_ON, SHOWN_CHARS
from instructions.language.options import LanguageOptions
from instructions.language.quoting import clean
from instructions.language.requests import Answer, Answers, ReplyCache, Request, request_key

T = TypeVar("T", bound=BaseModel)

GIVE_UP_AFTER = 4
"""Questions without any answer, one after the other, after which the server is taken for down."""
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
        Unanswered: If the server was at fault for questions without a reply, after all have been asked; what was
            answered is kept as well, so that the same call asks only these. Unusable replies do not raise here: who
            adds up the questions of a kind of data has `OpenQuestions.require_enough` judge them.
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
            raise Unanswered(f"{len(self._faults)} of {asked} questions had no answer ({cause}); {GO_ON}")

    def answer(self, request: Request[T]) -> Answer[T]:
        """Answer one request, with one repair round. Unusable replies are not served again."""
        asked, because, said = request, BUDGET, ""
        in_vain: list[str] = []
        for _ in range(2):
            key = request_key(asked, self._options)
            try:
                reply = self._reply(key, asked)
            except NoReply as error:
                if error.may_pass:
                    self._faults.append(str(error))
                    return Answer(request, open_because="no_reply")
                because, said = "no_reply", clean(str(error), SHOWN_CHARS)
                break
            if reply is None:  # a repair that the budget does not allow now is asked later
                return Answer(request, open_because=because, said=said)
            value, because, words = read_reply(reply, request.schema)
            if value is not None:
                return Answer(request, value, reply_key=key, served_by=reply.served_by)
            in_vain.append(key)
            said = clean(reply.refusal or reply.content, SHOWN_CHARS)
            if because in _FINAL:
                break
            heard = Message("assistant", clean(reply.content, 2000) or "(nothing)")
            again = Message("user", _repair().format(problem=words))
            asked = replace(request, messages=(*request.messages, heard, again))
        for key in in_vain:
            self._cache.set_aside(key)
        return Answer(request, open_because=because, said=said)

    def _reply(self, key: str, request: Request[T]) -> Reply | None:
        """The kept reply, or a new one; None where the budget does not allow one."""
        with self._lock:
            alone = self._keys[key]
        with alone:  # who asks the same at the same time waits for its reply and pays nothing
            return self._reply_alone(key, request)

    def _reply_alone(self, key: str, request: Request[T]) -> Reply | None:
        reply = self._cache.get(key)
        if reply is not None:
            self.budget.count(None)
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
                    self._stopped = Unanswered(f"{many} ({error}); {GO_ON}")
                    raise self._stopped from error
            raise
        with self._lock:
            self._unanswered = 0
        return reply


def read_reply(reply: Reply, schema: type[T]) -> tuple[T | None, str, str]:
    """The value of a reply; or None, the code of `CAUSES` and what is wrong with it in words.

    A thought in front of the JSON (`<think>`) and a Markdown fence around it are passed over.
    """
    if reply.refusal is not None:
        return None, "refused", f"the model refused: {clean(reply.refusal, 160)}"
    if reply.finish == "content_filter":
        return None, "withheld", "the server withheld the reply (content filter)"
    if reply.finish == "length":
        return None, "cut", "the reply was cut off at the most tokens allowed"
    text = _find_json(reply.content)
    if not text:
        return None, "empty", "the reply is empty"
    try:
        return schema.model_validate_json(text), "", ""
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return None, "schema", clean(f"{where}: {first['msg']}" if where else first["msg"], 200)


def _find_json(content: str) -> str:
    """What a reply says besides a leading thought and the fence around the rest."""
    text = content.strip()
    if text.startswith("<think>"):
        text = text.partition("</think>")[2].strip()
    first, _, rest = text.partition("\n")
    if first.rstrip() in ("```", "```json") and rest.endswith("```"):
        text = rest.removesuffix("```").strip()
    return text


@cache
def _repair() -> str:
    """What is said to a model whose reply could not be used."""
    return files("instructions.language").joinpath("repair.txt").read_text(encoding="utf-8").strip()

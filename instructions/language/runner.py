"""Ask many questions at once: cache first, then the server, one repair, and a budget that ends it cleanly."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from instructions.language import prompts
from instructions.language.budget import Budget, Usage, question_tokens, text_tokens
from instructions.language.cache import ReplyCache, question_key
from instructions.language.model import Message, NoReply, Reply, ServerUnusable, TextModel
from instructions.language.options import LanguageOptions
from instructions.language.quoting import clean
from instructions.navigation.questions import Question
from instructions.navigation.schemas import Texts

GIVE_UP_AFTER = 4
"""Questions without any answer, one after the other, after which the server is taken for down."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What became of one question."""

    question: Question
    texts: tuple[str, ...] = ()
    rejected_because: str | None = None
    """Why there are no texts; None with texts."""
    is_open: bool = False
    """Nothing was asked: the budget is spent."""
    reply_key: str | None = None
    served_by: str | None = None


@dataclass(frozen=True, eq=False)
class Answers:
    """Every question with its answer, in the order asked, and what that cost."""

    answers: tuple[Answer, ...]
    usage: Usage


def ask_all(
    questions: Sequence[Question],
    connect: Callable[[], TextModel],
    folder: Path,
    options: LanguageOptions,
    *,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Answers:
    """Ask every question that the cache cannot answer.

    Args:
        questions: In the order wanted back.
        connect: Makes the model; called once, and only if something has to be asked.
        folder: Where replies are kept. Replies already there cost nothing and need no server.
        options: Limits and budget.
        seed: Handed to the model; another seed is another question.
        progress: Told the fraction answered.

    Raises:
        ServerUnusable: If the server cannot be used or has gone away. What was answered is kept in the folder.
    """
    asker = _Asker(connect, ReplyCache(folder), options, seed)
    answers: list[Answer] = []
    with ThreadPoolExecutor(options.concurrency, thread_name_prefix="language") as pool:
        try:
            for number, answer in enumerate(pool.map(asker.answer, questions), start=1):
                answers.append(answer)
                if progress is not None:
                    progress(number / len(questions))
        except BaseException:
            asker.stop()
            raise
    return Answers(tuple(answers), asker.budget.usage)


class _Asker:
    """What the threads share."""

    def __init__(self, connect: Callable[[], TextModel], cache: ReplyCache, options: LanguageOptions, seed: int):
        self.budget = Budget(options, cache.spent())
        self._connect, self._cache, self._options, self._seed = connect, cache, options, seed
        self._lock = threading.Lock()
        self._model: TextModel | None = None
        self._unanswered = 0
        self._stopped: ServerUnusable | None = None

    def stop(self) -> None:
        """Let questions that wait for a thread go."""
        self._stopped = self._stopped or ServerUnusable("stopped")

    def answer(self, question: Question) -> Answer:
        """Answer one question, with one repair round."""
        messages = question.messages
        problem = ""
        for attempt in (1, 2):
            key = question_key(messages, question.task.schema, self._options, self._seed)
            try:
                reply = self._reply(key, messages, question.task.schema)
            except NoReply as error:
                return Answer(question, rejected_because=f"no reply: {error}")
            if reply is None:
                return Answer(question, is_open=True)
            texts, problem = read_reply(reply, question.task.schema)
            if texts or reply.refusal is not None or reply.finish == "content_filter":
                reason = None if texts else problem
                return Answer(question, texts, reason, reply_key=key, served_by=reply.served_by)
            if attempt == 1:
                again = prompts.read("repair").format(problem=problem)
                said = Message("assistant", clean(reply.content, 2000) or "(nothing)")
                messages = (*messages, said, Message("user", again))
        return Answer(question, rejected_because=f"{problem}, also after one repair", reply_key=key)

    def _reply(self, key: str, messages: tuple[Message, ...], schema: type[Texts]) -> Reply | None:
        """The kept reply, or a new one; None where the budget does not allow one."""
        reply = self._cache.get(key)
        if reply is not None:
            self.budget.count_cached()
            return reply
        tokens = question_tokens(messages, schema)
        if not self.budget.reserve(tokens):
            return None
        try:
            reply = self._ask(messages, schema)
            if not reply.prompt_tokens:  # a server that counts nothing
                reply = replace(reply, prompt_tokens=tokens, reply_tokens=text_tokens(reply.content))
            self._cache.put(key, reply)
            self.budget.count(reply)
        finally:
            self.budget.release(tokens)
        return reply

    def _ask(self, messages: tuple[Message, ...], schema: type[Texts]) -> Reply:
        with self._lock:
            if self._stopped is not None:
                raise self._stopped
            if self._model is None:
                self._model = self._connect()
            model = self._model
        try:
            reply = model.ask(messages, schema, self._seed)
        except ServerUnusable as error:
            self._stopped = error
            raise
        except NoReply as error:
            with self._lock:
                self._unanswered += 1
                if self._unanswered >= GIVE_UP_AFTER:
                    kept = "replies so far are kept, run the same command again to go on"
                    self._stopped = ServerUnusable(
                        f"{self._unanswered} questions in a row had no answer ({error}); {kept}"
                    )
                    raise self._stopped from error
            raise
        with self._lock:
            self._unanswered = 0
        return reply


def read_reply(reply: Reply, schema: type[Texts]) -> tuple[tuple[str, ...], str]:
    """Texts of a reply, or none and what is wrong with it."""
    if reply.refusal is not None:
        return (), f"the model refused: {clean(reply.refusal, 160)}"
    if reply.finish == "content_filter":
        return (), "the server withheld the reply (content filter)"
    if reply.finish == "length":
        return (), "the reply was cut off at the most tokens allowed"
    if not reply.content.strip():
        return (), "the reply is empty"
    try:
        parsed = schema.model_validate_json(reply.content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return (), clean(f"{where}: {first['msg']}" if where else first["msg"], 200)
    return tuple(dict.fromkeys(parsed.texts)), ""

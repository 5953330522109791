"""An OpenAI-compatible server as a TextModel, which may send so many bytes in so many seconds, whatever it promised.

The only module that imports the client.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import PurePosixPath

from pydantic import BaseModel

from instructions.errors import InstructionError
from instructions.language.model import Message, NoReply, Reply, ServerUnusable
from instructions.language.options import LanguageOptions
from instructions.language.pictures import PictureFiles, data_url
from instructions.language.quoting import clean

try:
    import httpx2
    import openai
    from openai.types.chat import ChatCompletion
except ModuleNotFoundError as error:
    raise InstructionError(
        f'a language server needs the package {error.name}; install it with: pip install "roomtour[llm]"'
    ) from error

_USELESS = (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError)
_LOAD = (429, 503, 529)
_PASSING = (408, 409, 425, 429)
"""Of the statuses that blame the question, those that speak of load and time."""


class ReplyBound(openai.OpenAIError):
    """A reply that was longer or slower than allowed. An OpenAIError, so the client does not ask the same again."""


class BoundedStream(httpx2.SyncByteStream):
    """Passes on a body until it is too long or too late."""

    def __init__(self, stream: httpx2.SyncByteStream, max_bytes: int, max_seconds: float):
        self._stream, self._max_bytes, self._max_seconds = stream, max_bytes, max_seconds

    def __iter__(self) -> Iterator[bytes]:
        """Yield the body's pieces.

        Raises:
            ReplyBound: At the first piece over a bound.
        """
        count, started = 0, time.monotonic()
        for piece in self._stream:
            count += len(piece)
            if count > self._max_bytes:
                raise ReplyBound(f"the reply is longer than {self._max_bytes} bytes")
            if time.monotonic() - started > self._max_seconds:
                raise ReplyBound(f"the reply took longer than {self._max_seconds:g} s")
            yield piece

    def close(self) -> None:
        """Close the body."""
        self._stream.close()


def make_bounded_client(max_bytes: int, max_seconds: float) -> httpx2.Client:
    """An HTTP client that reads no more than this and follows no redirect (a redirect would take the key along)."""

    def bound(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ReplyBound("the reply is compressed, which was not asked for")
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = BoundedStream(response.stream, max_bytes, max_seconds)

    return httpx2.Client(
        timeout=httpx2.Timeout(max_seconds, connect=min(10.0, max_seconds)),
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [bound]},
    )


class ServerModel:
    """Asks one model of one server. Thread-safe."""

    def __init__(self, options: LanguageOptions, pictures: PictureFiles | None = None):
        """Make the client; nothing is asked yet.

        Raises:
            ServerUnusable: If no server is named.
        """
        key = os.environ.get(options.key_variable, "").strip()
        if not key and options.base_url is None and not os.environ.get("OPENAI_BASE_URL"):
            raise ServerUnusable(
                "--writer llm, --perception server: no server to ask. Give --language.base-url ADDRESS of an "
                f"OpenAI-compatible server, or set the environment variable {options.key_variable}"
            )
        self._options = options
        self._key = key
        self._pictures = pictures
        self._client = openai.OpenAI(
            api_key=key or "none",
            base_url=options.base_url,
            max_retries=options.retries,
            http_client=make_bounded_client(options.max_reply_bytes, options.timeout_s),
        )

    def ask(
        self, messages: tuple[Message, ...], schema: type[BaseModel], *, temperature: float | None, seed: int
    ) -> Reply:
        """Ask once; the client repeats what is worth repeating.

        Raises:
            ServerUnusable: If asking anything is useless.
            NoReply: If this question has no answer.
            InstructionError: If a picture of a message cannot be read.
        """
        options = self._options
        said = [{"role": message.role, "content": self._content(message)} for message in messages]
        try:
            raw = self._client.chat.completions.with_raw_response.parse(
                model=options.model,
                messages=said,  # type: ignore[arg-type]
                response_format=schema,
                max_completion_tokens=options.max_reply_tokens,
                temperature=openai.omit if temperature is None else temperature,
                seed=seed,
            )
        except ReplyBound as error:
            raise NoReply(str(error)) from error
        except _USELESS as error:
            raise ServerUnusable(f"{self._where}: {self._describe_error(error)}") from error
        except openai.APIStatusError as error:
            raise NoReply(
                self._describe_error(error),
                may_pass=_may_pass(error.status_code),
                is_load=error.status_code in _LOAD,
                retry_after_s=_retry_after_s(error.response.headers.get("retry-after")),
            ) from error
        except openai.APITimeoutError as error:
            raise NoReply(f"no reply within {options.timeout_s:g} s") from error
        except openai.APIConnectionError as error:
            raise NoReply(f"{self._where} cannot be reached or broke off: {type(error.__cause__).__name__}") from error
        return _reply(raw.text)

    def _content(self, message: Message) -> str | list[dict[str, object]]:
        """A text alone as it is, so that servers that know only texts take it; with pictures as content parts."""
        if not message.pictures:
            return message.content
        if self._pictures is None:
            raise InstructionError("a message shows pictures, but the client was given no source to read them from")
        urls = [data_url(self._pictures.read(digest)) for digest in message.pictures]
        shown: list[dict[str, object]] = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
        return [{"type": "text", "text": message.content}, *shown]

    @property
    def _where(self) -> str:
        return f"language server {self._client.base_url.host}, model {self._options.model!r}"

    def _describe_error(self, error: openai.APIStatusError) -> str:
        """Status and the start of the server's message, without our key: some servers quote the one they refuse."""
        message = ""
        if isinstance(error.body, dict):
            said = str(error.body.get("message", ""))
            message = clean(said.replace(self._key, "(key)") if self._key else said, 160)
        return f"the server answers {error.status_code}" + (f": {message}" if message else "")


def _retry_after_s(told: str | None) -> float | None:
    """Seconds that a server names; None for none, or a date."""
    try:
        seconds = float(told or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _may_pass(status: int) -> bool:
    """Whether a status says that the server, not the question, is at fault."""
    return not 400 <= status < 500 or status in _PASSING


def _reply(body: str) -> Reply:
    """Read the body of an answer; what it holds beyond the format is not looked at."""
    try:
        completion = ChatCompletion.model_validate_json(body)
        choice = completion.choices[0]
    except (ValueError, IndexError) as error:
        raise NoReply("the server's answer is not a chat completion") from error
    usage = completion.usage
    return Reply(
        content=choice.message.content or "",
        refusal=choice.message.refusal,
        finish=choice.finish_reason,
        prompt_tokens=usage.prompt_tokens if usage else 0,
        reply_tokens=usage.completion_tokens if usage else 0,
        served_by=_model_name(completion.model or ""),
    )


def _model_name(served: str) -> str:
    """The name a server gives; of a file on its disk only the file's name."""
    is_path = served.startswith("/") or "\\" in served
    return clean(PurePosixPath(served.replace("\\", "/")).name if is_path else served, 80)

"""How the language model is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from annotated_types import Ge, Le

from instructions.errors import InstructionError
from recon.ranges import AtLeastOne, Count, NotNegative, Positive


@dataclass(frozen=True, kw_only=True)
class LanguageOptions:
    """Which server and model write, how much, and for how much."""

    base_url: str | None = None
    """Address of any OpenAI-compatible server, such as `http://127.0.0.1:8000/v1`; OpenAI's own if not given."""
    model: str = "gpt-4.1-mini"
    """Name of the model as the server knows it; part of every row and of the cache key."""
    key_variable: str = "OPENAI_API_KEY"
    """Environment variable that holds the key. A server without keys needs none. The key itself is never an option."""
    temperature: Annotated[float, Ge(0), Le(2)] | None = 0.7
    """Some variety of wording; the truth check keeps texts true, not this. None for models that take no temperature."""
    wordings: AtLeastOne = 2
    """Different texts asked for per way and kind, all in one reply."""
    enriched: bool = True
    """Where rooms are known, also the kinds that name them and the places of things (`room_objects` and so on)."""
    max_reply_tokens: AtLeastOne = 600
    """Two texts of two sentences need about 150; a model that thinks aloud needs more."""
    max_reply_bytes: AtLeastOne = 262_144
    """A longer reply is dropped unread: nothing a text needs comes near it."""
    concurrency: Annotated[int, Ge(1), Le(256)] = 8
    """Requests under way at once, by all tours of a job together."""
    timeout_s: Positive = 120.0
    """For one reply, from the first byte asked to the last byte read."""
    retries: Count = 5
    """After 408, 409, 429, 5xx and timeouts, with growing pauses; a server's Retry-After up to two minutes is kept."""
    max_tokens: AtLeastOne | None = None
    """Budget for one tour, prompt and reply tokens together, of all its runs; None is unlimited."""
    max_cost: NotNegative | None = None
    """Budget for one tour in the currency of the prices; needs both prices."""
    max_requests: AtLeastOne | None = None
    """Most requests sent for one tour, of all its runs and repairs, failed ones included; None is unlimited."""
    requests_per_minute: Positive | None = None
    """Most requests sent in a minute, by all tours of a job on all its machines; None is unlimited."""
    tokens_per_minute: Positive | None = None
    """Most tokens of prompts and replies in a minute, likewise; a request counts with the longest reply it may get."""
    job_max_cost: NotNegative | None = None
    """Budget for all tours of a job in the currency of the prices; needs both prices. Rows beyond it wait for more."""
    price_per_million_in: NotNegative | None = None
    """Price of a million prompt tokens; the server's list has it."""
    price_per_million_out: NotNegative | None = None
    """Price of a million reply tokens."""

    def __post_init__(self) -> None:
        for name in ("job_max_cost", "max_cost"):
            if getattr(self, name) is not None and None in (self.price_per_million_in, self.price_per_million_out):
                raise InstructionError(
                    f"language.{name} needs language.price_per_million_in and language.price_per_million_out"
                )
        _require_plain_url(self.base_url)

    @property
    def identity(self) -> list[object]:
        """What changes the texts: everything but where the server is and how patiently it is asked."""
        return [
            self.model,
            self.temperature,
            self.wordings,
            self.enriched,
            self.max_reply_tokens,
            self.max_tokens,
            self.max_cost,
            *([] if self.max_requests is None else [self.max_requests]),
        ]


def _require_plain_url(url: str | None) -> None:
    """Options are written to the manifest, so an address may not carry a secret."""
    if url is None:
        return
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise InstructionError(f"language.base_url is no address: {error}") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InstructionError(f"language.base_url {parts.scheme}://... must be http:// or https:// with a host name")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise InstructionError(
            f"language.base_url for {parts.hostname} holds a user name, password or query; "
            "keys belong into the environment (language.key_variable)"
        )

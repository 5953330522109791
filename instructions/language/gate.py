"""When a language server may be asked: one gate for all who ask it, be they threads, tours or machines.

It answers how long to wait and never sleeps itself, so that whoever holds it is never held up.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from instructions.language.budget import Usage
from instructions.language.options import LanguageOptions

_BURST_S = 0.04
"""Requests that nobody made in the last 40 ms may be made up for; a server counts over longer spans."""
_FULL_WAIT_S = 0.05
"""After which is asked again where as many requests are under way as may be."""


@dataclass(frozen=True)
class Word:
    """What the gate says: go on where `wait_s` is 0."""

    ticket: int
    """To be shown when asking again after the wait."""
    wait_s: float
    refused: str = ""
    """Why nothing will be let through any more; empty otherwise."""


class Gate(Protocol):
    """As whoever asks a server sees it."""

    def ask(self, tokens: int, ticket: int = 0) -> Word:
        """Ask for one request of so many tokens in prompt and reply at most; with the ticket, after a wait."""
        ...

    def settle(self, tokens: int, prompt_tokens: int, reply_tokens: int) -> None:
        """Give back what a request had set aside, and say what it took; zeros where there was no reply."""
        ...

    def pause(self, seconds: float) -> None:
        """Let nobody through for so long: the server asked for it."""
        ...


class SharedGate:
    """Requests and tokens per minute, requests under way, and the budget of a job. Thread-safe."""

    def __init__(
        self, options: LanguageOptions, spent: Usage = Usage(), clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Open it, with the limits of `options` and what was `spent` before."""
        self._options, self._clock = options, clock
        self._lock = threading.Lock()
        self._tickets = itertools.count(1)
        self._due: dict[int, float] = {}
        self._next_request = self._next_token = self._closed_until = 0.0
        self._under_way: Counter[str] = Counter()
        self._reserved: Counter[str] = Counter()
        self._spent = Usage(prompt_tokens=spent.prompt_tokens, reply_tokens=spent.reply_tokens)
        self._waited_s = 0.0

    def ask(self, tokens: int, ticket: int = 0, holder: str = "") -> Word:
        """See `Gate`. What a holder has under way is given back when it is dropped."""
        with self._lock:
            now = self._clock()
            refused = self._refuse(tokens)
            if refused:
                self._due.pop(ticket, None)
                return Word(0, 0.0, refused)
            due = self._due.get(ticket)
            if due is None or due < self._closed_until:
                ticket, due = ticket or next(self._tickets), self._give_turn(tokens, now)
                self._due[ticket] = due
            if due > now:
                self._waited_s += due - now
                return Word(ticket, due - now)
            if sum(self._under_way.values()) >= self._options.concurrency:
                self._waited_s += _FULL_WAIT_S
                return Word(ticket, _FULL_WAIT_S)
            del self._due[ticket]
            self._under_way[holder] += 1
            self._reserved[holder] += tokens
            self._spent += Usage(requests=1)
            return Word(ticket, 0.0)

    def settle(self, tokens: int, prompt_tokens: int, reply_tokens: int, holder: str = "") -> None:
        """See `Gate`."""
        with self._lock:
            self._under_way[holder] = max(0, self._under_way[holder] - 1)  # a gate that was started anew knows none
            self._reserved[holder] = max(0, self._reserved[holder] - tokens)
            self._spent += Usage(prompt_tokens=prompt_tokens, reply_tokens=reply_tokens)

    def pause(self, seconds: float) -> None:
        """See `Gate`; those who were told to come earlier are given another turn when they come."""
        with self._lock:
            self._closed_until = max(self._closed_until, self._clock() + seconds)

    def drop(self, holder: str) -> None:
        """Give back what somebody had under way who is gone; what that cost is not known."""
        with self._lock:
            self._under_way.pop(holder, None)
            self._reserved.pop(holder, None)

    def count(self) -> tuple[Usage, float]:
        """What was let through and what it cost, and seconds of waiting that were handed out."""
        with self._lock:
            return self._spent, self._waited_s

    def _give_turn(self, tokens: int, now: float) -> float:
        """When one more request may be sent; the moment is taken."""
        options, earliest = self._options, max(now, self._closed_until)
        if options.requests_per_minute is None and options.tokens_per_minute is None:
            return earliest
        due = max(earliest, self._next_request, self._next_token)
        if options.requests_per_minute is not None:
            self._next_request = max(self._next_request, earliest - _BURST_S) + 60 / options.requests_per_minute
        if options.tokens_per_minute is not None:
            self._next_token = max(self._next_token, earliest - _BURST_S) + 60 * tokens / options.tokens_per_minute
        return due

    def _refuse(self, tokens: int) -> str:
        """Why the budget allows no further request; prices of prompt and reply differ, so the dearer counts."""
        most, options = self._options.job_max_cost, self._options
        if most is None:
            return ""
        prices = (options.price_per_million_in or 0.0, options.price_per_million_out or 0.0)
        spent = self._spent.cost(options) or 0.0
        reserved = (sum(self._reserved.values()) + tokens) * max(prices) / 1e6
        if spent + reserved <= most:
            return ""
        return f"the budget of the job is spent: {spent:.2f} of --language.job-max-cost {most:g}"

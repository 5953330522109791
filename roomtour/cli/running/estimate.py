"""`--dry-run`: what a language model would be asked, and what that may cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from instructions.language.budget import PICTURE_TOKENS, Usage, question_tokens
from instructions.language.options import LanguageOptions
from instructions.language.requests import ReplyCache, Request, request_key
from roomtour.cli.console import tell
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.kinds import REPLIES, require_kinds
from roomtour.stages.context import stage_module
from roomtour.stages.table import needed_by
from roomtour.store import RunStore


@dataclass(frozen=True)
class LanguageEstimate:
    """Questions of one tour, and what they may cost."""

    questions: int
    kept: int
    """Answered by kept replies: free."""
    pictures: int
    """Shown with those that are not."""
    likely: Usage
    most: Usage
    """Every reply as long as allowed, and one repair each."""


def estimate_language(run: Path, config: Config) -> LanguageEstimate:
    """Count what perception and the kinds of data asked for would ask; asks no server and writes nothing.

    Args:
        run: A run folder, reconstructed as far as the kinds need it.
        config: The kinds (`data`), and how the model is asked.

    Raises:
        RoomtourError: If a stage that a kind needs is not done: what there is to ask about is not known then.
    """
    store = RunStore(run)
    requests: list[Request[BaseModel]] = []
    seeing = ("perception",) if config.perception == "server" else ()
    for kind in (*seeing, *(require_kinds(config.data) if config.writer == "llm" else ())):
        needed = [*needed_by(kind), *seeing] if store.imported_as is None else []
        missing = [name for name in needed if name not in store.stages]
        if missing:
            raise RoomtourError(
                f"--dry-run {run}: stage {missing[0]} is not done, so what {kind} would ask about is not known. "
                f"Run roomtour process with --until {needed[-1]}{' --perception auto' if seeing else ''} first "
                "(it asks no language model)"
            )
        requests += stage_module(kind).find_requests(run, config)
    return estimate_requests(requests, ReplyCache(run / REPLIES), config.language)


def estimate_requests(
    requests: Sequence[Request[BaseModel]], cache: ReplyCache, options: LanguageOptions
) -> LanguageEstimate:
    """Count the tokens of requests of any kind.

    Args:
        requests: To the model of the options.
        cache: A request with a kept reply costs nothing.
        options: Limits.
    """
    new = [request for request in requests if cache.get(request_key(request.after or request, options)) is None]
    kept = len(requests) - len(new)
    prompt = sum(question_tokens(request.messages, request.schema) for request in new)
    likely = sum(min(request.likely_tokens, options.max_reply_tokens) for request in new)
    longest = len(new) * options.max_reply_tokens
    return LanguageEstimate(
        len(requests),
        kept,
        pictures=sum(len(message.pictures) for request in new for message in request.messages),
        likely=Usage(len(requests), kept, prompt, likely),
        most=Usage(len(requests), kept, 2 * prompt + longest, 2 * longest),
    )


def describe_estimate(estimate: LanguageEstimate, options: LanguageOptions) -> list[str]:
    """A few lines for people."""
    lines = [f"{estimate.questions} questions to {options.model}, {estimate.kept} of them answered by kept replies"]
    if estimate.pictures:
        lines.append(f"  {estimate.pictures} pictures, each taken for {PICTURE_TOKENS:,} tokens")
    for name, usage in (("about", estimate.likely), ("at most", estimate.most)):
        cost = usage.cost(options)
        money = "" if cost is None else f", cost {cost:.4f}"
        lines.append(f"  {name} {usage.prompt_tokens:,} prompt and {usage.reply_tokens:,} reply tokens{money}")
    if estimate.likely.cost(options) is None:
        lines.append("  for a cost, set language.price_per_million_in and language.price_per_million_out")
    return lines


def print_estimate(name: str, run: Path, config: Config) -> None:
    """Print what perception and the kinds of data of one run would take.

    Raises:
        RoomtourError: If no language model is asked, or the run is not far enough to know.
    """
    if config.writer != "llm" and config.perception != "server":
        raise RoomtourError(
            "--dry-run estimates what the language model costs; give --writer llm or --perception server with it"
        )
    head, *details = describe_estimate(estimate_language(run, config), config.language)
    tell(f"{name}: {head}")
    for line in details:
        tell(line)

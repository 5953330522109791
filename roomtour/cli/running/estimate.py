"""`--dry-run`: what a language model would be asked, and what that may cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roomtour.cli.console import tell
from roomtour.errors import RoomtourError

if TYPE_CHECKING:
    from roomtour.config import Config


def print_estimate(name: str, run: Path, config: Config) -> None:
    """Print what perception and the kinds of data of one run would take.

    Raises:
        RoomtourError: If no language model is asked, or the run is not far enough to know.
    """
    from roomtour.language_estimate import describe_estimate, estimate_language

    if config.writer != "llm" and config.perception != "server":
        raise RoomtourError(
            "--dry-run estimates what the language model costs; give --writer llm or --perception server with it"
        )
    head, *details = describe_estimate(estimate_language(run, config), config.language)
    tell(f"{name}: {head}")
    for line in details:
        tell(line)

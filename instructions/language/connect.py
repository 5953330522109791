"""Makes the client of a language server; only here is the extra `llm` needed, and only once something is asked."""

from __future__ import annotations

from dataclasses import replace

from instructions.language.gate import Gate, SharedGate
from instructions.language.gated import GatedModel
from instructions.language.model import TextModel
from instructions.language.options import LanguageOptions
from instructions.language.pictures import PictureSource

_gate: Gate | None = None


def connect_server(options: LanguageOptions, pictures: PictureSource | None = None) -> TextModel:
    """An OpenAI-compatible server by the options.

    Args:
        options: Server, model and limits.
        pictures: Where the pictures of messages are read; not needed for messages without any.

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

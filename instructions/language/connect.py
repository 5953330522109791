"""Makes the client of a language server; only here is the extra `llm` needed, and only once something is asked."""

from __future__ import annotations

from instructions.language.model import TextModel
from instructions.language.options import LanguageOptions
from instructions.language.pictures import PictureSource


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

    return ServerModel(options, pictures)

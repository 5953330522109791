"""The Rerun SDK, which is an extra: every import of it stands here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from roomtour.errors import RoomtourError


def load_rerun(module: str = "rerun") -> Any:
    """A module of the SDK.

    Raises:
        RoomtourError: If it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise RoomtourError(f'format rerun needs the Rerun SDK ({error}): pip install "roomtour[rerun]"') from error

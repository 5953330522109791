"""JSON out of texts that anybody may have written."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def parse_json(text: str | bytes, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """One JSON value.

    Args:
        text: A text, or its bytes as UTF-8.
        parse_constant: What to make of NaN and infinity.

    Raises:
        ValueError: If it is no JSON, or nested so deeply that Python cannot hold it.
    """
    try:
        return json.loads(text, parse_constant=parse_constant)
    except RecursionError:
        raise ValueError("nested too deeply to be read") from None

"""What a program may return: plain values of bounded size, which of them are answers at all, and why there is none."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

Reason = Literal["source", "parse", "limit", "crash", "value"]
REASONS: dict[Reason, str] = {
    "source": "the text holds something a program may not hold, or is too long",
    "parse": "the text is no Python, or no Python that the sandbox knows",
    "limit": "it took too much time, memory, depth or output, or asked for something outside the sandbox",
    "crash": "it raised an error",
    "value": "what it returned is no plain value of the allowed size",
}


class ProgramError(Exception):
    """A program that has no value: its own failure, never ours. `reason` is a key of `REASONS`."""

    def __init__(self, reason: Reason, message: str):
        super().__init__(f"{reason}: {message}")
        self.reason: Reason = reason
        self.message = message


PlainValue: TypeAlias = "bool | int | float | str | list[PlainValue] | dict[str, PlainValue]"
"""A checked value. Tuples have become lists, as in JSON."""
Scalar = (bool, int, float, str)
MAX_DEPTH = 4
MAX_BYTES = 65_536
MAX_LISTED = 10
"""Longer lists are no answers (paper's filter)."""
_REFUSALS = ("unable", "unknown", "invalid", "not found")
_UNDERSCORED = re.compile(r"\w_\w")


def check_value(raw: object) -> PlainValue:
    """The value as plain data, checked before anything writes it as JSON.

    Raises:
        ProgramError: `value`, for other types than bool, int, finite float, str, list, tuple and dict with text keys;
            for a depth over 4 (a list can hold itself); and for more than 64 kB.
    """
    left = [MAX_BYTES]
    checked = _copy_plain(raw, 1, left)
    size = len(json.dumps(checked, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise ProgramError("value", f"it has {size} bytes, at most {MAX_BYTES} are allowed")
    return checked


def _copy_plain(raw: object, depth: int, left: list[int]) -> PlainValue:
    """A copy in lists and dicts; `left` counts down the bytes so that nothing huge is walked to its end."""
    kind = type(raw)
    left[0] -= len(raw) if isinstance(raw, str) else 1
    if left[0] < 0:
        raise ProgramError("value", f"it is larger than {MAX_BYTES} bytes")
    if isinstance(raw, float) and not math.isfinite(raw):
        raise ProgramError("value", f"it holds {raw}, need finite numbers")
    if kind is int and isinstance(raw, int) and raw.bit_length() > 1024:
        raise ProgramError("value", f"it holds a whole number of {raw.bit_length()} bits")
    if isinstance(raw, Scalar) and kind in Scalar:
        return raw
    if kind not in (list, tuple, dict):
        raise ProgramError("value", f"it holds a {kind.__name__}, need bool, number, text, list or dict")
    if depth > MAX_DEPTH:
        raise ProgramError("value", f"it is nested more than {MAX_DEPTH} deep")
    if isinstance(raw, dict):
        if not all(type(key) is str for key in raw):
            raise ProgramError("value", "it holds a dict whose keys are not all text")
        left[0] -= sum(len(key) for key in raw)
        return {key: _copy_plain(one, depth + 1, left) for key, one in raw.items()}
    assert isinstance(raw, list | tuple)
    return [_copy_plain(one, depth + 1, left) for one in raw]


def find_refusal(value: PlainValue) -> str | None:
    """Why a value is no answer, in words; None for an answer.

    Refused are what is empty or says that there is none ("unable", "unknown", "invalid", "not found"), raw ids (names
    with underscores) and more than ten listed things: the paper's filters, on the value and on every text in it.
    """
    if isinstance(value, list | dict):
        if not value:
            return "it is empty"
        if len(value) > MAX_LISTED:
            return f"it lists {len(value)} things, at most {MAX_LISTED} make an answer"
        parts = list(value.values()) if isinstance(value, Mapping) else value
        texts = [*value, *parts] if isinstance(value, Mapping) else parts
        return next((why for why in map(find_refusal, texts) if why is not None), None)
    if not isinstance(value, str):
        return None
    said = value.strip().lower()
    if said in ("", "none", "null", "nan", "[]", "{}", "()"):
        return "it is empty"
    if any(word in said for word in _REFUSALS):
        return f"it says {said[:40]!r}"
    if said.startswith("error"):
        return "it says that something failed"
    if _UNDERSCORED.search(said):
        return f"{said[:40]!r} is a name with underscores, not one that people say"
    return None

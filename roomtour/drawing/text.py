"""Numbers and strings as people read them, the same on the page and in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass


def printable(text: str) -> str:
    """The text with control characters (escape sequences, line breaks) shown as `?`, so none reaches a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def printable_lines(text: str) -> str:
    """The same with the lines of the text kept."""
    return "\n".join(map(printable, text.splitlines()))


def duration(seconds: float) -> str:
    """`0.8 s`, `42 s`, `3 min 05 s`, `1 h 02 min`."""
    if round(seconds, 1) < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def clock(time_s: float) -> str:
    """A time in the tour as `m:ss.t`."""
    tenths = round(abs(time_s) * 10)
    return f"{'-' if time_s < 0 else ''}{tenths // 600}:{tenths % 600 // 10:02d}.{tenths % 10}"


def format_signed_turn(angle_deg: float) -> str:
    """`left 90°` or `right 45°`; left is positive."""
    return f"{'left' if angle_deg >= 0 else 'right'} {abs(angle_deg):.0f}°"


def flatten(value: object, name: str = "") -> list[tuple[str, str]]:
    """Nested options or provenance as (dotted name, value) rows, in their own order."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping) and value:
        return [row for key, inner in value.items() for row in flatten(inner, f"{name}.{key}" if name else str(key))]
    if isinstance(value, Mapping):
        return [(name, "")] if name else []
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [(name, ", ".join(str(item) for item in value))]
    return [(name, "none" if value is None else str(value))]

"""Strings from outside (tags, file names, replies) as plain short data."""

from __future__ import annotations

import unicodedata


def clean(text: str, most: int) -> str:
    """One line of printable characters, cut to `most`: control, format and private characters become spaces."""
    plain = unicodedata.normalize("NFKC", text)
    kept = "".join(char if unicodedata.category(char)[0] != "C" else " " for char in plain)
    return " ".join(kept.split())[:most].rstrip()


def name(text: str, most: int = 40) -> str:
    """A thing's or room's name as a prompt may hold it: letters, digits, spaces and hyphens only."""
    kept = "".join(char if char.isalnum() or char in " -'" else " " for char in clean(text, 4 * most))
    return " ".join(kept.split())[:most].rstrip()

"""Which code of a trainer reads a format: the rules of its check were read there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Loader:
    """A trainer's loader at one commit."""

    trainer: str
    repository: str
    """On GitHub, `owner/name`."""
    commit: str
    """Its first seven digits."""
    date: str
    """Of the commit, ISO."""
    file: str

    def __str__(self) -> str:
        return f"{self.trainer} ({self.repository} at {self.commit} of {self.date}, {self.file})"

"""The rows of thinking: a question, what was asked of a friend who can measure, and the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from instructions.facts.verdict import Measured
from instructions.questions.core.records import Reference
from instructions.rows import Row

Puzzle = Literal["wide_enough", "isosceles", "nearest", "longer", "child_reach", "fits_into"]
MOST_TURNS = 8
"""Questions to the friend before a talk is given up."""


@dataclass(frozen=True)
class Turn:
    """One question to the friend, and what was said."""

    ask: str
    reply: str
    measured: tuple[Measured, ...]
    """What the reply rests on; empty where the friend could not tell."""
    about: tuple[str, ...] = ()
    """Objects that it is about."""


@dataclass(frozen=True, kw_only=True)
class ThinkingTalk(Row):
    """A question about a view whose answer follows from several measures."""

    puzzle: Puzzle
    references: tuple[Reference, ...]
    """Things by the letters of the templates: A, B, C."""
    question: str
    turns: tuple[Turn, ...]
    conclusion: str
    """Why the answer follows."""
    answer: str
    truth: str
    """`yes`, `no`, or the object's id; computed from the measures themselves, never from the talk."""
    choices: tuple[str, ...]
    evidence: tuple[Measured, ...]
    """What decided it, with the margin."""
    template: str

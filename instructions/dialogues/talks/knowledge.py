"""Background knowledge about kinds of things that somebody saw: our own sentences, and files of users."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from instructions.errors import InstructionError
from instructions.wording.english import pluralize, with_article
from recon.given_files import read_given_text

OWN_LICENCE = "Apache-2.0 (roomtour)"
_QUESTIONS: tuple[tuple[str, ...], ...] = (
    ("What is {aC} for?", "What do people use {aC} for?", "Why would somebody want {aC}?"),
    ("What is {aC} usually made of?", "Which materials does {aC} consist of?"),
    ("Where do people usually put {Cs}?", "In which places does one find {Cs}?"),
    ("What is good to know about {Cs}?", "Can you tell me something useful about {Cs}?"),
)
"""By the place of the sentence in `knowledge.toml`: purpose, material, usual place, something useful."""
_MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Background:
    """What is known of a kind."""

    category: str
    sentences: tuple[str, ...]
    licence: str
    source: str


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    category: str = Field(min_length=1, max_length=80)
    text: str = Field(min_length=1, max_length=20_000)
    licence: str = Field(min_length=1, max_length=200)
    url: str = Field(max_length=2000)
    qid: str | None = None


@cache
def own_knowledge() -> Mapping[str, Background]:
    """Our sentences by kind: four each, in the order purpose, material, place, something useful."""
    table = tomllib.loads(files("instructions.dialogues").joinpath("knowledge.toml").read_text(encoding="utf-8"))
    return {kind: Background(kind, tuple(lines), OWN_LICENCE, "knowledge.toml") for kind, lines in table.items()}


def read_knowledge(path: Path) -> Mapping[str, Background]:
    """Texts of a JSONL file {category, qid?, text, url, licence} by category; the first of a category counts.

    Raises:
        InstructionError: Naming file, row and field of what does not fit, or a file that is too large.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InstructionError(
                f"--dialogues.knowledge {path}: {path.stat().st_size} bytes, need at most {_MOST_BYTES}"
            )
        lines = read_given_text(path).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InstructionError(f"--dialogues.knowledge {path}: cannot be read: {error}") from error
    out: dict[str, Background] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = _Line.model_validate(json.loads(line))
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            raise InstructionError(f"--dialogues.knowledge {path}:{number}: {field}: {first['msg'].lower()}") from error
        except (ValueError, RecursionError) as error:
            raise InstructionError(f"--dialogues.knowledge {path}:{number}: not valid JSON: {error}") from error
        out.setdefault(row.category.lower(), Background(row.category.lower(), (row.text,), row.licence, row.url))
    return out


def ask_about(background: Background, place: int, wording: int) -> str:
    """The question that our sentence at a place answers."""
    questions = _QUESTIONS[place]
    kind = background.category
    return questions[wording % len(questions)].replace("{aC}", with_article(kind)).replace("{Cs}", pluralize(kind))

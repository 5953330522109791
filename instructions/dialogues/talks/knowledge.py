"""Background knowledge about kinds of things that somebody saw: our own sentences, and files of users."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import Field

from instructions.asking.draws import Draw
from instructions.dialogues.given import read_given_lines
from instructions.dialogues.records import Evidence, Turn
from instructions.dialogues.talk_view import TalkThing
from instructions.dialogues.talks.facts_talk import Talk
from instructions.dialogues.templates import fill, kind_slots
from instructions.language.requests import StrictModel

OWN_LICENCE = "Apache-2.0 (roomtour)"
_QUESTIONS: tuple[tuple[str, ...], ...] = (
    ("What is {aC} for?", "What do people use {aC} for?", "Why would somebody want {aC}?"),
    ("What is {aC} usually made of?", "Which materials does {aC} consist of?"),
    ("Where do people usually put {Cs}?", "In which places does one find {Cs}?"),
    ("What is good to know about {Cs}?", "Can you tell me something useful about {Cs}?"),
)
"""By the place of the sentence in `knowledge.toml`: purpose, material, usual place, something useful."""
_MOST_SENTENCES = 3
"""Of ours that one row tells."""
_MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Background:
    """What is known of a kind."""

    category: str
    sentences: tuple[str, ...]
    licence: str
    source: str


class _Line(StrictModel, strict=True):
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
    out: dict[str, Background] = {}
    for _, row in read_given_lines(path, f"--dialogues.knowledge {path}", _Line, _MOST_BYTES):
        out.setdefault(row.category.lower(), Background(row.category.lower(), (row.text,), row.licence, row.url))
    return out


def tell_background(
    shown: Sequence[TalkThing], knowledge: Mapping[str, Background], told: Collection[str], draw: Draw
) -> tuple[str, Talk, str] | None:
    """Background of one kind in view that there is a text for: the kind, turns, and the licence of what they say."""
    own = own_knowledge()
    kinds = [one for one in shown if (one.kind in own or one.kind in knowledge) and one.kind not in told]
    if not kinds:
        return None
    chosen = draw.pick(kinds)
    kind, seen = chosen.kind or "", chosen.sighting
    talk, licences = Talk(evidence=[seen], boxes={chosen.id: chosen.talk_box}), []
    if kind in own:
        licences.append(own[kind].licence)
        wording = int(draw.uniform() * 6)
        for number in sorted(draw.shuffle(range(4))[:_MOST_SENTENCES]):
            fact = Evidence(f"knowledge {kind} {number}", own[kind].sentences[number])
            talk.evidence.append(fact)
            question = fill(_QUESTIONS[number][wording % len(_QUESTIONS[number])], kind_slots(kind))
            talk.turns.append(Turn(question, fact.words, "knowledge", (seen.name, fact.name)))
    if kind in knowledge:
        text = knowledge[kind]
        licences.append(f"{text.licence} ({text.source})")
        talk.evidence.append(Evidence(f"knowledge {kind} text", text.source))
        question = f"What does one read about the {kind} in a reference work?"
        talk.turns.append(Turn(question, text.sentences[0], "knowledge", (talk.evidence[-1].name,)))
    talk.templates += ["knowledge"] * len(talk.turns)
    return kind, talk, "; ".join(licences)

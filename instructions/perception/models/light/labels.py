"""The words of the light networks in ours: one table, `labels.toml`, and the tag network's thousand names beside it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from instructions.records import Support

Role = Literal["surface", "structure", "furniture", "item"]
_PLACE = "instructions.perception.models.light"


@dataclass(frozen=True)
class Word:
    """A word of ours, and what one of these things is like."""

    name: str
    role: Role
    head: str
    """The word that this one is a kind of; itself where there is none."""
    is_solid: bool = False
    """Nothing is seen through it: what a network names inside its box is a part of it, or lies on it."""
    synonyms: tuple[str, ...] = ()
    support: tuple[Support, ...] = ()
    """What may hold it; empty leaves it open."""


@cache
def words() -> Mapping[str, Word]:
    """Every word by its name."""
    return {name: _word(name, row) for name, row in _table()["words"].items()}


@cache
def coco_words() -> tuple[str, ...]:
    """Our word for each class of the detectors, by class id; empty for what is never a thing."""
    return tuple(_table()["networks"]["coco"].values())


@cache
def ade_words() -> tuple[str, ...]:
    """Our word for each class of the segmenter, by class id; empty for what is never a thing."""
    return tuple(_table()["networks"]["ade"].values())


@cache
def ade150_words() -> tuple[str, ...]:
    """Our word for each class of the segmenter of close looks, by class id.

    `-` for what has none, empty for what is never indoors.
    """
    return tuple(_table()["networks"]["ade150"].values())


@cache
def imagenet_words() -> tuple[str, ...]:
    """Our word for each class of the tag network, by class id; empty for what no home shows."""
    return tuple("" if word == "-" else word for _, word in _imagenet_rows())


@cache
def network_names() -> Mapping[str, tuple[str, ...]]:
    """The networks' own names, by class id: `coco`, `ade`, `ade150`, `imagenet`."""
    own = {network: tuple(names) for network, names in _table()["networks"].items()}
    return {**own, "imagenet": tuple(name for name, _ in _imagenet_rows())}


def head_of(word: str) -> str:
    """The word that this one is a kind of: `chair` for `armchair`; itself where the table has none."""
    known = words().get(word)
    return known.head if known else word


def tag_heads(word: str) -> frozenset[str]:
    """Heads of what a word of the tagger may mean: a `wardrobe` is a cabinet."""
    return frozenset({head_of(word), *_table()["tags"].get(word, ())})


def is_same_kind(one: str, other: str) -> bool:
    """Whether two words may mean one kind of thing: `desk` and `glass coffee table` are both tables."""
    return bool(list_heads(one) & list_heads(other))


@cache
def list_heads(word: str) -> frozenset[str]:
    """A word's head, and those of the words that networks or the table have for it, or for its last word."""
    ends = {word, word.rpartition(" ")[2]}
    named = {one.head for one in words().values() if ends & {one.name, *one.synonyms}}
    ours = (coco_words(), ade_words(), ade150_words())
    for names, own in zip((network_names()[network] for network in ("coco", "ade", "ade150")), ours, strict=True):
        named |= {head_of(mine) for name, mine in zip(names, own, strict=True) if name in ends and mine in words()}
    return frozenset(named | {head_of(word), *tag_heads(word)})


def is_planar(word: str) -> bool:
    """Whether such a thing is flat, so that its box has a length and a height and hardly any depth."""
    return bool({head_of(word), word.rpartition(" ")[2]} & set(_table()["planar"]))


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((files(_PLACE) / "labels.toml").read_text(encoding="utf-8"))


@cache
def _imagenet_rows() -> tuple[tuple[str, str], ...]:
    lines = (files(_PLACE) / "imagenet.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return tuple((name, word) for name, word in rows)


def _word(name: str, row: Mapping[str, Any]) -> Word:
    return Word(
        name,
        row["role"],
        row.get("head", name),
        bool(row.get("solid", False)),
        tuple(row.get("synonyms", ())),
        tuple(row.get("support", ())),
    )

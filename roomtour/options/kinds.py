"""The type of an option: what people may give, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

import yaml
from annotated_types import Ge, Gt, Le

from recon.ranges import MOST
from roomtour.options.yaml_text import read_yaml


@dataclass(frozen=True)
class Kind:
    """What values an option takes."""

    text: str
    """For people: `float`, `auto / cpu`, `int or none`, `list of str`."""
    choices: tuple[str, ...] = ()
    """Where only certain values are allowed."""
    optional: bool = False
    """`none` is a value."""
    many: bool = False
    """A list of values."""
    is_text: bool = False
    """Takes words as they are; anything else is read as YAML."""
    is_switch: bool = False
    """True or false."""
    least: float | None = None
    """The lower end of a number's range."""
    most: float | None = None
    """The upper end."""
    excludes_least: bool = False
    """The lower end itself is no value."""

    @property
    def range(self) -> str:
        """`0 to 1`, `above 0`, `at least 1`, in words; empty where the type states none."""
        if self.least is None or self.most is None:
            return ""
        if self.most >= MOST:
            return f"{'above' if self.excludes_least else 'at least'} {self.least:g}"
        return f"{'above ' if self.excludes_least else ''}{self.least:g} to {self.most:g}"


def read_kind(hint: Any) -> Kind:
    """The kind that the type of a field names."""
    head, parts = get_origin(hint), get_args(hint)
    if head in (Union, UnionType):
        return _join_kinds([read_kind(part) for part in parts if part is not NoneType], optional=NoneType in parts)
    if head is Literal:
        words = tuple(map(str, parts))
        return Kind(" / ".join(words), words, is_text=all(isinstance(part, str) for part in parts))
    if head in (tuple, list, Sequence):
        inner = read_kind(parts[0])
        return replace(inner, text=f"list of {inner.text}", many=True, is_switch=False)
    if head is Annotated:
        kind = read_kind(parts[0])
        for mark in parts[1:]:
            if isinstance(mark, Ge | Gt):
                least = mark.ge if isinstance(mark, Ge) else mark.gt
                kind = replace(kind, least=float(cast(float, least)), excludes_least=isinstance(mark, Gt))
            elif isinstance(mark, Le):
                kind = replace(kind, most=float(cast(float, mark.le)))
        return kind
    return Kind(getattr(hint, "__name__", str(hint)), is_text=hint in (str, Path), is_switch=hint is bool)


def _join_kinds(parts: list[Kind], *, optional: bool) -> Kind:
    return replace(
        parts[0],
        text=" / ".join(part.text for part in parts) + (" or none" if optional else ""),
        choices=tuple(choice for part in parts for choice in part.choices),
        optional=optional,
        many=any(part.many for part in parts),
        is_text=all(part.is_text for part in parts),
        is_switch=all(part.is_switch for part in parts),
    )


def read_words(kind: Kind, text: str) -> Any:
    """What a word of the command line says: YAML, but for options that take words as they are.

    Raises:
        ValueError: If it is no YAML.
    """
    if kind.optional and text.strip().lower() in ("none", "null", "~"):
        return None
    try:
        value = read_yaml(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"not valid YAML: {' '.join(str(error).split())}") from error
    if kind.is_text and not kind.many:  # `123`, `yes` and `2024-05-01` are names and folders too
        return value if isinstance(value, str) and text[:1] in "'\"" else text
    return value

"""The fields of option dataclasses with what stands under them in the source."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from itertools import pairwise
from typing import Any, Literal, get_args, get_origin, get_type_hints


@dataclass(frozen=True)
class OptionField:
    """One option that takes a value."""

    name: str
    """Dotted, with `-`, as on the command line."""
    kind: str
    default: str
    text: str


def option_fields(cls: type, inside: tuple[str, ...] = ()) -> Iterator[OptionField]:
    """The options of a class, nested ones in their place.

    Raises:
        ValueError: For a field without a docstring.
    """
    texts, hints = field_texts(cls), get_type_hints(cls)
    for field in fields(cls):
        place = (*inside, field.name.replace("_", "-"))
        hint = hints[field.name]
        if isinstance(hint, type) and is_dataclass(hint):
            yield from option_fields(hint, place)
            continue
        if not texts.get(field.name):
            raise ValueError(f"{cls.__module__}.{cls.__qualname__}.{field.name} has no docstring")
        yield OptionField(".".join(place), _kind(hint), _default(field), texts[field.name])


def field_texts(cls: type) -> dict[str, str]:
    """Docstrings under the fields of a dataclass and of what it inherits from."""
    texts: dict[str, str] = {}
    for base in reversed([base for base in cls.__mro__ if is_dataclass(base)]):
        tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
        for statement, below in pairwise(body):
            if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
                continue
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                texts[statement.target.id] = " ".join(str(below.value.value).split())
    return texts


def _kind(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return " / ".join(str(value) for value in get_args(hint))
    parts = get_args(hint)
    if parts and type(None) in parts:
        return " or none".join(_kind(part) for part in parts if part is not type(None)) + " or none"
    if get_origin(hint) is tuple:
        return "list of " + _kind(parts[0])
    return getattr(hint, "__name__", str(hint))


def _default(field: Field[Any]) -> str:
    if field.name == "workers":
        return "all processors"
    value = field.default if field.default is not MISSING else None
    if field.default_factory is not MISSING:
        value = field.default_factory()
    if value is None:
        return "none"
    if isinstance(value, tuple | list):
        return ", ".join(str(item) for item in value) or "none"
    return str(value) if str(value) else "empty"

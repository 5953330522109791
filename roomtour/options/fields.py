"""Every option of a class of options, nested ones in their place, with type, default and docstring."""

from __future__ import annotations

import ast
import importlib
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from itertools import pairwise
from typing import Any, get_type_hints

from roomtour.options.kinds import Kind, read_kind

_UNITS = {
    "_deg_s": "deg/s", "_deg": "deg", "_m": "m", "_s": "s", "_px": "px", "_share": "share", "_bytes": "bytes",
    "_tokens": "tokens",
}  # fmt: skip


@dataclass(frozen=True)
class Option:
    """One option that takes a value."""

    name: str
    """Dotted, with `_`, as in YAML, in Python and for `--set`."""
    kind: Kind
    default: str
    """In words; `none` for no value."""
    text: str
    """What it does and why its default is as it is: the docstring of the field."""
    group: str = ""
    """What the options around it are for, where it lies in a group inside a section; no full stop."""

    @property
    def flag(self) -> str:
        """As on the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def off_flag(self) -> str:
        """The flag that turns a switch off: `no-` before its last word."""
        place, dot, last = self.flag.removeprefix("--").rpartition(".")
        return f"--{place}{dot}no-{last}"

    @property
    def section(self) -> str:
        """The outermost class it is in, `scene` of `scene.planes.tries`; empty for an option of the class itself."""
        return self.name.partition(".")[0] if "." in self.name else ""

    @property
    def unit(self) -> str:
        """What its number counts, as the end of its name says; empty for none."""
        return next((unit for end, unit in _UNITS.items() if self.name.endswith(end)), "")

    @property
    def takes(self) -> str:
        """Its unit and its range: `s, above 0`."""
        return ", ".join(part for part in (self.unit, self.kind.range) if part)


@cache
def options_of(module: str, name: str) -> tuple[Option, ...]:
    """The options of a class, in the order of its fields.

    Raises:
        ValueError: If a field has no docstring.
    """
    return tuple(list_options(getattr(importlib.import_module(module), name)()))


def config_options() -> tuple[Option, ...]:
    """Every option of `roomtour process`."""
    return options_of("roomtour.config", "Config")


@cache
def config_sections() -> Mapping[str, str]:
    """The sections of those options and what each is about."""
    config = importlib.import_module("roomtour.config").Config()
    texts = _read_texts(type(config))
    return {name: texts[name].rstrip(".") for name, value in vars(config).items() if is_dataclass(value)}


def list_options(options: Any, inside: str = "", group: str = "") -> Iterator[Option]:
    """Those of a class by one of its instances, which has the defaults that its owner gives it.

    Args:
        options: The instance.
        inside: What their names begin with.
        group: What they are for.
    """
    cls = type(options)
    texts, hints = _read_texts(cls), get_type_hints(cls, include_extras=True)
    for field in fields(cls):
        value, name, text = getattr(options, field.name), inside + field.name, texts.get(field.name, "")
        if is_dataclass(value):
            yield from list_options(value, f"{name}.", text.rstrip(".") if inside else "")
        elif not text:
            raise ValueError(f"{cls.__module__}.{cls.__name__}.{field.name} has no docstring")
        else:
            yield Option(name, read_kind(hints[field.name]), _say_default(value), text, group)


@cache
def _read_texts(cls: type) -> Mapping[str, str]:
    """The docstrings of fields, which stand in the source alone; those of bases too."""
    texts: dict[str, str] = {}
    for one in reversed([one for one in cls.__mro__ if is_dataclass(one)]):
        (node,) = ast.parse(textwrap.dedent(inspect.getsource(one))).body
        assert isinstance(node, ast.ClassDef)
        for field, below in pairwise(node.body):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                said = below.value if isinstance(below, ast.Expr) else None
                texts[field.target.id] = " ".join(str(said.value).split()) if isinstance(said, ast.Constant) else ""
    return texts


def _say_default(value: object) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(map(_say_default, value)) or "none"
    return "none" if value is None else str(value) or "empty"

"""Every option of a class of options, nested ones in their place, with type, default and docstring."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from roomtour.options.kinds import Kind, Located, read_kind, read_source, resolve, resolve_class

_UNITS = {
    "_deg_s": "deg/s",
    "_deg": "deg",
    "_m": "m",
    "_s": "s",
    "_px": "px",
    "_share": "share",
    "_bytes": "bytes",
    "_tokens": "tokens",
}


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
        ValueError: If the module has no such class, or a field has no docstring.
    """
    file = read_source(module)
    found = resolve(name, file)
    if found is None or not isinstance(found.node, ast.ClassDef):
        raise ValueError(f"module {module} has no class {name}")
    return tuple(_options(found, (), {}, ""))


def config_options() -> tuple[Option, ...]:
    """Every option of `roomtour process`."""
    return options_of("roomtour.config", "Config")


@cache
def config_sections() -> Mapping[str, str]:
    """The sections of those options and what each is about."""
    cls = Located(read_source("roomtour.config").names["Config"], read_source("roomtour.config"))
    return {field.name: field.text.rstrip(".") for field in _fields(cls) if field.nested is not None}


@dataclass(frozen=True, eq=False)
class _Field:
    name: str
    annotation: Located
    default: Located | None
    text: str
    nested: Located | None
    """The class of a field that is itself a group of options."""


def _options(cls: Located, inside: tuple[str, ...], given: Mapping[str, Located], group: str) -> Iterator[Option]:
    """The options of a class; `given` are the defaults that its owner passes to its constructor."""
    for field in _fields(cls):
        place = (*inside, field.name)
        default = given.get(field.name, field.default)
        if field.nested is not None:
            yield from _options(field.nested, place, _passed(default), field.text.rstrip(".") if inside else "")
            continue
        if not field.text:
            assert isinstance(cls.node, ast.ClassDef)
            raise ValueError(f"{cls.file.module}.{cls.node.name}.{field.name} has no docstring")
        kind = read_kind(field.annotation.node, field.annotation.file)
        told = "none" if default is None else _default_text(default)
        yield Option(".".join(place), kind, told, field.text, group)


def _fields(cls: Located) -> list[_Field]:
    """Fields in the order a dataclass has them: those of its bases first, redefined ones in their old place."""
    assert isinstance(cls.node, ast.ClassDef)
    fields: dict[str, _Field] = {}
    for base in cls.node.bases:
        inherited = resolve_class(base, cls.file)
        if inherited is not None:
            fields |= {field.name: field for field in _fields(inherited)}
    for statement, below in pairwise([*cls.node.body, ast.Pass()]):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        says = below.value.value if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) else ""
        default = None if statement.value is None else Located(statement.value, cls.file)
        name = statement.target.id
        fields[name] = _Field(
            name,
            Located(statement.annotation, cls.file),
            default,
            " ".join(str(says).split()),
            resolve_class(statement.annotation, cls.file),
        )
    return list(fields.values())


def _passed(default: Located | None) -> dict[str, Located]:
    """The arguments in `Options(name=value, ...)`; none where the class is called plainly or by a factory."""
    if default is None or not isinstance(default.node, ast.Call):
        return {}
    if isinstance(default.node.func, ast.Name) and default.node.func.id == "field":
        return {}
    return {word.arg: Located(word.value, default.file) for word in default.node.keywords if word.arg is not None}


def _default_text(default: Located) -> str:
    node, file = default.node, default.file
    if isinstance(node, ast.Name):
        found = resolve(node.id, file)
        return node.id if found is None else _default_text(found)
    if isinstance(node, ast.Tuple | ast.List):
        return ", ".join(_default_text(Located(item, file)) for item in node.elts) or "none"
    try:
        value = ast.literal_eval(node)  # type: ignore[arg-type]  # takes nodes of expressions
    except ValueError:
        return ast.unparse(node)
    if value is None:
        return "none"
    return str(value) if str(value) else "empty"

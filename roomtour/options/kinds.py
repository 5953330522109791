"""The type of an option as it is written: what people may give, in words.

The option classes live beside the code they steer, and that code imports COLMAP, OpenCV and SciPy: seconds of CPU time.
A help text needs names, types, defaults and docstrings only, and all of them stand in the source, whose names are
followed through its imports without running anything.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from recon.ranges import MOST
from roomtour.options.yaml_text import read_yaml


@dataclass(frozen=True, eq=False)
class SourceFile:
    """One module as it is written."""

    module: str
    tree: ast.Module
    names: Mapping[str, ast.stmt]
    """What each name of the module level is bound by: a class, an assignment or an import."""


@dataclass(frozen=True, eq=False)
class Located:
    """A piece of source and the file whose names it uses."""

    node: ast.AST
    file: SourceFile


@cache
def read_source(module: str) -> SourceFile:
    """Parse a module by its dotted name.

    Raises:
        ValueError: If there is no such file.
    """
    tree = ast.parse(_path_of(module).read_text(encoding="utf-8"))
    names: dict[str, ast.stmt] = {}
    for statement in tree.body:
        for name in _bound_names(statement):
            names[name] = statement
    return SourceFile(module, tree, names)


def resolve(name: str, file: SourceFile) -> Located | None:
    """What a name stands for: a class, or the value assigned to it, followed through imports of our own packages.

    Returns:
        None for builtins and for names out of other distributions.
    """
    statement = file.names.get(name)
    if isinstance(statement, ast.ClassDef):
        return Located(statement, file)
    if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
        return Located(statement.value, file)
    if isinstance(statement, ast.ImportFrom) and statement.module and _is_ours(statement.module):
        original = next(alias.name for alias in statement.names if (alias.asname or alias.name) == name)
        return resolve(original, read_source(statement.module))
    return None


def resolve_class(node: ast.AST, file: SourceFile) -> Located | None:
    """The dataclass an expression names; None where it names none."""
    if not isinstance(node, ast.Name):
        return None
    found = resolve(node.id, file)
    if found is None or not isinstance(found.node, ast.ClassDef):
        return None
    marks = [
        decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in found.node.decorator_list
    ]
    return found if any(isinstance(mark, ast.Name) and mark.id == "dataclass" for mark in marks) else None


def _bound_names(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.ImportFrom):
        return [alias.asname or alias.name for alias in statement.names]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in {"recon", "trajectories", "instructions", "roomtour"}


def _path_of(module: str) -> Path:
    """The file of a module; only the outermost package is asked for, so that none is imported."""
    loaded = getattr(sys.modules.get(module), "__file__", None)
    if loaded is not None:
        return Path(loaded)
    package, *inner = module.split(".")
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        base = Path(folder).joinpath(*inner)
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.is_file():
                return path
    raise ValueError(f"no source file of module {module}")


_TEXT = frozenset({"str", "Path"})
_FROM, _UP_TO = ("Ge", "Gt"), ("Le",)


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


def read_kind(node: ast.AST, file: SourceFile) -> Kind:
    """The kind an annotation names; type aliases are followed."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union([read_kind(part, file) for part in _alternatives(node)])
    if isinstance(node, ast.Subscript):
        return _subscript(node, file)
    if isinstance(node, ast.Constant):
        return Kind("none", optional=True) if node.value is None else Kind(str(node.value))
    if isinstance(node, ast.Name):
        found = resolve(node.id, file)
        if found is not None and not isinstance(found.node, ast.ClassDef):
            return read_kind(found.node, found.file)
        return Kind(node.id, is_text=node.id in _TEXT, is_switch=node.id == "bool")
    return Kind(ast.unparse(node))


def _alternatives(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_alternatives(node.left), *_alternatives(node.right)]
    return [node]


def _union(parts: list[Kind]) -> Kind:
    real = [part for part in parts if part.text != "none"]
    optional = len(real) < len(parts)
    choices = tuple(choice for part in real for choice in part.choices)
    text = " / ".join(part.text for part in real) + (" or none" if optional else "")
    return Kind(
        text,
        choices,
        optional,
        many=any(part.many for part in real),
        is_text=all(part.is_text for part in real),
        is_switch=all(part.is_switch for part in real),
        least=real[0].least,
        most=real[0].most,
        excludes_least=real[0].excludes_least,
    )


def _subscript(node: ast.Subscript, file: SourceFile) -> Kind:
    head = ast.unparse(node.value)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if head == "Literal":
        values = [part.value for part in parts if isinstance(part, ast.Constant)]
        words = tuple(str(value) for value in values)
        return Kind(" / ".join(words), words, is_text=all(isinstance(value, str) for value in values))
    if head in ("tuple", "list", "Sequence"):
        inner = read_kind(parts[0], file)
        return replace(inner, text=f"list of {inner.text}", many=True, is_switch=False)
    if head == "Annotated":
        return _with_range(read_kind(parts[0], file), parts[1:])
    return Kind(ast.unparse(node))


def _with_range(kind: Kind, marks: list[ast.expr]) -> Kind:
    """The kind within what `Ge(0)`, `Gt(0)` and `Le(1)` say."""
    for mark in marks:
        if not isinstance(mark, ast.Call):
            continue
        name, value = ast.unparse(mark.func), float(ast.literal_eval(mark.args[0]))
        if name in _FROM:
            kind = replace(kind, least=value, excludes_least=name == "Gt")
        elif name in _UP_TO:
            kind = replace(kind, most=value)
    return kind


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

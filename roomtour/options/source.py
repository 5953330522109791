"""Names of a source file, followed through its imports without running anything.

The option classes live beside the code they steer, and that code imports COLMAP, OpenCV and SciPy: seconds of CPU time.
A help text needs names, types, defaults and docstrings only, and all of them stand in the source.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path


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

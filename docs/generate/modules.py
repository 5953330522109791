"""The public modules of a package, room by room, as the directives that mkdocstrings turns into the reference."""

from __future__ import annotations

import ast
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[2]


def modules(package: str) -> str:
    """A heading per room (a folder of the package) and a `:::` directive per module with anything public in it.

    Raises:
        FileNotFoundError: If there is no such package.
    """
    if not (ROOT / package / "__init__.py").exists():
        raise FileNotFoundError(f"{package}: no package of that name in {ROOT}")
    parts = []
    for room, names in groupby(public_modules(package), lambda name: name.rpartition(".")[0]):
        parts += [f"## {room}", *(f"::: {name}" for name in names)]
    return "\n\n".join(parts)


def public_modules(package: str) -> list[str]:
    """Dotted names of the modules that define a public class or function, the package's own before its rooms'."""
    paths = [path for path in (ROOT / package).rglob("*.py") if not path.name.startswith("__")]
    paths.sort(key=lambda path: (path.parent.parts, path.name))
    return [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths if _has_public(path)]


def _has_public(path: Path) -> bool:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    definitions = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return any(isinstance(node, definitions) and not node.name.startswith("_") for node in body)

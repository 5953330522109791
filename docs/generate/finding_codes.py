"""Every finding code that the source emits, with its severities and its file, read from the code itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("recon", "trajectories", "instructions", "roomtour")
_ORDER = ("error", "warning", "info")


@dataclass(frozen=True)
class FindingCode:
    """One code."""

    code: str
    severities: tuple[str, ...]
    """Worst first; all three where the source computes them."""
    files: tuple[str, ...]


@dataclass(frozen=True)
class _Emitted:
    code: str | None
    """None where it is no literal."""
    severities: frozenset[str]
    place: str


def finding_codes() -> tuple[FindingCode, ...]:
    """All codes, by name."""
    emitted = [found for found in _find_emitted() if found.code is not None]
    out = []
    for code in sorted({found.code for found in emitted if found.code is not None}):
        same = [found for found in emitted if found.code == code]
        severities = frozenset().union(*(found.severities for found in same))
        files = tuple(sorted({found.place.rpartition(":")[0] for found in same}))
        out.append(FindingCode(code, tuple(word for word in _ORDER if word in severities), files))
    return tuple(out)


def unreadable_places() -> tuple[str, ...]:
    """`file:line` of findings whose code is no literal, so that this list could miss some."""
    return tuple(found.place for found in _find_emitted() if found.code is None)


@cache
def _find_emitted() -> tuple[_Emitted, ...]:
    out: list[_Emitted] = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for call, inside in _calls(tree, tree):
                out += _of_call(call, inside, f"{name}:{call.lineno}")
    return tuple(out)


def _calls(node: ast.AST, inside: ast.AST) -> Iterator[tuple[ast.Call, ast.AST]]:
    """Every call with the innermost function around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield child, inside
        yield from _calls(child, child if isinstance(child, ast.FunctionDef) else inside)


def _of_call(call: ast.Call, inside: ast.AST, place: str) -> Iterator[_Emitted]:
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    rest = ("severity", "code", "where", "message")[len(call.args) :]
    values = [*call.args, *(named[key] for key in rest if key in named)]
    if name == "Finding" and len(values) >= 2:
        yield _Emitted(_text(values[1]), _severities(values[0], inside), place)
    elif name == "warn" and len(values) == 3 and _text(values[0]) is not None:  # the ledger of an export
        yield _Emitted(_text(values[0]), frozenset({"warning"}), place)


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _severities(node: ast.expr, inside: ast.AST) -> frozenset[str]:
    """Those the expression can be; of a variable, those the function assigns to it."""
    places: list[ast.AST] = [node]
    if isinstance(node, ast.Name):
        places = [
            found.value
            for found in ast.walk(inside)
            if isinstance(found, ast.Assign) and node.id in {part.id for part in _names(found)}
        ]
    constants = [part.value for place in places for part in ast.walk(place) if isinstance(part, ast.Constant)]
    return frozenset(value for value in constants if value in _ORDER) or frozenset(_ORDER)


def _names(assign: ast.Assign) -> Iterator[ast.Name]:
    """The variables on the left side."""
    for target in assign.targets:
        for part in ast.walk(target):
            if isinstance(part, ast.Name):
                yield part

"""A number at the top of a module of the reconstruction says what it counts and where it is from."""

import ast
from pathlib import Path

import recon

SOURCES = sorted(Path(recon.__file__).parent.rglob("*.py"))


def find_bare_numbers(source: str) -> list[str]:
    """Names of module constants that are numbers, or rows of numbers, without a docstring or comment."""
    body, lines = ast.parse(source).body, source.splitlines()
    bare = []
    for place, statement in enumerate(body):
        if not isinstance(statement, ast.Assign):
            continue
        values = statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]
        if not all(isinstance(value, ast.Constant) and type(value.value) in (int, float) for value in values):
            continue
        after = body[place + 1] if place + 1 < len(body) else None
        is_told = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if not is_told and "#" not in lines[statement.lineno - 1]:
            bare.append(f"line {statement.lineno}: {lines[statement.lineno - 1]}")
    return bare


def test_numbers_say_what_they_count():
    bare = {str(path): find_bare_numbers(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert {path: lines for path, lines in bare.items() if lines} == {}, "add a docstring: unit, source, reason"


def test_the_check_sees_a_bare_number():
    assert find_bare_numbers("A = 1\nB = 2.0\n'''m'''\nC = 3  # s\nD, E = 1, 2\nF = 'x'\n") == [
        "line 1: A = 1",
        "line 5: D, E = 1, 2",
    ]

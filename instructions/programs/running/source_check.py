"""Reads the text of a program and refuses what a program may not hold. Nothing is run here."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from instructions.programs.running.values import ProgramError

MAX_BYTES = 8192
MAX_LINES = 200
ENTRY = "func"
HOST = "_host"
"""Names beginning so belong to the lines that call the program."""
MODULES = frozenset(
    {"math", "itertools", "functools", "collections", "json", "re", "bisect", "typing", "dataclasses", "copy"}
    | {"numpy", "__future__"}
)
"""What may be imported. `numpy` is replaced by a few functions in plain Python, `__future__` is dropped."""
BUILTINS = frozenset(
    {"abs", "all", "any", "bool", "dict", "divmod", "enumerate", "filter", "float", "frozenset", "int", "isinstance"}
    | {"iter", "len", "list", "map", "max", "min", "next", "pow", "print", "range", "repr", "reversed", "round"}
    | {"set", "sorted", "str", "sum", "tuple", "zip", "slice", "True", "False", "None", "object", "Exception"}
    | {"ValueError", "TypeError", "KeyError", "IndexError", "ZeroDivisionError", "RuntimeError", "ArithmeticError"}
    | {"LookupError", "StopIteration", "AttributeError", "NotImplementedError", "OverflowError", "AssertionError"}
    | {"NameError", "RecursionError", "BaseException", "MemoryError", "TimeoutError"}
)
"""What a program may use without defining it: nothing that reads, writes, evaluates, waits or looks into objects."""
_TOP = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
_REFUSED = (ast.Global, ast.Delete, ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await, ast.With)


@dataclass(frozen=True, eq=False)
class Program:
    """A program whose text may be run in the sandbox."""

    tree: ast.Module
    parameters: int
    """1 or 2: how many arguments `func` takes."""


def check_source(source: str) -> Program:
    """Read a program's text.

    Args:
        source: Python with one function `func` of one or two parameters.

    Raises:
        ProgramError: `source` for what is too long or not allowed, `parse` for what is no Python. Whatever fails while
            the text is read is a refusal: a few kilobytes of `-` make the parser run out of memory or depth.
    """
    # Counted before anything is decoded or parsed; a text holds at least as many bytes as characters.
    if len(source) > MAX_BYTES or len(source.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise ProgramError("source", f"the program is longer than {MAX_BYTES} bytes")
    if source.count("\n") >= MAX_LINES:
        raise ProgramError("source", f"the program has more than {MAX_LINES} lines")
    try:
        tree = ast.parse(source)
        return Program(tree, _check_tree(tree))
    except ProgramError:
        raise
    except SyntaxError as error:
        raise ProgramError("parse", f"line {error.lineno}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError, OverflowError, TypeError) as error:
        raise ProgramError("parse", f"it cannot be read ({type(error).__name__})") from None


def _check_tree(tree: ast.Module) -> int:
    for line in tree.body:
        is_docstring = isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)
        if not (isinstance(line, _TOP) or is_docstring):
            _refuse(line, "only functions, classes, imports and constants may stand outside functions")
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, _REFUSED):
            _refuse(node, f"{type(node).__name__.lower()} is not allowed")
        if isinstance(node, ast.Import):
            imported |= {(name.asname or name.name).split(".")[0] for name in node.names}
            _check_modules(node, [name.name for name in node.names])
        if isinstance(node, ast.ImportFrom):
            if node.level:
                _refuse(node, "an import without a module")
            _check_modules(node, [node.module or ""])
    known = BUILTINS | find_defined_names(tree)
    for node in ast.walk(tree):
        _check_names(node, known, imported)
    return _count_parameters(tree)


def _check_modules(node: ast.AST, modules: list[str]) -> None:
    for module in modules:
        if module.split(".")[0] not in MODULES or module.count(".") > (module == "numpy.linalg"):
            _refuse(node, f"import of {module[:40]}; allowed are {', '.join(sorted(MODULES - {'__future__'}))}")


def find_defined_names(tree: ast.Module) -> set[str]:
    """Every name that the program gives to something, anywhere."""
    return {name for node in ast.walk(tree) for name in _given_names(node)}


def _given_names(node: ast.AST) -> list[str]:
    """Names that a part of a program, without what lies in it, gives to something."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            return [name]
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
            return [name]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.MatchMapping(rest=str(name)):
            return [name]
        case ast.alias():
            return [(node.asname or node.name).split(".")[0]]
    return []


def _check_names(node: ast.AST, known: frozenset[str], imported: set[str]) -> None:
    """No unknown or hidden name is used, and nothing imported is changed."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in known:
            _refuse(node, f"the name {node.id[:40]} is not defined or not allowed")
        if node.id in BUILTINS and not isinstance(node.ctx, ast.Load):
            _refuse(node, f"the name {node.id} may not be given to something else")
    for name in _names_of(node):
        if name.startswith(HOST) or (name.startswith("__") and not isinstance(node, ast.FunctionDef)):
            _refuse(node, f"the name {name[:40]} is not allowed")
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        base = node.value
        if isinstance(base, ast.Name) and base.id in imported:
            _refuse(node, f"nothing of {base.id[:40]} may be changed")


def _names_of(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, ast.alias):
        return [node.name, *([node.asname] if node.asname else [])] if node.name != "__future__" else []
    return _given_names(node)


def _count_parameters(tree: ast.Module) -> int:
    entries = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == ENTRY]
    if len(entries) != 1:
        raise ProgramError("source", f"need one function {ENTRY}, found {len(entries)}")
    entry = entries[0]
    if entry.decorator_list:
        raise ProgramError("source", f"{ENTRY} may have no decorator")
    wanted = entry.args.posonlyargs + entry.args.args
    if entry.args.vararg or entry.args.kwarg or entry.args.kwonlyargs or len(wanted) not in (1, 2):
        raise ProgramError("source", f"{ENTRY} must take one or two parameters: the metadata, and the camera")
    first = wanted[0].arg
    if not any(isinstance(node, ast.Name) and node.id == first for body in entry.body for node in ast.walk(body)):
        raise ProgramError("source", f"{ENTRY} never reads its first parameter: a constant is no measurement")
    return len(wanted)


def _refuse(node: ast.AST, why: str) -> None:
    raise ProgramError("source", f"line {getattr(node, 'lineno', 1)}: {why}")

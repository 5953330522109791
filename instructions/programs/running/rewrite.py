"""Turns what model-written programs like to use into what the sandbox knows: it changes the words, never the meaning.

The sandbox has no numpy, no `yield` and no `next` of a generator, refuses imports that it does not have even where
nobody uses them, and rounds floats otherwise than Python. What is put in has names that no program may use.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib.resources import files

from instructions.programs.running.source_check import HOST, find_defined_names
from instructions.programs.running.values import ProgramError

NUMPY = "numpy"
_GATHERED = f"{HOST}_yields"
_ROUND = f"{HOST}_round"
_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip


def rewrite(tree: ast.Module) -> str:
    """The text that is run.

    Unused imports are dropped; `next(<generator>[, d])` takes the first of a list; functions that `yield` return a
    list; an import of numpy is replaced by a few of its functions in plain Python, and so are comparisons and tests of
    a program with numpy, since the sandbox asks no object for them; `round` is Python's.

    Raises:
        ProgramError: `parse`, where a program cannot be written again.
    """
    try:
        tree = _Yields().visit(_Nexts().visit(tree))
        preludes = []
        if "round" not in find_defined_names(tree):
            tree = _Rounds().visit(tree)
            preludes.append("round")
        if _replace_imports(tree):
            tree = _Truths().visit(tree)
            preludes.append("numpy")
        text = ast.unparse(ast.fix_missing_locations(tree))
    except (RecursionError, MemoryError, ValueError) as error:
        raise ProgramError("parse", f"it cannot be written again ({type(error).__name__})") from None
    return "\n".join([*map(_read_prelude, preludes), text])


@cache
def _read_prelude(name: str) -> str:
    return files("instructions.programs.running").joinpath(f"{name}_prelude.txt").read_text(encoding="utf-8")


def _replace_imports(tree: ast.Module) -> bool:
    """Drop unused imports and bind numpy's names to the prelude; True if the prelude is needed."""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    needs_numpy = False

    class Imports(ast.NodeTransformer):
        """Import statements, one name at a time."""

        def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
            nonlocal needs_numpy
            kept: list[ast.stmt] = []
            for name in node.names:
                bound = name.asname or name.name.split(".")[0]
                if bound not in used:
                    continue
                if name.name.split(".")[0] == NUMPY:
                    needs_numpy = True
                    target = f"{HOST}_numpy.linalg" if name.asname and "." in name.name else f"{HOST}_numpy"
                    kept.append(_bind(bound, target))
                else:
                    kept.append(ast.Import([name]))
            return kept

        def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
            nonlocal needs_numpy
            names = [name for name in node.names if (name.asname or name.name) in used]
            module = node.module or ""
            if module == "__future__" or not names:
                return []
            if module.split(".")[0] != NUMPY:
                return [ast.ImportFrom(module, names, 0)]
            needs_numpy = True
            base = module.replace(NUMPY, f"{HOST}_numpy", 1)
            return [_bind(name.asname or name.name, f"{base}.{name.name}") for name in names]

    Imports().visit(tree)
    for node in ast.walk(tree):  # a function that held nothing but an import
        body = getattr(node, "body", None)
        if isinstance(body, list) and not body and not isinstance(node, ast.Module):
            body.append(ast.Pass())
    return needs_numpy


def _bind(name: str, dotted: str) -> ast.stmt:
    return ast.parse(f"{name} = {dotted}").body[0]


class _Nexts(ast.NodeTransformer):
    """`next(<generator>)` to the first of a list."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        is_next = isinstance(node.func, ast.Name) and node.func.id == "next"
        if not is_next or not node.args or not isinstance(node.args[0], ast.GeneratorExp):
            return node
        generator = node.args[0]
        listed = ast.ListComp(generator.elt, generator.generators)
        return ast.Call(node.func, [ast.Call(ast.Name("iter", ast.Load()), [listed], []), *node.args[1:]], [])


class _Rounds(ast.NodeTransformer):
    """`round` to one that gives what Python's gives."""

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(_ROUND, node.ctx) if node.id == "round" else node


class _Truths(ast.NodeTransformer):
    """Comparisons of two operands, and whatever is asked for its truth, to calls that know arrays."""

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        sign = _SIGNS.get(type(node.ops[0]))
        if sign is None or len(node.ops) > 1:
            return node
        return _call(f"{HOST}_compare", ast.Constant(sign), node.left, node.comparators[0])

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        node.values = [_call(f"{HOST}_truth", value) for value in node.values]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = _call(f"{HOST}_truth", node.operand)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.ifs = [_call(f"{HOST}_truth", test) for test in node.ifs]
        return node

    def _visit_test(self, node: ast.If | ast.While | ast.IfExp | ast.Assert) -> ast.AST:
        self.generic_visit(node)
        node.test = _call(f"{HOST}_truth", node.test)
        return node

    visit_If = visit_While = visit_IfExp = visit_Assert = _visit_test


def _call(name: str, *given: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(given), [])


class _Yields(ast.NodeTransformer):
    """Functions that `yield` to functions that return an iterator over the list of what they yield."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)  # functions inside first, so that only this one's own yields are left
        if any(_yields(line) for line in node.body):
            start = ast.parse(f"{_GATHERED} = []").body
            node.body = [*start, *(_Gather().visit(line) for line in node.body), ast.Return(_gathered())]
        return node


class _Gather(ast.NodeTransformer):
    """The yields of one function as appends, and its returns as returns of what was gathered."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if not isinstance(node.value, ast.Yield | ast.YieldFrom):
            return node
        verb = "append" if isinstance(node.value, ast.Yield) else "extend"
        told = ast.Constant(None) if node.value.value is None else node.value.value
        return ast.Expr(ast.Call(ast.Attribute(ast.Name(_GATHERED, ast.Load()), verb, ast.Load()), [told], []))

    def visit_Return(self, node: ast.Return) -> ast.Return:
        return ast.Return(_gathered())


def _yields(node: ast.AST) -> bool:
    """Whether a statement yields in its own function, not in one defined inside."""
    if isinstance(node, ast.Yield | ast.YieldFrom):
        return True
    if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
        return False
    return any(_yields(child) for child in ast.iter_child_nodes(node))


def _gathered() -> ast.expr:
    return ast.Call(ast.Name("iter", ast.Load()), [ast.Name(_GATHERED, ast.Load())], [])

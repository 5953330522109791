"""Do the tests notice when the code is wrong? One change at a time, against the tests that execute the changed line.

    pip install cosmic-ray pytest-cov
    pytest tests/unit tests/pipeline tests/full --cov --cov-context=test --cov-report= --junitxml=FOLDER/tests.xml
    mv .coverage FOLDER
    python benchmarks/mutation.py FOLDER [--only recon/merging ...] [--count 200] [--seed 0] [--part 1/2]

A mutant is a module with one operator, comparison, number, condition or loop changed by the operators of cosmic-ray.
Places in the code are drawn first and then what is done to them, so that a line with many operators counts no more than
others. Coverage tells which tests execute the line; they run in a fork with the changed source behind an import hook
(no file is changed), the cheapest first, until one fails or they have used `--cpu-s`. Lines that run when a module is
imported belong to all tests of the module. What only a process of its own would notice counts as missed.

Left out is what no test could see: annotations, what `@dataclass` and `zip` are told, `is` where `==` stood. Verdicts
are kept in FOLDER, so a call that was cut off goes on where it stopped; `--again` tries the survivors once more.
`--mutants FILE` tries the mutants that another call kept, found again by their text, in place of a draw: the same
mistakes before and after a change of the tests.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import random
import resource
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cosmic_ray.ast import ast_nodes, get_ast  # pyright: ignore[reportMissingImports]
from cosmic_ray.mutating import mutate_code  # pyright: ignore[reportMissingImports]
from cosmic_ray.plugins import get_operator, operator_names  # pyright: ignore[reportMissingImports]
from coverage import CoverageData  # pyright: ignore[reportMissingImports]

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("recon", "trajectories", "instructions", "roomtour")

_NEEDS_A_NAME = ("core/VariableReplacer", "core/VariableInserter")
_FIRST_TESTS = 12
"""So many of the cheapest tests run first; most mutants need no other."""
_UNKNOWN_S = 1.0
"""What a test counts of which no duration is known."""
_WHOLE_RUNS, _WHOLE_RUN_S = ("finished_run", "whole_run"), 25.0
"""Fixtures that process a tour, and what that takes; pytest's report has it with whichever test came first."""
_OVERHEAD_S = 20
"""CPU that a fork may use beyond the tests' own: imports and fixtures."""


@dataclass(frozen=True)
class Mutant:
    """A module that was changed in one place."""

    path: Path
    operator: str
    source: str
    line: int
    before: str
    after: str

    @property
    def key(self) -> dict[str, str]:
        """What finds it again in code whose lines have moved."""
        return {"path": str(self.path), "operator": self.operator, "before": self.before, "after": self.after}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="with .coverage and tests.xml; verdicts are kept here")
    parser.add_argument("--root", type=Path, default=ROOT, help="checkout whose code and tests are meant")
    parser.add_argument("--only", nargs="*", default=PACKAGES, help="folders or modules to change")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--cpu-s", type=float, default=40, help="of tests for each mutant, by their usual durations")
    parser.add_argument("--seed", type=int, default=0, help="another draws other mutants")
    parser.add_argument("--part", default="1/1", help="K/N takes every Nth mutant from the Kth, for N processes")
    parser.add_argument("--mutants", type=Path, help="verdicts of another call, whose mutants are tried here")
    parser.add_argument("--again", action="store_true", help="try survivors once more")
    arguments = parser.parse_args()
    folder, mutants_file = arguments.folder.resolve(), arguments.mutants and arguments.mutants.resolve()
    os.chdir(arguments.root)
    sys.path.insert(0, str(arguments.root.resolve()))
    tests = TestsOfLines(folder)
    part, parts = map(int, arguments.part.split("/"))
    if mutants_file is None:
        mutants = list(draw_mutants(arguments.only, arguments.count, random.Random(arguments.seed)))
    else:
        mutants = list(find_mutants(json.loads(line) for line in mutants_file.read_text("utf-8").splitlines()))
    verdicts = Verdicts(folder / f"mutants-{arguments.seed}-{part}.jsonl", arguments.again)
    with tempfile.TemporaryDirectory() as compiled:
        sys.pycache_prefix, sys.dont_write_bytecode = compiled, False
        judge(mutants[part - 1 :: parts], tests, arguments.cpu_s, verdicts)


def judge(mutants: Sequence[Mutant], tests: TestsOfLines, most_s: float, verdicts: Verdicts) -> None:
    """Print the mutants that no test notices, then how many were noticed, by package."""
    killed: dict[str, list[bool]] = {}
    for mutant in mutants:
        known = verdicts.find(mutant)
        if known is None:
            known = is_noticed(mutant, tests.find(mutant.path, mutant.line, most_s))
            verdicts.add(mutant, known)
        killed.setdefault(mutant.path.parts[0], []).append(known)
        if not known:
            print(f"  {mutant.path}:{mutant.line} {mutant.operator.removeprefix('core/')}")
            print(f"    - {mutant.before}\n    + {mutant.after}", flush=True)
    for package, verdict in [*killed.items(), ("all", [one for each in killed.values() for one in each])]:
        print(f"{package}: {sum(verdict)} of {len(verdict)} killed ({sum(verdict) / max(len(verdict), 1):.0%})")


def is_noticed(mutant: Mutant, tests: Sequence[tuple[str, float]]) -> bool:
    """Whether one of these tests, all of which passed when their coverage was taken, fails."""
    for some in (tests[:_FIRST_TESTS], tests[_FIRST_TESTS:]):
        if some:
            limit_s = int(4 * sum(spent_s for _, spent_s in some) + _OVERHEAD_S)
            if run_tests([name for name, _ in some], mutant, limit_s)[0]:
                return True
    return False


class TestsOfLines:
    """Which tests execute a line, by a coverage database with a context for each test."""

    __test__ = False

    def __init__(self, folder: Path) -> None:
        self._data = CoverageData(str(folder / ".coverage"))
        self._data.read()
        self._files = {os.path.relpath(file): file for file in self._data.measured_files()}
        self._spent_s = _read_durations(folder / "tests.xml")

    def find(self, path: Path, line: int, most_s: float) -> list[tuple[str, float]]:
        """Names of tests and their CPU seconds, the cheapest first, as far as these last."""
        file = self._files.get(str(path))
        if file is None:
            return []
        by_line = self._data.contexts_by_lineno(file)
        names = _tests_in(by_line.get(line, ()))
        if not names or _runs_at_import(path, line):
            names = _tests_in(context for contexts in by_line.values() for context in contexts)
        found, left_s, begun = [], most_s, set[str]()
        for file in sorted({name.partition("::")[0] for name in names}, key=self._find_overhead_s):
            for name in sorted(name for name in names if name.startswith(f"{file}::")):
                spent_s = self._spent_s.get(name, _UNKNOWN_S) + (file not in begun) * self._find_overhead_s(file)
                if spent_s <= left_s:
                    found.append((name, spent_s))
                    left_s -= spent_s
                    begun.add(file)
        return found

    @cache  # noqa: B019  (one object a process)
    def _find_overhead_s(self, file: str) -> float:
        """Of what the tests of a file share: the dearest test made it, or it is a whole run."""
        slowest_s = max((spent_s for name, spent_s in self._spent_s.items() if name.startswith(f"{file}::")), default=0)
        path = Path(file)
        runs = path.exists() and any(word in path.read_text(encoding="utf-8") for word in _WHOLE_RUNS)
        return slowest_s + runs * _WHOLE_RUN_S


def _tests_in(contexts: Iterator[str] | Sequence[str]) -> set[str]:
    return {context.rpartition("|")[0] for context in contexts if "::" in context}


def _runs_at_import(path: Path, line: int) -> bool:
    """Whether a line lies outside of every function."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, functions):
            body = node.body if isinstance(node.body, list) else [node.body]
            if body[0].lineno <= line <= (body[-1].end_lineno or 0):
                return False
    return True


def _read_durations(file: Path) -> dict[str, float]:
    """Seconds by the name of a test, from pytest's report."""
    spent: dict[str, float] = {}
    for case in ElementTree.parse(file).iter("testcase"):
        module = case.get("file") or case.get("classname", "").replace(".", "/") + ".py"
        spent[f"{module}::{case.get('name')}"] = float(case.get("time", _UNKNOWN_S))
    return spent


class Verdicts:
    """Whether mutants were noticed, kept in a file."""

    def __init__(self, file: Path, again: bool) -> None:
        self._file = file
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self._known = {self._name(row): row["killed"] for row in map(json.loads, lines) if row["killed"] or not again}

    @staticmethod
    def _name(row: dict[str, str]) -> str:
        return json.dumps([row[name] for name in ("path", "operator", "before", "after")])

    def find(self, mutant: Mutant) -> bool | None:
        """The verdict of an earlier call."""
        return self._known.get(self._name(mutant.key))

    def add(self, mutant: Mutant, killed: bool) -> None:
        """Keep one."""
        with self._file.open("a", encoding="utf-8") as out:
            out.write(json.dumps({**mutant.key, "line": mutant.line, "killed": killed}) + "\n")


def draw_mutants(sources: Sequence[str], count: int, rng: random.Random) -> Iterator[Mutant]:
    """Different mutants, drawn about evenly over the places that can be changed."""
    modules = _list_modules(sources)
    weights = [_count_changeable(path) for path in modules]
    tried: set[tuple[Path, tuple[int, int]]] = set()
    while count > 0:
        (path,) = rng.choices(modules, weights)
        places = list_places(path)
        if not places:
            continue
        place = rng.choice(sorted(places))
        operator, number = rng.choice(places[place])
        if (path, place) in tried or (mutant := make_mutant(path, operator, number, place[0])) is None:
            tried.add((path, place))
            continue
        tried.add((path, place))
        yield mutant
        count -= 1


def _count_changeable(path: Path) -> int:
    changeable = (ast.Compare, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Constant, ast.If, ast.For, ast.While, ast.Break)
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return sum(isinstance(node, changeable) and not isinstance(getattr(node, "value", 0), str) for node in nodes)


def find_mutants(rows: Iterator[dict[str, str]]) -> Iterator[Mutant]:
    """Mutants of another call, by their text; those whose place is gone are named and left out."""
    for row in rows:
        path = Path(row["path"])
        places = list_places(path) if path.exists() else {}
        found = (
            mutant
            for place, changes in sorted(places.items(), key=lambda item: abs(item[0][0] - int(row["line"])))
            for operator, number in changes
            if operator == row["operator"]
            and (mutant := make_mutant(path, operator, number, place[0])) is not None
            and (mutant.before, mutant.after) == (row["before"], row["after"])
        )
        mutant = next(found, None)
        if mutant is None:
            print(f"  gone: {path}:{row['line']} {row['before']}")
        else:
            yield mutant


def _list_modules(sources: Sequence[str]) -> list[Path]:
    found: list[Path] = []
    for source in map(Path, sources):
        found += [source] if source.suffix == ".py" else sorted(source.rglob("*.py"))
    return found


@cache
def list_places(path: Path) -> dict[tuple[int, int], list[tuple[str, int]]]:
    """Places of a module (line, column) that can be changed, and how: operator and its number in the file."""
    places: dict[tuple[int, int], list[tuple[str, int]]] = {}
    tree = get_ast(path.read_text(encoding="utf-8"))
    for operator in operator_names():
        if operator in _NEEDS_A_NAME:
            continue
        number = 0
        for node in ast_nodes(tree):
            for begin, _ in get_operator(operator)().mutation_positions(node):
                places.setdefault(begin, []).append((operator, number))
                number += 1
    return places


def make_mutant(path: Path, operator: str, number: int, line: int) -> Mutant | None:
    """A changed module; None where no test could see the change."""
    source = path.read_text(encoding="utf-8")
    changed = mutate_code(source.encode(), get_operator(operator)(), number)
    if changed is None or _strip_annotations(changed) in (None, _strip_annotations(source)):
        return None
    before, after = _first_difference(source, changed)
    if before.startswith("@dataclass") or "strict=" in before or (" is " in after and " == " in before):
        return None
    return Mutant(path, operator, changed, line, before, after)


def _strip_annotations(source: str) -> str | None:
    """The code without annotations, which nothing evaluates; None if it is no Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def _first_difference(one: str, other: str) -> tuple[str, str]:
    pairs = zip(one.splitlines(), other.splitlines(), strict=False)
    return next(((a.strip(), b.strip()) for a, b in pairs if a != b), ("", ""))


def run_tests(tests: Sequence[str], mutant: Mutant | None, limit_s: int) -> tuple[bool, float]:
    """Whether a test fails, and CPU seconds, in a process of its own."""
    sys.stdout.flush()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = os.fork()
    if child == 0:
        status = 70
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 5))
            with tempfile.TemporaryFile("w") as silent:
                os.dup2(silent.fileno(), 1)
                os.dup2(silent.fileno(), 2)
                status = _run_here(tests, mutant)
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(ended) in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise SystemExit(f"these tests cannot be run: {' '.join(tests[:3])} ...")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return ended != 0, took_s


def _run_here(tests: Sequence[str], mutant: Mutant | None) -> int:
    if mutant is not None:
        sys.meta_path.insert(0, _Changed(mutant))
    with contextlib.suppress(SystemExit):
        return int(pytest.main(["-x", "-q", "-o", "addopts=", "-p", "no:cacheprovider", *tests]))
    return 70


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Gives the changed source for one module's name."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        parts = mutant.path.with_suffix("").parts
        self.is_folder = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.is_folder else parts)

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.name:
            return None
        spec = importlib.machinery.ModuleSpec(fullname, self, origin=str(self.mutant.path), is_package=self.is_folder)
        if self.is_folder:
            spec.submodule_search_locations = [str(self.mutant.path.parent.resolve())]
        return spec

    def get_source(self, fullname: str) -> str:
        return self.mutant.source

    def is_package(self, fullname: str) -> bool:
        return self.is_folder


_HEAVY = (
    "cv2",
    "hypothesis",
    "pycolmap",
    "scipy.optimize",
    "scipy.spatial.transform",
    "scipy.special",
    "sklearn.cluster",
)
"""Imported before the forks, so that no mutant pays for it."""


def import_heavy() -> None:
    """Import what takes long, once for all forks, and let pytest load no plugins: they took longer than most tests."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for heavy in _HEAVY:
        importlib.import_module(heavy)


if __name__ == "__main__":
    import_heavy()
    main()

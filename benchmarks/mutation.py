"""Do the tests notice when the code is wrong? Mutants of modules that judge, each against the module's own fast tests.

    pip install cosmic-ray
    python benchmarks/mutation.py join bridge [--count 30] [--cpu-s 300] [--seed 0] [--state FOLDER [--again]]

A mutant is the module with one operator, comparison, number, condition or loop changed, by the operators of cosmic-ray
(its command line works here too, but writes each into the file and starts Python anew). Places in the
code are drawn first and then what is done to them, so that a line with many operators counts no more than others. A
mutant that fails a test or needs far more CPU than the module itself is killed. Survivors are printed with their line.

Left out is what no test could see: annotations, what `@dataclass` and `zip` are told, `is` where `==` stood. With
`--state` a call that was cut off goes on where it stopped; `--again` tries the survivors once more, after new tests.

Each runs in a fork with the changed source behind an import hook: no file is changed.
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
import re
import resource
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from cosmic_ray.ast import ast_nodes, get_ast  # pyright: ignore[reportMissingImports]
from cosmic_ray.mutating import mutate_code  # pyright: ignore[reportMissingImports]
from cosmic_ray.plugins import get_operator, operator_names  # pyright: ignore[reportMissingImports]

ROOT = Path(__file__).resolve().parent.parent
_MERGING, _FACTS, _TRUTH = "tests/recon/merging", "tests/instructions/facts", "tests/instructions/truth"
_LONG_MERGES = "not thirty_clips and not any_order_and_unit and not merging_closes_it"
"""Tests of some seconds each; what only they would notice counts as missed."""

_JUDGES = ("bars", "claims", "motion", "places", "projected", "ranges", "naming")
"""Of the truth of claims; what reads texts has tests that take a minute."""

_TESTS_OF_JUDGES = (
    *("bars_truth", "claim_bars", "motion_bars", "statement_bars", "claim_order", "claim_checks", "ranges"),
    *("goals", "shown_places", "motion_claims"),
)


@dataclass(frozen=True)
class Target:
    """What is changed, and who should notice."""

    sources: tuple[str, ...]
    """Patterns of files."""
    tests: tuple[str, ...]
    """Files or folders, the quickest first."""
    leave_out: str = ""
    """Expression of pytest's -k."""


TARGETS = {
    "join": Target(
        ("recon/merging/join.py", "recon/colmap/shared_frames.py"),
        (
            "tests/unit/recon/colmap/test_shared_frames.py",
            *(f"{_MERGING}/test_{name}.py" for name in ("join_verdicts", "bars_joining", "bars_merging", "merge")),
        ),
        _LONG_MERGES,
    ),
    "bridge": Target(
        ("recon/merging/bridge.py",),
        (f"{_MERGING}/test_bars_joining.py", f"{_MERGING}/test_bars_merging.py", f"{_MERGING}/test_bridge.py"),
    ),
    "merge": Target(
        ("recon/merging/merge.py",),
        tuple(f"{_MERGING}/test_{name}.py" for name in ("merge_order", "bars_merging", "bars_joining", "merge")),
        _LONG_MERGES,
    ),
    "adjust": Target(
        ("recon/adjust/misfits.py", "recon/adjust/refine.py", "recon/adjust/track_search.py"),
        tuple(
            f"tests/recon/adjust/test_{name}.py"
            for name in ("bars_track_search", "bars_adjust", "track_search", "refine")
        ),
    ),
    "draws": Target(
        ("recon/mapping/draw_difference.py", "recon/mapping/judge.py"),
        tuple(f"tests/recon/mapping/test_{name}.py" for name in ("draw_difference", "second_look")),
    ),
    "turned": Target(("recon/merging/turned_frames.py",), (f"{_MERGING}/test_turned_frames.py",)),
    "diagnosis": Target(("recon/diagnosis/*.py",), ("tests/recon/diagnosis",)),
    "facts": Target(
        ("instructions/facts/*.py",), (f"{_FACTS}/test_bars_facts.py", f"{_FACTS}/test_bars_views.py", _FACTS)
    ),
    "truth": Target(
        tuple(f"instructions/truth/{name}.py" for name in _JUDGES),
        tuple(f"{_TRUTH}/test_{name}.py" for name in _TESTS_OF_JUDGES),
        "not corrupted_ones",
    ),
}

_NEEDS_A_NAME = ("core/VariableReplacer", "core/VariableInserter")
_CPU_FACTOR, _CPU_MORE_S = 4, 20
"""A mutant that needs more than so many times the CPU of the module itself, and so many seconds, never ends."""


@dataclass(frozen=True)
class Mutant:
    """A module that was changed in one place."""

    path: Path
    operator: str
    source: str
    line: int
    before: str
    after: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(TARGETS)}; all if none is named")
    parser.add_argument("--count", type=int, default=30, help="mutants of each")
    parser.add_argument(
        "--cpu-s", type=float, default=float("inf"), help="CPU time after which no further one is tried"
    )
    parser.add_argument("--seed", type=int, default=0, help="another draws other mutants")
    parser.add_argument("--state", type=Path, help="folder of verdicts")
    parser.add_argument("--again", action="store_true", help="try survivors once more")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as compiled:
        sys.pycache_prefix, sys.dont_write_bytecode = compiled, False
        for name in arguments.names or TARGETS:
            if name not in TARGETS:
                parser.error(f"no target {name}; there are {', '.join(TARGETS)}")
            state = None if arguments.state is None else arguments.state / f"{name}-{arguments.seed}.jsonl"
            verdicts = Verdicts(state, arguments.again)
            measure(name, TARGETS[name], arguments.count, arguments.cpu_s, arguments.seed, verdicts)


class Verdicts:
    """Whether mutants were killed, by what was changed where."""

    def __init__(self, file: Path | None, again: bool) -> None:
        self._file = file
        lines = file.read_text(encoding="utf-8").splitlines() if file is not None and file.exists() else []
        known = {key: killed for key, killed in map(json.loads, lines)}
        self.known: dict[str, bool] = {key: killed for key, killed in known.items() if killed or not again}

    def add(self, key: str, killed: bool) -> None:
        """Keep one."""
        self.known[key] = killed
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as out:
                out.write(json.dumps([key, killed]) + "\n")


def measure(name: str, target: Target, count: int, most_s: float, seed: int, verdicts: Verdicts) -> None:
    """Print the mutants of a target that its tests do not notice, then how many they kill."""
    failed, usual_s = run_tests(target, None, 10_000)
    if failed:
        sys.exit(f"{name}: its tests fail without any change; run them alone: pytest {' '.join(target.tests)}")
    limit_s = int(_CPU_FACTOR * usual_s + _CPU_MORE_S)
    killed, asked, cost_s = 0, 0, usual_s
    for mutant in _draw(target, count, random.Random(f"{name}/{seed}")):
        if cost_s > most_s:
            break
        key = f"{mutant.path}:{mutant.line} {mutant.operator}: {mutant.before} -> {mutant.after}"
        if key not in verdicts.known:
            concerned = replace(target, tests=_find_tests_of(target, mutant.path))
            failed, took_s = run_tests(concerned, mutant, limit_s)
            verdicts.add(key, failed)
            cost_s += took_s
        failed = verdicts.known[key]
        asked += 1
        killed += failed
        if not failed:
            print(f"  {mutant.path}:{mutant.line} {mutant.operator.removeprefix('core/')}")
            print(f"    - {mutant.before}\n    + {mutant.after}", flush=True)
    print(
        f"{name}: {killed} of {asked} killed ({killed / max(asked, 1):.0%}), {cost_s:.0f} CPU-s, seed {seed}",
        flush=True,
    )


def _find_tests_of(target: Target, changed: Path) -> tuple[str, ...]:
    """The target's test files that import a module; all if none does. What only others notice counts as missed."""
    files = [
        str(file)
        for test in target.tests
        for file in ([Path(test)] if test.endswith(".py") else sorted(Path(test).glob("test_*.py")))
    ]
    named = re.compile(rf"^\s*(from|import)\b.*\b{changed.stem}\b", re.MULTILINE)
    return (
        tuple(dict.fromkeys(file for file in files if named.search(Path(file).read_text(encoding="utf-8"))))
        or target.tests
    )


def _draw(target: Target, count: int, rng: random.Random) -> Iterator[Mutant]:
    """Different mutants, drawn evenly over the places that can be changed."""
    places: dict[tuple[Path, tuple[int, int]], list[tuple[str, int]]] = {}
    sources: dict[Path, str] = {}
    for pattern in target.sources:
        for path in sorted(Path().glob(pattern)):
            sources[path] = path.read_text(encoding="utf-8")
            tree = get_ast(sources[path])
            for operator in operator_names():
                if operator in _NEEDS_A_NAME:
                    continue
                number = 0
                for node in ast_nodes(tree):
                    for begin, _ in get_operator(operator)().mutation_positions(node):
                        places.setdefault((path, begin), []).append((operator, number))
                        number += 1
    order = sorted(places)
    rng.shuffle(order)
    for path, begin in order:
        operator, number = rng.choice(places[path, begin])
        changed = mutate_code(sources[path].encode(), get_operator(operator)(), number)
        if changed is None or _strip_annotations(changed) in (None, _strip_annotations(sources[path])):
            continue
        before, after = _first_difference(sources[path], changed)
        if before.startswith("@dataclass") or "strict=" in before or (" is " in after and " == " in before):
            continue
        yield Mutant(path, operator, changed, begin[0], before, after)
        count -= 1
        if count == 0:
            return


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


def run_tests(target: Target, mutant: Mutant | None, limit_s: int) -> tuple[bool, float]:
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
                status = _run_here(target.tests, target.leave_out, mutant)
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return ended != 0, took_s


def _run_here(tests: Sequence[str], leave_out: str, mutant: Mutant | None) -> int:
    if mutant is not None:
        sys.meta_path.insert(0, _Changed(mutant))
    more = ["-k", leave_out] if leave_out else []
    with contextlib.suppress(SystemExit):
        return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *more, *tests]))
    return 70


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Gives the changed source for one module's name."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        self.name = ".".join(mutant.path.with_suffix("").parts)

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, origin=str(self.mutant.path))

    def get_source(self, fullname: str) -> str:
        return self.mutant.source


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

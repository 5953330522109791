"""Stand-ins for the simulator and the drawing code that habitat-lab imports, none of which its datasets use."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

_STUBBED = (
    "corrade",
    "habitat.gym",
    "habitat.sims",
    "habitat.tasks.rearrange",
    "habitat.utils.visualizations",
    "habitat_sim",
    "magnum",
)


class _StubType(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _StubType(name, (), {})


class _Stub(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _StubType(
            name, (), {"__init__": lambda self, *a, **k: None, "__call__": lambda self, f=None, *a, **k: f}
        )


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> Any:
        stubbed = any(name == stub or name.startswith(f"{stub}.") for stub in _STUBBED)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if stubbed else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Stub(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


@contextmanager
def simulator_stubbed() -> Iterator[None]:
    """Import habitat-lab without its simulator inside the block."""
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)

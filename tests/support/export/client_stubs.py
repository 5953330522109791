"""The real clients in tests, with stand-ins for what they import and our tests never reach."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

_SIMULATOR = (
    "corrade",
    "habitat.gym",
    "habitat.sims",
    "habitat.tasks.rearrange",
    "habitat.utils.visualizations",
    "habitat_sim",
    "magnum",
)


def client(module: str) -> Any:
    """The module of a client; its test is skipped where the extra `clients` is not installed.

    With ROOMTOUR_CLIENTS=required in the environment, as in CI, a client that cannot be imported is a failure.
    """
    if os.environ.get("ROOMTOUR_CLIENTS") == "required":
        return importlib.import_module(module)
    reason = f"{module.split('.')[0]} is not installed (see the extra `clients`)"
    return pytest.importorskip(module, reason=reason, exc_type=ImportError)


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
    def __init__(self, stubbed: Sequence[str]):
        self._stubbed = stubbed

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> Any:
        stubbed = any(name == stub or name.startswith(f"{stub}.") for stub in self._stubbed)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if stubbed else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Stub(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


@contextmanager
def _stub(*names: str) -> Iterator[None]:
    finder = _Finder(names)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


@contextmanager
def simulator_stubbed() -> Iterator[None]:
    """Import habitat-lab without its simulator inside the block."""
    with _stub(*_SIMULATOR):
        yield


class _ToTensor:
    """What lerobot takes from torchvision: an image as (channels, height, width), 0 to 1."""

    def __call__(self, image: Any) -> Any:
        import torch

        return torch.from_numpy(np.array(image, dtype=np.float32).transpose(2, 0, 1) / 255.0)


@contextmanager
def torchvision_stubbed() -> Iterator[None]:
    """Import lerobot without torchvision inside the block: its wheels fit one version of torch each."""
    with _stub("torchvision"):
        import torchvision.transforms  # pyright: ignore[reportMissingImports]

        torchvision.transforms.ToTensor = _ToTensor
        yield


@contextmanager
def torchaudio_stubbed() -> Iterator[None]:
    """Import LLaMA-Factory without torchaudio inside the block: our rows hold no sound."""
    with _stub("torchaudio"):
        yield


@contextmanager
def vlmeval_alone() -> Iterator[None]:
    """Import single files of VLMEvalKit inside the block: the whole package loads hundreds of benchmarks and judges."""
    found = importlib.machinery.PathFinder.find_spec("vlmeval")
    places = list(found.submodule_search_locations or ()) if found is not None else []
    made = {"vlmeval": places, "vlmeval.dataset": [f"{place}/dataset" for place in places]}
    before = {name for name in sys.modules if name.split(".")[0] == "vlmeval"}
    if places and not before:
        for name, path in made.items():
            package = types.ModuleType(name)
            package.__path__ = path
            sys.modules[name] = package
    try:
        with _stub("sty", "validators"):  # for terminals and URLs
            import validators  # pyright: ignore[reportMissingImports]

            validators.url = lambda text: text.startswith("http")
            yield
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] in ("sty", "validators", "vlmeval")]:
            del sys.modules[name]

"""Builds adapters, and keeps those on a GPU for the next tour of the same process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from instructions.perception.models.runtime import Runtime
from instructions.perception.models.weights import LocalModel

T = TypeVar("T")


class ModelShelf:
    """Adapters by what made them. On a CPU they are built for one pass: six networks would fill a laptop's memory."""

    def __init__(self, *, keeps_on_cpu: bool = False) -> None:
        """Make an empty one; `keeps_on_cpu` for a process whose only work they are."""
        self._keeps_on_cpu = keeps_on_cpu
        self._kept: dict[object, Any] = {}

    def take(self, adapter: Callable[..., T], local: LocalModel, runtime: Runtime, *more: object) -> T:
        """The adapter of a model, with what else it is made from."""
        if runtime.device == "cpu" and not self._keeps_on_cpu:
            return adapter(local, runtime, *more)
        key = (adapter, local, runtime, *more)
        if key not in self._kept:
            self._kept[key] = adapter(local, runtime, *more)
        return self._kept[key]

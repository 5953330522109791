"""Public names of a package that are imported when they are first used (PEP 562).

The packages here re-export what lies deep inside, and that rests on COLMAP, OpenCV and SciPy: seconds of CPU time that
`roomtour --version` must not cost.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping


def import_on_use(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Make the `__getattr__` and the `__dir__` of a package.

    Args:
        package: Its `__name__`.
        homes: Public name to the module that defines it.
    """

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def list_names() -> list[str]:
        return sorted({*homes, *(name for name in vars(sys.modules[package]) if name.startswith("__"))})

    return get, list_names

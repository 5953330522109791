"""How our packages are imported: only our own, and deep names when they are first used. Rests on nothing of them.

The index has other projects named `recon` and `instructions`: who is told before any is imported sees one line in place
of a traceback out of foreign code. And what is re-exported rests on COLMAP, OpenCV and SciPy: seconds of CPU time that
`roomtour --version` must not cost.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

PACKAGES = ("recon", "trajectories", "instructions")


class ShadowedError(ImportError):
    """Another project's files stand where ours should. As the end of a program it is one line, without a traceback."""


def require_own_packages() -> None:
    """Refuse to go on with packages of somebody else.

    Raises:
        ShadowedError: Naming the file that stands in the way, and what to do.
    """
    for name in PACKAGES:
        own = Path(__file__).parents[1] / name / "__init__.py"
        spec = find_spec(name)
        if spec is None or spec.origin is None or Path(spec.origin).resolve() != own.resolve():
            sys.excepthook = _print_without_traceback
            raise ShadowedError(
                f"{spec.origin if spec else 'nothing'} is imported in place of our package {name} ({own.parent}): give "
                "roomtour an environment of its own, or take the other project off the path"
            )


def _print_without_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if isinstance(error, ShadowedError):
        print(f"roomtour: {error}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


def import_on_use(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Make the `__getattr__` and the `__dir__` of a package, whose public names are imported on first use (PEP 562).

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

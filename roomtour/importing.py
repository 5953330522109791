"""How our packages are imported: only our own, and deep names when they are first used. Rests on nothing of them.

The index has other projects named `recon` and `instructions`: who is told before any is imported sees one line in place
of a traceback out of foreign code. And what is re-exported rests on COLMAP, OpenCV and SciPy: seconds of CPU time that
`roomtour --version` must not cost.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

PACKAGES = ("recon", "trajectories", "instructions")
_MARK = "import recon.telemetry"
"""Each of our packages imports it first."""
_AGAIN = "pip install --force-reinstall --no-deps roomtour"


class ShadowedError(ImportError):
    """Another project's files stand where ours should. As the end of a program it is one line, without a traceback."""


def require_own_packages() -> None:
    """Refuse to go on with packages of somebody else.

    Raises:
        ShadowedError: Naming the files, whose they are, and what to do.
    """
    told = "; ".join(find_shadows(Path(__file__).parents[1]))
    if told:
        sys.excepthook = _print_without_traceback
        raise ShadowedError(told)


def find_shadows(root: Path, find: Callable[[str], ModuleSpec | None] = find_spec) -> Iterator[str]:
    """What is wrong with each package that is not ours, and what helps.

    Args:
        root: Folder in which all of our packages lie.
        find: Finds a package as an import does.
    """
    for name in PACKAGES:
        own = root / name / "__init__.py"
        spec = find(name)
        found = Path(spec.origin) if spec is not None and spec.origin else own
        if not own.is_file():
            yield f"our package {name} is not in {root}: {_AGAIN}"
        elif found.resolve() != own.resolve():
            yield f"{found} is imported in place of our package {name} ({own.parent}): {_how_to_remove(found)}"
        elif _MARK not in own.read_text(encoding="utf-8", errors="replace"):
            yield f"{own} was overwritten by another project: {_how_to_remove(own)}, then {_AGAIN}"


def _how_to_remove(file: Path) -> str:
    """What to do about a file, by the distribution that brought it."""
    import importlib.metadata  # a tenth of a second that every start would pay

    for one in importlib.metadata.distributions():
        if one.name == "roomtour" or not one.files:
            continue
        if any(each.name == file.name and Path(str(one.locate_file(each))) == file for each in one.files):
            return f"give roomtour an environment of its own, or pip uninstall {one.name}"
    return f"start elsewhere, take {file.parent} off the path, or rename it"


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

"""The code that can decide a stage's result, as one digest: nobody has to remember to raise a version.

It is the stage's own module and every module of ours that it can import from there, at the top or inside functions,
with the data files beside them. Docstrings, comments and blank lines do not count, so that rewording them makes nothing
anew. Modules are read, not imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("recon", "trajectories", "instructions", "roomtour")
NOT_FOLLOWED = frozenset(
    f"roomtour.{name}"
    for name in (
        *("artifacts", "config", "errors", "kinds", "lazy", "log", "options", "progress", "sources", "store"),
        *("stages.code", "stages.context", "stages.table", "tour_facts", "workers"),
    )
)
"""What says which options, files and stages there are, reports progress, or spreads work. Options and inputs are in a
result's name themselves, and the packages' own `__init__` gather what others use; records that are written are reached
from the stage that makes them."""

_IMPORT = re.compile(r"^[ \t]*(?:from[ ]([\w.]+)[ ]import[ ](\([^)]*\)|[^\n]*)|import[ ]([\w.]+))", re.MULTILINE)
_DOCSTRING = re.compile(
    r"(\A|^[ \t]*(?:async def|def|class)\b[^\n]*:\n|^[ \t]*\)[^\n]*:\n|[\w)\]}]\n)"
    r'([ \t]*)r?"""(?:[^\\"]|\\.|"(?!""))*"""[ \t]*\n',
    re.MULTILINE | re.DOTALL,
)
"""At the top of a file, below the head of a function or class, or below a whole statement."""
_BLANK_OR_COMMENT = re.compile(r"^[ \t]*(?:#[^\n]*)?\n", re.MULTILINE)


@cache
def digest_code(module: str) -> str:
    """Name the code that a module can reach: 16 hex digits, the same wherever the same files are installed."""
    return _installed_code().digest(module)


@cache
def _installed_code() -> CodeTree:
    spec = find_spec("roomtour")
    assert spec is not None
    assert spec.origin is not None
    return CodeTree(Path(spec.origin).parents[1])


@dataclass(frozen=True)
class CodeTree:
    """The packages below one folder. Each file is read once."""

    top: Path
    _imports: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    _digests: dict[Path, bytes] = field(default_factory=dict)

    def digest(self, module: str) -> str:
        """16 hex digits over names and contents of what a module can reach."""
        digest = sha256()
        for name, path in sorted(self.find_reached(module).items()):
            digest.update(f"{name}\0".encode())
            digest.update(self._digest_file(path))
        return digest.hexdigest()[:16]

    def find_reached(self, module: str) -> dict[str, Path]:
        """Files that a module can reach, itself included, by their names below the folder."""
        reached: list[Path] = []
        waiting, seen = [module], set[str]()
        while waiting:
            name = waiting.pop()
            path = None if name in seen or _is_not_followed(name) else self._find_module(name)
            seen.add(name)
            if path is not None:
                reached += [path, *_find_data_files(path.parent)]
                waiting += [*self._read_imports(path), name.rpartition(".")[0]]
        return {path.relative_to(self.top).as_posix(): path for path in reached}

    def _find_module(self, name: str) -> Path | None:
        """The file of a module or package of ours; None for what is neither."""
        if name.split(".")[0] not in PACKAGES:
            return None
        base = self.top.joinpath(*name.split("."))
        return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)

    def _read_imports(self, path: Path) -> tuple[str, ...]:
        if path not in self._imports:
            self._imports[path] = tuple(dict.fromkeys(list_imports(path.read_text(encoding="utf-8"))))
        return self._imports[path]

    def _digest_file(self, path: Path) -> bytes:
        if path not in self._digests:
            content = path.read_bytes()
            if path.suffix == ".py":
                content = strip_prose(content.decode("utf-8").replace("\r\n", "\n")).encode()
            self._digests[path] = sha256(content).digest()
        return self._digests[path]


def list_imports(source: str) -> Iterator[str]:
    """Modules of ours that Python source names in imports; what is imported from one may be a module too."""
    for match in _IMPORT.finditer(source):
        module, names, alone = match.groups()
        if alone is not None:
            module, names = alone, ""
        if module.split(".")[0] in PACKAGES:
            yield module
            for name in re.findall(r"\w+", re.sub(r"#[^\n]*|\bas \w+", "", names)):
                yield f"{module}.{name}"


def strip_prose(source: str) -> str:
    """Python source without comments of their own line and blank lines, and `...` in place of docstrings.

    Where pydantic is at work, docstrings stay: those of schemas are sent to language models. Where a text of several
    lines is left, its blank lines may count, so all stay.
    """
    if "pydantic" not in source:
        while (stripped := _DOCSTRING.sub(r"\1\2...\n", source)) != source:
            source = stripped
    return source if '"""' in source else _BLANK_OR_COMMENT.sub("", source)


def _is_not_followed(name: str) -> bool:
    return name in PACKAGES or name in NOT_FOLLOWED or any(name.startswith(f"{one}.") for one in NOT_FOLLOWED)


@cache
def _find_data_files(folder: Path) -> tuple[Path, ...]:
    """What lies beside modules, and in folders below that hold no module: word lists, prompts, templates, styles."""
    found: list[Path] = []
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and entry.name != "__pycache__" and not any(entry.glob("*.py")):
            found += _find_data_files(entry)
        elif entry.is_file() and entry.suffix not in (".py", ".pyc") and entry.name != "py.typed":
            found.append(entry)
    return tuple(found)

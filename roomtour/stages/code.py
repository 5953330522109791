"""The code that can decide a stage's result, as one digest: nobody has to remember to raise a version.

It is the stage's own module, those of the options that it reads, and every module of ours that is named from there, in
imports at the top or inside functions and in texts such as `files("instructions.regions")`, with the data files beside
them. Modules are read, not imported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("recon", "trajectories", "instructions", "roomtour")
NOT_FOLLOWED = frozenset(
    f"roomtour.{name}"
    for name in (
        *("artifacts", "config", "errors", "files.fingerprint", "importing", "kinds", "options", "progress"),
        *("sources", "stages.code", "stages.context", "stages.reads", "stages.table", "store", "tour_facts", "workers"),
    )
)
"""What says which options, files and stages there are, finds damage, reports progress, or spreads work. Options and
inputs are in a result's name themselves, and the packages' own `__init__` gather what others use; records that are
written are reached from the stage that makes them."""

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ ]([\w.]+)[ ]import[ ](\([^)]*\)|[^\n]*)|import[ ]([\w.]+))"
    rf"|[\"']((?:{'|'.join(PACKAGES)})\.[\w.]+)[\"']",
    re.MULTILINE,
)


@cache
def digest_code(*modules: str) -> str:
    """Name the code that modules can reach: 16 hex digits, the same wherever the same files are installed."""
    return _find_installed_code().digest(*modules)


@cache
def _find_installed_code() -> CodeTree:
    spec = find_spec("roomtour")
    assert spec is not None
    assert spec.origin is not None
    return CodeTree(Path(spec.origin).parents[1])


class CodeTree:
    """The packages below one folder. Each file is read once."""

    def __init__(self, top: Path):
        self._top = top
        self._modules: dict[str, str] = {}
        """Files of modules and packages by dotted names; all files by their names below the folder."""
        self._data: dict[str, list[str]] = {}
        """What lies in folders of modules, and in folders below that hold none: word lists, prompts, templates."""
        for package in PACKAGES:
            self._find_files(package, package)
        self._next: dict[str, list[str]] = {}
        self._digests: dict[str, bytes] = {}

    def _find_files(self, folder: str, home: str) -> None:
        with os.scandir(self._top / folder) as entries:
            listed = sorted(
                (entry.name, entry.is_dir()) for entry in entries if not entry.name.startswith((".", "__py"))
            )
        modules = [name for name, _ in listed if name.endswith(".py")]
        home = folder if modules else home
        dotted = folder.replace("/", ".")
        self._modules |= {
            dotted if name == "__init__.py" else f"{dotted}.{name[:-3]}": f"{folder}/{name}" for name in modules
        }
        for name, is_folder in listed:
            if is_folder:
                self._find_files(f"{folder}/{name}", home)
            elif not name.endswith((".py", ".pyc")) and name != "py.typed":
                self._data.setdefault(home, []).append(f"{folder}/{name}")

    def digest(self, *modules: str) -> str:
        """16 hex digits over names and contents of what modules can reach."""
        digest = sha256()
        for name in sorted(self.find_reached(*modules)):
            digest.update(f"{name}\0".encode())
            digest.update(self._digest_file(name))
        return digest.hexdigest()[:16]

    def find_reached(self, *modules: str) -> set[str]:
        """Files that modules can reach, themselves included, by their names below the folder."""
        reached, waiting, seen = set[str](), list(modules), set[str]()
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                if name in self._modules and not _is_not_followed(name):
                    path = self._modules[name]
                    reached |= {path, *self._data.get(path.rpartition("/")[0], ())}
                    waiting += self._list_next(name)
        return reached

    def _list_next(self, name: str) -> list[str]:
        if name not in self._next:
            source = (self._top / self._modules[name]).read_text(encoding="utf-8")
            self._next[name] = [name.rpartition(".")[0], *dict.fromkeys(list_imports(source))]
            self._digests[self._modules[name]] = sha256(source.encode()).digest()
        return self._next[name]

    def _digest_file(self, name: str) -> bytes:
        if name not in self._digests:  # those of modules are there
            self._digests[name] = sha256((self._top / name).read_bytes()).digest()
        return self._digests[name]


def list_imports(source: str) -> Iterator[str]:
    """Modules of ours that Python source names; what is imported from one may be a module too."""
    for match in _IMPORT.finditer(source):
        module, names, alone, quoted = match.groups()
        if alone is not None or quoted is not None:
            module, names = alone or quoted, ""
        if module.partition(".")[0] in PACKAGES:
            yield module
            for name in re.findall(r"\w+", re.sub(r"#[^\n]*|\bas \w+", "", names)):
                yield f"{module}.{name}"


def _is_not_followed(name: str) -> bool:
    return name in PACKAGES or name in NOT_FOLLOWED or any(name.startswith(f"{package}.") for package in NOT_FOLLOWED)

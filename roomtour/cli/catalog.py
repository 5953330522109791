"""The commands by name, and what each prints as its help."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
from collections.abc import Callable, Sequence
from keyword import iskeyword

from roomtour.cli.parsing.flags import call

COMMANDS = (
    "process", "batch", "fetch", "collect", "import", "make", "options", "show", "check", "report", "export",
    "validate", "browse", "view", "models", "review", "explain", "film", "score", "ask", "leaderboard", "critic",
    "dialogues", "doctor", "completion",
)  # fmt: skip
"""Each is a module of this package with a function of its name, whose parameters are the flags and whose docstring is
the help; or with a `main` that reads the words behind the command itself."""
_MODULES = {
    **{name: f"running.{name}" for name in ("process", "batch", "collect", "make")},
    **{name: f"looking.{name}" for name in ("show", "view", "ask")},
    **dict.fromkeys(("report", "browse", "explain", "film"), "looking.pages"),
    **dict.fromkeys(("import", "fetch"), "running.import_run"),
    "check": "running.make",
    "review": "looking.view",
    "validate": "export",
    "leaderboard": "score",
}
"""Modules of commands that lie in a folder or beside others."""


def run_command(name: str, args: Sequence[str]) -> int:
    """Run a command with the words behind it; returns the exit code."""
    command = find_function(name)
    return int(command(args)) if command.__name__ == "main" else call(command, args, name)


def find_function(name: str) -> Callable[..., int]:
    """What runs a command; `import` is a word of Python."""
    module = importlib.import_module(f"roomtour.cli.{_MODULES.get(name, name)}")
    return getattr(module, f"{name}_" if iskeyword(name) else name, None) or module.main


def capture_help(name: str, columns: int) -> str:
    """The help of a command as it prints it, so many letters wide."""
    printed, width = io.StringIO(), os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(columns)
    try:
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            run_command(name, ["--help"])
    finally:
        if width is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = width
    return "\n".join(line.rstrip() for line in printed.getvalue().splitlines())

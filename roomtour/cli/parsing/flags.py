"""What all commands share in reading their flags: one line, with the nearest name, for one that is not there."""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any, get_args, get_type_hints

from roomtour.errors import UsageError, did_you_mean
from roomtour.files.paths import require_usable_path
from roomtour.options.fields import options_of

_EMPTY = "an empty path; a variable of the shell that is not set?"


def normalize_flags(args: Sequence[str]) -> list[str]:
    """Flags with `-` for `_`; values and what stands after `--` stay as they are."""
    out, ended = [], False
    for word in args:
        ended = ended or word == "--"
        name, equals, value = word.partition("=")
        out.append(name.replace("_", "-") + equals + value if is_flag(word) and not ended else word)
    return out


def require_known_flags(command: str, args: Sequence[str], known: Iterable[str]) -> None:
    """Refuse the first flag that the command does not have.

    Args:
        command: Its name, for the message.
        args: Its words, with `-` in the names of flags.
        known: Its flags, such as `--out`.

    Raises:
        UsageError: With the nearest flags.
    """
    names = dict.fromkeys([*known, "--help"])
    for word in args:
        if word == "--":
            return
        flag = word.partition("=")[0]
        if is_flag(word) and flag not in names:
            near = did_you_mean(flag.removeprefix("--"), [name.removeprefix("--") for name in names], "--")
            raise UsageError(f"{command}: no flag {flag}.{near} All: roomtour {command} --help")


def call(command: Callable[..., int], args: Sequence[str], name: str = "") -> int:
    """Run a command whose flags are its parameters and whose help is its docstring.

    Args:
        command: A function named like the command.
        args: The words after its name.
        name: What the command is called where Python has no such name; that of the function otherwise.

    Raises:
        UsageError: For a flag it does not have.
    """
    import tyro

    name = name or command.__name__
    words = normalize_flags(args)
    require_known_flags(name, words, _list_flags(command))
    registry = tyro.constructors.ConstructorRegistry()

    @registry.primitive_rule
    def read_paths(info: tyro.constructors.PrimitiveTypeInfo) -> tyro.constructors.PrimitiveConstructorSpec | None:
        return None if info.type is not Path else tyro.constructors.PrimitiveConstructorSpec(
            1, "PATH", lambda given: read_path(given[0], f"{name}: a path"), lambda path: isinstance(path, Path),
            lambda path: [str(path)],
        )  # fmt: skip

    @functools.wraps(command)
    def bind(*given: Any, **named: Any) -> Callable[[], int]:
        return functools.partial(command, *given, **named)

    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            run = tyro.cli(bind, prog=f"roomtour {name}", args=words, registry=registry)
    except SystemExit as end:
        if end.code in (0, None):
            raise
        raise UsageError(f"{name}: {_read_box(said.getvalue())}; see roomtour {name} --help") from None
    return run()


def require_runs(command: str, runs: Sequence[Path], usage: str = "RUN...") -> None:
    """Refuse a command line without a run.

    Args:
        command: Its name.
        runs: Those that it was given.
        usage: What its words look like, for the message.

    Raises:
        UsageError: If there is none.
    """
    if not runs:
        raise UsageError(f"{command}: no run given: roomtour {command} {usage}; see roomtour {command} --help")


def read_path(word: str, what: str) -> Path:
    """A path of a command line; `what` it is of, for the error.

    Raises:
        RoomtourError: For one that cannot be used, such as an empty word, which Python takes for the current folder.
    """
    if not word:
        raise UsageError(f"{what}: {_EMPTY}")
    path = Path(word)
    require_usable_path(path)
    return path


def _read_box(text: str) -> str:
    """What tyro says in a box, as one line; behind the first rule it only names the help."""
    lines = [line.strip("│ ") for line in text.splitlines()[1:]]
    said = [line for line in itertools.takewhile(lambda line: not line.startswith(("─", "╰")), lines) if line]
    return " ".join(said).rstrip(".") or "these words make no sense"


def _list_flags(command: Callable[..., int]) -> Iterator[str]:
    """Of its parameters; one that is a class of options has a flag for each of those."""
    import tyro

    hints = get_type_hints(command, include_extras=True)
    for item in inspect.signature(command).parameters.values():
        marks = get_args(hints[item.name])[1:]
        if is_dataclass(item.default):
            prefix = "" if tyro.conf.OmitArgPrefixes in marks else f"{item.name}."
            for option in options_of(type(item.default).__module__, type(item.default).__name__):
                own = replace(option, name=prefix + option.name)
                yield from (own.flag, own.off_flag)
        elif item.kind is not item.POSITIONAL_ONLY:
            named = next((mark.name for mark in marks if getattr(mark, "name", None)), item.name)
            yield from (f"--{no}{named.replace('_', '-')}" for no in ("", "no-"))


def is_flag(word: str) -> bool:
    """Whether it names a flag, with its value or without."""
    return word.startswith("--") and len(word) > 2

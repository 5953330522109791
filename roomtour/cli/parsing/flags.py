"""What all commands share in reading their flags: one line, with the nearest name, for one that is not there."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn

from roomtour.errors import UsageError, did_you_mean


class Parser(argparse.ArgumentParser):
    """argparse that raises instead of printing a usage and leaving."""

    def error(self, message: str) -> NoReturn:
        """Called by argparse for whatever it cannot read."""
        raise UsageError(f"{self.prog.removeprefix('roomtour ')}: {message}; see {self.prog} --help")


def normalize_flags(args: Sequence[str]) -> list[str]:
    """Flags with `-` for `_`; values and what stands after `--` stay as they are."""
    out, ended = [], False
    for word in args:
        ended = ended or word == "--"
        name, equals, value = word.partition("=")
        out.append(name.replace("_", "-") + equals + value if _is_flag(word) and not ended else word)
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
        if _is_flag(word) and flag not in names:
            near = did_you_mean(flag.removeprefix("--"), [name.removeprefix("--") for name in names], "--")
            raise UsageError(f"{command}: no flag {flag}.{near} All: roomtour {command} --help")


def call(command: Callable[..., int], args: Sequence[str], nested: Iterable[str] = (), name: str = "") -> int:
    """Run a command whose flags are its parameters and whose help is its docstring.

    Args:
        command: A function named like the command.
        args: The words after its name.
        nested: Flags it has beside its parameters.
        name: What the command is called where Python has no such name; that of the function otherwise.

    Raises:
        UsageError: For a flag it does not have.
    """
    import tyro

    name = name or command.__name__
    words = normalize_flags(args)
    require_known_flags(name, words, [*_own_flags(command), *nested])
    return int(tyro.cli(command, prog=f"roomtour {name}", args=words))


def _own_flags(command: Callable[..., int]) -> list[str]:
    parameters = inspect.signature(command).parameters.values()
    names = [item.name.replace("_", "-") for item in parameters if item.kind is not item.POSITIONAL_ONLY]
    return [f"--{no}{name}" for name in names for no in ("", "no-")]


def _is_flag(word: str) -> bool:
    return word.startswith("--") and len(word) > 2

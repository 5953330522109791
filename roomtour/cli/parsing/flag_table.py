"""Flags that a command declares once, for its help and its parser, and beside them one for each option of a class."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from roomtour.cli.parsing.flags import Parser, normalize_flags, read_path, require_known_flags
from roomtour.cli.parsing.help_text import HelpRow
from roomtour.cli.parsing.settings import Settings
from roomtour.options.fields import Option


@dataclass(frozen=True)
class Flag:
    """One flag, or the words that stand without one."""

    words: str
    """As the help shows it: `--out RUN`, `--dry-run`, or `INPUT...`."""
    text: str
    how: Mapping[str, Any] = field(default_factory=dict)
    """What argparse is told of its value; a flag without a value is true where it is given."""

    @property
    def row(self) -> HelpRow:
        """In the help."""
        return HelpRow(self.words, self.text)

    @property
    def name(self) -> str:
        """As the parser names it."""
        return self.words.split()[0].replace("...", "s").lower()

    @property
    def takes_value(self) -> bool:
        """Whether a word follows it."""
        return " " in self.words or not self.words.startswith("--")


HELP = Flag("--help", "Show this and exit.")


class _TableParser(Parser):
    """Knows its flags by name."""

    @property
    def flags(self) -> list[str]:
        return [flag for flag in self._option_string_actions if flag.startswith("--")]

    def read_input(self, word: str) -> Path:
        """A word that is an input whatever it begins with."""
        try:
            return read_path(word)
        except argparse.ArgumentTypeError as error:
            self.error(f"argument {self._actions[0].dest}: {error}")


def read_flags(
    command: str, args: Sequence[str], flags: Iterable[Flag], *classes: Sequence[Option]
) -> tuple[dict[str, Any], list[Settings]] | None:
    """What a command line gives, by the names of the flags, and sets of each class; None if it asks for the help.

    Args:
        command: What was typed, for the messages.
        args: The words behind it. Those that stand without a flag are paths.
        flags: Of the command itself; words without a flag are the first of them.
        classes: Options of classes, each with a flag of its own.

    Raises:
        UsageError: One line on the first word that makes no sense.
    """
    words = normalize_flags(args)
    end = words.index("--") if "--" in words else len(words)
    words, literal = words[:end], words[end + 1 :]  # argparse takes no `--` among words and flags that are mixed
    inputs, *others = flags
    parser = _TableParser(f"roomtour {command}", add_help=False, allow_abbrev=False)
    parser.add_argument(inputs.name, nargs="*", type=read_path)
    for flag in (*others, HELP):
        parser.add_argument(flag.name, **({} if flag.takes_value else {"action": "store_true"}), **flag.how)
    parser.add_argument("-h", action="store_true", dest="help")
    for option in chain(*classes):
        _add_option(parser, option)
    require_known_flags(command, words, parser.flags)
    given = vars(parser.parse_intermixed_args(words))
    if given.pop("help"):
        return None
    given[inputs.name] += [parser.read_input(word) for word in literal]
    found = [Settings() for _ in classes]
    for settings, options in zip(found, classes, strict=True):
        for option in options:
            if option.name in given:
                value = given.pop(option.name)
                settings.put(option, value, f"{option.flag} {value if isinstance(value, str) else ' '.join(value)}")
    return given, found


def _add_option(parser: Parser, option: Option) -> None:
    """A flag that leaves its words as they are: what they mean is the business of the option's type."""
    if option.kind.is_switch:
        for flag, value in ((option.flag, "true"), (option.off_flag, "false")):
            parser.add_argument(flag, dest=option.name, action="store_const", const=value, default=argparse.SUPPRESS)
        return
    parser.add_argument(
        option.flag, dest=option.name, nargs="*" if option.kind.many else None, default=argparse.SUPPRESS
    )

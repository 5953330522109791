"""`roomtour options`: every option of a run, to search."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from fnmatch import fnmatchcase

import tyro

from roomtour.cli.console import OUT, tell
from roomtour.cli.parsing.help_text import terminal_width
from roomtour.cli.parsing.process_flags import COMMON_OPTIONS
from roomtour.errors import RoomtourError, did_you_mean
from roomtour.options.fields import Option, config_options, config_sections


def options(pattern: tyro.conf.Positional[str] = "", /) -> int:
    """List the options of `roomtour process` with unit, range, default and reason.

    Each is given as `--set NAME=VALUE`, as `--NAME VALUE`, or in the YAML file of `--config`. Into a pipe, every option
    is one line.

    Args:
        pattern: Part of a name or of a text (`overlap`), or a pattern of names (`merge.*`); all if not given.
    """
    options = find_options(pattern)
    if not options:
        near = did_you_mean(pattern, [option.name for option in config_options()])
        raise RoomtourError(f"options: nothing named or told like {pattern!r}.{near}")
    for section, texts in config_sections().items():
        _print_section(f"{section}: {texts}", [option for option in options if option.section == section])
    _print_section("general", [option for option in options if not option.section])
    return 0


def find_options(pattern: str) -> tuple[Option, ...]:
    """Options whose name or text holds the words, or whose name fits the pattern; upper case counts like lower."""
    wanted = pattern.strip().lower().removeprefix("--")
    names = wanted.replace("-", "_")
    if any(mark in wanted for mark in "*?["):
        return tuple(option for option in config_options() if fnmatchcase(option.name, names))
    return tuple(option for option in config_options() if names in option.name or wanted in option.text.lower())


def describe(option: Option) -> str:
    """Name, default, and what it takes, such as `sample.fps = 3.0 (float, above 0)`."""
    facts = ", ".join(part for part in (option.kind.text, option.takes) if part)
    return f"{option.name} = {option.default} ({facts})"


def _print_section(heading: str, options: Sequence[Option]) -> None:
    if not options:
        return
    width = terminal_width()
    OUT.print(heading, style="bold", markup=False, soft_wrap=True)
    for option in options:
        text = f"{option.group}: {option.text}" if option.group else option.text
        listed = any(option.name in names for names in COMMON_OPTIONS.values())
        head = describe(option) + (f"   {option.flag}" if listed else "")
        if not OUT.is_terminal:
            tell(f"  {head}  {text}")
            continue
        tell(f"  {head}")
        for line in textwrap.wrap(text, width - 6):
            tell(f"      {line}")

"""The command lines that make what a run does not have yet."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from roomtour.config import Config
from roomtour.kinds import KINDS
from roomtour.options.fields import Option, config_options

_NOT_REPEATED = ("tour.", "workers")
"""Options that a run keeps by itself, and those of the machine that made it."""


def stage_command(stage: str, facts: Mapping[str, Any], run: Path, done: Collection[str]) -> str:
    """The command that makes a stage, and what it needs, by the options of the run.

    Args:
        stage: A stage that is not done.
        facts: The manifest of the run, without its stages.
        run: Its folder.
        done: Names of the stages that are done.
    """
    if any(kind.name == stage and set(kind.needs) <= set(done) for kind in KINDS):
        return shlex.join(["roomtour", "make", str(run), "--data", stage])
    return process_command(facts, run, until=stage)


def process_command(facts: Mapping[str, Any], run: Path, until: str | None = None) -> str:
    """The `roomtour process` command of a run, with every option that is not the default.

    Args:
        facts: As for `stage_command`.
        run: Its folder.
        until: Last stage to make; all by default.
    """
    words = ["roomtour", "process", str(facts.get("source", "TOUR")), "--out", str(run)]
    words += ["--until", until] if until is not None else []
    return shlex.join([*words, *_list_changed_flags(facts.get("options", {}))])


def _list_changed_flags(options: Mapping[str, Any]) -> Iterator[str]:
    """Flags of the options whose value differs from the default; options of other versions are passed over."""
    defaults = Config().to_dict()
    for option in config_options():
        if not option.name.startswith(_NOT_REPEATED):
            default = _look_up(defaults, option)
            value = _look_up(options, option, default)
            if _as_list(value) != _as_list(default):
                yield from _flag(option, value)


def _flag(option: Option, value: object) -> list[str]:
    if option.kind.is_switch and isinstance(value, bool):
        return [option.flag if value else option.off_flag]
    values = value if isinstance(value, list | tuple) else [value]
    return [option.flag, *("none" if word is None else str(word) for word in values)]


def _look_up(options: Any, option: Option, default: object = None) -> object:
    for name in option.name.split("."):
        if not isinstance(options, Mapping) or name not in options:
            return default
        options = options[name]
    return options


def _as_list(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value

"""The flags of `roomtour process`: its own, and one for each option, of which the help lists the common ones."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from roomtour.cli.parsing.common_options import COMMON_OPTIONS
from roomtour.cli.parsing.flags import Parser, normalize_flags, read_path, require_known_flags
from roomtour.cli.parsing.help_text import HelpRow, describe_option, render_paragraphs, render_section, terminal_width
from roomtour.cli.parsing.settings import Settings, read_settings
from roomtour.errors import UsageError
from roomtour.options.fields import Option, config_options
from roomtour.store import KEEPS, Keep

_USAGE = "roomtour process INPUT... --out RUN [--config FILE] [--set NAME=VALUE]... [options]"
_ABOUT = """
Turn room tours into 3D scenes, trajectories and instructions. Makes a run folder, or continues one: finished stages
whose inputs and options did not change are kept.
"""
_MORE = """
These are the options people change. `roomtour options` lists all {count}, with unit, default and reason;
`roomtour options merge` those about merging.
"""
_RUN_ROWS = (
    HelpRow("INPUT...", "Videos, folders of videos, or folders of ordered images (then give --input.fps)."),
    HelpRow("--out RUN", "The run folder; for several inputs or a folder of videos a folder of run folders. Needed."),
    HelpRow("--config FILE", "YAML file with any of the options; --set and flags win over it."),
    HelpRow("--set NAME=VALUE", "Any option by its dotted name, such as --set sample.max_shift=0; repeatable."),
    HelpRow("--until STAGE", "Stop after this stage."),
    HelpRow("--force STAGE", "Run this stage, and all that rest on it, again."),
    HelpRow(
        "--keep WHAT",
        "exports: drop matches and unmerged models, most of a run's size, once its report is written; "
        "or all. [exports]",
    ),
    HelpRow(
        "--dry-run", "Only say how many tokens --writer llm or --perception server would take; run and ask nothing."
    ),
    HelpRow("-h, --help", "Show this and exit."),
)


@dataclass(frozen=True)
class ProcessCall:
    """What a command line asks for."""

    inputs: tuple[Path, ...]
    out: Path
    config: Path | None
    set_options: Settings
    """Of `--set`."""
    flag_options: Settings
    """Of the options' own flags."""
    until: str | None
    force: str | None
    keep: Keep
    dry_run: bool


def parse_process(args: Sequence[str], command: str = "process", out: str = "RUN") -> ProcessCall | None:
    """Read the words after a command that takes the options of `process`; None if they ask for the help.

    Args:
        args: The words.
        command: What was typed, for the messages.
        out: What `--out` of that command names.

    Raises:
        UsageError: One line on the first word that makes no sense.
    """
    words = normalize_flags(args)
    end = words.index("--") if "--" in words else len(words)
    words, literal = words[:end], words[end + 1 :]  # argparse takes no `--` among words and flags that are mixed
    parser, options = _parser(), config_options()
    require_known_flags(command, words, parser.flags)
    given = vars(parser.parse_intermixed_args(words))
    if given.pop("help"):
        return None
    given["inputs"] += [parser.read_input(word) for word in literal]
    if not given["inputs"]:
        raise UsageError(
            f"{command}: no video given: roomtour {command} INPUT... --out {out}; see roomtour {command} --help"
        )
    if given["out"] is None:
        raise UsageError(f"{command}: no --out given: --out {out}, the folder to make; see roomtour {command} --help")
    flags = Settings()
    for option in options:
        if option.name in given:
            value = given[option.name]
            flags.put(option, value, f"{option.flag} {value if isinstance(value, str) else ' '.join(value)}")
    return ProcessCall(
        inputs=tuple(given["inputs"]),
        out=given["out"],
        config=given["config"],
        set_options=read_settings(given["set"]),
        flag_options=flags,
        until=given["until"],
        force=given["force"],
        keep=given["keep"],
        dry_run=given["dry_run"],
    )


def render_help() -> str:
    """The help, as wide as the terminal."""
    width = terminal_width()
    options = {option.name: option for option in config_options()}
    lines = [f"usage: {_USAGE}", "", *render_paragraphs(_ABOUT, width), *render_section("Run", _RUN_ROWS, width)]
    for heading, names in COMMON_OPTIONS.items():
        lines += ["", *render_section(heading, [describe_option(options[name]) for name in names], width)]
    lines += ["", *render_paragraphs(_MORE.format(count=len(options)), width)]
    return "\n".join(lines).rstrip()


class _ProcessParser(Parser):
    """Knows its flags by name."""

    @property
    def flags(self) -> list[str]:
        return [flag for flag in self._option_string_actions if flag.startswith("--")]

    def read_input(self, word: str) -> Path:
        """A word that is an input whatever it begins with."""
        try:
            return read_path(word)
        except argparse.ArgumentTypeError as error:
            self.error(f"argument inputs: {error}")


def _parser() -> _ProcessParser:
    parser = _ProcessParser("roomtour process", usage=_USAGE, add_help=False, allow_abbrev=False)
    parser.add_argument("inputs", nargs="*", type=read_path)
    parser.add_argument("--out", type=read_path)
    parser.add_argument("--config", type=read_path)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--until")
    parser.add_argument("--force")
    parser.add_argument("--keep", choices=KEEPS, default=KEEPS[0])
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--help", "-h", action="store_true")
    for option in config_options():
        _add_option(parser, option)
    return parser


def _add_option(parser: Parser, option: Option) -> None:
    """A flag that leaves its words as they are: what they mean is the business of the option's type."""
    if option.kind.is_switch:
        for flag, value in ((option.flag, "true"), (option.off_flag, "false")):
            parser.add_argument(flag, dest=option.name, action="store_const", const=value, default=argparse.SUPPRESS)
        return
    parser.add_argument(
        option.flag, dest=option.name, nargs="*" if option.kind.many else None, default=argparse.SUPPRESS
    )

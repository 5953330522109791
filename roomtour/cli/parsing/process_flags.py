"""The flags of `roomtour process`: its own, and one for each option, of which the help lists the common ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from roomtour.cli.parsing.common_options import COMMON_OPTIONS
from roomtour.cli.parsing.flag_table import Flag, read_flags
from roomtour.cli.parsing.flags import read_path
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
_FLAGS = (
    Flag("INPUT...", "Videos, folders of videos, or folders of ordered images (then give --input.fps)."),
    Flag(
        "--out RUN",
        "The run folder; for several inputs or a folder of videos a folder of run folders. Needed.",
        {"type": read_path},
    ),
    Flag("--config FILE", "YAML file with any of the options; --set and flags win over it.", {"type": read_path}),
    Flag(
        "--set NAME=VALUE",
        "Any option by its dotted name, such as --set sample.max_shift=0; repeatable.",
        {"action": "append", "default": []},
    ),
    Flag("--until STAGE", "Stop after this stage."),
    Flag("--force STAGE", "Run this stage, and all that rest on it, again."),
    Flag(
        "--keep WHAT",
        "exports: drop matches and unmerged models, most of a run's size, once its report is written; "
        "or all. [exports]",
        {"choices": KEEPS, "default": KEEPS[0]},
    ),
    Flag("--dry-run", "Only say how many tokens --writer llm or --perception server would take; run and ask nothing."),
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
    others: Settings
    """Options of the command besides those of a tour."""


def parse_process(
    args: Sequence[str], command: str = "process", out: str = "RUN", others: Sequence[Option] = ()
) -> ProcessCall | None:
    """Read the words after a command that takes the options of `process`; None if they ask for the help.

    Args:
        args: The words.
        command: What was typed, for the messages.
        out: What `--out` of that command names.
        others: Options that this command has besides.

    Raises:
        UsageError: One line on the first word that makes no sense.
    """
    found = read_flags(command, args, _FLAGS, config_options(), others)
    if found is None:
        return None
    given, (flags, own) = found
    inputs, sets = tuple(given.pop("inputs")), read_settings(given.pop("set"))
    if not inputs:
        raise UsageError(
            f"{command}: no video given: roomtour {command} INPUT... --out {out}; see roomtour {command} --help"
        )
    if given["out"] is None:
        raise UsageError(f"{command}: no --out given: --out {out}, the folder to make; see roomtour {command} --help")
    return ProcessCall(inputs=inputs, set_options=sets, flag_options=flags, others=own, **given)


def render_help() -> str:
    """The help, as wide as the terminal."""
    width = terminal_width()
    options = {option.name: option for option in config_options()}
    rows = [*(flag.row for flag in _FLAGS), HelpRow("-h, --help", "Show this and exit.")]
    lines = [f"usage: {_USAGE}", "", *render_paragraphs(_ABOUT, width), *render_section("Run", rows, width)]
    for heading, names in COMMON_OPTIONS.items():
        lines += ["", *render_section(heading, [describe_option(options[name]) for name in names], width)]
    lines += ["", *render_paragraphs(_MORE.format(count=len(options)), width)]
    return "\n".join(lines).rstrip()

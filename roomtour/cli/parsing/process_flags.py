"""The flags of `roomtour process`: its own, and one for each option, of which the help lists the common ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import cast

from roomtour.cli.parsing.flags import is_flag, normalize_flags, read_path, require_known_flags
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
)
"""Besides those of options; one without a value is true where it is given."""
_INPUT = HelpRow("INPUT...", "Videos, folders of videos, or folders of ordered images (then give --input.fps).")
_HELP = HelpRow("-h, --help", "Show this and exit.")


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
    if {"-h", "--help"}.intersection(takewhile(lambda word: word != "--", args)):
        return None
    free, given = _split_words(command, normalize_flags(args), (*config_options(), *others))
    own = {name: words[-1] for name, words in given.items() if name in ("out", "config", "until", "force", "keep")}
    keep = own.get("keep", KEEPS[0])
    if keep not in KEEPS:
        raise UsageError(f"{command}: --keep {keep}: need one of {', '.join(KEEPS)}")
    if not free:
        raise UsageError(
            f"{command}: no video given: roomtour {command} INPUT... --out {out}; see roomtour {command} --help"
        )
    if "out" not in own:
        raise UsageError(f"{command}: no --out given: --out {out}, the folder to make; see roomtour {command} --help")
    return ProcessCall(
        inputs=tuple(read_path(word, f"{command}: a path") for word in free),
        out=read_path(own["out"], f"{command}: --out"),
        config=read_path(own["config"], f"{command}: --config") if "config" in own else None,
        set_options=read_settings(given.get("set", [])),
        flag_options=_read_options(config_options(), given),
        until=own.get("until"),
        force=own.get("force"),
        keep=cast(Keep, keep),
        dry_run="dry_run" in given,
        others=_read_options(others, given),
    )


def _split_words(command: str, words: list[str], options: Iterable[Option]) -> tuple[list[str], dict[str, list[str]]]:
    """Words that stand without a flag, and those that each flag was given, by its name; words after `--` have none."""
    ones = {row.flag.split()[0]: row.flag.partition(" ")[2] for row in _FLAGS}
    known = {flag: (flag[2:].replace("-", "_"), "one" if value else "true") for flag, value in ones.items()}
    for option in options:
        how = "true" if option.kind.is_switch else "many" if option.kind.many else "one"
        known |= {option.flag: (option.name, how)}
        known |= {option.off_flag: (option.name, "false")} if option.kind.is_switch else {}
    require_known_flags(command, words, known)

    def is_value(word: str) -> bool:
        return not is_flag(word) and word != "--"

    free: list[str] = []
    given: dict[str, list[str]] = {}
    while words:
        word = words.pop(0)
        if word == "--":
            return [*free, *words], given
        flag, equals, value = word.partition("=")
        if not is_flag(word):
            if word.startswith("-") and len(word) > 1:
                raise UsageError(f"{command}: unrecognized arguments: {word}; see roomtour {command} --help")
            free.append(word)
            continue
        name, how = known[flag]
        takes_none = how in ("true", "false")
        follow = [value] if equals else [how] if takes_none else list(takewhile(is_value, words))
        taken = follow if how == "many" else follow[:1]
        if (takes_none and equals) or not (taken or how == "many"):
            need = "takes no value" if takes_none else "expected one argument"
            raise UsageError(f"{command}: argument {flag}: {need}; see roomtour {command} --help")
        if not equals and not takes_none:
            del words[: len(taken)]
        given[name] = [*given.get(name, ()), *taken] if name == "set" else taken
    return free, given


def _read_options(options: Iterable[Option], given: Mapping[str, list[str]]) -> Settings:
    settings = Settings()
    for option in options:
        if option.name in given:
            words = given[option.name]
            settings.put(option, words if option.kind.many else words[0], f"{option.flag} {' '.join(words)}")
    return settings


def render_help() -> str:
    """The help, as wide as the terminal."""
    width = terminal_width()
    options = {option.name: option for option in config_options()}
    rows = [_INPUT, *_FLAGS, _HELP]
    lines = [f"usage: {_USAGE}", "", *render_paragraphs(_ABOUT, width), *render_section("Run", rows, width)]
    for heading, names in COMMON_OPTIONS.items():
        lines += ["", *render_section(heading, [describe_option(options[name]) for name in names], width)]
    lines += ["", *render_paragraphs(_MORE.format(count=len(options)), width)]
    return "\n".join(lines).rstrip()


COMMON_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "Input": (
        "input.fps", "input.rotate", "input.stretch", "input.mask_overlays", "sample.fps", "sample.short_side",
        "sample.until_s",
    ),
    "Poses that are there already": (
        "poses", "pose_source.format", "pose_source.metric", "pose_source.time_offset_s",
        "pose_source.intrinsics", "pose_source.refine",
    ),
    "Reconstruction": (
        "clips.length_s", "clips.overlap_s", "features.max_features", "recon.min_model_frames",
        "scene.camera_height_m", "scene.camera_height_sigma",
    ),
    "Things": (
        "perception", "vision.folder", "vision.device", "vision.tags.model", "vision.boxes.model",
        "vision.masks.model", "vision.depth.model", "vision.box_threshold",
    ),
    "Texts": (
        "writer", "data", "navigation.wordings", "language.base_url", "language.model", "language.key_variable",
        "language.temperature", "language.wordings", "language.concurrency", "language.max_tokens",
        "language.max_cost", "language.price_per_million_in", "language.price_per_million_out",
    ),
    "Machine": (
        "workers", "seed",
    ),
}  # fmt: skip
"""Names by heading, in the order of the help."""

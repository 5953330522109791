"""What replaces the markers in the pages: options, commands, formats and finding codes as Markdown."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import get_type_hints

from docs.generate.finding_codes import finding_codes
from docs.generate.modules import modules
from docs.generate.option_fields import OptionField, field_texts, option_fields

_MARKER = re.compile(r"^<!-- generated: ([a-z]+)(?: ([a-z]+))? -->$", re.MULTILINE)
_FINDING_HEADING = re.compile(r"^### `([a-z]+\.[a-z_]+)`$", re.MULTILINE)


def fill(markdown: str) -> str:
    """Put what the code says in place of each `<!-- generated: NAME -->` or `<!-- generated: NAME ARGUMENT -->` line.

    Raises:
        KeyError: For a name nothing is generated for.
    """
    makers = {"options": options, "commands": commands, "formats": formats, "modules": modules}
    return _MARKER.sub(lambda found: makers[found[1]](*filter(None, [found[2]])), markdown)


def options() -> str:
    """Every option of `roomtour process`, by section."""
    from roomtour.config import Config

    texts, hints = field_texts(Config), get_type_hints(Config)
    nested = [field.name for field in fields(Config) if is_dataclass(hints[field.name])]
    alone = [found for found in option_fields(Config) if found.name.replace("-", "_").split(".")[0] not in nested]
    parts = ["## General", _table(alone)]
    for name in nested:
        flag = name.replace("_", "-")
        parts += [f"## `{flag}`", f"{texts[name]}.", _table(option_fields(hints[name], (flag,)))]
    return "\n\n".join(parts)


def formats() -> str:
    """Every export format with its options."""
    from roomtour.export.registry import FORMATS

    parts = []
    for kind in sorted(FORMATS.values(), key=lambda kind: kind.name):
        options = [replace(row, name=row.name.replace("-", "_")) for row in option_fields(kind.options)]
        parts += [
            f"## `{kind.name}`",
            f"{kind.summary[0].upper()}{kind.summary[1:]}.",
            f"**Loaded by** {kind.client}. **Needs** {kind.needs}.",
            kind.convention.strip(),
            _table(options, "option", ""),
        ]
    return "\n\n".join(parts)


def commands() -> str:
    """The help of every command but the options of `process`, which have their own page."""
    from roomtour.config import Config

    usage = re.search(r"\{([a-z,-]+)\}", _help())
    if usage is None:
        raise ValueError("the help of roomtour names no commands")
    own_page = f"\n  --{next(option_fields(Config)).name} "
    parts = []
    for name in usage[1].split(","):
        text, *options = _help(name).split(own_page)
        parts += [f"## `roomtour {name}`", f"```text\n{text.rstrip()}\n```"]
        if options:
            parts.append("Then come the [options](options.md).")
    return "\n\n".join(parts)


def mark_findings(markdown: str) -> str:
    """Under the heading of each code, how serious it is and which file it comes from."""
    known = {found.code: found for found in finding_codes()}

    def mark(heading: re.Match[str]) -> str:
        found = known[heading[1]]
        words = " or ".join("note" if word == "info" else word for word in found.severities)
        files = ", ".join(f"`{file}`" for file in found.files)
        return f"{heading[0]}\n\n<small>{words} · {files}</small>"

    return _FINDING_HEADING.sub(mark, markdown)


def documented_codes(markdown: str) -> tuple[str, ...]:
    """The codes a page of findings has a heading for, in its order."""
    return tuple(_FINDING_HEADING.findall(markdown))


def _table(rows: Iterable[OptionField], head: str = "flag", dashes: str = "--") -> str:
    lines = [f"| {head} | value | default | what it does |", "|---|---|---|---|"]
    lines += [
        f"| `{dashes}{row.name}` | {_cell(row.kind)} | {_cell(row.default)} | {_cell(row.text)} |" for row in rows
    ]
    return "\n".join(lines) if len(lines) > 2 else "No options."


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _help(*command: str) -> str:
    """The help as the program prints it, 100 letters wide."""
    from roomtour.cli.app import main

    width = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "100"
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            main([*command, "--help"])
    finally:
        if width is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = width
    return "\n".join(line.rstrip() for line in printed.getvalue().splitlines())

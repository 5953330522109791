"""Help as plain text in two columns: flags on the left, what they do on the right."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from roomtour.options.fields import Option

_COLUMN = 36
"""Where the texts begin: behind nearly every flag with its value."""
_WIDEST, _NARROWEST = 110, 60
_WORDS = {"Path": "PATH", "str": "TEXT", "float": "FLOAT", "int": "INT"}
_CLAUSE = re.compile(r"(?<=.{12})(?:[:;.] |\.$)")


@dataclass(frozen=True)
class HelpRow:
    """One flag."""

    flag: str
    """With its value, as it is given: `--out RUN`."""
    text: str


def terminal_width() -> int:
    """Columns to fill: those of the terminal, of `COLUMNS`, or 80."""
    return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size().columns))


def describe_option(option: Option) -> HelpRow:
    """An option in one or two lines: the first clause of what is said of it (or of its group), choices and default."""
    kind = option.kind
    text = _CLAUSE.split(option.group or option.text, maxsplit=1)[0]
    if kind.choices:
        text += f" ({', '.join(kind.choices)})"
    if option.default not in ("none", "empty"):
        text += f" [{option.default}]"
    if kind.is_switch:
        return HelpRow(option.off_flag.replace("no-", "[no-]", 1), text)
    plain = kind.text.removeprefix("list of ").removesuffix(" or none")
    word = "NAME" if kind.choices else _WORDS.get(plain, "VALUE")
    return HelpRow(f"{option.flag} {word}{' ...' if kind.many else ''}", text)


def render_section(heading: str, rows: Iterable[HelpRow], width: int, column: int = _COLUMN) -> list[str]:
    """A heading and its rows, whose texts begin at a column; one too long for a line goes on below itself."""
    lines = [f"{heading}:"]
    for row in rows:
        flag = f"  {row.flag}"
        texts = textwrap.wrap(row.text, width - column, break_on_hyphens=False) or [""]  # names of models stay whole
        if len(flag) > column - 2:
            lines.append(flag)
        else:
            lines.append(f"{flag:<{column}}{texts.pop(0)}".rstrip())
        lines += [" " * column + text for text in texts]
    return lines


def render_paragraphs(text: str, width: int) -> list[str]:
    """The paragraphs of a docstring."""
    paragraphs: Sequence[str] = [" ".join(part.split()) for part in text.strip().split("\n\n")]
    lines: list[str] = []
    for paragraph in paragraphs:
        lines += [*textwrap.wrap(paragraph, width, break_on_hyphens=False), ""]
    return lines

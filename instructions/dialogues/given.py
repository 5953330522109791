"""Files that people hand to dialogues: not too large, and each fault in one line that names file, row and field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from instructions.errors import InstructionError
from recon.given_files import read_given_text

_Given = TypeVar("_Given")
_Value = TypeVar("_Value")
_Line = TypeVar("_Line", bound=BaseModel)


def read_given(path: Path, where: str, most_bytes: int) -> str:
    """The text of a file; `where` names it.

    Raises:
        InstructionError: If it cannot be read or is too large.
    """
    try:
        size = path.stat().st_size
        if size > most_bytes:
            raise InstructionError(f"{where}: {size} bytes, need at most {most_bytes}")
        return read_given_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise InstructionError(f"{where}: cannot be read: {error}") from error


def read_given_lines(path: Path, where: str, line: type[_Line], most_bytes: int) -> Iterator[tuple[str, _Line]]:
    """The rows of a JSONL file, each with what names it.

    Raises:
        InstructionError: As `read_given`, and for a row that does not fit.
    """
    for number, text in enumerate(read_given(path, where, most_bytes).splitlines(), start=1):
        if text.strip():
            at = f"{where}:{number}"
            yield at, check_given(line.model_validate_json, text, at)


def check_given(validate: Callable[[_Given], _Value], value: _Given, where: str) -> _Value:
    """What pydantic makes of a value.

    Raises:
        InstructionError: Naming the first field that does not fit.
    """
    try:
        return validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        message, field = first["msg"].lower(), ".".join(str(part) for part in first["loc"]) or "the line"
        if first["type"] == "json_invalid":
            raise InstructionError(f"{where}: not valid JSON: {message.removeprefix('invalid json: ')}") from error
        if first["type"] == "unexpected_keyword_argument":  # of a dataclass
            message = "extra inputs are not permitted"
        raise InstructionError(f"{where}: {field}: {message}") from error

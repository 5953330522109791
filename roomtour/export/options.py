"""Options of a format from words such as `val_share=0.1`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from pydantic import ValidationError

from roomtour.errors import RoomtourError, did_you_mean
from roomtour.export.core.format import ExportFormat, tell_misfit
from roomtour.export.core.ledger import ExportOptions


def parse_options(kind: ExportFormat, given: Sequence[str]) -> ExportOptions:
    """The options of a format with the given ones set.

    Args:
        kind: The format.
        given: Each `name=value`.

    Raises:
        RoomtourError: For a word without `=`, an unknown name (naming the known ones), or a value that does not fit.
    """
    known = [field.name for field in fields(kind.options)]
    values = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not equals or name not in known:
            near = did_you_mean(name, known) if name not in known else ""
            raise RoomtourError(f"--options {word}: format {kind.name} takes name=value with {', '.join(known)}.{near}")
        values[name] = value
    try:
        return kind.make_options(values)
    except ValidationError as error:
        name, told = tell_misfit(error)
        given_text = f"{name}={values[name]}" if name in values else " ".join(given)
        raise RoomtourError(f"--options {given_text}: {told}") from error

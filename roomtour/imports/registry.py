"""The formats that runs are imported from, by name."""

from __future__ import annotations

from collections.abc import Mapping

from roomtour.errors import UsageError, did_you_mean
from roomtour.imports import images, sprite, vsi
from roomtour.imports.records import ImportFormat

FORMATS: Mapping[str, ImportFormat] = {one.name: one for one in (images.FORMAT, sprite.FORMAT, vsi.FORMAT)}


def get_import_format(name: str) -> ImportFormat:
    """The format of a name.

    Raises:
        UsageError: For a name that is none, with the nearest.
    """
    if name not in FORMATS:
        raise UsageError(f"--format {name}: no such format.{did_you_mean(name, FORMATS)} Known: {', '.join(FORMATS)}")
    return FORMATS[name]

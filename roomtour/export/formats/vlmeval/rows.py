"""Rows of the tables for a person to look at: each with its picture, also where an earlier row holds it."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from roomtour.export.core.row_files import FileRow, read_row_files
from roomtour.export.formats.vlmeval.check import MOST_INDEX
from roomtour.export.formats.vlmeval.write import LETTERS, read_list_cell


def read_rows(folder: Path) -> Iterator[FileRow]:
    """Rows with `choices` in place of letters; an `image` holds bytes."""
    embedded: dict[Any, str] = {}
    for file, told in read_row_files(folder, "*.tsv"):
        row: dict[str, Any] = dict(told)
        image = row.pop("image", None) or ""
        if len(image) > MOST_INDEX:
            embedded[file, row.get("index")] = image
        else:
            image = embedded.get((file, image), "")
        if image:
            row["images"] = [{"bytes": base64.b64decode(one), "path": None} for one in read_list_cell(image)]
        row["choices"] = [text for letter in LETTERS if (text := row.pop(letter, None))]
        yield file, row

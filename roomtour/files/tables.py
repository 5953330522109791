"""Tables as text, such as TSV and CSV, whose cells may be as long as a picture."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator


def read_table(lines: Iterable[str], delimiter: str) -> Iterator[dict[str, str]]:
    """Rows by the names of the first line.

    Args:
        lines: With or without their ends.
        delimiter: Between cells.

    Raises:
        ValueError: If it is no table, or no text.
    """
    csv.field_size_limit(sys.maxsize)  # Python's default is shorter than an embedded picture
    try:
        yield from csv.DictReader(lines, delimiter=delimiter)
    except csv.Error as error:
        raise ValueError(str(error)) from error

"""Rows as a table, for pandas and Arrow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from roomtour.files.records import to_plain

if TYPE_CHECKING:
    import pyarrow as pa


def make_table(rows: Sequence[Any], kind: Any) -> pa.Table:
    """One row per record and one column per field; fields that hold records become structs.

    A column whose values have no common type, such as claims of several forms, holds each value as JSON text.
    """
    import pyarrow as pa  # 34 MB, which most commands do without

    plain = [to_plain(row, kind) for row in rows]
    names = list(dict.fromkeys(name for row in plain for name in row))
    return pa.table({name: _make_column([row.get(name) for row in plain]) for name in names})


def _make_column(values: list[Any]) -> pa.Array:
    import pyarrow as pa

    try:
        return pa.array(values)
    except pa.ArrowException:
        return pa.array([None if value is None else json.dumps(value, ensure_ascii=False) for value in values])

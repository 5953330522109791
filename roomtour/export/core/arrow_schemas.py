"""Arrow schemas from the classes by which rows are checked: a column is told once, with its type and its rule."""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pyarrow as pa

from roomtour.export.core.checking import Row

_PLAIN = {str: pa.string(), int: pa.int64(), float: pa.float64(), bytes: pa.binary()}


def columns_of(kind: type[Row]) -> dict[str, pa.DataType]:
    """Columns of rows of a class in the order of its fields, those of its bases first."""
    return {field.alias or name: type_of(field.annotation) for name, field in kind.model_fields.items()}


def schema_of(kind: type[Row]) -> pa.Schema:
    """Those columns as a schema."""
    return pa.schema(columns_of(kind))


def type_of(annotation: Any) -> pa.DataType:
    """The Arrow type of a field: what may be null is as what it is else."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return type_of(parts[0])
    if origin is Literal:
        return _PLAIN[type(parts[0])]
    if origin in (Union, UnionType):
        return type_of(next(part for part in parts if part is not type(None)))
    if origin is list:
        return pa.list_(type_of(parts[0]))
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    return pa.struct(columns_of(annotation))

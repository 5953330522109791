"""How large things usually are: the table `expected.toml`, as witnesses of a scale."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from recon.records import ExpectedSize, SizeWitness


def witness_of(name: str, measured: Sequence[float]) -> SizeWitness:
    """Things of one kind of the table.

    Args:
        name: A kind: `door height`.
        measured: One size per thing, in any unit.

    Raises:
        KeyError: For a kind that is not in the table.
    """
    row = _table()[name]
    expected = tuple(ExpectedSize(float(size), float(spread), float(share)) for size, spread, share in row["sizes"])
    return SizeWitness(name, tuple(measured), expected, noise=float(row["noise"]), trust=float(row["trust"]))


def known_kinds() -> tuple[str, ...]:
    """The kinds of the table, in its order."""
    return tuple(_table())


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(_content().decode("utf-8"))


def _content() -> bytes:
    return (files("instructions.perception.sizes") / "expected.toml").read_bytes()

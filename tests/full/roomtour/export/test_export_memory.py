"""What a row of spatial questions costs while a dataset is balanced."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from dataclasses import replace
from pathlib import Path

from roomtour.export.core.talks.blind_sample import MOST_ROWS
from roomtour.export.core.talks.questions import SpatialTalks
from tests.support.export.made_datasets import MadeDatasets


def test_memory_of_a_row_is_what_balance_needs(made: MadeDatasets, tmp_path: Path):
    """At most 500 bytes a row with its own ids, once the rows of the blind test are drawn."""
    source = SpatialTalks()
    rows = [row for row in made.spatial[0].rows["spatial"] if row.type in ("tall_predicate", "height")]

    def take(copies: range) -> int:
        for copy in copies:
            again = tuple(replace(row, id=f"{row.id}-{copy}", twin=f"{row.twin}-{copy}") for row in rows)
            for _ in source.take(replace(made.spatial[0], rows={"spatial": again}), "train"):
                pass
        return len(rows) * len(copies)

    full = MOST_ROWS // min(Counter(row.type for row in rows).values()) + 1
    tracemalloc.start()
    try:
        take(range(full))
        before, _ = tracemalloc.get_traced_memory()
        taken = take(range(full, 2 * full))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (after - before) / taken <= 500

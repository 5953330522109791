"""How the rows of a kind of data are written: kept and rejected apart, with counts that add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from instructions.language.budget import Usage
from instructions.rows import Row, RowCounts, count_rows
from roomtour.artifacts import KEPT_ROWS, REJECTED_ROWS, ROW_COUNTS, Artifact
from roomtour.files.records import to_plain, write_json
from roomtour.kinds import count_families
from roomtour.stages.context import Counts, StageContext


def write_rows(
    context: StageContext,
    kind: str,
    rows: Sequence[Row],
    besides: Mapping[Artifact[Any], Sequence[Row]] | None = None,
    more: Mapping[str, object] | None = None,
) -> Counts:
    """Write all rows of a kind to its folder.

    Args:
        context: Of the kind's stage.
        kind: Name of the kind.
        rows: Kept and rejected, in the order wanted.
        besides: Rows in files of their own, kept and rejected together; counted apart, by the name of the file.
        more: Further counts for the kind's `counts.json`, by name.

    Returns:
        What the summary tells: rows kept under the name of the kind's rows, and rejected ones.
    """
    kept_file, rejected_file = KEPT_ROWS[kind], REJECTED_ROWS[kind]
    kept = [row for row in rows if row.accepted]
    rejected = [row for row in rows if not row.accepted]
    context.write(kept_file, kept)
    context.write(rejected_file, rejected)
    counts = to_plain(count_rows(rows), RowCounts)
    for artifact, others in (besides or {}).items():
        context.write(artifact, others)
        counts.setdefault("besides", {})[artifact.name] = to_plain(count_rows(others), RowCounts)
    counts["families"] = count_families(kept)
    counts.update(more or {})
    write_json(context.out(ROW_COUNTS[kind]), counts)
    return {kept_file.name: len(kept), "rejected": len(rejected)}


def count_usage(usage: Usage, what: str = "") -> Counts:
    """What the summary tells of questions to a language model, `what` before each name."""
    return {
        f"{what}questions": usage.questions,
        f"{what}from cache": usage.from_cache,
        f"{what}prompt tokens": usage.prompt_tokens,
        f"{what}reply tokens": usage.reply_tokens,
    }

"""Only texts that people found good, where an export asks for that."""

from __future__ import annotations

from dataclasses import replace

from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData


def keep_rated(run: RunData, ledger: Ledger, options: ExportOptions) -> RunData:
    """The run without the accepted texts that nobody rated, or that were rated too low; both are counted as dropped.

    What a view shows follows a rule, so single views go out only if they were rated too low.
    """
    least = options.min_rating
    if not least:
        return run
    if not run.ratings and any(told.accepted for told in run.instructions):
        message = "no text has a rating that counts; roomtour review RUN --summary says whether ratings are outdated"
        ledger.warn("export.no_ratings", f"tour {run.scene.id}", message)
    kept = []
    for told in run.instructions:
        score = run.ratings.get(told.id)
        if not told.accepted or (score is not None and score >= least):
            kept.append(told)
        else:
            ledger.dropped["text without a rating" if score is None else f"text rated below {least:g}"] += 1
    views = [view for view in run.view_descriptions if run.ratings.get(view.id, least) >= least]
    if len(views) < len(run.view_descriptions):
        ledger.dropped[f"view rated below {least:g}"] += len(run.view_descriptions) - len(views)
    return replace(run, view_descriptions=tuple(views)).with_rows("navigation", kept)

"""Only what people found good: texts rated high enough, and dialogues that nobody rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace

from instructions.dialogues.options import MixOptions
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.files.reviews import DIALOGUE_RATINGS, count_strata, find_rejected, stratum_of


def _read_mix(provenance: Mapping[str, object]) -> dict[str, float]:
    """The shares of kinds that a run was asked for; the defaults where its manifest has none."""
    found: object = provenance.get("options")
    for name in ("dialogues", "mix"):
        found = found.get(name) if isinstance(found, Mapping) else None
    told = found if isinstance(found, Mapping) else {}
    shares = {name: told.get(name, share) for name, share in asdict(MixOptions()).items()}
    return {name: float(share) for name, share in shares.items() if isinstance(share, float | int)}


def withhold_failed(run: RunData, ledger: Ledger) -> RunData:
    """The run without the dialogues that somebody rejected, and without strata that failed the check of a tenth.

    What is left out is counted; strata are told as findings, and the card says what people have judged.
    """
    rows = run.rows.get("dialogues")
    if not rows:
        return run
    kept = [row for row in rows if row.accepted]
    matched = DIALOGUE_RATINGS.match(run.dialogue_ratings, kept)[0]
    strata = count_strata(kept, matched)
    rejected = find_rejected(matched)
    failed = {name for name, one in strata.items() if one.standing == "failed"}
    dropped: Counter[str] = Counter()
    out = []
    for row in rows:
        if row.id in rejected:
            dropped["dialogue that a person rejected"] += 1
        elif row.accepted and stratum_of(row) in failed:
            dropped["dialogue of a stratum that failed its check"] += 1
        else:
            out.append(row)
    ledger.dropped.update(dropped)
    ledger.dialogue_kinds.update(row.kind for row in out if row.accepted)
    ledger.dialogue_mix.update(_read_mix(run.provenance))
    for name in sorted(failed):
        one = strata[name]
        message = (
            f"{name}: people accept {one.accepted} of the {one.rated} rows they judged, by the 95 % interval at least "
            f"{one.bound:.0%}, need 80 %; its {one.rows} rows are withheld. Mend what wrote them and make them anew"
        )
        ledger.warn("export.stratum_withheld", f"tour {run.scene.id}", message)
    by_model = [one for one in strata.values() if not one.name.endswith(" embedded")]
    ledger.card_notes += [
        f"Tour {run.scene.id}: {one.name}: {one.rated} of {one.rows} rows judged by people, {one.accepted} accepted "
        f"({'check passed' if one.standing == 'passed' else 'the check of a tenth is not done'})."
        for one in [*by_model, *(one for one in strata.values() if one.name.endswith(" embedded") and one.rated)]
        if one.standing != "failed"
    ]
    return run.with_rows("dialogues", out)


def keep_rated(run: RunData, ledger: Ledger, options: ExportOptions) -> RunData:
    """The run without the accepted texts that nobody rated, or that were rated too low; both are counted as dropped.

    What a view shows follows a rule, so single views go out only if they were rated too low.
    """
    least = options.min_rating
    if not least:
        return run
    if not run.ratings and any(instruction.accepted for instruction in run.instructions):
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

"""Write finished runs as one dataset: each tour passes through once, so memory does not grow with their number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pydantic import ValidationError

from instructions.dialogues.options import MixOptions
from recon.findings import Finding
from roomtour.errors import RoomtourError
from roomtour.export.card import render_card
from roomtour.export.core.folder import CARD, MARKER, fresh_folder, read_marker, write_marker, write_sums
from roomtour.export.core.format import ExportFormat, tell_misfit
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import ExportReport, RunData
from roomtour.export.core.run_files import hide_in_pictures
from roomtour.export.core.walks.ways import add_further_walks
from roomtour.export.registry import FORMATS, get_format
from roomtour.files.reviews import DIALOGUE_RATINGS, count_strata, find_rejected, stratum_of
from roomtour.kinds import require_kinds

_SAFE_NAME = re.compile(r"[A-Za-z0-9_-]+")


def export_runs(
    runs: Iterable[RunData],
    format: str,
    out: Path | str,
    options: ExportOptions | None = None,
    *,
    kinds: Sequence[str] | None = None,
    allow_errors: bool = False,
) -> ExportReport:
    """Write runs as one dataset.

    Args:
        runs: One per tour; may be a generator, two tours at most are held at a time.
        format: Name of a format of the registry.
        out: New or empty folder, or an earlier export as it was written, which is replaced when the new one is whole.
        options: The format's options; its defaults if None.
        kinds: Kinds of data to write; all that the format holds and a run has if None.
        allow_errors: Also write tours with an error finding; the card then begins with it. Else they are left out.

    Returns:
        Counts, and what was left out and why. No runs give an empty dataset.

    Raises:
        RoomtourError: For an unknown format, a kind of data that it does not hold, a folder that is not ours or cannot
            be written, two tours of one name, or a format that needs metres, or a stage, that no tour has; if every
            tour has an error finding.
    """
    kind = get_format(format)
    options = kind.options() if options is None else options
    if not isinstance(options, kind.options):
        raise RoomtourError(f"format {format} takes {kind.options.__name__}, got {type(options).__name__}")
    try:
        kind.make_options(asdict(options))
    except ValidationError as error:
        raise RoomtourError("format {}: option {}: {}".format(format, *tell_misfit(error))) from error
    held = _held_kinds(kind, kinds)
    stream = iter(run.only_kinds(held) for run in runs)
    head = list(islice(stream, 2))
    replaced = read_marker(Path(out))
    with fresh_folder(Path(out)) as folder, TemporaryDirectory() as hidden:
        ledger = Ledger(out=folder, nested=len(head) > 1)
        tours = _tours(chain(head, stream), kind, ledger, options, allow_errors, Path(hidden), kinds)
        with ledger.files:
            kind.write(tours, ledger, options)
        ledger.dropped = +ledger.dropped  # without what was counted as 0
        (folder / CARD).write_text(render_card(kind, ledger, options), encoding="utf-8")
        files = sorted(entry.name for entry in folder.iterdir() if entry.name != MARKER)
        write_marker(folder, _facts(kind, ledger, options), files)
        write_sums(folder)
    counts, dropped = dict(ledger.counts), dict(ledger.dropped)
    return ExportReport(format, Path(out), counts, dropped, tuple(ledger.findings), replaced)


def _tours(
    runs: Iterable[RunData],
    kind: ExportFormat,
    ledger: Ledger,
    options: ExportOptions,
    allow_errors: bool,
    hidden: Path,
    kinds: Sequence[str] | None,
) -> Iterator[RunData]:
    """The runs this format can take, each noted in the ledger, with pictures that show nothing that is to be hidden."""
    seen: set[str] = set()
    refusals: list[str] = []
    held = _held_kinds(kind, kinds)
    for run in runs:
        tour = run.scene.id
        if not _SAFE_NAME.fullmatch(tour):
            raise RoomtourError(f"tour {tour!r}: its name may hold letters, digits, '-' and '_' only; rename the run")
        if tour in seen:
            raise RoomtourError(f"tour {tour}: two runs have this name, so their rows could not be told apart")
        seen.add(tour)
        refusal = next(_find_refusals(run, kind, options, allow_errors, held), None)
        if refusal is not None:
            ledger.dropped[refusal.counted] += 1
            ledger.findings.append(refusal.finding)
            refusals.append(f"tour {tour}: {refusal.message or refusal.finding.message}")
            continue
        if allow_errors:
            ledger.errors += [f"tour {tour}: {finding.message} [{finding.code}]" for finding in _errors_of(run)]
        left_out = kind.list_left_out(run, kinds)
        if left_out:
            message = f"not made, so left out: {', '.join(left_out)} (roomtour process --until {left_out[-1]})"
            ledger.warn("export.not_made", f"tour {tour}", message)
        ledger.enter(run, options.split_of(tour, run.facts.home))
        shown = hide_in_pictures(run, options.hide, hidden, ledger)
        rated = keep_rated(add_further_walks(shown, ledger, options), ledger, options)
        yield withhold_failed(rated, ledger)
    if refusals and not ledger.tours:
        raise RoomtourError(refusals[0])


class _Refusal(NamedTuple):
    """Why a tour is not written."""

    counted: str
    """Among what is dropped."""
    finding: Finding
    message: str = ""
    """For the person at this machine, if it is more: the card leaves it, and names no path of it."""


def _find_refusals(
    run: RunData, kind: ExportFormat, options: ExportOptions, allow_errors: bool, held: Sequence[str]
) -> Iterator[_Refusal]:
    where, licence = f"tour {run.scene.id}", run.scene.source.licence
    if run.facts.consent == "refused":
        why = "consent is refused, so nothing of it is exported (--tour.consent when it was processed)"
        yield _Refusal("tour without consent", Finding("warning", "export.no_consent", where, why))
    wanted = [word.strip() for word in options.licences.split(",") if word.strip()]
    if wanted and licence not in wanted:
        why = f"its licence is {licence}, asked for: {', '.join(wanted)}"
        yield _Refusal("tour of another licence", Finding("warning", "export.other_licence", where, why))
    for error in () if allow_errors else _errors_of(run):
        why = f"{error.message} [{error.code}]; to export it all the same: --allow-errors"
        yield _Refusal("tour with an error finding", Finding("warning", "export.error_finding", where, why))
    if kind.needs_scale and run.scene.models and all(m.scale.status == "relative" for m in run.scene.models):
        takers = ", ".join(other.name for other in FORMATS.values() if not other.needs_scale)
        why = (
            f"its scale is relative, and format {kind.name} needs metres ({run.scene.models[0].scale.source}). Formats "
            f"that take a scene without scale: {takers}."
        )
        yield _Refusal("tour without a scale", Finding("warning", "export.no_scale", where, why))
    missing = kind.find_missing_stage(run, held)
    if missing is not None:
        why = f"format {kind.name} needs stage {missing}, which is not done"
        finding = Finding("warning", "export.no_rows", where, f"{why} (roomtour process --until {missing})")
        yield _Refusal(f"tour without {missing}", finding, f"{why}. Make it with: {run.command_for(missing)}")


def _errors_of(run: RunData) -> list[Finding]:
    return [finding for finding in run.scene.findings if finding.severity == "error"]


def _held_kinds(kind: ExportFormat, wanted: Sequence[str] | None) -> tuple[str, ...]:
    """The kinds asked for.

    Raises:
        RoomtourError: For one that is no kind, or that the format does not hold.
    """
    if wanted is None:
        return kind.kinds
    foreign = [name for name in require_kinds(wanted) if name not in kind.kinds]
    if foreign:
        takers = ", ".join(other.name for other in FORMATS.values() if foreign[0] in other.kinds) or "none"
        raise RoomtourError(
            f"--data {foreign[0]}: format {kind.name} holds {', '.join(kind.kinds) or 'poses only'}. "
            f"Formats that hold {foreign[0]}: {takers}."
        )
    return require_kinds(wanted)


def _facts(kind: ExportFormat, ledger: Ledger, options: ExportOptions) -> dict[str, object]:
    return {
        "format": kind.name,
        "options": asdict(options),
        "counts": dict(ledger.counts),
        "dropped": dict(ledger.dropped),
        "labels": dict(ledger.labels),
        "findings": [asdict(finding) for finding in ledger.findings],
        "tours": [asdict(entry) for entry in ledger.tours],
        "settings": {key: dict(value) for key, value in ledger.settings.items()},
    }


def _read_mix(provenance: Mapping[str, object]) -> dict[str, float]:
    """The shares of kinds that a run was asked for; the defaults where its manifest has none."""
    level: object = provenance.get("options")
    for name in ("dialogues", "mix"):
        level = level.get(name) if isinstance(level, Mapping) else None
    given = level if isinstance(level, Mapping) else {}
    shares = {name: given.get(name, share) for name, share in asdict(MixOptions()).items()}
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
    failed = {name for name, stratum in strata.items() if stratum.standing == "failed"}
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
        stratum = strata[name]
        message = (
            f"{name}: people accept {stratum.accepted} of the {stratum.rated} rows they judged, by the 95 % interval "
            f"at least {stratum.bound:.0%}, need 80 %; its {stratum.rows} rows are withheld. Mend what wrote them and "
            "make them anew"
        )
        ledger.warn("export.stratum_withheld", f"tour {run.scene.id}", message)
    by_model = [stratum for stratum in strata.values() if not stratum.name.endswith(" embedded")]
    ledger.card_notes += [
        f"Tour {run.scene.id}: {stratum.name}: {stratum.rated} of {stratum.rows} rows judged by people, "
        f"{stratum.accepted} accepted "
        f"({'check passed' if stratum.standing == 'passed' else 'the check of a tenth is not done'})."
        for stratum in [
            *by_model,
            *(stratum for stratum in strata.values() if stratum.name.endswith(" embedded") and stratum.rated),
        ]
        if stratum.standing != "failed"
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
    for text in run.instructions:
        score = run.ratings.get(text.id)
        if not text.accepted or (score is not None and score >= least):
            kept.append(text)
        else:
            ledger.dropped["text without a rating" if score is None else f"text rated below {least:g}"] += 1
    views = [view for view in run.view_descriptions if run.ratings.get(view.id, least) >= least]
    ledger.dropped[f"view rated below {least:g}"] += len(run.view_descriptions) - len(views)
    return replace(run, view_descriptions=tuple(views)).with_rows("navigation", kept)

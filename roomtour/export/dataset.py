"""Write finished runs as one dataset: each tour passes through once, so memory does not grow with their number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import chain, islice
from pathlib import Path

from roomtour.errors import RoomtourError
from roomtour.export.card import render_card
from roomtour.export.core.augment import add_further_walks
from roomtour.export.core.folder import CARD, MARKER, fresh_folder, write_marker
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.rated import only_rated
from roomtour.export.core.records import ExportReport, RunData
from roomtour.export.registry import FORMATS, get_format

_SAFE_NAME = re.compile(r"[A-Za-z0-9_-]+")


def export_runs(
    runs: Iterable[RunData], format: str, out: Path | str, options: ExportOptions | None = None
) -> ExportReport:
    """Write runs as one dataset.

    Args:
        runs: One per tour; may be a generator, two tours at most are held at a time.
        format: Name of a format of the registry.
        out: New or empty folder, or an earlier export, which is replaced when the new one is whole.
        options: The format's options; its defaults if None.

    Returns:
        Counts, and what was left out and why. No runs give an empty dataset.

    Raises:
        RoomtourError: For an unknown format, a folder that is not ours or cannot be written, two tours of one name, or
            a format that needs metres where no tour has a scale.
    """
    kind = get_format(format)
    options = kind.options() if options is None else options
    if not isinstance(options, kind.options):
        raise RoomtourError(f"format {format} takes {kind.options.__name__}, got {type(options).__name__}")
    stream = iter(runs)
    head = list(islice(stream, 2))
    with fresh_folder(Path(out)) as folder:
        ledger = Ledger(out=folder, nested=len(head) > 1)
        kind.write(_tours(chain(head, stream), kind, ledger, options), ledger, options)
        (folder / CARD).write_text(render_card(kind, ledger, options), encoding="utf-8")
        files = sorted(entry.name for entry in folder.iterdir() if entry.name != MARKER)
        write_marker(folder, _facts(kind, ledger, options), files)
    return ExportReport(format, Path(out), dict(ledger.counts), dict(ledger.dropped), tuple(ledger.findings))


def _tours(runs: Iterable[RunData], kind: ExportFormat, ledger: Ledger, options: ExportOptions) -> Iterator[RunData]:
    """The runs this format can take, each noted in the ledger."""
    seen: set[str] = set()
    refusals: list[str] = []
    for run in runs:
        tour = run.scene.id
        if not _SAFE_NAME.fullmatch(tour):
            raise RoomtourError(f"tour {tour!r}: its name may hold letters, digits, '-' and '_' only; rename the run")
        if tour in seen:
            raise RoomtourError(f"tour {tour}: two runs have this name, so their rows could not be told apart")
        seen.add(tour)
        if kind.needs_scale and run.scene.models and all(m.scale.status == "relative" for m in run.scene.models):
            ledger.dropped["tour without a scale"] += 1
            refusals.append(_no_scale(run, kind.name))
            ledger.warn("export.no_scale", f"tour {tour}", refusals[-1])
            continue
        ledger.enter(run, options.split_of(tour))
        yield only_rated(add_further_walks(run, ledger, options), ledger, options)
    if refusals and not ledger.tours:
        raise RoomtourError(refusals[0])


def _no_scale(run: RunData, format: str) -> str:
    takers = ", ".join(kind.name for kind in FORMATS.values() if not kind.needs_scale)
    return (
        f"tour {run.scene.id}: its scale is relative, and format {format} needs metres "
        f"({run.scene.models[0].scale.source}). Formats that take a scene without scale: {takers}."
    )


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

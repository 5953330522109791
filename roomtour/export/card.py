"""The dataset card: what lies in the folder, by which conventions, what is missing, and where it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from recon.numerals import count
from recon.records import ScaleStatus
from roomtour.export.benchmark_tasks import match_tasks
from roomtour.export.core.ledger import ExportOptions, Ledger

if TYPE_CHECKING:
    from roomtour.export.registry import ExportFormat

_SCALE_MEANING: Mapping[ScaleStatus, str] = {
    "metric": "lengths are metres, from a sensor, a metric depth model or several kinds of things of known size",
    "assumed": "lengths are **assumed** metres: they rest on a prior such as the camera height, not on a measurement",
    "relative": "lengths have no scale; they are in units of the reconstruction, not metres",
}
_CHECKS = """\
`roomtour validate DATASET` compares every file with `SHA256SUMS`, and finds any change. Where the sums were removed, or
made anew after a change, it still finds rows that lack a field or contradict another file, pictures that are cut short,
numbers that are no rotation or no camera, and marks of chat templates in texts. It then cannot see:

* rows and pictures that are gone where no other file names them;
* pictures of the right size that show something else: black, exchanged, or of another place;
* texts, labels and answers that are well formed and say something else;
* poses that were exchanged or moved, and focal lengths of another camera."""


_FACTS = ("title", "author", "url", "consent", "retrieved", "home")
"""Facts of a tour that get a column as soon as one tour has them; the licence always has."""


def render_card(kind: ExportFormat, ledger: Ledger, options: ExportOptions) -> str:
    """The card as Markdown."""
    tours = ledger.tours
    statuses, splits = (Counter(getattr(tour, name) for tour in tours) for name in ("scale_status", "split"))
    scale = [
        f"* Scale `{status}` ({count(statuses[status], 'tour')}): {meaning}."
        for status, meaning in _SCALE_MEANING.items()
        if status in statuses
    ]
    notes = "\n".join([kind.convention, *(f"* {note}" for note in ledger.card_notes)])
    rule = f"By tour, never inside one (share of `val` {options.val_share:g}, seed {options.seed})."
    # What is wrong with tours that were exported with `--allow-errors` comes first.
    errors = "\n".join(f"> * {error}" for error in ledger.errors)
    sections = [
        *([f"{_WRONG}{errors}\n"] if errors else []),
        f"# {kind.name} export\n",
        f"{kind.summary[0].upper()}{kind.summary[1:]}. Made by roomtour; loaded by {kind.client}.\n",
        f"## Convention\n\n{notes}\n\n{chr(10).join(scale) or 'No tours.'}\n",
        f"## Counts\n\n{_table(('what', 'count'), sorted(ledger.counts.items()))}\n",
        f"## Splits\n\n{rule}\n\n{_table(('split', 'tours'), sorted(splits.items()))}\n",
        f"## Label balance\n\n{_balance(ledger)}\n{_mix(ledger)}",
        *_benchmarks(ledger),
        f"## Dropped\n\n{_format_dropped(ledger)}\n",
        f"## Provenance and licence\n\n{_provenance(ledger)}\n",
        f"## Checks\n\n{_CHECKS}\n",
    ]
    return ledger.card_header + "\n".join(sections)


_WRONG = """\
> **Errors: the geometry of these tours is wrong, and was exported because it was asked for.**
>
"""


def _mix(ledger: Ledger) -> str:
    """Kinds of dialogues, wanted and got; nothing for data without any."""
    total, whole = ledger.dialogue_kinds.total(), sum(ledger.dialogue_mix.values())
    if not total or not whole:
        return ""
    rows = [
        (kind, f"{share / whole:.1%}", f"{ledger.dialogue_kinds[kind] / total:.1%}")
        for kind, share in ledger.dialogue_mix.items()
    ]
    lead = "Dialogues by kind; what lacks is told, never repeated, so that training can weigh kinds:"
    return f"\n{lead}\n\n{_table(('kind', 'wanted', 'got'), rows)}\n"


def _balance(ledger: Ledger) -> str:
    total = sum(ledger.labels.values())
    if not total:
        return "This format has no action labels."
    rows = [(label, f"{count} ({count / total:.1%})") for label, count in ledger.labels.most_common()]
    return f"Steps by action, of {total}:\n\n{_table(('action', 'steps'), rows)}"


def _benchmarks(ledger: Ledger) -> list[str]:
    """The section about public benchmarks; none for data without such questions."""
    rows = match_tasks(ledger.question_types)
    if not rows:
        return []
    return [
        "## Benchmarks\n\nTasks of public benchmarks that ask for the same relations; their words, pictures and "
        f"options are their own.\n\n{_table(('benchmark', 'task', 'types here'), rows)}\n"
    ]


def _format_dropped(ledger: Ledger) -> str:
    rows = sorted(ledger.dropped.items(), key=lambda item: (-item[1], item[0]))
    text = _table(("reason", "count"), rows) if rows else "Nothing."
    return "\n".join([text, *(f"* {finding}" for finding in ledger.findings)])


def _provenance(ledger: Ledger) -> str:
    columns = ("tour", "split", "source", "sha256", "licence", "scale", "registered", "models", "made by", "settings")
    known = [name for name in _FACTS if any(name in entry.facts for entry in ledger.tours)]
    rows = [
        (
            entry.tour,
            entry.split,
            entry.source,
            entry.source_sha256[:12],
            entry.licence,
            f"{entry.scale_status}: {entry.scale_source}",
            f"{entry.registered} of {entry.frames}",
            entry.models,
            entry.software,
            entry.settings,
            *(entry.facts.get(name, "") for name in known),
        )
        for entry in ledger.tours
    ]
    table = _table((*columns, *known), rows)
    unknown = sum(entry.licence.strip().lower() in ("", "unknown") for entry in ledger.tours)
    if unknown:
        table += (
            f"\n\n**The licence of {unknown} of {count(len(rows), 'tour')} is unknown: settle it before publishing.**"
        )
    return f"{table}\n\nThe settings are in `export.json`: options and library versions of each run."


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    if not rows:
        return "None."
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(_cell(value) for value in line) + " |" for line in lines)


def _cell(value: object) -> str:
    return " ".join(str(value).replace("|", "\\|").split())

"""`roomtour export` and `roomtour validate`: runs to a dataset, and whether one keeps the rules of its format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import tyro

from recon.numerals import count
from roomtour.cli.console import OUT, complain, tell
from roomtour.cli.parsing.flags import require_runs
from roomtour.errors import RoomtourError, UsageError

_NAMED = 5
_SHOWN_FINDINGS = 8


def export(
    runs: tyro.conf.Positional[tuple[Path, ...]] = (),
    /,
    format: str | None = None,
    out: Path | None = None,
    data: tuple[str, ...] = (),
    options: tuple[str, ...] = (),
    features: str | None = None,
    hide: str | None = None,
    allow_errors: bool = False,
    push_to_hub: str | None = None,
    public: bool = False,
    list: bool = False,
) -> int:
    """Write runs as a dataset that training code loads.

    Args:
        runs: Run folders made by `roomtour process`, or the folder of a job (`roomtour batch`), which stands for all of
            its tours; those that it gave up are left out, and told.
        format: Name of a format; `--list` tells them.
        out: Where the dataset goes; a new folder, or an earlier export.
        data: Kinds of data to write; all that the format holds and the runs have if not given.
        options: Options of the format as `name=value`, such as `val_share=0.1`; `--list` tells them.
        features: Image encoder (local folder, or id in the Hugging Face cache) for the feature files of the
            reference loader; the same as the option `features=...` of format roomtour3d.
        hide: What is pixelated in every picture, `person`, `screen` or `person,screen`, found by the light models; the
            same as the option `hide=...` of every format. What a run was processed with is hidden in any case.
        allow_errors: Also write tours with an error finding, whose geometry is wrong; the dataset card begins with it.
        push_to_hub: Upload the dataset (format hf) to this dataset of the Hugging Face hub, `OWNER/NAME`, made if
            absent, with your token from HF_TOKEN or `hf auth login`. Private, unless `--public` is given.
        public: Everybody may see what `--push-to-hub` uploads.
        list: Print the formats with what each needs, what loads it and its options; write nothing.
    """
    if list:
        return _list_formats()
    if public and push_to_hub is None:
        raise UsageError("--public says who sees what --push-to-hub OWNER/NAME uploads; it does nothing without")
    require_runs("export", runs, "RUN... --format FORMAT --out FOLDER")
    if format is None or out is None:
        raise UsageError("export: needs --format and --out; `roomtour export --list` lists the formats")
    from roomtour.batch.again import choose_runs, note_export
    from roomtour.export.core.folder import CARD
    from roomtour.export.dataset import export_runs
    from roomtour.export.push import open_hub, push_dataset
    from roomtour.export.registry import get_format, parse_options
    from roomtour.run import Run

    named = {"features": features, "hide": hide}
    given = (*options, *(f"{name}={value}" for name, value in named.items() if value is not None))
    parsed = parse_options(get_format(format), given)
    hub = None if push_to_hub is None else open_hub(push_to_hub, format)
    chosen, left_out = choose_runs(runs)
    for state, number in Counter(left_out.values()).items():
        names = [name for name, tour_state in left_out.items() if tour_state == state]
        tell(f"left out, {state}: {count(number, 'tour')}: {', '.join(names[:_NAMED])}{', ...' * (number > _NAMED)}")
    if not chosen:
        raise RoomtourError("none of these tours came to an end that can be exported; see roomtour batch status")
    tours = (Run(run).data for run in chosen)
    note_export(chosen, out)  # first: who forgets a tour looks into what is noted, and finds nothing that is not
    report = export_runs(tours, format, out, parsed, kinds=data or None, allow_errors=allow_errors)
    tell(f"{format}: {_counts(report.counts)} -> {out}")
    if report.replaced is not None:
        tell(f"  in place of what an earlier export wrote: {_describe(report.replaced)}")
    for reason, number in report.dropped.items():
        tell(f"  dropped {number}: {reason}")
    for finding in report.findings[:_SHOWN_FINDINGS]:
        tell(f"  {finding}")
    if len(report.findings) > _SHOWN_FINDINGS:
        tell(f"  and {len(report.findings) - _SHOWN_FINDINGS} more in {out / CARD}")
    if push_to_hub is not None and hub is not None:
        seen = push_dataset(out, push_to_hub, hub, public=public)
        tell(f"  uploaded to the dataset {push_to_hub} of the hub, which is {seen}")
    return 0


def validate(path: tyro.conf.Positional[Path], /, format: str | None = None) -> int:
    """Check an exported dataset against the rules of its format.

    Args:
        path: A folder made by `roomtour export`.
        format: Its format; read from the folder if not given.
    """
    from roomtour.export.core.folder import CARD, SUMS, has_sums
    from roomtour.export.validate import validate_export

    problems = validate_export(path, format)
    for problem in problems:
        tell(problem)
    if problems:
        complain(f"{path}: {count(len(problems), 'problem')}")
        return 1
    tell(f"{path}: valid")
    if not has_sums(path):
        tell(
            f"{path}: without {SUMS}, so it was not compared with what was exported; {CARD} says under Checks what "
            "cannot be seen then"
        )
    return 0


def _list_formats() -> int:
    from roomtour.export.registry import FORMATS

    for kind in FORMATS.values():
        OUT.print(kind.name, style="bold", markup=False)
        for label, text in (
            ("", kind.summary),
            ("needs: ", kind.needs),
            ("loaded by: ", kind.client),
            ("options: ", ", ".join(f"{name}={_short(value)}" for name, value in asdict(kind.options()).items())),
            ("holds: ", ", ".join(kind.kinds)),
            ("shows where known: ", ", ".join(name.replace("_", " ") for name in kind.shows)),
        ):
            if text:
                tell(f"  {label}{text}")
    return 0


def _describe(marker: Mapping[str, Any]) -> str:
    """An earlier export by what its `export.json` says."""
    tours = [str(entry["tour"]) for entry in marker.get("tours", ())]
    named = ", ".join(tours[:_NAMED]) + ", ..." * (len(tours) > _NAMED)
    return f"{marker.get('format', 'unfinished')}: {_counts(marker.get('counts', {}))} ({named})"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {_singular(name) if n == 1 else name}" for name, n in counts.items())


def _short(value: object) -> object:
    return round(value, 3) if isinstance(value, float) else value


def _singular(noun: str) -> str:
    return f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s")

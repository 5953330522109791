"""`roomtour show`: the summary of a run, its headline figures first."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import tyro
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from recon.numerals import count, format_measured, percent
from roomtour.cli.console import OUT, complain, tell
from roomtour.drawing.text import duration, printable

if TYPE_CHECKING:
    from roomtour.run import Run
    from roomtour.summary import RunSummary
    from roomtour.verdict import Verdict

_SHOWN_CAUSES = 8


def show(run: tyro.conf.Positional[Path], /) -> int:
    """Print the summary of a run again.

    Args:
        run: A run folder made by `roomtour process`.
    """
    from roomtour.run import Run

    print_run(Run(run))
    return 0


def print_run(run: Run) -> bool:
    """Print the summary, or what is done so far; the verdict comes first. False if there is an error finding.

    What the verdict tells whole is not told again. What carries an error is not exported unasked.
    """
    from roomtour.files.disk import count_bytes
    from roomtour.store import RunStore
    from roomtour.verdict import group_causes

    has_errors = any(finding.severity == "error" for finding in run.findings)
    causes = group_causes(run.findings)
    if "scene" in run.stages:
        OUT.print(render_verdict(run.verdict), soft_wrap=True)
        causes = [cause for cause in causes if cause.said not in run.verdict.reasons]
    if not run.is_readable:
        done = ", ".join(run.stages) or "none"
        tell(f"{run.path}: stages done: {done}")
        for cause in causes:
            tell(f"  {cause}")
        if "scene" in run.stages and run.scene_outline.models:
            _tell_of_poses(run, " --allow-errors" if has_errors else "")
        return not has_errors
    OUT.print(render_summary(run.summary(), run.perception))
    OUT.print()
    for name, path in run.files.items():
        tell(f"{name:<15}{path}")
    dropped = ", without matches and unmerged models (--keep all)" if RunStore(run.path).has_dropped else ""
    tell(f"{'disk':<15}{count_bytes(run.path) / 1e6:.1f} MB{dropped}")
    serious = [cause for cause in causes if cause.head.severity != "info"]
    if serious:
        OUT.print()
    for cause in serious[:_SHOWN_CAUSES]:
        tell(cause)
    if len(serious) > _SHOWN_CAUSES:
        tell(f"and {len(serious) - _SHOWN_CAUSES} more in the report")
    if not run.scene_outline.models:
        complain(f"{run.path}: no part of the tour could be reconstructed: {', '.join(run.verdict.codes)}")
    return not has_errors


def _tell_of_poses(run: Run, more: str) -> None:
    """Where the poses of a run lie that was stopped behind its scene, and how to write them for other programs."""
    from roomtour.artifacts import SCENE

    OUT.print()
    tell(f"{'poses':<15}{run.path / SCENE.path / 'models'} (COLMAP, world z up)")
    command = shlex.join(["roomtour", "export", str(run.path), "--format", "tum", "--out", "DATASET"])
    tell(f"{'export':<15}{command}{more} (or colmap, nerfstudio, ...: roomtour export --list)")


_PERCEPTION = {
    "landmarks": 'landmarks, without names; for names: pip install "roomtour[light]", then roomtour models pull light',
    "light": "light models, and landmarks where nothing has a name",
    "models": "large models",
    "server": "a server that sees, beside light models or landmarks",
}
"""What a kind of perception gave, and how to get better."""


_WITHOUT_MODEL = ("source", "frames", "registered", "models", "scale", "findings")
"""The rows that say something where nothing was reconstructed."""


def render_summary(summary: RunSummary, perception: str = "") -> RenderableType:
    """The summary for the terminal: one aligned table of figures, and what named the things where that is known."""
    table = Table.grid(padding=(0, 3))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in _rows(summary, _PERCEPTION.get(perception, perception)):
        table.add_row(label, value)
    return Group(Text(printable(summary.scene), style="bold"), table)


def render_verdict(verdict: Verdict) -> Text:
    """The verdict for the terminal, coloured by its level."""
    style = {"good": "bold green", "warn": "bold yellow", "bad": "bold red"}[verdict.mark]
    codes = f" [{', '.join(verdict.codes)}]" if verdict.codes else ""
    return Text.assemble((verdict.words, style), printable(str(verdict).removeprefix(verdict.words) + codes))


def _rows(summary: RunSummary, perception: str) -> list[tuple[str, Text]]:
    from roomtour.summary import say_yield, scale_phrase

    models = count(summary.models, "model")
    if summary.models > 1:
        models += f", the largest holds {percent(summary.largest_model_share)} of the frames"
    walked = ""
    if summary.path_length is not None:
        sigma = summary.path_length * (summary.scale_sigma or 0.0)
        assumed = " (assumed)" if summary.scale_status == "assumed" else ""
        walked = f"{format_measured(summary.path_length, sigma, most=1)} m{assumed}"
    turns = summary.turns_on_the_spot
    rejected = f", {summary.instructions_rejected} rejected" if summary.instructions_rejected else ""
    rows = [
        ("source", Text(f"{printable(summary.source)}, {duration(summary.duration_s)}")),
        ("frames", Text(f"{summary.frames}")),
        ("registered", _share(summary)),
        ("models", Text(models)),
        ("scale", Text(scale_phrase(summary))),
        ("walked", Text(walked)),
        ("view changes", Text(f"{summary.view_changes}" + (f", {turns} of them on the spot" if turns else ""))),
        ("decision points", Text(f"{summary.decisions}")),
        ("training", Text(_tell_training(summary))),
        ("objects", Text(f"{summary.objects}")),
        ("perception", Text(perception)),
        ("instructions", Text(f"{summary.instructions_accepted} written{rejected}")),
        ("yield", Text(say_yield(summary.families, summary.span_s))),
        ("findings", _findings(summary.findings)),
    ]
    if not summary.models:  # noughts that follow from that
        rows = [row for row in rows if row[0] in _WITHOUT_MODEL]
    return [(label, value) for label, value in rows if value.plain]


def _tell_training(summary: RunSummary) -> str:
    """How many trajectories, and how their steps divide among the actions: a policy learns what is frequent."""
    if not summary.training:
        return ""
    steps = sum(summary.actions.values())
    shares = ", ".join(f"{action} {percent(number / steps)}" for action, number in summary.actions.items())
    words = count(summary.training, "piece")
    return f"{words}, {steps} steps: {shares}" if steps else words


def _share(summary: RunSummary) -> Text:
    """How many frames have a pose; coloured by the largest model, for poses of several do not fit together."""
    from roomtour.verdict import SOUND_SHARE

    share = summary.largest_model_share
    style = "green" if share >= SOUND_SHARE else "yellow" if share >= 0.5 else "red"
    return Text.assemble(f"{summary.registered} ", (f"({percent(summary.registered_share)})", style))


def _findings(findings: Mapping[str, int]) -> Text:
    words = {"error": ("error", "red"), "warning": ("warning", "yellow"), "info": ("note", "")}
    parts = [(count(n, words[severity][0]), words[severity][1]) for severity, n in findings.items() if n]
    out = Text()
    for position, (text, style) in enumerate(parts):
        out.append(", " if position else "")
        out.append(text, style=style)
    return out if parts else Text("none")

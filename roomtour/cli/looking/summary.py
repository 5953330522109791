"""The headline figures of a run for the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from recon.numerals import count, format_measured, percent
from roomtour.drawing.text import duration, printable
from roomtour.summary import RunSummary, say_yield, scale_phrase
from roomtour.verdict import SOUND_SHARE, Verdict

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
        ("training", Text(_training(summary))),
        ("objects", Text(f"{summary.objects}")),
        ("perception", Text(perception)),
        ("instructions", Text(f"{summary.instructions_accepted} written{rejected}")),
        ("yield", Text(say_yield(summary.families, summary.span_s))),
        ("findings", _findings(summary.findings)),
    ]
    if not summary.models:  # noughts that follow from that
        rows = [row for row in rows if row[0] in _WITHOUT_MODEL]
    return [(label, value) for label, value in rows if value.plain]


def _training(summary: RunSummary) -> str:
    """How many trajectories, and how their steps divide among the actions: a policy learns what is frequent."""
    if not summary.training:
        return ""
    steps = sum(summary.actions.values())
    shares = ", ".join(f"{action} {percent(number / steps)}" for action, number in summary.actions.items())
    words = count(summary.training, "piece")
    return f"{words}, {steps} steps: {shares}" if steps else words


def _share(summary: RunSummary) -> Text:
    """How many frames have a pose; coloured by the largest model, for poses of several do not fit together."""
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

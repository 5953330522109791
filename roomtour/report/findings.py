"""The findings of a run by their causes: worst first, each told once, and what to try set apart."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from recon.findings import Finding
from roomtour.causes import group_causes
from roomtour.drawing.pages import render


def draw_findings(findings: Sequence[Finding]) -> Markup:
    """One line for each cause; the other findings that tell of it are a click away, and so are notes."""
    causes = group_causes(findings)
    return render(
        "report/findings.html",
        serious=[cause for cause in causes if cause.head.severity != "info"],
        notes=[cause for cause in causes if cause.head.severity == "info"],
    )

"""The findings of a run: worst first, equal ones together, and what to try set apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import Markup

from recon.findings import Finding, Severity
from roomtour.drawing.pages import render

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
OPEN_PER_CODE = 3
"""So many findings of one kind are shown at once; the rest is one click away."""

_ADVICE = re.compile(r"(?<=[.;:,]) +try:? +", re.IGNORECASE)


def draw_findings(findings: Sequence[Finding]) -> Markup:
    """All findings, grouped by severity and code, in the order they came; notes are folded."""
    groups: dict[tuple[Severity, str], list[Finding]] = {}
    for severity in SEVERITIES:
        for finding in findings:
            if finding.severity == severity:
                groups.setdefault((severity, finding.code), []).append(finding)
    return render(
        "report/findings.html",
        serious=[(severity, code, found) for (severity, code), found in groups.items() if severity != "info"],
        notes=[(severity, code, found) for (severity, code), found in groups.items() if severity == "info"],
        open_per_code=OPEN_PER_CODE,
        split_advice=split_advice,
    )


def split_advice(message: str) -> tuple[str, str]:
    """What a message says, and what comes after its `try`, which may be empty."""
    said, *advice = _ADVICE.split(message, maxsplit=1)
    return said.rstrip(" ;:,"), advice[0] if advice else ""

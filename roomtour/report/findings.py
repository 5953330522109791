"""The findings of a run: worst first, equal ones together, and what to try set apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from recon.findings import Finding, Severity
from roomtour.drawing.markup import Markup, join, tag
from roomtour.drawing.text import count, printable

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
SEVERITY_WORDS: dict[Severity, str] = {"error": "Error", "warning": "Warning", "info": "Note"}
_NOUNS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
OPEN_PER_CODE = 3
"""So many findings of one kind are shown at once; the rest is one click away."""

_ICON_PATHS: dict[Severity, str] = {
    "error": "M7 1H13L19 7V13L13 19H7L1 13V7ZM6.5 6.5L13.5 13.5M13.5 6.5L6.5 13.5",
    "warning": "M10 2L19 18H1ZM10 8V12.5M10 15V15.4",
    "info": "M10 1.5A8.5 8.5 0 1 0 10.01 1.5ZM10 9.2V14.4M10 6V6.3",
}
_ADVICE = re.compile(r"(?<=[.;:,]) +try:? +", re.IGNORECASE)


def draw_findings(findings: Sequence[Finding]) -> Markup:
    """All findings, grouped by severity and code, in the order they came."""
    if not findings:
        return tag("p", "Nothing was dropped, guessed or left unjoined.", class_="none")
    groups: dict[tuple[Severity, str], list[Finding]] = {}
    for severity in SEVERITIES:
        for finding in findings:
            if finding.severity == severity:
                groups.setdefault((severity, finding.code), []).append(finding)
    return tag("ul", [_group(severity, code, found) for (severity, code), found in groups.items()], class_="findings")


def severity_icon(severity: Severity) -> Markup:
    """A shape of its own for each severity, so colour is not needed to tell them apart."""
    shape = tag("path", d=_ICON_PATHS[severity])
    return tag(
        "svg", shape, class_=f"icon {severity}", viewBox="0 0 20 20", role="img", aria_label=SEVERITY_WORDS[severity]
    )


def severity_counts(counts: Mapping[str, int]) -> Markup | None:
    """How many of each severity, with its sign; None if there are none."""
    found = [
        tag("span", severity_icon(severity), count(counts[severity], _NOUNS[severity]))
        for severity in SEVERITIES
        if counts.get(severity)
    ]
    return tag("span", found, class_="found") if found else None


def split_advice(message: str) -> tuple[str, str]:
    """What a message says, and what comes after its `try`, which may be empty."""
    said, *advice = _ADVICE.split(message, maxsplit=1)
    return said.rstrip(" ;:,"), advice[0] if advice else ""


def _group(severity: Severity, code: str, found: Sequence[Finding]) -> Markup:
    times = tag("span", f"× {len(found)}", class_="times") if len(found) > 1 else None
    head = tag("p", tag("strong", SEVERITY_WORDS[severity]), " ", tag("code", printable(code)), " ", times)
    rest = found[OPEN_PER_CODE:]
    more = None
    if rest:
        more = tag("details", tag("summary", f"{count(len(rest), 'more finding')} of this kind"), _list(rest))
    body = tag("div", head, _list(found[:OPEN_PER_CODE]), more)
    return tag("li", severity_icon(severity), body, class_=f"finding {severity}")


def _list(found: Sequence[Finding]) -> Markup:
    return join(_one(finding) for finding in found)


def _one(finding: Finding) -> Markup:
    said, advice = split_advice(finding.message)
    where = join([tag("span", printable(finding.where), class_="where"), " "]) if finding.where else None
    hint = tag("span", tag("b", "What to try: "), advice, class_="advice") if advice else None
    return tag("p", where, said, " " if hint else None, hint)

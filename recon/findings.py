"""Findings: what was dropped, guessed, left unjoined or looks wrong, so that nothing disappears quietly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

Severity = Literal["info", "warning", "error"]


@dataclass(frozen=True)
class Finding:
    """One thing a user should know about a result.

    `code` is a stable, dotted name (`sfm.no_model`) that documentation and filters use; `where` names the stage's own
    unit (`clip 000`, `frame 17`, `model 0`); `message` says what, how far off and what to try.
    """

    severity: Severity
    code: str
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.where}: {self.message} [{self.code}]"


def count_by_severity(findings: Iterable[Finding]) -> dict[str, int]:
    """Count findings as `{"error": n, "warning": n, "info": n}`, zeros included."""
    counted = Counter(finding.severity for finding in findings)
    return {severity: counted.get(severity, 0) for severity in ("error", "warning", "info")}


@contextmanager
def attach_to_errors(findings: Iterable[Finding]) -> Iterator[None]:
    """Add findings as notes to an error that ends the block: what was found so far is often why.

    They are read when the error comes, so a list may be filled inside the block.
    """
    try:
        yield
    except Exception as error:
        for finding in findings:
            error.add_note(str(finding))
        raise

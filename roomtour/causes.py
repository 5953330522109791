"""Findings by their cause: what several stages tell of one fault is read once, with what to try set apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from recon.findings import Finding, Severity

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""Worst first."""


@dataclass(frozen=True)
class Fault:
    """What findings of several stages tell of. Where one of the leading codes is among them, the others follow."""

    leading: tuple[str, ...]
    """The best told first."""
    following: tuple[str, ...] = ()


_NOTHING_MADE = ("instructions.none", "spatial.none", "programs.none", "regions.none", "dialogues.none")
FAULTS: Mapping[str, Fault] = {
    "no model": Fault(
        ("sfm.no_model", "poses.no_points", "scene.no_model"),
        (
            "sample.dark", "sample.blank", "features.few_keypoints", "sfm.no_parallax", "sfm.weak_model",
            "sfm.tiny_model", "objects.none", "landmarks.none", *_NOTHING_MADE,
        ),
    ),
    "in pieces": Fault(
        ("merge.apart", "scene.unregistered"),
        ("merge.undone", "sfm.scale_lost", "sfm.no_parallax", "sfm.weak_model", "sfm.tiny_model"),
    ),
    "contradicted": Fault(("merge.look_alikes", "scene.contradicted"), ("scene.revisits",)),
    "not exact": Fault(
        ("sfm.less_exact", "scene.imprecise"), ("sfm.held_by_floor", "sfm.second_look")
    ),
    "the scale": Fault(
        ("scene.camera_height_odd", "scene.scale_not_measured", "scene.door_height_odd"),
        ("scene.scale_disputed", "scene.scale_assumed"),
    ),
    "nothing named": Fault(("objects.none", "landmarks.none"), _NOTHING_MADE),
}  # fmt: skip
"""In this order: a finding belongs to the first whose leading code was found, too."""

_ADVICE = re.compile(
    r"(?<=[.;:,]) +(?:try:? +|(?:so )?(?=(?:film|walk|begin|trust|process again|give|do not use)\b))", re.IGNORECASE
)
_FIGURES = re.compile(r"\d[\d.,%]*")


@dataclass(frozen=True)
class Cause:
    """Findings that tell of one fault, the one to read first."""

    findings: tuple[Finding, ...]
    fault: str | None = None
    """Its name in `FAULTS`; None where the findings are all of one code."""

    @property
    def head(self) -> Finding:
        """The finding that tells it best."""
        return self.findings[0]

    @property
    def where(self) -> str:
        """Every place of the head's code once: `clip 000 and 2 more`."""
        places = list(dict.fromkeys(one.where for one in self.findings if one.code == self.head.code))
        return places[0] + (f" and {len(places) - 1} more" if len(places) > 1 else "")

    @property
    def said(self) -> str:
        """What happened."""
        return split_advice(self.head.message)[0]

    @property
    def advice(self) -> str:
        """What to do, of the first finding that says so; may be empty."""
        return next((advice for one in self.findings if (advice := split_advice(one.message)[1])), "")

    @property
    def also(self) -> tuple[str, ...]:
        """Codes of the other findings, each once."""
        return tuple(dict.fromkeys(one.code for one in self.findings if one.code != self.head.code))

    def __str__(self) -> str:
        head = self.head
        also = f" [also told by {', '.join(self.also)}]" if self.also else ""
        return f"{head.severity}: {self.where}: {head.message} [{head.code}]{also}"


def group_causes(findings: Iterable[Finding]) -> list[Cause]:
    """Group findings by fault; of no known fault are alike those that differ in figures and places only.

    Returns:
        Worst first, in the order the findings came. Each finding is in exactly one.
    """
    findings = list(findings)
    codes = {one.code for one in findings}
    found = {name: fault for name, fault in FAULTS.items() if codes & set(fault.leading)}
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for one in findings:
        name = next((name for name, fault in found.items() if one.code in (*fault.leading, *fault.following)), None)
        key = (name,) if name else (one.severity, one.code, _FIGURES.sub("#", one.message))
        groups.setdefault(key, []).append(one)
    causes = [
        Cause(tuple(sorted(members, key=lambda one: _rank(one, key[0]))), key[0] if len(key) == 1 else None)
        for key, members in groups.items()
    ]
    return sorted(causes, key=lambda cause: SEVERITIES.index(cause.head.severity))


def split_advice(message: str) -> tuple[str, str]:
    """What a message says, and the advice at its end (`try ...`, `walk while filming`), which may be empty."""
    said, *advice = _ADVICE.split(message, maxsplit=1)
    return said.rstrip(" ;:,"), advice[0] if advice else ""


def _rank(finding: Finding, fault: str) -> tuple[int, int]:
    order: Sequence[str] = (*FAULTS[fault].leading, *FAULTS[fault].following) if fault in FAULTS else (finding.code,)
    return SEVERITIES.index(finding.severity), order.index(finding.code)

"""What one may do with a run, in a line: good, usable with care, or do not trust, with the reasons and their bars.

Findings are read by their cause: what several stages tell of one fault counts once, with what to try set apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from recon.findings import Finding, Severity
from recon.numerals import percent
from recon.records import Scene, SceneModel, say_scale_gap
from recon.upright.outline import ModelOutline, SceneOutline

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
        places = list(dict.fromkeys(finding.where for finding in self.findings if finding.code == self.head.code))
        return places[0] + (f" and {len(places) - 1} more" if len(places) > 1 else "")

    @property
    def said(self) -> str:
        """What happened."""
        return split_advice(self.head.message)[0]

    @property
    def advice(self) -> str:
        """What to do, of the first finding that says so; may be empty."""
        return next((advice for finding in self.findings if (advice := split_advice(finding.message)[1])), "")

    @property
    def also(self) -> tuple[str, ...]:
        """Codes of the other findings, each once."""
        return tuple(dict.fromkeys(finding.code for finding in self.findings if finding.code != self.head.code))

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
    codes = {finding.code for finding in findings}
    faults = {name: fault for name, fault in FAULTS.items() if codes & set(fault.leading)}
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        name = next(
            (name for name, fault in faults.items() if finding.code in (*fault.leading, *fault.following)), None
        )
        key = (name,) if name else (finding.severity, finding.code, _FIGURES.sub("#", finding.message))
        groups.setdefault(key, []).append(finding)
    causes = [
        Cause(tuple(sorted(members, key=lambda finding: _rank(finding, key[0]))), key[0] if len(key) == 1 else None)
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


Level = Literal["good", "care", "distrust"]
WORDS: dict[Level, str] = {"good": "Good", "care": "Usable with care", "distrust": "Do not trust"}
MOST_REASONS = 3
_NO_MODEL = "no part of the tour could be reconstructed"
SOUND_SHARE = 0.9
"""Of the frames in the largest model; tours that come out whole reach it."""
SOUND_CONTRADICTIONS = 0.05
"""Of the pairs that were checked; sound tours stay below (`ModelHealth.contradicting_pairs`)."""
_GEOMETRY = ("sfm.", "merge.", "scene.", "poses.", "sample.")
"""Warnings of these stages are about the reconstruction."""
_TOLD_BY_FIGURES = ("in pieces", "contradicted")
"""Faults of which the share of the largest model or of contradicting pairs tells how bad they are, with its bar."""

_CLASSES: dict[Level, str] = {"good": "good", "care": "warn", "distrust": "bad"}


@dataclass(frozen=True)
class Verdict:
    """One line on a run."""

    level: Level
    reasons: tuple[str, ...]
    """At most three, each of another cause, the weightiest first; what a good run rests on."""
    advice: str = ""
    """What to do about the first; empty where nothing is known to help."""
    codes: tuple[str, ...] = ()
    """Of the findings that the reasons tell."""

    @property
    def words(self) -> str:
        """The level for people."""
        return WORDS[self.level]

    @property
    def mark(self) -> str:
        """What pages colour it by: `good`, `warn` or `bad`."""
        return _CLASSES[self.level]

    def __str__(self) -> str:
        reasons = "; ".join(self.reasons)
        return f"{self.words}: {reasons}" + (f". What to try: {self.advice}" if self.advice else "")


def judge(scene: Scene | SceneOutline, findings: Sequence[Finding]) -> Verdict:
    """Judge a run by its reconstruction and by what its stages found.

    Args:
        scene: Of the run.
        findings: Of all its stages.

    Returns:
        `distrust` for a run with an error finding or without a model; `care` where a figure misses its bar or a stage
        of the reconstruction warns; else `good`.
    """
    causes = group_causes(findings)
    errors = [cause for cause in causes if cause.head.severity == "error"]
    if errors or not scene.models:
        return _tell("distrust", errors) if errors else Verdict("distrust", (_NO_MODEL,))
    misses = list(_misses(scene))
    missed = {fault for fault, _ in misses}
    warnings = [cause for cause in causes if _is_doubt(cause) and cause.fault not in missed]
    if misses or warnings:
        return _tell("care", warnings, [reason for _, reason in misses])
    return Verdict("good", tuple(_merits(scene)))


def _tell(level: Level, causes: Sequence[Cause], misses: Sequence[str] = ()) -> Verdict:
    """Figures that miss their bar first, then causes."""
    shown = causes[: max(0, MOST_REASONS - len(misses))]
    reasons = [*misses, *(_reason(cause) for cause in shown)][:MOST_REASONS]
    advice = shown[0].advice if shown and not misses else ""
    return Verdict(level, tuple(reasons), advice, tuple(cause.head.code for cause in shown))


def _reason(cause: Cause) -> str:
    """What happened, up to its figure where it is a warning; details and places stand among the findings."""
    clause = cause.said.split("; ")[0].split(". ")[0].rstrip(".")
    figure, colon, _ = clause.partition(": ")
    return figure if colon and cause.head.severity == "warning" and re.search(r"\d", figure) else clause


def _is_doubt(cause: Cause) -> bool:
    """Whether it warns of the reconstruction, or texts are missing; a figure that holds its bar outweighs its fault."""
    warnings = {finding.code for finding in cause.findings if finding.severity == "warning"}
    if cause.fault in _TOLD_BY_FIGURES:
        warnings -= set(FAULTS[cause.fault].leading)
    return any(code.startswith(_GEOMETRY) or code == "language.unanswered" for code in warnings)


def _misses(scene: Scene | SceneOutline) -> Iterator[tuple[str, str]]:
    """Figures that miss their bar, with the fault that they tell."""
    frames = len(scene.frames)
    largest = max(scene.models, key=lambda model: len(model.frames))
    share = len(largest.frames) / frames if frames else 0.0
    if share < SOUND_SHARE:
        split = f" of {len(scene.models)}" if len(scene.models) > 1 else ""
        bar = f"whole tours {percent(SOUND_SHARE)} and more"
        yield "in pieces", f"the largest model{split} holds {percent(share)} of the frames, {bar}"
    for model in scene.models:
        contradicting, checked = _contradictions(model)
        if checked and contradicting / checked > SOUND_CONTRADICTIONS:
            bar = f"sound tours stay under {percent(SOUND_CONTRADICTIONS)}"
            yield ("contradicted", f"{contradicting} of {checked} pairs of frames contradict model {model.name}, {bar}")
    if scene.scale_status == "relative":
        yield "the scale", say_scale_gap([model.scale for model in scene.models])


def _merits(scene: Scene | SceneOutline) -> Iterator[str]:
    largest = max(scene.models, key=lambda model: len(model.frames))
    yield f"{len(largest.frames)} of {len(scene.frames)} frames in one model"
    contradicting, checked = _contradictions(largest)
    if checked:
        yield f"{contradicting} of {checked} pairs of frames contradict it"
    if scene.scale_status == "assumed":
        yield "metres rest on a prior"


def _contradictions(model: SceneModel | ModelOutline) -> tuple[int, int]:
    return (model.health.contradicting_pairs, model.health.checked_pairs) if model.health else (0, 0)

"""What one may do with a run, in a line: good, usable with care, or do not trust, with the reasons and their bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from recon.findings import Finding
from recon.numerals import percent
from recon.upright.outline import ModelOutline, SceneOutline

Level = Literal["good", "care", "distrust"]
WORDS: dict[Level, str] = {"good": "Good", "care": "Usable with care", "distrust": "Do not trust"}
MOST_REASONS = 3
SOUND_SHARE = 0.9
"""Of the frames in the largest model; tours that come out whole reach it."""
SOUND_CONTRADICTIONS = 0.05
"""Of the pairs that were checked; sound tours stay below (`ModelHealth.contradicting_pairs`)."""
_GEOMETRY = ("sfm.", "merge.", "scene.", "poses.", "sample.")
"""Warnings of these stages are about the reconstruction."""
_TOLD_BY_FIGURES = ("sfm.broken", "merge.apart", "scene.several_models", "scene.unregistered", "scene.contradicted")
"""Warnings that say in other words what the share of the largest model or of contradicting pairs says with a bar."""


_CLASSES: dict[Level, str] = {"good": "good", "care": "warn", "distrust": "bad"}


@dataclass(frozen=True)
class Verdict:
    """One line on a run."""

    level: Level
    reasons: tuple[str, ...]
    """At most three, the weightiest first; what a good run rests on."""

    @property
    def words(self) -> str:
        """The level for people."""
        return WORDS[self.level]

    @property
    def mark(self) -> str:
        """What pages colour it by: `good`, `warn` or `bad`."""
        return _CLASSES[self.level]

    def __str__(self) -> str:
        return f"{self.words}: {'; '.join(self.reasons)}"


def judge(scene: SceneOutline, findings: Sequence[Finding]) -> Verdict:
    """Judge a run by its reconstruction and by what its stages found.

    Args:
        scene: Of the run.
        findings: Of all its stages.

    Returns:
        `distrust` for a run with an error finding or without a model; `care` where a figure misses its bar or a stage
        of the reconstruction warns; else `good`.
    """
    errors = [_clause(finding.message) for finding in errors_told(findings)]
    if errors or not scene.models:
        return Verdict("distrust", tuple(errors[:MOST_REASONS]) or ("no part of the tour could be reconstructed",))
    doubts = [*_misses(scene), *_warnings(findings)]
    if doubts:
        return Verdict("care", tuple(doubts[:MOST_REASONS]))
    return Verdict("good", tuple(_merits(scene)))


def errors_told(findings: Sequence[Finding]) -> list[Finding]:
    """The error findings, each fact once: that no frame has a pose goes without saying where a clip says why."""
    errors = [finding for finding in findings if finding.severity == "error"]
    if any(finding.code == "sfm.no_model" for finding in errors):
        return [finding for finding in errors if finding.code != "scene.no_model"]
    return errors


def _misses(scene: SceneOutline) -> Iterator[str]:
    """Figures that miss their bar."""
    frames = len(scene.frames)
    largest = max(scene.models, key=lambda model: len(model.frames))
    share = len(largest.frames) / frames if frames else 0.0
    if share < SOUND_SHARE:
        split = f" of {len(scene.models)}" if len(scene.models) > 1 else ""
        bar = f"whole tours {percent(SOUND_SHARE)} and more"
        yield f"the largest model{split} holds {percent(share)} of the frames, {bar}"
    for model in scene.models:
        contradicting, checked = _contradictions(model)
        if checked and contradicting / checked > SOUND_CONTRADICTIONS:
            yield (
                f"{contradicting} of {checked} pairs of frames contradict model {model.name}, sound tours stay under "
                f"{percent(SOUND_CONTRADICTIONS)}"
            )
    if scene.scale_status == "relative":
        yield "no scale, so nothing is told in metres"


def _warnings(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        is_geometry = finding.code.startswith(_GEOMETRY) and finding.code not in _TOLD_BY_FIGURES
        if finding.severity == "warning" and (is_geometry or finding.code == "language.unanswered"):
            where = "" if finding.where in ("tour", "scene") else f"{finding.where}: "
            yield where + _clause(finding.message)


def _merits(scene: SceneOutline) -> Iterator[str]:
    largest = max(scene.models, key=lambda model: len(model.frames))
    yield f"{len(largest.frames)} of {len(scene.frames)} frames in one model"
    contradicting, checked = _contradictions(largest)
    if checked:
        yield f"{contradicting} of {checked} pairs of frames contradict it"
    if scene.scale_status == "assumed":
        yield "metres rest on a prior"


def _contradictions(model: ModelOutline) -> tuple[int, int]:
    return (model.health.contradicting_pairs, model.health.checked_pairs) if model.health else (0, 0)


def _clause(message: str) -> str:
    """What happened; advice and details behind it stand among the findings."""
    return message.split("; ")[0].split(". ")[0].rstrip(".")

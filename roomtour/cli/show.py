"""`roomtour show`: the summary of a run."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from roomtour.cli.console import OUT, complain, tell

if TYPE_CHECKING:
    from roomtour.run import Run

_SHOWN_FINDINGS = 8


def show(run: tyro.conf.Positional[Path], /) -> int:
    """Print the summary of a run again.

    Args:
        run: A run folder made by `roomtour process`.
    """
    from roomtour.run import Run

    print_run(Run(run))
    return 0


def print_run(run: Run) -> bool:
    """Print the summary, or what is done so far; the verdict and errors come first. False if there is an error finding.

    What carries one is not to be trusted as it is, and is not exported unasked.
    """
    from roomtour.cli.summary import render_summary, render_verdict
    from roomtour.store import RunStore, count_bytes
    from roomtour.verdict import errors_told

    errors = errors_told(run.findings)
    if "scene" in run.stages:
        OUT.print(render_verdict(run.verdict), soft_wrap=True)
    for finding in errors:
        tell(finding)
    if not run.is_readable:
        done = ", ".join(run.stages) or "none"
        tell(f"{run.path}: stages done: {done}")
        for finding in run.findings:
            tell(f"  {finding}")
        if "scene" in run.stages and run.scene_outline.models:
            _tell_of_poses(run, "" if not errors else " --allow-errors")
        return not errors
    OUT.print(render_summary(run.summary(), run.perception))
    OUT.print()
    for name, path in run.files.items():
        tell(f"{name:<15}{path}")
    dropped = ", without matches and unmerged models (--keep all)" if RunStore(run.path).has_dropped else ""
    tell(f"{'disk':<15}{count_bytes(run.path) / 1e6:.1f} MB{dropped}")
    serious = [finding for finding in run.findings if finding.severity == "warning"]
    if serious:
        OUT.print()
    for finding in serious[:_SHOWN_FINDINGS]:
        tell(finding)
    if len(serious) > _SHOWN_FINDINGS:
        tell(f"and {len(serious) - _SHOWN_FINDINGS} more in the report")
    if not run.scene_outline.models:
        reason = errors[0].message if errors else "see the findings"
        complain(f"{run.path}: no part of the tour could be reconstructed; {reason}")
    return not errors


def _tell_of_poses(run: Run, more: str) -> None:
    """Where the poses of a run lie that was stopped behind its scene, and how to write them for other programs."""
    from roomtour.artifacts import SCENE

    OUT.print()
    tell(f"{'poses':<15}{run.path / SCENE.path / 'models'} (COLMAP, world z up)")
    command = shlex.join(["roomtour", "export", str(run.path), "--format", "tum", "--out", "DATASET"])
    tell(f"{'export':<15}{command}{more} (or colmap, nerfstudio, ...: roomtour export --list)")

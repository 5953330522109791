"""`roomtour show`: the summary of a run."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from roomtour.cli.console import OUT, complain, tell

if TYPE_CHECKING:
    from roomtour.run import Run

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
    from roomtour.cli.looking.summary import render_summary, render_verdict
    from roomtour.store import RunStore, count_bytes
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

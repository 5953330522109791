"""Rows of `repair_ablation.py`: what a run came to, how it differs from the whole one, and the table of all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from merging import read_truth
from repair_switches import BY_NAME

from recon.audit.scale_hold import find_weak_scale
from recon.evaluate import pose_error
from recon.geometry import Pose
from recon.records import SubModel
from roomtour.artifacts import MERGED, SOURCE
from roomtour.files.frames import read_source
from roomtour.files.models import read_sub_models

WHOLE = "everything on"


@dataclass(frozen=True)
class Walk:
    """A tour, and how it is cut and matched."""

    name: str
    source: Path
    kind: str = "sift"
    truth: Path | None = None
    fps: float | None = None
    clip_s: float | None = None
    backwards: bool = False
    """Of a folder: its pictures in the other order."""


def judge(run: Path, walk: Walk, usual: Path | None) -> dict[str, Any]:
    """The models of a run, and how they differ from those of the whole one."""
    frames = read_source(run / SOURCE.path).frames
    models = read_sub_models(run / MERGED.path)
    truth = None
    if walk.truth is not None:
        truth = read_truth(walk.truth, frames, walk.fps)
        if walk.backwards:
            last = len(list(walk.source.iterdir())) - 1
            shown = [replace(frame, time_s=last / (walk.fps or 1.0) - frame.time_s) for frame in frames]
            truth = read_truth(walk.truth, shown, walk.fps)
    stages = json.loads((run / "manifest.json").read_text(encoding="utf-8"))["stages"]
    findings = [finding for name in ("sfm", "merge") for finding in stages[name]["findings"]]
    told = sorted({finding["code"] for finding in findings if finding["severity"] != "info"})
    row: dict[str, Any] = {
        "frames": len(frames),
        "in_any": len({frame for model in models for frame in model.frames}),
        "models": [[len(model.frames), _measure_off_cm(model, truth)] for model in models],
        "open_scale": [_find_open_scale(model) for model in models],
        "told": told,
        "mark": _hash_poses(models),
    }
    if usual is not None and models and (before := read_sub_models(usual / MERGED.path)):
        row["moved"] = _measure_move(models[0], before[0])
    return row


def _poses(model: SubModel) -> dict[int, Pose]:
    return {
        frame: Pose.from_rigid3d(model.reconstruction.image(frame).cam_from_world().inverse()) for frame in model.frames
    }


def _measure_off_cm(model: SubModel, truth: Mapping[int, Pose] | None) -> float | None:
    if truth is None or len(model.frames) < 3:
        return None
    return round(100.0 * pose_error(_poses(model), truth).rmse, 2)


def _find_open_scale(model: SubModel) -> list[list[float]]:
    """First and last frame and sigma of the places whose scale is not known as far as what lies beyond them needs."""
    return [[doubt.first, doubt.last, round(doubt.sigma or 0.0, 4)] for doubt in find_weak_scale(model.reconstruction)]


def _measure_move(model: SubModel, before: SubModel) -> float | None:
    """RMSE of the centres of the largest models against each other, as a share of the spread of the walk."""
    own, usual = _poses(model), _poses(before)
    if len(own.keys() & usual.keys()) < 3:
        return None
    error, path = pose_error(own, usual), sum(_steps(usual))
    return round(error.rmse / max(path, 1e-12), 5)


def _steps(poses: Mapping[int, Pose]) -> Iterator[float]:
    ordered = [poses[frame].center for frame in sorted(poses)]
    return (float(((b - a) ** 2).sum() ** 0.5) for a, b in pairwise(ordered))


def _hash_poses(models: Sequence[SubModel]) -> str:
    """Of all poses, bit by bit."""
    digest = hashlib.sha256()
    for model in models:
        for frame in model.frames:
            digest.update(model.reconstruction.image(frame).cam_from_world().matrix().tobytes())
    return digest.hexdigest()[:16]


def describe_row(row: Mapping[str, Any]) -> str:
    """For people."""
    where = f"{row['tour']} ({row['kind']}, seed {row['seed']})"
    what = WHOLE if row["without"] == WHOLE else f"without {row['without']}"
    if row.get("same"):
        return f"{where}, {what}: the same; {row['cpu_s']} CPU-s"
    models = ", ".join(f"{frames}" if off is None else f"{frames} at {off} cm" for frames, off in row["models"])
    moved = f"; moved by {row['moved']:.2%} of the path" if row.get("moved") is not None else ""
    acted = f"; acted: {', '.join(row['acted'])}" if "acted" in row else ""
    told = ", ".join(row["told"]) or "no warning"
    held = f"{row['in_any']} of {row['frames']} in {len(row['models'])} ({models})"
    return f"{where}, {what}: {held}{moved}; {told}; {row['cpu_s']} CPU-s{acted}"


COLUMNS = ("repair", "acted", "changed", "what it changed: with it -> without it")
"""Of `make_table`."""


def describe_runs(rows: Sequence[Mapping[str, Any]]) -> str:
    """Which runs a table is of."""
    whole = [row for row in rows if row["without"] == WHOLE]
    named = "; ".join(f"{row['tour']} ({row['kind']}, seed {row['seed']})" for row in whole)
    commits = ", ".join(sorted({row["commit"] for row in rows}))
    return f"{len(whole)} runs of {len({row['tour'] for row in whole})} tours, measured at commit {commits}: {named}."


def make_table(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str, str]]:
    """Per repair: in how many runs it acted, in how many that changed a pose or what is told, and what."""
    whole = {(row["tour"], row["kind"], row["seed"]): row for row in rows if row["without"] == WHOLE}
    lines: list[tuple[str, str, str, str]] = []
    for name in BY_NAME:
        tried = [row for row in rows if row["without"] == name and (row["tour"], row["kind"], row["seed"]) in whole]
        acted = [f"{row['tour']} {row['kind']}" for row in whole.values() if name in row["acted"]]
        changed = [row for row in tried if not row["same"]]
        named = "; ".join(_compare(whole[row["tour"], row["kind"], row["seed"]], row) for row in changed)
        is_asked = any(name in row["asked"] for row in whole.values())
        where = f"{len(acted)}: {'; '.join(acted)}" if acted else "0" if is_asked else "not asked"
        lines.append((name, where, f"{len(changed)} of {len(tried)} tried", named))
    return lines


def _compare(usual: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    def short(of: Mapping[str, Any]) -> str:
        return " + ".join(f"{frames}" if off is None else f"{frames} ({off})" for frames, off in of["models"]) or "none"

    lost, new = (sorted(set(one["told"]) - set(other["told"])) for one, other in ((usual, row), (row, usual)))
    told = (f", untold {', '.join(lost)}" if lost else "") + (f", told {', '.join(new)}" if new else "")
    moved = f", moved {row['moved']:.2%}" if row.get("moved") is not None and row["models"][0][1] is None else ""
    return f"{row['tour']} {row['kind']} {row['seed']}: {short(usual)} -> {short(row)}{moved}{told}"

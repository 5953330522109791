"""The run folders below a folder, each as a row: figures from its manifest, and what is missing or wrong."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from recon.errors import ReconError
from recon.findings import Finding
from recon.records import SourceInfo
from recon.upright.outline import SceneOutline, read_outline
from roomtour.artifacts import SCENE
from roomtour.errors import RoomtourError
from roomtour.files.records import from_plain, read_json
from roomtour.store import MANIFEST, RunStore
from roomtour.verdict import Verdict, judge

REPORT_FILE = "report.html"
State = Literal["finished", "unfinished", "unreadable"]


@dataclass(frozen=True)
class Fate:
    """What a job says of a tour that did not come to a good end, or not yet."""

    state: str
    """Such as `crashed` or `waiting`."""
    reason: str
    """For people; empty for none."""
    seconds: float | None = None
    """Length of the tour, if that is known."""


@dataclass(frozen=True)
class RunRow:
    """One run folder. What its stages have not made yet is None."""

    name: str
    """Path below the searched folder."""
    path: Path
    state: State | str
    """Of the run, or the tour's in its job where that is not done."""
    note: str = ""
    """What is missing or wrong, for people."""
    version: str = ""
    """Version of roomtour that made it."""
    source: str = ""
    tour_s: float | None = None
    frames: int | None = None
    registered: int | None = None
    largest: int | None = None
    """Frames of the largest model."""
    verdict: Verdict | None = None
    """What one may do with it."""
    models: int | None = None
    scale: str | None = None
    instructions: int | None = None
    findings: tuple[Finding, ...] = ()
    picture: str = ""
    """File in `frames/` from the middle of the tour."""
    stage_seconds: Mapping[str, float] = field(default_factory=dict)
    """Wall clock by stage, in run order."""

    @property
    def report(self) -> Path | None:
        """The page of this run, if it has one."""
        return find_page(self.path)

    @property
    def largest_share(self) -> float | None:
        """Share of the sampled frames in the largest model, 0 to 1: poses of several models do not fit together."""
        if self.largest is None or not self.frames:
            return None
        return self.largest / self.frames

    @property
    def seconds(self) -> float | None:
        """Wall clock of all stages together."""
        return sum(self.stage_seconds.values()) if self.stage_seconds else None

    @property
    def from_other_version(self) -> bool:
        """Whether another version of roomtour made it."""
        return bool(self.version) and self.version != version("roomtour")


def find_page(run: Path) -> Path | None:
    """The page of a run, None for a folder that is no run or has none."""
    page = run / REPORT_FILE
    return page if page.is_file() and (run / MANIFEST).is_file() else None


def find_runs(folder: Path) -> tuple[Path, ...]:
    """Run folders at any depth below `folder`, in the order of their paths. Links are not followed.

    Raises:
        RoomtourError: If `folder` is no folder, is a run itself, or holds no run.
    """
    if not folder.is_dir():
        raise RoomtourError(f"{folder}: no such folder")
    if (folder / MANIFEST).is_file():
        raise RoomtourError(
            f"{folder}: is one run; name the folder that holds runs. `roomtour process` writes {folder / REPORT_FILE}"
        )
    found = []
    for here, below, names in os.walk(folder):
        if MANIFEST in names:
            found.append(Path(here))
            below.clear()  # what lies inside a run is the run's
        below[:] = [name for name in below if not name.startswith(".")]
    if not found:
        raise RoomtourError(f"{folder}: holds no run (no {MANIFEST} below it); make one with: roomtour process")
    return tuple(sorted(found))


def list_rows(folder: Path, fates: Mapping[str, Fate]) -> tuple[RunRow, ...]:
    """A row for each run below `folder`, and for each tour of a job that has none.

    Raises:
        RoomtourError: As `find_runs` does, for a folder of no job.
    """
    paths = find_runs(folder) if not fates or any(folder.glob(f"*/{MANIFEST}")) else ()
    rows = {row.name: row for row in (read_run_row(path, folder) for path in paths)}
    for name, fate in fates.items():
        row = rows.get(name, RunRow(name, folder / name, fate.state, tour_s=fate.seconds))
        rows[name] = replace(row, state=fate.state, note=fate.reason)
    return tuple(rows[name] for name in sorted(rows))


def read_run_row(path: Path, folder: Path) -> RunRow:
    """The row of one run. A run that is unfinished or cannot be read gives a row that says so."""
    name = path.relative_to(folder).as_posix()
    try:
        store = RunStore(path)
        source, picture = _source(path) if "sample" in store.stages else (None, "")
    except (RoomtourError, ReconError) as error:
        return RunRow(name, path, "unreadable", note=str(error).removeprefix(f"{path}/"))
    scene, fault = _outline(path) if "scene" in store.stages else (None, "")
    versions = store.facts.get("versions")
    whole = "report" in store.stages
    findings = (*(finding for entry in store.stages.values() for finding in entry.findings), *store.unfinished.values())
    last = next(reversed(store.stages), None)
    return RunRow(
        name=name,
        path=path,
        state="finished" if whole else "unfinished",
        note=fault if whole else f"stopped after {last}" if last else "no stage done",
        version=str(versions.get("roomtour", "")) if isinstance(versions, Mapping) else "",
        source=str(store.facts.get("source", "")),
        tour_s=source.duration_s if source else None,
        frames=_count(store, "sample", "frames"),
        registered=_count(store, "scene", "registered"),
        models=_count(store, "scene", "models"),
        scale=_scale(store),
        instructions=_count(store, "navigation", "instructions"),
        picture=picture,
        largest=max((len(model.frames) for model in scene.models), default=0) if scene else None,
        verdict=judge(scene, findings) if scene else None,
        findings=findings,
        stage_seconds={stage: entry.seconds for stage, entry in store.stages.items()},
    )


def _outline(path: Path) -> tuple[SceneOutline | None, str]:
    """The scene of a run, or what is wrong with its file."""
    try:
        return read_outline(path / SCENE.path), ""
    except ReconError as error:
        return None, str(error).removeprefix(f"{path}/")


def _source(path: Path) -> tuple[SourceInfo, str]:
    """What the tour was read from, and the frame in its middle; empty if it has none."""
    file = path / "source.json"
    values = read_json(file)
    if not isinstance(values, dict) or "source" not in values:
        raise RoomtourError(f"{file}: does not describe the source")
    frames = values.get("frames")
    middle = frames[len(frames) // 2] if isinstance(frames, list) and frames else {}
    picture = middle.get("image", "") if isinstance(middle, dict) else ""
    return from_plain(values["source"], SourceInfo, str(file)), picture if isinstance(picture, str) else ""


def _count(store: RunStore, stage: str, name: str) -> int | None:
    entry = store.stages.get(stage)
    value = entry.counts.get(name) if entry else None
    return value if isinstance(value, int) else None


def _scale(store: RunStore) -> str | None:
    entry = store.stages.get("scene")
    if entry is None or not entry.counts.get("models"):
        return None
    return str(entry.counts.get("scale", ""))

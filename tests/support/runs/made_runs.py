"""A folder of made runs: finished ones, one that stopped, one of another version, some that cannot be read."""

from importlib.metadata import version as installed
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from recon.findings import Finding
from recon.records import Frame, Scale, SourceInfo
from recon.upright.outline import ModelOutline, SceneOutline
from roomtour.files.records import to_plain, write_json
from roomtour.store import MANIFEST, RunStore, StageEntry

STAGES = (
    "sample", "clips", "features", "sfm", "merge", "scene", "trajectories", "perception", "navigation", "report",
)  # fmt: skip


def make_run_folder(
    folder: Path,
    *,
    tour_s: float = 60.0,
    frames: int = 100,
    registered: int = 100,
    models: int = 1,
    scale: str = "assumed",
    instructions: int = 5,
    seconds: float = 10.0,
    findings: tuple[Finding, ...] = (),
    until: str = "report",
    version: str | None = None,
    source: str = "tours/walk.mp4",
    picture: str = "000002.jpg",
) -> Path:
    """A run folder as far as the index reads one: manifest, source and page."""
    counts: dict[str, dict[str, Any]] = {
        "sample": {"frames": frames},
        "scene": {"registered": registered, "models": models, "scale": scale},
        "navigation": {"instructions": instructions, "rejected": 0},
    }
    folder.mkdir(parents=True)
    store = RunStore(folder)
    store.facts = {
        "source": source,
        "versions": {"roomtour": version or installed("roomtour")},
        "options": {"data": ["navigation"]},
    }
    for name in STAGES[: STAGES.index(until) + 1]:
        found = findings if name == "scene" else ()
        store.stages[name] = StageEntry("0" * 16, seconds, seconds, "2026-01-01", counts.get(name, {}), found)
    store.write()
    about = SourceInfo(source, "video", 640, 480, tour_s, frames * 10, 30.0, "h264", 0, "0" * 64)
    write_json(folder / "source.json", {"source": to_plain(about, SourceInfo), "frames": [{}, {"image": picture}, {}]})
    if Path(picture).name == picture:
        (folder / "frames").mkdir()
        cv2.imwrite(str(folder / "frames" / picture), np.full((36, 64, 3), 128, np.uint8))
    if "scene" in store.stages:
        (folder / "scene").mkdir()
        write_json(folder / "scene" / "scene.json", {"format": 1, **_outline(about, frames, registered, models, scale)})
    if until == "report":
        (folder / "report.html").write_text("<!doctype html><title>a tour</title><p>A tour.</p>", encoding="utf-8")
    return folder


def _outline(source: SourceInfo, frames: int, registered: int, models: int, scale: Any) -> dict[str, Any]:
    """A scene whose models but the largest have ten frames."""
    sampled = tuple(Frame(k, 0.6 * k, f"{k:06d}.jpg", 640, 480, 50.0, 0) for k in range(1, frames + 1))
    small = 10 * (models - 1)
    ends = [0, registered - small, *range(registered - small + 10, registered + 1, 10)] if models else []
    found = tuple(
        ModelOutline(str(k), tuple(range(first + 1, last + 1)), Scale(scale, 1.0, 0.1, "made"), 12.0)
        for k, (first, last) in enumerate(pairwise(ends))
    )
    return to_plain(SceneOutline("tour", source, sampled, found), SceneOutline)


def make_runs(folder: Path) -> Path:
    """Six runs, two of them one folder deeper."""
    apart = Finding("warning", "merge.apart", "model 1", "two models stay apart")
    lost = Finding("error", "sfm.no_model", "clip 000", "nothing to see")
    make_run_folder(folder / "attic", tour_s=600.0, registered=97, models=2, scale="relative", findings=(apart,))
    make_run_folder(folder / "barn", tour_s=90.0, registered=40, instructions=12, seconds=3.0, findings=(lost, apart))
    make_run_folder(folder / "cellar", scale="metric", instructions=0, version="0.0.1")
    make_run_folder(folder / "deep" / "den", until="sfm", findings=())
    (folder / "deep" / "entry").mkdir()
    (folder / "deep" / "entry" / MANIFEST).write_text('{"form', encoding="utf-8")
    (folder / "flat").mkdir()
    write_json(folder / "flat" / MANIFEST, {"format": 99, "stages": {}})
    return folder

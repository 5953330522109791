"""A source to a run folder that kinds of data, reports and exports read like one of `roomtour process`."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from instructions.navigation.way.frame_lines import describe_frames, describe_unposed_frames
from instructions.questions.core.options import MarkOptions, SpatialOptions
from recon.records import Scene
from recon.upright.scene_io import write_scene
from recon.video.sampling import SampledTour
from roomtour.artifacts import (
    ANNOTATIONS,
    ARTIFACTS,
    DETECTIONS,
    FRAMES,
    LABEL_FREQUENCIES,
    OBJECTS,
    OBSERVATIONS,
    SCANS,
    SCENE,
    SOURCE,
    SPATIAL_LINES,
)
from roomtour.config import Config
from roomtour.errors import UsageError, did_you_mean
from roomtour.files.disk import disk_full_as_error
from roomtour.files.frames import write_source
from roomtour.imports.images.read import read_images
from roomtour.imports.records import Gathered, ImportFormat, ImportOptions
from roomtour.imports.sprite import read_sprite
from roomtour.imports.vsi import list_scenes, read_vsi
from roomtour.run import Run
from roomtour.sources import safe_name, source_key
from roomtour.stages.code import digest_code
from roomtour.stages.table import STAGES
from roomtour.store import IMPORTED, RunStore, StageEntry, result_key

_FORMATS = (
    ImportFormat("images", read_images, ("detections", "keep_all", "perception")),
    ImportFormat("sprite", read_sprite, ("preset", "handedness")),
    ImportFormat("vsi", read_vsi, ("videos", "scene"), list_scenes),
)
FORMATS: Mapping[str, ImportFormat] = {format.name: format for format in _FORMATS}


def get_import_format(name: str) -> ImportFormat:
    """The format of a name.

    Raises:
        UsageError: For a name that is none, with the nearest.
    """
    if name not in FORMATS:
        raise UsageError(f"--format {name}: no such format.{did_you_mean(name, FORMATS)} Known: {', '.join(FORMATS)}")
    return FORMATS[name]


_MADE = ("sample", "merge", "scene", "trajectories", "perception", "plan")
"""Stages whose results an import stands for; what it has nothing to say of is an empty file."""


_ROWS_PER_PICTURE = 16
"""Rows about marks of one picture: each type once."""


def import_run(source: Path | str, format: str, out: Path | str, options: ImportOptions = ImportOptions()) -> Run:
    """Make a run folder of a source that needs no reconstruction, or has no frames.

    Args:
        source: What the format reads.
        format: Name of a format.
        out: The run folder, made if absent. An imported run there is replaced, with its kinds of data.
        options: What is said about the source.

    Raises:
        RoomtourError, InstructionError: One line: no such format, a source that does not fit, a folder of something
            else.
    """
    source, out = Path(source), Path(out)
    kind = get_import_format(format)
    _require_taken(kind, options)
    identity = source_key(source)
    tour = _name_scene(options.scene) if options.scene else safe_name(source.resolve())
    started, cpu_started = time.perf_counter(), time.process_time()
    store = RunStore(out)
    with store.opened(), disk_full_as_error(out):
        if store.stages and store.imported_as is None:
            raise UsageError(f"--out {out}: holds the run of a tour; choose a new folder")
        part = store.begin()
        scene, gathered = kind.read(source, tour, part, options)
        outputs = _write_results(scene, gathered, part)
        store.facts = _facts(tour, source, kind, options)
        code = digest_code(kind.read.__module__)
        key = result_key("import", code, [identity], [kind.name, options])
        done = StageEntry(
            key=key,
            seconds=round(time.perf_counter() - started, 3),
            cpu_seconds=round(time.process_time() - cpu_started, 3),
            finished=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        entries = {name: replace(done, key=result_key(name, code, [key], None)) for name in _MADE}
        entries["scene"] = replace(entries["scene"], counts={"models": len(scene.models)})
        counts = {name: len(getattr(gathered, name)) for name in ("objects", "observations", "detections")}
        entries["perception"] = replace(entries["perception"], counts=counts, findings=tuple(gathered.findings))
        store.commit_all(entries, outputs)
    return Run(out)


def import_scenes(
    source: Path | str, format: str, out: Path | str, options: ImportOptions = ImportOptions()
) -> list[Run]:
    """Make a run folder of each scene of a source, `out/SCENE`: a dataset of several runs is split by them.

    Args:
        source: What the format reads.
        format: Name of a format whose sources hold several scenes.
        out: Folder of the runs, made if absent.
        options: What is said about the source.

    Raises:
        RoomtourError, InstructionError: As `import_run`; also for a format without scenes, and for two scenes whose
            names make one folder.
    """
    source, out = Path(source), Path(out)
    kind = get_import_format(format)
    if kind.list_scenes is None:
        raise UsageError(f"--apart: a source of format {kind.name} holds one scene; leave it out")
    folder_of: dict[str, str] = {}
    for scene in kind.list_scenes(source):
        folder = _name_scene(scene)
        if folder in folder_of:
            raise UsageError(
                f"--apart: {source}: scenes {folder_of[folder]!r} and {scene!r} would both be {out / folder}"
            )
        folder_of[folder] = scene
    return [
        import_run(source, format, out / folder, replace(options, scene=scene)) for folder, scene in folder_of.items()
    ]


def _name_scene(scene: str) -> str:
    """A folder name: names come from the data, so nothing of them is a path."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", scene).strip("_")[:80] or "scene"


def _require_taken(kind: ImportFormat, options: ImportOptions) -> None:
    for name in ("detections", "keep_all", "perception", "videos", "scene", "preset", "handedness"):
        if getattr(options, name) != getattr(ImportOptions(), name) and name not in kind.takes:
            raise UsageError(f"--{name.replace('_', '-')}: format {kind.name} does not read it")


def _write_results(scene: Scene, gathered: Gathered, part: Path) -> dict[str, list[str]]:
    """Everything into the folder; returns which outputs each stage left there."""
    (part / FRAMES.path).mkdir(exist_ok=True)
    write_source(part / SOURCE.path, SampledTour(source=scene.source, frames=scene.frames, cuts_s=(), findings=()))
    write_scene(scene, part / SCENE.path)
    lines = describe_frames(scene, gathered.objects, gathered.observations, {})
    lines += describe_unposed_frames(scene, gathered.detections, {})
    rows = {
        OBJECTS.name: gathered.objects,
        OBSERVATIONS.name: gathered.observations,
        DETECTIONS.name: gathered.detections,
        LABEL_FREQUENCIES.name: gathered.frequencies,
        ANNOTATIONS.name: gathered.annotations,
        SCANS.name: gathered.scans,
        SPATIAL_LINES.name: sorted(lines, key=lambda line: line.frame),
    }
    for artifact in ARTIFACTS.values():
        if artifact.stage in _MADE and artifact.record is not None:
            artifact.write(part, rows.get(artifact.name, ()))
    stages = [stage for stage in STAGES if stage.name in _MADE]
    return {stage.name: [path for path in stage.outputs if (part / path).exists()] for stage in stages}


def _facts(tour: str, source: Path, kind: ImportFormat, options: ImportOptions) -> dict[str, object]:
    """What the manifest says; its options are those that kinds of data are made with.

    A picture shows its place once, so more is asked of it than of a frame.
    """
    spatial = SpatialOptions(marks=MarkOptions(rows_per_view=_ROWS_PER_PICTURE))
    chosen = Config(data=(), perception="landmarks", seed=options.seed, spatial=spatial)
    return {
        "tour": tour,
        "source": str(source),
        IMPORTED: kind.name,
        "options": chosen.to_dict(),
        "versions": {"roomtour": importlib.metadata.version("roomtour"), "python": platform.python_version()},
        "platform": f"{platform.system()} {platform.machine()}",
    }

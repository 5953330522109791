"""Made runs as run folders on the disk, whole or stopped after some stage."""

import importlib.metadata
from collections.abc import Collection
from pathlib import Path

from instructions.navigation.records import Instruction, ViewDescription
from instructions.records import Observation, SceneObject, SpatialLine
from recon.upright.scene_io import write_scene
from recon.video.sampling import SampledTour
from roomtour.config import Config
from roomtour.export.core.records import RunData
from roomtour.files.frames import write_source
from roomtour.files.records import write_jsonl
from roomtour.kinds import KIND_NAMES, KINDS
from roomtour.stages.table import STAGE_NAMES
from roomtour.store import RunStore, StageEntry
from trajectories.records import Area, FloorPlan, Room, Trajectory

STAGES_RUN = [name for name in STAGE_NAMES if name not in KIND_NAMES or name in Config().data]
"""What runs if no kinds of data are named."""
_SQUARE = Area(((0.0, -1.0), (4.0, -1.0), (4.0, 3.0), (0.0, 3.0)))


def write_run(
    folder: Path, data: RunData, *, stages: Collection[str] = STAGES_RUN, version: str | None = None, room: str = "hall"
) -> Path:
    """Write a made run to its folder, `folder / "frames"` being where its pictures lie already."""
    scene = data.scene
    folder.mkdir(parents=True, exist_ok=True)
    store = RunStore(folder)
    store.facts = {
        "tour": scene.id,
        "source": scene.source.path,
        "options": {"data": ["navigation"]},
        "versions": {"roomtour": version or importlib.metadata.version("roomtour")},
    }
    store.stages = {name: StageEntry("0" * 16, 1.0, 1.0, "2026-01-01T00:00:00+00:00") for name in stages}
    store.write()
    if "sample" in stages:
        write_source(folder / "source.json", SampledTour(scene.source, scene.frames, (), ()))
    if "scene" in stages:
        write_scene(scene, folder / "scene")
    if "trajectories" in stages:
        _jsonl(folder / "trajectories/trajectories.jsonl", data.trajectories, Trajectory)
        _jsonl(folder / "trajectories/further_walks.jsonl", data.further_walks, Trajectory)
    if "perception" in stages:
        _jsonl(folder / "perception/objects.jsonl", data.objects, SceneObject)
        _jsonl(folder / "perception/observations.jsonl", data.observations, Observation)
        _jsonl(folder / "perception/spatial_lines.jsonl", data.spatial_lines, SpatialLine)
    if "plan" in stages:
        models = scene.models
        plans = [FloorPlan(m.name, m.scale.unit, m.scale.status, 0.1, (_SQUARE,), (), 16.0) for m in models]
        rooms = [Room(f"{m.name}_r0", m.name, room, (_SQUARE,), m.frames[:20]) for m in models]
        _jsonl(folder / "plan/floor_plans.jsonl", plans, FloorPlan)
        _jsonl(folder / "plan/rooms.jsonl", rooms, Room)
    if "navigation" in stages:
        accepted = [told for told in data.instructions if told.accepted]
        _jsonl(folder / "navigation/rows.jsonl", accepted, Instruction)
        _jsonl(folder / "navigation/further_rows.jsonl", data.further_instructions, Instruction)
        _jsonl(folder / "navigation/views.jsonl", data.view_descriptions, ViewDescription)
        _jsonl(folder / "navigation/rejected.jsonl", [t for t in data.instructions if not t.accepted], Instruction)
    for kind in KINDS:
        if kind.name in stages and kind.name != "navigation":
            rows = data.rows.get(kind.name, ())
            _jsonl(folder / kind.name / "rows.jsonl", [row for row in rows if row.accepted], kind.record)
            _jsonl(folder / kind.name / "rejected.jsonl", [row for row in rows if not row.accepted], kind.record)
    return folder


def _jsonl(path: Path, records, kind) -> None:
    path.parent.mkdir(exist_ok=True)
    write_jsonl(path, records, kind)

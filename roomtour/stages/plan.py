"""Floor plan: free floor from walks and points, rooms and doorways where frames have room labels."""

from __future__ import annotations

from pathlib import Path

from instructions.records import FrameRoom
from recon.upright.scene_io import read_scene
from roomtour.files.records import read_jsonl, write_jsonl
from roomtour.stages.context import Counts, Stage, StageContext, StageResult
from trajectories.floor_plan import draw_floor_plans
from trajectories.records import Doorway, FloorPlan, Room, Trajectory


def _run(context: StageContext) -> StageResult:
    config = context.config
    found = draw_floor_plans(
        read_scene(context.run / "scene"),
        read_jsonl(context.run / "trajectories" / "trajectories.jsonl", Trajectory),
        _room_of_frame(context.run / "perception" / "frame_rooms.jsonl"),
        config.plan,
        seed=config.seed,
    )
    folder = context.part / "plan"
    folder.mkdir()
    write_jsonl(folder / "floor_plans.jsonl", found.plans, FloorPlan)
    write_jsonl(folder / "rooms.jsonl", found.rooms, Room)
    write_jsonl(folder / "doorways.jsonl", found.doorways, Doorway)
    counts: Counts = {"plans": len(found.plans), "rooms": len(found.rooms), "doorways": len(found.doorways)}
    return StageResult(counts, found.findings)


def _room_of_frame(path: Path) -> dict[int, str]:
    """Room label by frame; empty where nothing knows rooms."""
    return {row.frame: row.room for row in read_jsonl(path, FrameRoom)} if path.exists() else {}


STAGE = Stage(
    name="plan",
    title="Floor plan and rooms",
    version=2,
    needs=("trajectories", "perception"),
    outputs=("plan",),
    options=lambda config: [config.plan, config.seed],
    run=_run,
)

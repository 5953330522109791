"""Floor plan: free floor and doorways from walks and points, rooms where frames have room labels."""

from __future__ import annotations

from recon.upright.scene_io import read_scene
from roomtour.artifacts import DOORWAYS, FLOOR_PLANS, FRAME_ROOMS, ROOMS, SCENE, TRAJECTORIES
from roomtour.stages.context import Counts, StageContext, StageResult
from trajectories.floor_plan import draw_floor_plans


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    found = draw_floor_plans(
        read_scene(context.path(SCENE)),
        context.read(TRAJECTORIES),
        {row.frame: row.room for row in context.read(FRAME_ROOMS)},
        config.plan,
        seed=config.seed,
    )
    context.write(FLOOR_PLANS, found.plans)
    context.write(ROOMS, found.rooms)
    context.write(DOORWAYS, found.doorways)
    counts: Counts = {"plans": len(found.plans), "rooms": len(found.rooms), "doorways": len(found.doorways)}
    return StageResult(counts, found.findings)

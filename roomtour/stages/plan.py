"""Floor plan: free floor and doorways from walks, points and doors, rooms where frames have room labels."""

from __future__ import annotations

import numpy as np

from instructions.records import SceneObject
from recon.upright.scene_io import read_scene
from roomtour.artifacts import DOORWAYS, FLOOR_PLANS, FRAME_ROOMS, OBJECTS, ROOMS, SCENE, TRAJECTORIES
from roomtour.stages.context import Counts, StageContext, StageResult
from trajectories.floor_plan import SeenDoor, draw_floor_plans

DOORS = ("door", "doorway", "sliding door", "french door", "glass door", "balcony door")


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    drawn = draw_floor_plans(
        read_scene(context.path(SCENE)),
        context.read(TRAJECTORIES),
        {row.frame: row.room for row in context.read(FRAME_ROOMS)},
        config.plan,
        doors=[_seen_door(thing) for thing in context.read(OBJECTS) if thing.category in DOORS],
        seed=config.seed,
    )
    context.write(FLOOR_PLANS, drawn.plans)
    context.write(ROOMS, drawn.rooms)
    context.write(DOORWAYS, drawn.doorways)
    counts: Counts = {"plans": len(drawn.plans), "rooms": len(drawn.rooms), "doorways": len(drawn.doorways)}
    return StageResult(counts, drawn.findings)


def _seen_door(thing: SceneObject) -> SeenDoor:
    """A door's box from above: as wide as its longer level side, and one goes through it along the shorter one."""
    axes, half = np.array(thing.obb.rotation), np.array(thing.obb.half_extents)
    level = sorted((row for row in range(3) if abs(axes[2, row]) < 0.5), key=lambda row: float(half[row]))[:2]
    across = level[0] if level else 0
    heading_deg = float(np.degrees(np.arctan2(axes[1, across], axes[0, across])))
    x, y, _ = thing.obb.center
    return SeenDoor(thing.id, thing.model, (x, y), 2 * float(half[level[-1]] if level else half.max()), heading_deg)

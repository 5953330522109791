"""A made run: known cameras on a walk, points they see, decisions, objects and texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np

from instructions.navigation.further import describe_views, write_further
from instructions.navigation.records import Instruction
from instructions.records import Claim, ClaimCheck, Obb, Observation, SceneObject, SpatialLine
from instructions.tour import Tour
from recon.conventions import elevation_deg, heading_deg
from recon.geometry import Camera, Pose
from recon.records import Clip, Frame, Scale, ScaleStatus, Scene, SceneModel, SourceInfo, Tracks
from roomtour.export import RunData
from trajectories.records import Area, DecisionPoint, Doorway, FloorPlan, Room, Trajectory, TrajectoryPoint
from trajectories.training import cut_for_training, reverse_walk, sub_walks

CAMERA = Camera("SIMPLE_RADIAL", 640, 360, (500.0, 320.0, 180.0, 0.01))


def level_camera(x: float, y: float, heading: float, z: float = 1.5, elevation: float = 0.0) -> Pose:
    """world_from_cam of a camera at (x, y, z) that looks along a heading and an elevation, in degrees."""
    h, e = np.radians([heading, elevation])
    forward = np.array([np.cos(e) * np.cos(h), np.cos(e) * np.sin(h), np.sin(e)])
    right = np.array([np.sin(h), -np.cos(h), 0.0])
    return Pose(np.column_stack([right, np.cross(forward, right), forward]), np.array([x, y, z]))


def corner_walk() -> list[Pose]:
    """30 cameras: 12 steps of 0.3 m along +x, a turn to the left on the spot in 6, 12 steps along +y."""
    ahead = [level_camera(0.3 * k, 0.0, 0.0) for k in range(12)]
    turn = [level_camera(3.3, 0.0, 15.0 * (k + 1)) for k in range(6)]
    left = [level_camera(3.3, 0.3 * (k + 1), 90.0, elevation=-5.0) for k in range(12)]
    return ahead + turn + left


def make_tracks(cameras: dict[int, Pose], rng: np.random.Generator, points: int = 40) -> Tracks:
    """Points on the walls around the walk, and where each camera sees them."""
    xyz = rng.uniform([-3, -3, 0], [8, 8, 2.5], size=(points, 3))
    rows = []
    for frame, world_from_cam in cameras.items():
        pixels = CAMERA.project(world_from_cam.inverse() @ xyz)
        rows += [(frame, p, *pixels[p]) for p in np.flatnonzero(CAMERA.is_inside(pixels))]
    table = np.array(rows, dtype=float).reshape(-1, 4)
    rgb = rng.integers(0, 256, size=(points, 3)).astype(np.uint8)
    return Tracks(xyz, rgb, rng.uniform(0.1, 1, points), table[:, 1].astype(int), table[:, 0].astype(int), table[:, 2:])


def make_model(
    poses: Sequence[Pose], name: str = "0", first: int = 1, status: ScaleStatus = "assumed", seed: int = 0
) -> SceneModel:
    """A model whose frames count from `first`."""
    cameras = {first + k: pose for k, pose in enumerate(poses)}
    return SceneModel(
        name=name,
        camera=CAMERA,
        world_from_cam=cameras,
        tracks=make_tracks(cameras, np.random.default_rng(seed)),
        scale=Scale(status, 1.7, 0.2, "camera height 1.5 m" if status != "relative" else "none"),
        floor_z=0.0,
        up_source="made",
        mean_reprojection_error_px=0.4,
        clips=("000",),
    )


def make_trajectory(tour: str, model: SceneModel, decisions: Sequence[tuple[int, Sequence[int]]]) -> Trajectory:
    """The walk of a model; decisions as (positive frame, negative frames)."""
    level = {f: p for f, p in model.world_from_cam.items() if np.hypot(*p.forward[:2]) >= 1e-3}
    points = tuple(
        TrajectoryPoint(
            f, f / 3, (float(p.center[0]), float(p.center[1]), float(p.center[2])), heading_deg(p), elevation_deg(p)
        )
        for f, p in level.items()
    )
    return Trajectory(
        id=f"{tour}_m{model.name}_t0",
        scene=tour,
        model=model.name,
        unit=model.scale.unit,
        scale_status=model.scale.status,
        points=points,
        view_changes=(),
        clusters=(),
        paths=(),
        decisions=tuple(
            DecisionPoint(0, (positive,), positive, positive - 1, positive, tuple(negatives), 0.1)
            for positive, negatives in decisions
        ),
    )


def make_instruction(trajectory: Trajectory, number: int, frames: Sequence[int], text: str, **changes) -> Instruction:
    """An accepted instruction; `changes` override its fields."""
    claim = Claim("turn", "turn left", side="left", angle_deg=90.0, first_frame=frames[0], last_frame=frames[-1])
    base = Instruction(
        id=f"{trajectory.id}_i{number}",
        tour=trajectory.scene,
        model=trajectory.model,
        views=tuple(frames),
        scale_status=cast(ScaleStatus, trajectory.scale_status),
        claims=(ClaimCheck(claim, True, "turned 90 degrees"),),
        writer="embedded",
        perception="embedded",
        seed=7,
        accepted=True,
        trajectory=trajectory.id,
        kind="instruction",
        text=text,
        objects=(),
    )
    return replace(base, **changes)


def make_source(tour: str, frames: int, licence: str = "CC-BY-4.0") -> SourceInfo:
    return SourceInfo(
        f"tours/{tour}.mp4", "video", 640, 360, frames / 3, frames * 8, 24.0, "h264", 0, "ab" * 32, licence
    )


def make_frames(count: int) -> tuple[Frame, ...]:
    return tuple(Frame(k, k / 3, f"{k:06d}.jpg", 640, 360, 100.0, 0) for k in range(1, count + 1))


def make_floor(model: SceneModel) -> tuple[FloorPlan, tuple[Room, ...], tuple[Doorway, ...]]:
    """Two rooms that meet at y = 1, with a hole in the first."""
    low = Area(((-1.0, -1.0), (4.5, -1.0), (4.5, 1.0), (-1.0, 1.0)), (((0.0, 0.5), (0.0, 0.7), (0.5, 0.7)),))
    high = Area(((2.5, 1.0), (4.5, 1.0), (4.5, 5.0), (2.5, 5.0)))
    name, first = model.name, model.frames[0]
    plan = FloorPlan(name, model.scale.unit, model.scale.status, 0.1, (low, high), (), 18.9)
    rooms = (
        Room(f"{name}_r0", name, "hall", (low,), tuple(range(first, first + 21))),
        Room(f"{name}_r1", name, "kitchen", (high,), tuple(range(first + 21, first + 30))),
    )
    door = Doorway(f"{name}_d0", name, (rooms[0].id, rooms[1].id), (3.3, 1.0), ((first + 20, first + 21),))
    return plan, rooms, (door,)


def make_run(
    tour: str = "flat", status: ScaleStatus = "assumed", models: int = 1, frames_dir: Path = Path()
) -> RunData:
    """The corner walk with two decisions, one object and five texts; further models repeat the walk apart."""
    walk = corner_walk()
    made = [make_model(walk, str(k), first=1 + 30 * k, status=status, seed=k) for k in range(models)]
    frames = make_frames(30 * models)
    trajectory = make_trajectory(tour, made[0], decisions=[(17, (3, 11)), (24, (9, 2))])
    box = Obb((3.0, 4.0, 0.5), (0.5, 0.2, 0.5), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    thing = SceneObject("0_1", "0", None, "large red object", "red", "large", box, (0, 1), (3, 4), False, "embedded")
    observations = tuple(
        Observation(frame, "0_1", (10.0, 20.0, 60.5, 90.0), 0.8, 1.0, 2.5, ("left",), ("near",)) for frame in (3, 4)
    )
    texts = (
        make_instruction(trajectory, 0, (9, 12, 15, 17, 19, 21), "Walk ahead, then turn left.", objects=("0_1",)),
        make_instruction(trajectory, 1, (9, 12, 15, 17, 19, 21), "Go on and turn left at the end."),
        make_instruction(trajectory, 2, range(13, 31), "Turn left and walk to the end."),
        make_instruction(trajectory, 3, (1, 4, 8, 12), "You walk ahead past a large red object.", kind="description"),
        make_instruction(
            trajectory,
            4,
            (9, 12, 15, 17),
            "Turn right.",
            accepted=False,
            rejected_because="false_claim",
            rejection="turned 90 degrees left",
        ),
    )
    plan, rooms, doorways = make_floor(made[0])
    scene = Scene(
        id=tour,
        source=make_source(tour, len(frames)),
        frames=frames,
        clips=(Clip("000", 0, tuple(frame.index for frame in frames)),),
        models=tuple(made),
    )
    lines = (SpatialLine(3, None, "on the left, near: a large red object"),)
    return RunData(
        scene=scene,
        trajectories=(trajectory,),
        objects=(thing,),
        observations=observations,
        spatial_lines=lines,
        rows={"navigation": texts},
        frames_dir=frames_dir,
        view_descriptions=describe_views(scene, lines, "embedded"),
        training=tuple(cut_for_training(trajectory)[0]),
        floor_plans=(plan,),
        rooms=rooms,
        doorways=doorways,
        provenance={"tour": tour, "versions": {"roomtour": "0.1.0"}, "options": {"seed": 7}},
    )


def with_further(run: RunData) -> RunData:
    """The run with the further walks and rows that the stages would have made."""
    parts = [part for walk in run.trajectories for part in sub_walks(walk, cut_for_training(walk)[0])]
    back = [reverse_walk(walk) for walk in run.trajectories]
    rows = write_further(Tour(run.scene, run.objects, run.observations), parts, back, nameless=True)
    return replace(run, further_walks=(*parts, *back), further_instructions=tuple(rows))

"""Ways with known truth: the made apartment (also mirrored, and walked backwards), boxes, and those of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from instructions.facts.placing import side_of_box
from instructions.facts.way import WayGeometry
from instructions.navigation.way_plans import PlanOptions, WayPlan, plan_ways
from instructions.navigation.ways import WayOptions
from instructions.records import Obb, Observation, RoomSpan, SceneObject
from instructions.tour import Tour
from recon.conventions import elevation_deg, heading_deg
from recon.geometry import Camera, Pose
from recon.records import Frame, Scale, Scene, SceneModel, SourceInfo, Tracks
from trajectories.records import Trajectory, TrajectoryPoint

ROOT = Path(__file__).parents[1]
FPS = 3.0


@dataclass(frozen=True, eq=False)
class MadeWalk:
    """One walk with everything a writer and the check are handed."""

    name: str
    scene: Scene
    trajectory: Trajectory
    objects: tuple[SceneObject, ...]
    observations: tuple[Observation, ...]
    rooms: tuple[RoomSpan, ...] = ()


@dataclass(frozen=True, eq=False)
class MadeWay:
    """One way of a walk: what happens on it, and what the check measures it with."""

    walk: MadeWalk
    plan: WayPlan
    geometry: WayGeometry


def make_ways(walk: MadeWalk, options: PlanOptions) -> Iterator[MadeWay]:
    """The ways of a walk with their events, by the rules of the writers."""
    by_id = {thing.id: thing for thing in walk.objects}
    tour = Tour(walk.scene, walk.objects, walk.observations, rooms=walk.rooms)
    for plan in plan_ways(tour, walk.trajectory, options):
        geometry = WayGeometry(plan.walk, plan.way.first, plan.way.last, plan.metre, by_id, walk.rooms)
        yield MadeWay(walk, plan, geometry)


def apartment_walks() -> Iterator[MadeWalk]:
    """The made apartment by its truth: as walked, mirrored, backwards, and both."""
    truth = json.loads((ROOT / "examples/apartment_truth/truth.json").read_text(encoding="utf-8"))
    rows = np.loadtxt(ROOT / "examples/apartment_truth/trajectory.tum")
    rows = rows[:: round(30 / FPS)]
    poses = [Pose(Rotation.from_quat(row[4:8]).as_matrix(), row[1:4]) for row in rows]
    for mirror in (False, True):
        for backwards in (False, True):
            name = "apartment" + (", mirrored" if mirror else "") + (", backwards" if backwards else "")
            yield _apartment(name, truth, poses, mirror, backwards)


def _apartment(name: str, truth: dict, poses: Sequence[Pose], mirror: bool, backwards: bool) -> MadeWalk:
    flip = np.diag([1.0, -1.0 if mirror else 1.0, 1.0])
    moved = [_turn_around(_mirror(pose) if mirror else pose, backwards) for pose in poses]
    if backwards:
        moved = moved[::-1]
    camera = Camera("PINHOLE", 640, 360, (truth["camera"]["fx"],) * 2 + (320.0, 180.0))
    by_frame = dict(enumerate(moved, start=1))
    rooms = [(room["label"], np.array(room["polygon_m"]) @ flip[:2, :2]) for room in truth["rooms"]]
    room_names = {room["name"]: room["label"] for room in truth["rooms"]}
    room_of = {frame: _room_at(pose.center[:2], rooms) for frame, pose in by_frame.items()}
    objects, observations = [], []
    names = _aliases(truth["objects"])
    for number, entry in enumerate(truth["objects"]):
        box = entry["obb"]
        obb = Obb(
            _vec3(flip @ np.array(box["center_m"])),
            _vec3(box["half_extents_m"]),
            tuple(_vec3(row) for row in flip @ np.array(box["rotation"])),  # type: ignore[arg-type]
        )
        here = {frame: pose for frame, pose in by_frame.items() if room_of[frame] == room_names[entry["room"]]}
        found = list(observe_box(f"0_{number}", obb, here, camera))
        observations += found
        is_double = sum(alias == names[number] for alias in names) > 1
        objects.append(
            SceneObject(
                f"0_{number}", "0", entry["category"], names[number], entry["color"], None, obb, (),
                tuple(one.frame for one in found), is_double, "truth",
            )
        )  # fmt: skip
    scene, trajectory = records_of("apartment", camera, by_frame)
    return MadeWalk(name, scene, trajectory, tuple(objects), tuple(observations), spans_of(room_of))


def _aliases(entries: Sequence[dict]) -> list[str]:
    """Category, with the colour where the category alone is not enough."""
    categories = [entry["category"] for entry in entries]
    return [
        entry["category"] if categories.count(entry["category"]) == 1 else f"{entry['color']} {entry['category']}"
        for entry in entries
    ]


def observe_box(
    name: str, obb: Obb, poses: dict[int, Pose], camera: Camera, far_m: float = 8.0
) -> Iterator[Observation]:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.6
    corners = (signs * np.array(obb.half_extents)) @ np.array(obb.rotation).T + np.array(obb.center)
    for frame, pose in poses.items():
        local = pose.inverse() @ corners
        if local[:, 2].min() < 0.2 or local[:, 2].mean() > far_m:
            continue
        pixels = camera.project(local)
        inside = camera.is_inside(pixels)
        if inside.sum() >= 3:
            low, high = pixels[inside].min(axis=0), pixels[inside].max(axis=0)
            box = (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
            yield Observation(frame, name, box, 1.0, 1.0, float(local[:, 2].mean()), (side_of_box(box, 640.0),), ())


def _mirror(pose: Pose) -> Pose:
    """The camera in the mirrored world: y changes sign, and the image is the mirror image."""
    flip = np.diag([1.0, -1.0, 1.0])
    return Pose(flip @ pose.rotation @ np.diag([-1.0, 1.0, 1.0]), flip @ pose.center)


def _turn_around(pose: Pose, backwards: bool) -> Pose:
    """The camera of somebody who walks the other way: turned about the vertical."""
    half = np.diag([-1.0, -1.0, 1.0]) if backwards else np.eye(3)
    return Pose(half @ pose.rotation, pose.center)


def _room_at(xy: np.ndarray, rooms: Sequence[tuple[str, np.ndarray]]) -> str | None:
    """The room with the place inside its bounding box, walls shared out halfway."""
    for label, polygon in rooms:
        low, high = polygon.min(axis=0) - 0.07, polygon.max(axis=0) + 0.07
        if np.all(xy >= low) and np.all(xy <= high):
            return label
    return None


def spans_of(room_of: dict[int, str | None]) -> tuple[RoomSpan, ...]:
    spans: list[RoomSpan] = []
    for frame, room in room_of.items():
        if room is None:
            continue
        if spans and spans[-1].room == room:
            spans[-1] = replace(spans[-1], last_frame=frame)
        else:
            before = spans[-1].room if spans else None
            spans.append(RoomSpan(f"s{len(spans)}", room, frame, frame, 1.0, before))
    return tuple(spans)


def records_of(name: str, camera: Camera, by_frame: dict[int, Pose]) -> tuple[Scene, Trajectory]:
    frames = tuple(Frame(i, (i - 1) / FPS, f"{i:06d}.jpg", camera.width, camera.height, 1.0, 0) for i in by_frame)
    nothing = np.zeros(0)
    tracks = Tracks(
        np.zeros((0, 3)),
        np.zeros((0, 3), np.uint8),
        nothing,
        nothing.astype(int),
        nothing.astype(int),
        np.zeros((0, 2)),
    )
    model = SceneModel("0", camera, by_frame, tracks, Scale("metric", 1.0, 0.01, "truth"), 0.0, "truth", 0.0)
    source = SourceInfo(name, "images", 640, 360, len(frames) / FPS, len(frames), FPS, "png", 0, "0" * 64)
    points = tuple(
        TrajectoryPoint(frame, (frame - 1) / FPS, _vec3(pose.center), heading_deg(pose), elevation_deg(pose))
        for frame, pose in by_frame.items()
    )
    trajectory = Trajectory(f"{name}_m0_t0", name, "0", "m", "metric", points, (), (), (), ())
    return Scene(name, source, frames, (), (model,)), trajectory


def box_walks(count: int) -> Iterator[MadeWalk]:
    """Random walks among coloured boxes."""
    from tests.support.worlds.boxworld import true_objects
    from tests.support.worlds.made_walks import random_world

    for seed in range(count):
        world = random_world(seed)
        objects, observations = true_objects(world)
        yield MadeWalk(f"boxes {seed}", world.scene, world.trajectory, tuple(objects), tuple(observations))


def run_walks(folder: Path) -> Iterator[MadeWalk]:
    """The walks of a finished run, with what its perception found."""
    import roomtour

    run = roomtour.Run(folder)
    for trajectory in run.trajectories:
        objects = tuple(thing for thing in run.objects if thing.model == trajectory.model)
        ids = {thing.id for thing in objects}
        scene = replace(run.scene, models=tuple(m for m in run.scene.models if m.name == trajectory.model))
        seen = tuple(one for one in run.observations if one.object in ids)
        yield MadeWalk(f"run {folder.name}", scene, trajectory, objects, seen)


def plan_options(good_s: float) -> PlanOptions:
    """Ways of another length."""
    return PlanOptions(ways=WayOptions(good_s=good_s, max_s=1.8 * good_s))


def _vec3(values) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])

"""The made apartment by its own surfaces: what a ray from a camera meets first, and what each frame therefore shows."""

# pyright: reportAttributeAccessIssue=false
# (mujoco is a compiled module without type stubs.)

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from examples.apartment_world.furnishing import furnish
from examples.apartment_world.geometry import WorldObject
from examples.apartment_world.rooms import build_shell, floor_plan
from instructions.records import Obb, Observation, SceneObject
from instructions.tour import Tour
from recon.geometry import Array, Camera, Pose
from recon.records import Frame, Scale, Scene, SceneModel, SourceInfo
from tests.support.paths import APARTMENT_TRUTH
from tests.support.worlds.made_view import NO_TRACKS

TRUTH = APARTMENT_TRUTH
SEED = 7
STEP_PX = 4
POINTS = 160
"""Points on the surface of a thing of which the seen share is its visible fraction."""
FAR_M = 14.0


class Surfaces:
    """The meshes of the apartment, as rays meet them. `names[geom]` is the id of the truth, or that of a wall."""

    def __init__(self, seed: int = SEED) -> None:
        self.names, self.points, self._model, self._data = _build(seed)

    def first_hits(self, eye: Array, rays: Array) -> tuple[NDArray[np.int32], Array]:
        """Which mesh each ray (N, 3) from an eye meets first (-1 for none), and how many of its lengths away."""
        count = len(rays)
        geoms, lengths = np.full(count, -1, np.int32), np.full(count, -1.0)
        if count:
            flat = rays.reshape(-1).copy()
            mujoco.mj_multiRay(self._model, self._data, eye, flat, None, 1, -1, geoms, lengths, None, count, FAR_M * 9)
        return geoms, lengths


@cache
def _build(seed: int) -> tuple[list[str], dict[str, Array], mujoco.MjModel, mujoco.MjData]:
    rooms, openings = floor_plan()
    things = build_shell(rooms, openings) + furnish(np.random.default_rng(seed))
    spec, rng = mujoco.MjSpec(), np.random.default_rng(seed)
    points: dict[str, Array] = {}
    for thing in things:
        vertices, faces = _mesh(thing)
        if not len(faces):
            continue
        mesh = spec.add_mesh(name=thing.id, inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)
        mesh.uservert, mesh.userface = vertices.reshape(-1).tolist(), faces.reshape(-1).tolist()
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=thing.id, contype=0, conaffinity=0)
        points[thing.id] = _sample(vertices, faces, rng)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return list(points), points, model, data


def _mesh(thing: WorldObject) -> tuple[Array, NDArray[np.int64]]:
    vertices, faces, start = [], [], 0
    for patch in (patch for part in thing.parts for patch in part.patches):
        rows, columns = patch.points_m.shape[:2]
        index = np.arange(rows * columns).reshape(rows, columns)
        keep = np.ones((rows - 1, columns - 1), bool) if patch.keep is None else patch.keep
        a, b, c, d = (block[keep] for block in (index[:-1, :-1], index[:-1, 1:], index[1:, :-1], index[1:, 1:]))
        points = patch.points_m.reshape(-1, 3)
        triangles = np.concatenate([np.stack([a, c, b], -1), np.stack([b, c, d], -1)])
        corners = points[triangles]
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        vertices.append(points)
        faces.append(triangles[area > 1e-10] + start)
        start += len(points)
    if not vertices:
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
    return np.concatenate(vertices), np.concatenate(faces)


def _sample(vertices: Array, faces: NDArray[np.int64], rng: np.random.Generator) -> Array:
    """Points spread evenly over the triangles, (POINTS, 3)."""
    corners = vertices[faces]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    picked = corners[rng.choice(len(faces), POINTS, p=area / area.sum())]
    u, v = rng.random((2, POINTS, 1))
    flip = u + v > 1
    u, v = np.where(flip, 1 - u, u), np.where(flip, 1 - v, v)
    return picked[:, 0] + u * (picked[:, 1] - picked[:, 0]) + v * (picked[:, 2] - picked[:, 0])


@dataclass(frozen=True, eq=False)
class KnownWorld:
    """What the writer of questions is given of the apartment."""

    scene: Scene
    objects: tuple[SceneObject, ...]
    observations: tuple[Observation, ...]

    @cached_property
    def tour(self) -> Tour:
        """The apartment as it is: its boxes have no error."""
        return Tour(self.scene, self.objects, self.observations, exact=True)


def know_apartment(
    surfaces: Surfaces, times_s: Sequence[float], folder: Path = TRUTH, step_px: int = STEP_PX
) -> KnownWorld:
    """The truth of the apartment as records: boxes as they are, and what each view shows by a ray every `step_px`."""
    truth = json.loads((folder / "truth.json").read_text())
    poses = np.loadtxt(folder / "trajectory.tum")
    shot = truth["camera"]
    size = (truth["width"], truth["height"])
    camera = Camera("PINHOLE", *size, (shot["fx"], shot["fy"], shot["cx"], shot["cy"]))
    rows = np.clip(np.searchsorted(poses[:, 0], np.asarray(times_s) - 1e-3), 0, len(poses) - 1)
    world_from_cam = {
        frame: Pose.from_quat_wxyz(poses[row, [7, 4, 5, 6]], poses[row, 1:4]) for frame, row in enumerate(rows, 1)
    }
    frames = tuple(Frame(f, float(poses[row, 0]), f"{f:06d}.jpg", *size, 1.0, 0) for f, row in enumerate(rows, 1))
    scale = Scale("metric", 1.0, 0.0, "truth")
    model = SceneModel("0", camera, world_from_cam, NO_TRACKS, scale, 0.0, "truth", 0.0)
    source = SourceInfo("apartment.mp4", "video", *size, 75.0, len(frames), 3.0, "made", 0, "0" * 64)
    scene = Scene("apartment", source, frames, (), (model,))
    observations = _look(surfaces, model, {one["id"] for one in truth["objects"]}, step_px)
    seen: dict[str, list[int]] = {}
    for one in observations:
        seen.setdefault(one.object, []).append(one.frame)
    return KnownWorld(
        scene, tuple(_object(one, tuple(seen.get(one["id"], ()))) for one in truth["objects"]), observations
    )


def _object(one: dict, frames: tuple[int, ...]) -> SceneObject:
    obb = one["obb"]
    x, y, z = (tuple(row) for row in obb["rotation"])
    box = Obb(tuple(obb["center_m"]), tuple(obb["half_extents_m"]), (x, y, z))
    alias = f"{one['color']} {one['category']}"
    return SceneObject(
        one["id"], "0", one["category"], alias, one["color"], None, box, (), frames, False, "truth", one["room"]
    )


def _look(surfaces: Surfaces, model: SceneModel, things: set[str], step_px: int) -> tuple[Observation, ...]:
    camera = model.camera
    x, y = np.meshgrid(np.arange(0, camera.width, step_px) + 0.5, np.arange(0, camera.height, step_px) + 0.5)
    pixels = np.column_stack([x.ravel(), y.ravel()])
    rays_cam = camera.rays(pixels)
    out: list[Observation] = []
    for frame, pose in model.world_from_cam.items():
        geoms, depth = surfaces.first_hits(pose.center, rays_cam @ pose.rotation.T)
        for geom in np.unique(geoms[geoms >= 0]):
            name = surfaces.names[geom]
            if name not in things:
                continue
            mine = geoms == geom
            low, high = pixels[mine].min(axis=0) - 0.5, pixels[mine].max(axis=0) - 0.5 + step_px
            box = (float(low[0]), float(low[1]), min(float(high[0]), camera.width), min(float(high[1]), camera.height))
            share = _visible_share(surfaces, pose, camera, name)
            out.append(Observation(frame, name, box, share, 1.0, float(np.median(depth[mine])), (), (), None))
    return tuple(out)


def _visible_share(surfaces: Surfaces, pose: Pose, camera: Camera, name: str) -> float:
    """Share of a thing's surface points that are in the picture and hidden by nothing but the thing itself."""
    points = surfaces.points[name]
    inside = camera.is_inside(camera.project(pose.inverse() @ points))
    geoms, _ = surfaces.first_hits(pose.center, (points - pose.center))
    own = geoms == surfaces.names.index(name)
    return float((inside & own).mean())

"""Traces daylight and lamp light through the rooms once and bakes it into the painted images.

MuJoCo casts the rays (against the proxies of the parts); its renderer then only shows the finished images.
"""

# pyright: reportAttributeAccessIssue=false
# (mujoco is a compiled module without type stubs.)

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass

import cv2
import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from .geometry import Patch, WorldObject
from .rooms import Opening

SKY_RGB = np.array([0.93, 1.0, 1.1]) * 3.2
LAMP_RGB = np.array([1.1, 0.97, 0.8]) * 0.33
SUN_RGB = np.array([1.25, 1.05, 0.8]) * 1.1
SUN_DIRECTION = np.array([-0.42, -0.62, 0.66]) / np.linalg.norm([-0.42, -0.62, 0.66])
AMBIENT_RGB = np.array([0.95, 0.98, 1.0]) * 0.05
SHELL_TEXEL_M, FURNITURE_TEXEL_M, SUN_TEXEL_M = 0.11, 0.1, 0.03
BOUNCES, DIFFUSE_RAYS, WINDOW_GRID = 4, 32, 3


@dataclass
class _Texels:
    """Places where light is measured, all patches after one another."""

    points_m: NDArray[np.float64]
    normals: NDArray[np.float64]
    body: NDArray[np.int32]  # body to leave out (the part itself)
    shapes: list[tuple[int, int]]  # rows, columns of each patch


_world: dict = {}  # set before the workers fork


def bake(objects: list[WorldObject], openings: list[Opening], lamps_m: NDArray, seed: int, workers: int) -> None:
    """Multiply every patch's painted image by the light that falls on it, in place.

    Args:
        objects: The world, painted (`Patch.image` set).
        openings: Doors and windows; windows let the sky in.
        lamps_m: Positions of the lamps, shape (n, 3).
        seed: Seed of the ray directions.
        workers: Processes to use.
    """
    model, patches, bodies = _ray_model(objects)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    texels = _lay_texels(patches, bodies)
    count = len(texels.points_m)
    _world.update(model=model, data=data, texels=texels, lamps=lamps_m, windows=_windows(openings), seed=seed)
    _world.update(patches=patches, bodies=bodies)
    chunks = np.array_split(np.arange(count), 16)  # not by workers: each has its own random stream
    print(f"tracing light: {count} texels, {model.ngeom} solids", flush=True)
    context = multiprocessing.get_context("fork")
    with context.Pool(workers) as pool:
        results = pool.map(_trace_chunk, chunks)
        suns = pool.map(_trace_sun, range(len(patches)), chunksize=16)
    direct = np.concatenate([result[0] for result in results])
    hits = np.concatenate([result[1] for result in results])  # (count, rays, 3), nan where nothing was hit

    albedo = np.concatenate([_albedo(patch, shape) for patch, shape in zip(patches, texels.shapes, strict=True)])
    sun_coarse = np.concatenate(
        [
            cv2.resize(sun, shape[::-1], interpolation=cv2.INTER_AREA).reshape(-1)
            for sun, shape in zip(suns, texels.shapes, strict=True)
        ]
    )
    tree = cKDTree(texels.points_m)
    valid = ~np.isnan(hits[..., 0])
    source = np.zeros(hits.shape[:2], dtype=np.int64)
    source[valid] = tree.query(hits[valid], workers=workers)[1]
    incoming = direct + sun_coarse[:, None] * SUN_RGB
    light = incoming.copy()
    for _ in range(BOUNCES):
        leaving = albedo * light
        light = incoming + (leaving[source] * valid[..., None]).mean(axis=1) + AMBIENT_RGB * valid.mean(axis=1)[:, None]
    middle = float(np.median(light[: count // 2].mean(axis=1)))
    start = 0
    for patch, (rows, columns), sun in zip(patches, texels.shapes, suns, strict=True):
        block = (light - sun_coarse[:, None] * SUN_RGB)[start : start + rows * columns].reshape(rows, columns, 3)
        start += rows * columns
        _expose(patch, block, sun, middle)


def _ray_model(objects: list[WorldObject]) -> tuple[mujoco.MjModel, list[Patch], list[int]]:
    """A MuJoCo model of the proxies (one body each), the patches, and each patch's own body (-1 for none)."""
    kinds = {
        "box": mujoco.mjtGeom.mjGEOM_BOX,
        "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
        "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    }
    spec = mujoco.MjSpec()
    patches, owners = [], []
    bodies = 0
    for thing in objects:
        for part in thing.parts:
            own = -1
            if part.kind != "none" and (part.half_extents_m.max() > 0.13 or not part.patches):
                bodies += 1
                own = bodies
                quat_wxyz = np.zeros(4)
                mujoco.mju_mat2Quat(quat_wxyz, part.rotation.reshape(-1))
                body = spec.worldbody.add_body(pos=part.center_m, quat=quat_wxyz)
                size = np.maximum(part.half_extents_m, 1e-4)
                body.add_geom(type=kinds[part.kind], size=size, contype=0, conaffinity=0)
            for patch in part.patches:
                patches.append(patch)
                owners.append(own)
    return spec.compile(), patches, owners


def _lay_texels(patches: list[Patch], bodies: list[int]) -> _Texels:
    points, normals, owners, shapes = [], [], [], []
    for patch, body in zip(patches, bodies, strict=True):
        width, height = patch.size_m()
        texel = SHELL_TEXEL_M if width * height > 3 else FURNITURE_TEXEL_M
        rows, columns = (int(np.clip(np.ceil(side / texel), 1, 140)) for side in (height, width))
        if patch.glow >= 1.0:
            rows = columns = 1
        v, u = np.meshgrid((np.arange(rows) + 0.5) / rows, (np.arange(columns) + 0.5) / columns, indexing="ij")
        at, normal = patch.sample(u.reshape(-1), v.reshape(-1))
        points.append(at + 0.004 * normal)
        normals.append(normal)
        owners.append(np.full(rows * columns, body, np.int32))
        shapes.append((rows, columns))
    return _Texels(np.concatenate(points), np.concatenate(normals), np.concatenate(owners), shapes)


def _windows(openings: list[Opening]) -> list[tuple[NDArray, NDArray, float]]:
    """For each window: sample points, the normal into the house, and its area."""
    result = []
    for o in openings:
        if len(o.rooms) != 1:
            continue
        s = (np.arange(WINDOW_GRID) + 0.5) / WINDOW_GRID - 0.5
        along, up = np.meshgrid(s * o.width_m, s * (o.high_m - o.low_m) + (o.low_m + o.high_m) / 2)
        points = np.zeros((s.size**2, 3))
        index = 0 if o.axis == "x" else 1
        points[:, index] = o.center_m[index] + along.reshape(-1)
        points[:, 1 - index] = o.center_m[1 - index]
        points[:, 2] = up.reshape(-1)
        normal = np.zeros(3)
        normal[1 - index] = 1.0 if o.center_m[1 - index] < 5 else -1.0
        result.append((points, normal, o.width_m * (o.high_m - o.low_m)))
    return result


def _trace_chunk(indices: NDArray[np.int64]) -> tuple[NDArray, NDArray]:
    """Direct light and the first hits of diffuse rays for some texels."""
    model, data, texels = _world["model"], _world["data"], _world["texels"]
    rng = np.random.default_rng([_world["seed"], int(indices[0]) if len(indices) else 0])
    direct = np.zeros((len(indices), 3))
    hits = np.full((len(indices), DIFFUSE_RAYS, 3), np.nan)
    k = np.arange(DIFFUSE_RAYS)
    radius, golden = np.sqrt((k + 0.5) / DIFFUSE_RAYS), k * np.pi * (3 - np.sqrt(5))
    for i, index in enumerate(indices):
        at, normal, body = texels.points_m[index], texels.normals[index], int(texels.body[index])
        side = np.cross(normal, [0, 0, 1.0] if abs(normal[2]) < 0.9 else [1.0, 0, 0])
        side /= np.linalg.norm(side)
        other = np.cross(normal, side)
        spin = golden + rng.uniform(0, 2 * np.pi)
        diffuse = (
            (radius * np.cos(spin))[:, None] * side
            + (radius * np.sin(spin))[:, None] * other
            + np.sqrt(1 - radius**2)[:, None] * normal
        )
        targets, weights = _light_samples(at, normal)
        vectors = np.concatenate([diffuse, targets]) if len(targets) else diffuse
        n = len(vectors)
        geom, dist = np.full(n, -1, np.int32), np.full(n, -1.0)
        mujoco.mj_multiRay(model, data, at, vectors.reshape(-1), None, True, body, geom, dist, None, n, 1e3)
        found = dist[:DIFFUSE_RAYS] >= 0
        hits[i, found] = at + dist[:DIFFUSE_RAYS][found, None] * diffuse[found]
        lit = (dist[DIFFUSE_RAYS:] < 0) | (dist[DIFFUSE_RAYS:] > 1.0)
        direct[i] = (weights * lit[:, None]).sum(axis=0)
    return direct, hits


def _light_samples(at: NDArray, normal: NDArray) -> tuple[NDArray, NDArray]:
    """Vectors (whole way, so a hit below 1 means shadow) to windows and lamps, and the light each would bring."""
    vectors, weights = [np.zeros((0, 3))], [np.zeros((0, 3))]
    for points, inward, area in _world["windows"]:
        to = points - at
        square = np.maximum((to**2).sum(axis=1), 0.05)
        if square.min() > 90:
            continue
        form = np.maximum(to @ normal, 0) * np.maximum(-(to @ inward), 0) / square**2 * area / len(points) / np.pi
        use = form > 1e-6
        vectors.append(to[use])
        weights.append(form[use, None] * SKY_RGB)
    to = _world["lamps"] - at
    square = np.maximum((to**2).sum(axis=1), 0.15)
    form = np.maximum(to @ normal, 0) / square**1.5
    use = (form > 1e-4) & (square < 60)
    vectors.append(to[use])
    weights.append(form[use, None] * LAMP_RGB)
    return np.concatenate(vectors), np.concatenate(weights)


def _trace_sun(index: int) -> NDArray[np.float32]:
    """How much sun (0..1, with the cosine) each fine texel of a patch gets."""
    patch, body = _world["patches"][index], _world["bodies"][index]
    model, data = _world["model"], _world["data"]
    width, height = patch.size_m()
    texel = SUN_TEXEL_M if width * height > 0.25 else 0.07
    rows, columns = (int(np.clip(np.ceil(side / texel), 1, 400)) for side in (height, width))
    result = np.zeros(rows * columns, np.float32)
    if patch.glow >= 1.0:
        return result.reshape(rows, columns)
    v, u = np.meshgrid((np.arange(rows) + 0.5) / rows, (np.arange(columns) + 0.5) / columns, indexing="ij")
    points, normals = patch.sample(u.reshape(-1), v.reshape(-1))
    points = points + 0.004 * normals
    cosine = normals @ SUN_DIRECTION
    geom = np.zeros(1, np.int32)
    for i in np.flatnonzero(cosine > 0.02):
        if mujoco.mj_ray(model, data, points[i], SUN_DIRECTION, None, True, body, geom, None) < 0:
            result[i] = cosine[i]
    return np.asarray(cv2.GaussianBlur(result.reshape(rows, columns), (0, 0), 0.8), np.float32)


def _linear(image: NDArray) -> NDArray[np.float32]:
    return (image.astype(np.float32) / 255.0) ** 2.2


def _albedo(patch: Patch, shape: tuple[int, int]) -> NDArray:
    assert patch.image is not None
    small = cv2.resize(patch.image, shape[::-1], interpolation=cv2.INTER_AREA)
    return _linear(small).reshape(-1, 3).clip(0, 0.85)


def _expose(patch: Patch, light: NDArray, sun: NDArray, middle: float) -> None:
    """Turn colour and light into the shown image, with the range squeezed as a phone camera does."""
    assert patch.image is not None
    if patch.glow >= 1.0:
        return
    h, w = patch.image.shape[:2]
    if min(light.shape[:2]) > 2:
        light = cv2.GaussianBlur(light, (0, 0), 0.9, borderType=cv2.BORDER_REPLICATE)
    light = cv2.resize(light.astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC).clip(1e-4)
    sunlight = cv2.resize(sun, (w, h), interpolation=cv2.INTER_LINEAR).clip(0)
    total = light + sunlight[..., None] * SUN_RGB.astype(np.float32)
    level = total.mean(axis=-1, keepdims=True) / middle
    gain = total / total.mean(axis=-1, keepdims=True) * level**0.85 * 0.65
    gain = gain * np.clip(level / 0.15, 0.3, 1.0) + patch.glow * 1.2
    shown = _linear(patch.image) * gain
    shown = np.where(shown < 0.6, shown, 0.6 + 0.4 * np.tanh((shown - 0.6) / 0.4))
    patch.image = np.round(255 * shown.clip(0, 1) ** (1 / 2.2)).astype(np.uint8)

"""Point clouds as loaders read them, with the boxes of the things in them, in a frame that hangs on the room alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from instructions.dialogues.options import CloudOptions
from instructions.dialogues.records import Cloud, CloudBox, Points
from instructions.facts.bodies import Body
from instructions.facts.tracks import reliable_points
from instructions.records import Obb, SceneObject
from recon.geometry import Array, Pose
from recon.records import SceneModel

DepthOf = Callable[[int], "tuple[NDArray[np.float32], NDArray[np.uint8]] | None"]
"""Of a frame: depth (h, w) at every fourth pixel, NaN where unknown, and its colours there (h, w, 3), r g b."""
DEPTH_STEP_PX = 4
_OTHER_VIEWS = 6
"""Views near in place and direction that a point is looked for in."""
_LONE = 4
"""Others within reach that a point needs."""
_TRACK_ERROR_PX, _TRACK_LENGTH, _TRACK_ANGLE_DEG = 2.0, 3, 1.5


@dataclass(frozen=True, eq=False)
class MadeCloud:
    """A cloud and its points, float32 (N, 6)."""

    cloud: Cloud
    xyz_rgb: NDArray[np.float32]


def make_cloud(
    tour: str,
    model: SceneModel,
    things: Sequence[SceneObject],
    options: CloudOptions = CloudOptions(),
    depth_of: DepthOf | None = None,
) -> MadeCloud | None:
    """The cloud of a model; None without metres, or without enough points to be one.

    Args:
        tour: Name of the tour.
        model: Upright, with a scale.
        things: Of the model.
        options: How it is made.
        depth_of: Learned or measured depth; None takes the tracks.
    """
    if model.scale.status == "relative":
        return None
    kind: Points = "tracks" if depth_of is None else "depth"
    if depth_of is None:
        xyz, rgb = _track_points(model)
    else:
        xyz, rgb = back_project(model, depth_of, options)
    xyz, rgb = thin_points(xyz, rgb, options)
    if len(xyz) < options.least_points:
        return None
    frame = find_cloud_frame(xyz, model.floor_z, [thing.obb for thing in things])
    moved = np.concatenate([frame @ xyz, rgb], axis=1).astype(np.float32)
    name = f"{tour}_{model.name}"
    boxes = tuple(box_in_cloud(thing, frame) for thing in things)
    a, b, c, d = (tuple(row.tolist()) for row in frame.matrix())
    cloud = Cloud(
        name, tour, model.name, kind, len(moved), f"clouds/{name}.npy", (a, b, c, d), boxes, model.scale.status,
        model.scale.sigma,
    )  # fmt: skip
    return MadeCloud(cloud, moved)


def find_cloud_frame(xyz: Array, floor_z: float | None, boxes: Sequence[Obb]) -> Pose:
    """cloud_from_world: floor at z = 0, origin in the middle of the floor, edges of the boxes along x and y.

    Args:
        xyz: (N, 3) points in the world.
        floor_z: Height of the floor; the lowest points where it is unknown.
        boxes: Of the things; each votes with its level edges, the longer the more.
    """
    angle = _edge_angle(boxes)
    cosine, sine = np.cos(angle), np.sin(angle)
    turn = np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    level = xyz @ turn.T
    low, high = np.percentile(level[:, :2], [1.0, 99.0], axis=0)
    floor = float(np.percentile(xyz[:, 2], 1.0)) if floor_z is None else floor_z
    return Pose(turn, -np.array([*(low + high) / 2, floor]))


def _edge_angle(boxes: Sequence[Obb]) -> float:
    """Angle in (-45, 45] degrees, in radians: the mode of the level edges modulo 90."""
    angles, weights = [], []
    for box in boxes:
        axes, half = np.array(box.rotation), np.array(box.half_extents)
        for axis in range(3):
            x, y, z = axes[:, axis]
            if abs(z) < 0.2:
                angles.append(np.arctan2(y, x))
                weights.append(half[axis])
    if not angles:
        return 0.0
    four = np.exp(4j * np.array(angles))
    weight = np.array(weights)
    # The mode, not the mean: things that stand askew must not turn the room.
    near = np.exp(-((np.angle(four[:, None] / four[None]) / 4 / np.radians(3.0)) ** 2) / 2) @ weight
    best = four[int(np.argmax(near))]
    close = np.abs(np.angle(four / best)) / 4 < np.radians(6.0)
    return float(np.angle((four[close] * weight[close]).sum())) / 4


def box_in_cloud(thing: SceneObject, cloud_from_world: Pose) -> CloudBox:
    """A thing's box along the axes of the cloud, and as it lies there."""
    body = Body.of_box(thing.obb)
    corners = cloud_from_world @ body.points
    low, high = corners.min(axis=0), corners.max(axis=0)
    axes = cloud_from_world.rotation @ body.axes
    x, y, z = (tuple(row.tolist()) for row in axes)
    obb = Obb(tuple((cloud_from_world @ body.center).tolist()), thing.obb.half_extents, (x, y, z))
    middle, lengths = tuple(((low + high) / 2).tolist()), tuple((high - low).tolist())
    return CloudBox(thing.id, thing.category or thing.alias, middle, lengths, obb)


def back_project(model: SceneModel, depth_of: DepthOf, options: CloudOptions) -> tuple[Array, NDArray[np.float64]]:
    """Points (N, 3) and colours of depth maps, where a second view agrees."""
    depths: dict[int, NDArray[np.float32]] = {}
    colors: dict[int, NDArray[np.uint8]] = {}
    for frame in model.frames:
        found = depth_of(frame)
        if found is not None:
            depths[frame], colors[frame] = found
    every = max(1, options.step_px // DEPTH_STEP_PX)
    points, tints = [], []
    for frame, depth in depths.items():
        rows, columns = (np.arange(0, size, every) for size in depth.shape)
        grid = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
        ahead = depth[grid[:, 1], grid[:, 0]].astype(np.float64)
        known = np.isfinite(ahead) & (ahead > 0)
        grid, ahead = grid[known], ahead[known]
        rays = model.camera.rays(grid * float(DEPTH_STEP_PX) + 0.5)
        world = model.world_from_cam[frame] @ (rays * ahead[:, None])
        kept = _agrees(model, depths, frame, world, options.agree_m)
        points.append(world[kept])
        tints.append(colors[frame][grid[kept, 1], grid[kept, 0]].astype(np.float64))
    if not points:
        return np.zeros((0, 3)), np.zeros((0, 3))
    return np.concatenate(points), np.concatenate(tints)


def _agrees(
    model: SceneModel, depths: Mapping[int, NDArray[np.float32]], frame: int, world: Array, agree_m: float
) -> NDArray[np.bool_]:
    """Whether another view near this one sees each point (N, 3) at its depth."""
    pose = model.world_from_cam[frame]
    others = sorted(
        (one for one in depths if one != frame and model.world_from_cam[one].forward @ pose.forward > 0.5),
        key=lambda one: (float(np.linalg.norm(model.world_from_cam[one].center - pose.center)), one),
    )[:_OTHER_VIEWS]
    kept = np.zeros(len(world), bool)
    for other in others:
        cam = model.world_from_cam[other].inverse() @ world
        with np.errstate(divide="ignore", invalid="ignore"):
            pixels = model.camera.project(cam)
        depth = depths[other]
        at = np.round((pixels - 0.5) / DEPTH_STEP_PX)
        inside = (cam[:, 2] > 0) & np.isfinite(at).all(axis=1)
        at = np.where(inside[:, None], at, -1).astype(np.int64)
        inside &= (at >= 0).all(axis=1) & (at[:, 0] < depth.shape[1]) & (at[:, 1] < depth.shape[0])
        seen = np.full(len(world), np.nan)
        seen[inside] = depth[at[inside, 1], at[inside, 0]]
        kept |= np.abs(seen - cam[:, 2]) <= agree_m
    return kept


def _track_points(model: SceneModel) -> tuple[Array, NDArray[np.float64]]:
    tracks = model.tracks
    good = reliable_points(model, _TRACK_ERROR_PX, _TRACK_LENGTH, _TRACK_ANGLE_DEG)
    return tracks.xyz[good], tracks.rgb[good].astype(np.float64)


def thin_points(xyz: Array, rgb: NDArray[np.float64], options: CloudOptions) -> tuple[Array, NDArray[np.float64]]:
    """The mean of each voxel, without lone points, at most so many: larger voxels where there are more."""
    if not len(xyz):
        return xyz, rgb
    voxel = options.voxel_m
    while True:
        means, tints = _voxel_means(xyz, rgb, voxel)
        if len(means) <= options.most_points:
            break
        voxel *= max(1.1, (len(means) / options.most_points) ** 0.5)
    reach = max(options.lone_m, 2 * voxel)
    others = np.asarray(KDTree(means).query_ball_point(means, reach, return_length=True)) - 1
    kept = others >= _LONE
    return means[kept], tints[kept]


def _voxel_means(xyz: Array, rgb: NDArray[np.float64], voxel: float) -> tuple[Array, NDArray[np.float64]]:
    cells = np.floor(xyz / voxel).astype(np.int64)
    _, place, count = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    sums = np.zeros((len(count), 6))
    np.add.at(sums, place.reshape(-1), np.concatenate([xyz, rgb], axis=1))
    means = sums / count[:, None]
    return means[:, :3], means[:, 3:]

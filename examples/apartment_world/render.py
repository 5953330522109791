"""Builds the MuJoCo model of the finished surfaces, renders frames along a path and encodes them."""

# pyright: reportAttributeAccessIssue=false
# (mujoco is a compiled module without type stubs.)

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2
import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from .geometry import Patch, WorldObject
from .walk import CameraPath

PAD_PX = 4
CV_FROM_GL = np.diag([1.0, -1.0, -1.0])
"""OpenCV camera axes (x right, y down, z forward) against OpenGL's (x right, y up, z backward)."""


def paint_all(objects: list[WorldObject], seed: int) -> None:
    """Paint every patch once; each gets its own random stream, so one change does not repaint the rest."""
    for thing in objects:
        stream = np.random.default_rng([seed, *thing.id.encode()])
        for part in thing.parts:
            for patch in part.patches:
                width, height = patch.size_m()
                w, h = (max(4, round(side * patch.px_per_m)) for side in (width, height))
                image = patch.paint(h, w, patch.px_per_m, stream)
                patch.image = np.round(255 * np.clip(image, 0, 1)).astype(np.uint8)


@dataclass(frozen=True)
class Mirror:
    """A flat box that shows the rooms before it."""

    center_m: tuple[float, float, float]
    half_extents_m: tuple[float, float, float]


def build_model(
    objects: list[WorldObject], width_px: int, height_px: int, fovy_deg: float, mirrors: Sequence[Mirror] = ()
) -> mujoco.MjModel:
    """One textured mesh per object, no lights (light is in the images), one camera on a mocap body."""
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth, spec.visual.global_.offheight = width_px, height_px
    spec.visual.quality.offsamples = 0
    spec.visual.map.znear, spec.visual.map.zfar = 0.002, 4.0
    spec.stat.extent = 12.0
    spec.visual.headlight.active = 0
    for thing in objects:
        patches = [patch for part in thing.parts for patch in part.patches]
        if not patches:
            continue
        atlas, corners = _pack(patches)
        texture = spec.add_texture(name=thing.id, type=mujoco.mjtTexture.mjTEXTURE_2D, nchannel=3)
        texture.height, texture.width = atlas.shape[:2]
        texture.data = atlas.tobytes()
        material = spec.add_material(name=thing.id, emission=1.0, specular=0.0, shininess=0.0, reflectance=0.0)
        material.textures[int(mujoco.mjtTextureRole.mjTEXROLE_RGB)] = thing.id
        vertices, coordinates, faces = _mesh(patches, corners, atlas.shape)
        mesh = spec.add_mesh(name=thing.id, inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)
        mesh.uservert, mesh.userface = vertices.reshape(-1).tolist(), faces.reshape(-1).tolist()
        mesh.usertexcoord = coordinates.reshape(-1).tolist()
        mesh.userfacetexcoord = faces.reshape(-1).tolist()
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH, meshname=thing.id, material=thing.id, contype=0, conaffinity=0
        )
    for number, mirror in enumerate(mirrors):
        spec.add_material(name=f"mirror_{number}", rgba=(0.05, 0.05, 0.05, 1), emission=1.0, reflectance=0.9)
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, size=mirror.half_extents_m, pos=mirror.center_m,
            material=f"mirror_{number}", contype=0, conaffinity=0,
        )  # fmt: skip
    body = spec.worldbody.add_body(name="walker", mocap=True)
    body.add_camera(name="camera", fovy=fovy_deg)
    return spec.compile()


def _pack(patches: list[Patch]) -> tuple[NDArray[np.uint8], list[tuple[int, int]]]:
    """Put the images of an object on shelves in one atlas, with padding that repeats their edges."""
    images = [patch.image for patch in patches if patch.image is not None]
    area = sum((i.shape[0] + 2 * PAD_PX) * (i.shape[1] + 2 * PAD_PX) for i in images)
    width = max(int(np.sqrt(area) * 1.1), max(i.shape[1] for i in images) + 2 * PAD_PX)
    corners: list[tuple[int, int]] = [(0, 0)] * len(images)
    x = y = shelf = 0
    for k in sorted(range(len(images)), key=lambda k: -images[k].shape[0]):
        h, w = images[k].shape[0] + 2 * PAD_PX, images[k].shape[1] + 2 * PAD_PX
        if x + w > width:
            x, y, shelf = 0, y + shelf, 0
        corners[k] = (y + PAD_PX, x + PAD_PX)
        x, shelf = x + w, max(shelf, h)
    atlas = np.zeros((y + shelf, width, 3), np.uint8)
    for image, (row, column) in zip(images, corners, strict=True):
        padded = cv2.copyMakeBorder(image, PAD_PX, PAD_PX, PAD_PX, PAD_PX, cv2.BORDER_REPLICATE)
        atlas[row - PAD_PX : row - PAD_PX + padded.shape[0], column - PAD_PX : column - PAD_PX + padded.shape[1]] = (
            padded
        )
    return atlas, corners


def _mesh(patches: list[Patch], corners: list[tuple[int, int]], atlas_shape: tuple) -> tuple[NDArray, NDArray, NDArray]:
    """Vertices, texture coordinates and triangles; each triangle is wound to face along the patch's normal."""
    vertices, coordinates, faces, start = [], [], [], 0
    for patch, (row, column) in zip(patches, corners, strict=True):
        assert patch.image is not None
        h, w = patch.image.shape[:2]
        v, u = np.meshgrid(patch.v, patch.u, indexing="ij")
        coordinates.append(
            np.stack([(column + u * w) / atlas_shape[1], (row + v * h) / atlas_shape[0]], -1).reshape(-1, 2)
        )
        points = patch.points_m.reshape(-1, 3)
        normals = patch.normals.reshape(-1, 3)
        rows, columns = patch.points_m.shape[:2]
        index = np.arange(rows * columns).reshape(rows, columns)
        keep = np.ones((rows - 1, columns - 1), bool) if patch.keep is None else patch.keep
        a, b, c, d = (block[keep] for block in (index[:-1, :-1], index[:-1, 1:], index[1:, :-1], index[1:, 1:]))
        triangles = np.concatenate([np.stack([a, c, b], -1), np.stack([b, c, d], -1)])
        p = points[triangles]
        cross = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
        outward = (cross * normals[triangles].mean(axis=1)).sum(axis=1)
        triangles[outward < 0] = triangles[outward < 0][:, ::-1]
        triangles = triangles[np.linalg.norm(cross, axis=1) > 1e-12]
        vertices.append(points)
        faces.append(triangles + start)
        start += len(points)
    return np.concatenate(vertices), np.concatenate(coordinates), np.concatenate(faces)


def render(model: mujoco.MjModel, path: CameraPath, width_px: int, height_px: int) -> Iterator[NDArray[np.uint8]]:
    """Yield image_rgb for each frame of the path, rendered larger and averaged down to the given size."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    big_w, big_h = int(model.vis.global_.offwidth), int(model.vis.global_.offheight)
    with mujoco.Renderer(model, big_h, big_w) as renderer:
        renderer.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = False
        for position_m, world_from_cv in zip(path.position_m, path.world_from_cam, strict=True):
            x, y, z, w = Rotation.from_matrix(world_from_cv @ CV_FROM_GL).as_quat()
            data.mocap_pos[0], data.mocap_quat[0] = position_m, (w, x, y, z)
            mujoco.mj_kinematics(model, data)
            mujoco.mj_camlight(model, data)
            renderer.update_scene(data, camera="camera")
            image = renderer.render()
            yield np.asarray(cv2.resize(image, (width_px, height_px), interpolation=cv2.INTER_AREA), np.uint8)


def encode(frames: Iterator[NDArray[np.uint8]], video: Path, fps: int, crf: int) -> list[float]:
    """Write frames as H.264 and return their presentation times in seconds, read back from the file."""
    video.parent.mkdir(parents=True, exist_ok=True)
    part = video.with_suffix(".part.mp4")
    with av.open(str(part), "w", options={"movflags": "+faststart"}) as container:
        stream = None
        for k, image_rgb in enumerate(frames):
            if stream is None:
                stream = container.add_stream("libx264", rate=fps)
                stream.height, stream.width = image_rgb.shape[:2]
                stream.pix_fmt = "yuv420p"
                stream.options = {"crf": str(crf), "preset": "slow"}
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image_rgb), format="rgb24")
            frame.pts, frame.time_base = k, Fraction(1, fps)
            container.mux(stream.encode(frame))
        if stream is not None:
            container.mux(stream.encode())
    part.replace(video)
    with av.open(str(video)) as container:
        return [float(frame.time) for frame in container.decode(video=0) if frame.time is not None]

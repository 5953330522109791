"""The example's apartment with true labels, seen from any camera height: geometry and names rendered, tracks made.

No picture is painted or matched: depth and names come from the meshes, and points of the reconstruction are places on
them, seen by the frames around and moved along their rays as triangulation would.
"""

# pyright: reportAttributeAccessIssue=false, reportMissingImports=false
# (mujoco is a compiled module without type stubs; the apartment's package lies in examples/.)

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

os.environ.setdefault("MUJOCO_GL", "egl")
sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "examples")]

import mujoco  # noqa: E402
import numpy as np  # noqa: E402
import pycolmap  # noqa: E402
from apartment_world import walk  # noqa: E402
from apartment_world.furnishing import furnish  # noqa: E402
from apartment_world.geometry import WorldObject  # noqa: E402
from apartment_world.render import CV_FROM_GL, build_model, paint_all  # noqa: E402
from apartment_world.rooms import build_shell, floor_plan  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from scipy.spatial.transform import Rotation  # noqa: E402

from instructions.perception.frames.results import (  # noqa: E402
    FrameResults,
    PassRecord,
    VisionIndex,
    open_cache,
)
from instructions.perception.interfaces import FoundBox  # noqa: E402
from instructions.perception.models.light.labels import ade_words  # noqa: E402
from recon.geometry import Array, Camera, Pose, Sim3  # noqa: E402
from recon.records import Frame, SubModel  # noqa: E402

FPS, WIDTH, HEIGHT, FOV_DEG = 3, 320, 180, 77.0
"""Half the example's picture each way: what the segmenter sees is about as fine."""
TOLD_AS = {
    "front door": "door", "coffee table": "table", "dining table": "table", "side table": "table", "desk": "table",
    "console table": "table", "nightstand": "cabinet", "sideboard": "cabinet", "dresser": "cabinet",
    "wardrobe": "cabinet", "tv stand": "cabinet", "kitchen counter": "cabinet", "wall cabinet": "cabinet",
    "bookshelf": "shelf", "office chair": "chair", "fridge": "refrigerator", "washbasin": "sink",
}  # fmt: skip
"""What networks with the classes of ADE20K and COCO call the things of the apartment."""
BOXED = ("refrigerator", "toilet", "sink")
"""Words that the segmenter does not know."""


@dataclass(frozen=True, eq=False)
class Look:
    """One frame: distance along the axis and what is seen."""

    world_from_cam: Pose
    depth: NDArray[np.float32]  # (h, w)
    thing: NDArray[np.int64]  # (h, w) row of the apartment's things


class Apartment:
    """The apartment's meshes, without paint or light."""

    def __init__(self, seed: int = 7) -> None:
        rooms, openings = floor_plan()
        self.things: list[WorldObject] = [
            thing
            for thing in build_shell(rooms, openings) + furnish(np.random.default_rng(seed))
            if any(part.patches for part in thing.parts)
        ]
        for thing in self.things:
            for part in thing.parts:
                for patch in part.patches:
                    patch.px_per_m = 4.0
        paint_all(self.things, seed)
        focal = WIDTH / 2 / np.tan(np.radians(FOV_DEG) / 2)
        self.camera = Camera("PINHOLE", WIDTH, HEIGHT, (focal, focal, WIDTH / 2, HEIGHT / 2))
        self._model = build_model(self.things, WIDTH, HEIGHT, float(2 * np.degrees(np.arctan(HEIGHT / 2 / focal))))

    @cached_property
    def words(self) -> list[str]:
        """What networks call each thing; empty for what they do not know."""
        return [_word_of(thing) for thing in self.things]

    def walk(self, camera_height_m: float, seed: int = 7) -> list[Look]:
        """The example's tour with the camera held at a height."""
        path = walk.camera_path(*walk.apartment_tour(), FPS, seed, None)
        path.position_m[:, 2] += camera_height_m - walk.CAMERA_HEIGHT_M
        data = mujoco.MjData(self._model)
        mujoco.mj_forward(self._model, data)
        looks: list[Look] = []
        with mujoco.Renderer(self._model, HEIGHT, WIDTH) as renderer:
            for position, rotation in zip(path.position_m, path.world_from_cam, strict=True):
                x, y, z, w = Rotation.from_matrix(rotation @ CV_FROM_GL).as_quat()
                data.mocap_pos[0], data.mocap_quat[0] = position, (w, x, y, z)
                mujoco.mj_kinematics(self._model, data)
                mujoco.mj_camlight(self._model, data)
                renderer.update_scene(data, camera="camera")
                renderer.enable_depth_rendering()
                depth = np.array(renderer.render(), dtype=np.float32)
                renderer.disable_depth_rendering()
                renderer.enable_segmentation_rendering()
                thing = np.array(renderer.render()[..., 0], dtype=np.int64)
                renderer.disable_segmentation_rendering()
                looks.append(Look(Pose(rotation, position), depth, thing))
        return looks


def frames_of(looks: Sequence[Look]) -> list[Frame]:
    """The frames of a walk, numbered from 1."""
    return [
        Frame(number, (number - 1) / FPS, f"{number:06d}.jpg", WIDTH, HEIGHT, 1.0, 0)
        for number in range(1, len(looks) + 1)
    ]


def write_labels(
    apartment: Apartment, looks: Sequence[Look], folder: Path, *, wrong: float = 0.0, every: int = 1, seed: int = 0
) -> FrameResults:
    """Names of every `every`-th frame as the networks' results; a share of the things has another's name all along."""
    rng = np.random.default_rng(seed)
    words = list(apartment.words)
    named = [row for row, word in enumerate(words) if word not in ("", "wall", "floor", "ceiling")]
    swapped = rng.choice(named, round(wrong * len(named)), replace=False)
    for row in swapped:
        words[row] = str(rng.choice([words[other] for other in named if words[other] != apartment.words[row]]))
    classes = np.array([ade_words().index(word) if word in ade_words() else 0 for word in words] + [0], dtype=np.uint8)
    segments, boxes = open_cache("segments", folder / "segments"), open_cache("boxes", folder / "boxes")
    for number, look in enumerate(looks, start=1):
        if (number - 1) % every:
            continue
        segments.write(number, classes[look.thing])
        found: list[FoundBox] = []
        for row in np.unique(look.thing).tolist():
            if row >= 0 and words[row] in BOXED:
                ys, xs = np.nonzero(look.thing == row)
                if len(ys) >= 60:
                    edges = (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1)
                    found.append(FoundBox(words[row], 0.8, tuple(float(edge) for edge in edges)))  # type: ignore[arg-type]
        boxes.write(number, found)
    kinds = (PassRecord("segments", "truth", "segments"), PassRecord("boxes", "truth", "boxes"))
    return FrameResults(folder, VisionIndex(kinds))


def reconstruct(apartment: Apartment, looks: Sequence[Look], *, per_frame: int = 60, seed: int = 0) -> SubModel:
    """What structure from motion would return: some places that several frames see, in any frame and unit.

    A place is moved along its ray by half a pixel over the widest angle under which it was seen.
    """
    rng = np.random.default_rng(seed)
    camera, points, seen = apartment.camera, list[Array](), list[dict[int, Array]]()
    for number, look in enumerate(looks):
        edge = _edges(look)
        rows, columns = _draw(edge, per_frame, rng)
        xy = np.column_stack([columns, rows]) + 0.5
        xyz = look.world_from_cam @ (camera.rays(xy) * look.depth[rows, columns, None].astype(np.float64))
        views: list[dict[int, Array]] = [{} for _ in xyz]
        for other in range(max(0, number - 4), min(len(looks), number + 5)):
            pose = looks[other].world_from_cam
            cam = pose.inverse() @ xyz
            pixels = camera.project(cam)
            inside = camera.is_inside(pixels)
            at = np.nan_to_num(pixels).astype(np.int64)
            at = np.clip(at, 0, [WIDTH - 1, HEIGHT - 1])
            visible = inside & (np.abs(looks[other].depth[at[:, 1], at[:, 0]] - cam[:, 2]) < 0.04 * cam[:, 2] + 0.02)
            for row in np.flatnonzero(visible & (rng.random(len(xyz)) < 0.8)).tolist():
                views[row][other + 1] = pixels[row]
        for place, views_of in zip(xyz, views, strict=True):
            if len(views_of) < 3:
                continue
            rays = np.array([looks[one - 1].world_from_cam.center - place for one in views_of])
            rays /= np.linalg.norm(rays, axis=1, keepdims=True)
            angle = float(np.arccos(np.clip((rays @ rays.T).min(), -1, 1)))
            if angle < np.radians(1.5):
                continue
            away = place - look.world_from_cam.center
            noise = 0.5 / apartment.camera.fx / angle
            points.append(place + away * rng.normal(0.0, noise) + rng.normal(0.0, 0.003, 3))
            seen.append(views_of)
    motion = Sim3(float(np.exp(rng.uniform(-1.5, 1.5))), Rotation.random(rng=rng).as_matrix(), rng.uniform(-5, 5, 3))
    return SubModel("merged/0", ("000",), _to_colmap(apartment.camera, looks, points, seen, motion, rng))


def _to_colmap(
    camera: Camera,
    looks: Sequence[Look],
    points: Sequence[Array],
    seen: Sequence[dict[int, Array]],
    motion: Sim3,
    rng: np.random.Generator,
) -> pycolmap.Reconstruction:
    out = pycolmap.Reconstruction()
    out.add_camera_with_trivial_rig(camera.to_colmap())
    of_frame: dict[int, list[tuple[int, Array]]] = {number: [] for number in range(1, len(looks) + 1)}
    for row, views in enumerate(seen):
        for frame, pixel in views.items():
            of_frame[frame].append((row, pixel))
    elements: list[list[pycolmap.TrackElement]] = [[] for _ in points]
    for frame, rows in of_frame.items():
        keypoints = np.array([pixel for _, pixel in rows]).reshape(-1, 2) + rng.normal(0.0, 0.3, (len(rows), 2))
        image = pycolmap.Image(name=f"{frame:06d}.jpg", keypoints=keypoints, camera_id=1, image_id=frame)
        pose = motion.move_camera(looks[frame - 1].world_from_cam)
        out.add_image_with_trivial_frame(image, pose.inverse().to_rigid3d())
        for index, (row, _) in enumerate(rows):
            elements[row].append(pycolmap.TrackElement(frame, index))
    for row, place in enumerate(points):
        color = np.full(3, 128, np.uint8)
        point = pycolmap.Point3D(xyz=motion @ place, color=color, track=pycolmap.Track(elements[row]), error=0.4)
        out.add_point3D_with_id(row + 1, point)
    return out


def _edges(look: Look) -> NDArray[np.float64]:
    """How likely a keypoint is at each pixel (h, w): edges of things, less so their insides."""
    change = np.zeros(look.thing.shape)
    change[:, 1:] += look.thing[:, 1:] != look.thing[:, :-1]
    change[1:] += look.thing[1:] != look.thing[:-1]
    near = np.zeros_like(change)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            near = np.maximum(near, np.roll(change, (dy, dx), axis=(0, 1)))
    return np.where(near > 0, 1.15, 0.15)


def _draw(weight: NDArray[np.float64], count: int, rng: np.random.Generator) -> tuple[NDArray, NDArray]:
    flat = weight.ravel() / weight.sum()
    rows, columns = np.unravel_index(rng.choice(len(flat), count, replace=False, p=flat), weight.shape)
    return rows, columns


def _word_of(thing: WorldObject) -> str:
    category = str(thing.category)
    if category:
        return TOLD_AS.get(category, category)
    for word in ("floor", "ceiling", "wall"):
        if word in thing.id:
            return word
    return ""

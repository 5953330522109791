"""A single image with metric depth as a model of its own: one frame, a world from its ground, things as clouds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.facts.bodies import Body
from instructions.facts.placing import DepthMap, FramePlaces
from instructions.perception.frames.detections import place_box
from instructions.perception.interfaces import FoundBox
from instructions.perception.masks import decode_mask
from instructions.perception.single_images.canonical import canonicalise, stand_upright
from instructions.perception.single_images.clean import clean_points
from instructions.perception.single_images.surfaces import find_smooth_places
from instructions.perception.single_images.vertical import Vertical
from instructions.records import GIVEN, Box, Detection, MaskRle, Obb, Observation, SceneObject
from recon.geometry import Array, Camera, Pose
from recon.records import PoseSigma, Scale, SceneModel, Tracks

MOST_UNKNOWN = 0.5
"""Share of the pixels without depth above which a map is refused."""
_FLOOR_HEIGHT_M = (0.7, 2.5)
"""How high a camera is carried above the floor: a plane that nobody named is the floor only there."""
FLOOR_WORDS = frozenset(("floor", "ground", "carpet", "rug", "pavement", "grass", "road"))
_MOST_LIFTED = 20_000
"""Pixels of a thing that are lifted, evenly over it."""
_LEAST_POINTS = 30
"""With fewer a thing has no shape."""
_BOX_VISIBLE = 0.5
"""Without a mask nobody knows which pixels are the thing: enough for its place, too little for its size."""
_LAYER_SHARE = 0.15
"""Without a mask: what is within this share of the depth of the box's middle is the thing."""
_BY_EDGES = "upright edges in the image"
MOST_CAPTION_WORDS = 6
"""Of a caption that is called instead of a name."""
_STEP_PX = 4
"""Every so many pixels the vertical is looked for."""


@dataclass(frozen=True, eq=False)
class ImageThing:
    """A thing of an image, as a detector or a person marked it."""

    label: str
    """What it is, in words that fit a sentence."""
    score: float
    box_xyxy: Box
    mask: MaskRle | None = None
    caption: str | None = None
    """One to six words that say more than the label."""
    may_be: tuple[tuple[str, float], ...] = ()
    """What else it may be, with how likely, best first, where networks of one look found it; empty where it is told."""


@dataclass(frozen=True, eq=False)
class DepthImage:
    """An image with what was measured of it."""

    frame: int
    camera: Camera
    depth: NDArray[np.float32]  # (height, width) metres along the optical axis, NaN where unknown
    scale: Scale
    things: tuple[ImageThing, ...]
    ground: MaskRle | None = None
    """Pixels of one level surface."""
    ground_label: str | None = None
    """What that surface is; None where nobody said."""
    source: str = GIVEN
    """What found the things."""
    vertical: Vertical | None = None
    """Up by the picture's edges: taken where depth was learned, or where too little ground shows."""
    range_sigma: float = 0.0
    """Relative error of the depth from place to place."""

    def lift(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> tuple[Array, Array]:
        """Points (N, 3) in camera axes behind places of the depth map, and their pixels (N, 2)."""
        pixels: Array = np.column_stack([columns, rows]) + np.float64(0.5)
        return self.camera.rays(pixels) * self.depth[rows, columns].astype(np.float64)[:, None], pixels


@dataclass(frozen=True, eq=False)
class ImageModel:
    """What a single image gives."""

    model: SceneModel
    objects: tuple[SceneObject, ...]
    observations: tuple[Observation, ...]
    left_out: tuple[str, ...]
    """Labels of things with too little depth of their own."""


def require_depth(depth: NDArray[np.float32], camera: Camera, where: str) -> None:
    """Refuse a depth map that does not fit its image, or that knows less than half of it.

    Raises:
        InstructionError: Naming the file, what was found and what is needed.
    """
    if depth.shape != (camera.height, camera.width):
        rows, columns = depth.shape[:2] if depth.ndim >= 2 else (depth.size, 1)
        raise InstructionError(
            f"{where}: the depth map is {columns} x {rows} pixels, the image {camera.width} x {camera.height}; "
            "give one depth per pixel of the image"
        )
    unknown = 1.0 - float(np.isfinite(depth).mean())
    if unknown > MOST_UNKNOWN:
        raise InstructionError(
            f"{where}: {unknown:.0%} of the depth map is unknown (0, negative or not finite), at most "
            f"{MOST_UNKNOWN:.0%} may be; check depth_unit_m, or leave the depth of this image out"
        )


def build_image_model(image: DepthImage, image_rgb: NDArray[np.uint8] | None = None, *, seed: int = 0) -> ImageModel:
    """The model of a single image, named by its frame.

    Args:
        image: With a depth map that `require_depth` let pass.
        image_rgb: (height, width, 3), for the colours of the points.
        seed: Of the search for the ground.

    Returns:
        A model of one frame whose things are clouds. `is_upright` only with 5 % of ground; `floor_z` only where the
        ground is a floor.
    """
    name = str(image.frame)
    world_from_cam, is_upright, up_source = _find_world(image, seed)
    floor_z = _find_floor(image, world_from_cam) if is_upright else None
    lifted = [(thing, *_lift(image, thing)) for thing in image.things]
    places = FramePlaces(image.camera.width, DepthMap(image.depth, 1))
    objects, observations, kept, left_out = [], [], [], []
    row = 0
    for thing, points_cam, pixels in lifted:
        if len(points_cam) < _LEAST_POINTS:
            left_out.append(thing.label)
            continue
        points = world_from_cam @ points_cam
        rows = tuple(range(row, row + len(points)))
        row += len(points)
        kept.append((points, pixels))
        made = _make_object(f"{name}_{len(objects)}", name, image, thing, points, rows, is_upright)
        objects.append(made)
        observations.append(_observe(image, thing, made.id, points_cam, places))
    model = SceneModel(
        name=name,
        camera=image.camera,
        world_from_cam={image.frame: world_from_cam},
        tracks=_make_tracks(image, [*kept, _sample_surfaces(image, world_from_cam)], image_rgb),
        scale=image.scale,
        floor_z=floor_z,
        up_source=up_source,
        mean_reprojection_error_px=0.0,
        pose_sigma={image.frame: PoseSigma(0.0, image.vertical.sigma_deg)}
        if image.vertical is not None and up_source == _BY_EDGES
        else {},
        is_upright=is_upright,
        has_clouds=True,
        range_sigma=image.range_sigma,
    )
    return ImageModel(model, _mark_alike(objects), tuple(observations), tuple(left_out))


def detect_things(
    frame: int, width: int, things: Sequence[ImageThing], depth: NDArray[np.float32] | None
) -> list[Detection]:
    """The things of an image as detections, in their order; sides only where no depth is known.

    Args:
        frame: Its index.
        width: In pixels.
        things: As marked.
        depth: (height, width) metres, NaN where unknown.
    """
    places = FramePlaces(width, None if depth is None else DepthMap(depth, 1))
    return [
        place_box(places, frame, FoundBox(thing.label, thing.score, thing.box_xyxy), thing.mask, thing.caption)
        for thing in things
    ]


def _find_world(image: DepthImage, seed: int) -> tuple[Pose, bool, str]:
    """World from camera, whether z is up, and what decided it."""
    rows, columns = (_STEP_PX * places for places in np.nonzero(np.isfinite(image.depth[::_STEP_PX, ::_STEP_PX])))
    points, _ = image.lift(rows, columns)
    ground = np.zeros(len(points), dtype=bool)
    if image.ground is not None:
        ground = decode_mask(image.ground)[rows, columns]
    if image.vertical is None or not image.range_sigma:
        world = canonicalise(points, ground, seed=seed)
        if world.ok or image.vertical is None:
            named = f"plane of the {image.ground_label or 'ground'} in the image"
            return world.world_from_cam, world.ok, named if world.ok else "the image's own up"
    up = image.vertical.up_cam
    height = -float(np.median(points[ground] @ up)) if ground.any() else 0.0
    return stand_upright(up, height), True, _BY_EDGES


def _sample_surfaces(image: DepthImage, world_from_cam: Pose) -> tuple[Array, Array]:
    """Points (N, 3) of the world where marks may stand, and their pixels (N, 2)."""
    pixels = find_smooth_places(image.depth)
    if not len(pixels):
        return np.zeros((0, 3)), np.zeros((0, 2))
    columns, rows = np.floor(pixels).astype(np.int64).T
    points, pixels = image.lift(rows, columns)
    return world_from_cam @ points, pixels


def _find_floor(image: DepthImage, world_from_cam: Pose) -> float | None:
    """Height of the floor, 0, where the ground is one: it is called so, or lies where a carried camera has it."""
    if image.ground_label is not None:
        return 0.0 if FLOOR_WORDS.intersection(image.ground_label.lower().split()) else None
    low, high = _FLOOR_HEIGHT_M
    return 0.0 if low <= world_from_cam.center[2] <= high else None


def _lift(image: DepthImage, thing: ImageThing) -> tuple[Array, Array]:
    """Cleaned points of a thing in camera axes (N, 3), and the pixels they are of (N, 2)."""
    inside = decode_mask(thing.mask) if thing.mask is not None else _middle_layer(image.depth, thing.box_xyxy)
    rows, columns = np.nonzero(inside & np.isfinite(image.depth))
    if not len(rows):
        return np.zeros((0, 3)), np.zeros((0, 2))
    picked = np.linspace(0, len(rows) - 1, min(len(rows), _MOST_LIFTED)).astype(np.int64)
    points = clean_points(image.lift(rows[picked], columns[picked])[0])
    return points, image.camera.project(points)


def _middle_layer(depth: NDArray[np.float32], box_xyxy: Box) -> NDArray[np.bool_]:
    """Pixels of a box that are about as deep as its middle: all that is known of a thing without a mask."""
    x0, y0, x1, y1 = (round(value) for value in box_xyxy)
    out = np.zeros(depth.shape, dtype=bool)
    cut_x, cut_y = (x1 - x0) // 4, (y1 - y0) // 4
    middle = depth[y0 + cut_y : y1 - cut_y, x0 + cut_x : x1 - cut_x]
    known = middle[np.isfinite(middle)]
    if len(known):
        center = float(np.median(known))
        out[y0:y1, x0:x1] = np.abs(depth[y0:y1, x0:x1] - center) <= _LAYER_SHARE * center
    return out


def _make_object(
    id: str, model: str, image: DepthImage, thing: ImageThing, points: Array, rows: tuple[int, ...], is_upright: bool
) -> SceneObject:
    box = Body.of_points(points, upright=is_upright).box
    half = tuple(max(side, 1e-3) for side in box.half_extents)  # a flat patch is a box too
    return SceneObject(
        id=id,
        model=model,
        category=thing.label,
        alias=thing.caption or thing.label,
        color=None,
        size_word=None,
        obb=Obb(box.center, (half[0], half[1], half[2]), box.rotation),
        points=rows,
        frames=(image.frame,),
        ambiguous=False,
        source=image.source,
        captions=(thing.caption,) if thing.caption else (),
        score=thing.score,
        categories=thing.may_be,
    )


def _observe(image: DepthImage, thing: ImageThing, id: str, points_cam: Array, places: FramePlaces) -> Observation:
    place = places.place(thing.box_xyxy, decode_mask(thing.mask) if thing.mask else None)
    return Observation(
        frame=image.frame,
        object=id,
        box_xyxy=thing.box_xyxy,
        visible_fraction=1.0 if thing.mask else _BOX_VISIBLE,
        score=thing.score,
        depth=float(np.median(points_cam[:, 2])),
        sides=place.sides,
        ranges=place.ranges,
        label=thing.label,
        depth_stats=place.depth_stats,
        mask=thing.mask,
    )


def _make_tracks(image: DepthImage, kept: Sequence[tuple[Array, Array]], image_rgb: NDArray[np.uint8] | None) -> Tracks:
    xyz = np.concatenate([np.zeros((0, 3)), *(points for points, _ in kept)])
    xy = np.concatenate([np.zeros((0, 2)), *(pixels for _, pixels in kept)])
    rgb = np.full((len(xyz), 3), 128, dtype=np.uint8)
    if image_rgb is not None and len(xy):
        column, row = np.floor(xy).astype(np.int64).T
        rgb = image_rgb[row.clip(0, image_rgb.shape[0] - 1), column.clip(0, image_rgb.shape[1] - 1)]
    return Tracks(
        xyz=xyz,
        rgb=rgb,
        error_px=np.zeros(len(xyz)),
        obs_point=np.arange(len(xyz)),
        obs_frame=np.full(len(xyz), image.frame),
        obs_xy=xy,
    )


def _mark_alike(objects: Sequence[SceneObject]) -> tuple[SceneObject, ...]:
    alike = Counter(thing.alias for thing in objects)
    return tuple(replace(one, ambiguous=alike[one.alias] > 1) for one in objects)

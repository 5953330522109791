"""nerfstudio's and instant-ngp's transforms.json: world_from_cam with OpenGL camera axes per image file, and a lens.

Both tell focal length, centre and distortion for the whole file or per frame. nerfstudio names a `camera_model`, of
which all perspective ones have the same terms `k1 k2 k3 k4 p1 p2` (`k4` on the eighth power of the radius, which no
model of COLMAP has); instant-ngp sets `is_fisheye`, and may tell an angle of view instead of a focal length. What is
not understood is refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from recon.conventions import opencv_pose
from recon.errors import ReconError
from recon.geometry import Camera, Pose
from recon.pose_sources.records import Lens, PosedPicture, PoseSource, make_not_finite_findings, read_text, rigid_pose

DISTORTION: Mapping[str, tuple[str, ...]] = {
    "OPENCV": ("k1", "k2", "p1", "p2"),
    "OPENCV_FISHEYE": ("k1", "k2", "k3", "k4"),
}
"""nerfstudio's camera models and the names of their distortion, in COLMAP's order."""
WIDENED: Mapping[str, str] = {
    "SIMPLE_PINHOLE": "OPENCV",
    "PINHOLE": "OPENCV",
    "SIMPLE_RADIAL": "OPENCV",
    "RADIAL": "OPENCV",
    "OPENCV": "OPENCV",
    "SIMPLE_RADIAL_FISHEYE": "OPENCV_FISHEYE",
    "RADIAL_FISHEYE": "OPENCV_FISHEYE",
    "OPENCV_FISHEYE": "OPENCV_FISHEYE",
}
"""COLMAP's camera models and nerfstudio's that hold them without loss."""

_DISTORTION = {**DISTORTION, "FULL_OPENCV": ("k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6")}
_INTRINSICS = {"fl_x": "fx", "fl_y": "fy", "cx": "cx", "cy": "cy", "w": "width", "h": "height"}
_TERMS = ("k1", "k2", "k3", "k4", "k5", "k6", "p1", "p2")
_FOCAL = ("fl_x", "fl_y", "x_fov", "y_fov", "camera_angle_x", "camera_angle_y")
_FOREIGN = (
    *(f"s{k}" for k in range(1, 5)),
    *(f"ftheta_p{k}" for k in range(5)),
    *("latlong", "equirectangular", "rolling_shutter"),
)
"""Words that change the projection in ways that no camera model here has."""
_OF_LENS = ("camera_model", "is_fisheye", "w", "h", "cx", "cy", *_FOCAL, *_TERMS, *_FOREIGN)
_SAME_FOCAL = 0.01
"""Relative difference up to which a focal length and an angle of view say the same: angles are rounded."""


def name_lens(camera: Camera) -> dict[str, Any] | None:
    """A camera in the words of nerfstudio; None for one that it has none for."""
    kind = WIDENED.get(camera.model)
    names = DISTORTION.get(kind or "", ())
    if camera.model == "FULL_OPENCV" and not any(camera.distortion[5:]):  # without a denominator nerfstudio's k3
        kind, names = "OPENCV", _DISTORTION["FULL_OPENCV"][:5]
    if kind is None:
        return None
    return {
        "camera_model": kind,
        **{name: getattr(camera, field) for name, field in _INTRINSICS.items()},
        **dict.fromkeys(names, 0.0),
        **dict(zip(names, camera.distortion, strict=False)),
    }


def read_lens(facts: Mapping[str, Any], where: str) -> Lens:
    """The one lens of the frames; where each tells its own of the same kind and size, the median of them.

    Raises:
        ReconError: If frames differ in kind or size, contradict the file, or a word is not understood.
        KeyError, TypeError, ValueError: If a field is missing or no number.
    """
    own = {name: facts[name] for name in _OF_LENS if name in facts}
    cameras = []
    for number, frame in enumerate(facts["frames"]):
        stated = {name: frame[name] for name in _OF_LENS if name in frame}
        wrong = next((name for name in stated if name in own and stated[name] != own[name]), None)
        if wrong is not None:
            raise ReconError(
                f"{where}: frames[{number}] has {wrong} {stated[wrong]!r}, the file itself {own[wrong]!r}. Keep one"
            )
        cameras.append(_read_camera({**own, **stated}, where if not stated else f"{where}: frames[{number}]"))
    return _take_median(cameras or [_read_camera(own, where)], where)


def _take_median(cameras: Sequence[Camera], where: str) -> Lens:
    first = cameras[0]
    kind = (first.model, first.width, first.height)
    for number, camera in enumerate(cameras):
        other = (camera.model, camera.width, camera.height)
        if other != kind:
            raise ReconError(
                f"{where}: frames[0] is {kind[0]} of {kind[1]}x{kind[2]}, frames[{number}] {other[0]} of "
                f"{other[1]}x{other[2]}. A tour has one camera: give the frames of one"
            )
    return Lens.of_all(first.model, np.array([camera.params for camera in cameras]), (first.width, first.height))


def _read_camera(stated: Mapping[str, Any], where: str) -> Camera:
    terms = {name: float(stated[name]) for name in _TERMS if float(stated.get(name, 0.0)) != 0.0}
    kind = _read_kind(stated, terms, where)
    lost = [name for name in terms if name not in _DISTORTION[kind]]
    if lost:
        raise ReconError(
            f"{where}: {kind} has no {', '.join(f'{name} {terms[name]:g}' for name in lost)}. Undistort the pictures "
            "first, and give poses and lens of those"
        )
    width, height = int(stated["w"]), int(stated["h"])
    centre = [float(stated.get("cx", width / 2)), float(stated.get("cy", height / 2))]
    focal = _read_focal(stated, (width, height), kind, where)
    return Camera(kind, width, height, (*focal, *centre, *(terms.get(name, 0.0) for name in _DISTORTION[kind])))


def _read_kind(stated: Mapping[str, Any], terms: Mapping[str, float], where: str) -> str:
    for name in _FOREIGN:
        if name in stated and np.any(np.asarray(stated[name], dtype=np.float64)):
            raise ReconError(f"{where}: has {name}, which cannot be read. Give undistorted pictures of a plain camera")
    named, is_fisheye = stated.get("camera_model"), stated.get("is_fisheye")
    if named == "FULL_OPENCV":
        kind = "FULL_OPENCV"
    elif named is not None and named not in WIDENED:
        raise ReconError(f"{where}: camera_model {named!r} is not one of {', '.join((*WIDENED, 'FULL_OPENCV'))}")
    else:
        kind = WIDENED[named or ("OPENCV_FISHEYE" if is_fisheye else "OPENCV")]
    if is_fisheye is not None and bool(is_fisheye) != (kind == "OPENCV_FISHEYE"):
        raise ReconError(f"{where}: camera_model {named!r} and is_fisheye {is_fisheye!r} contradict each other")
    if kind == "OPENCV" and "k3" in terms and "k4" not in terms:
        return "FULL_OPENCV"  # whose k4 is another term
    return kind


def _read_focal(stated: Mapping[str, Any], size: tuple[int, int], kind: str, where: str) -> tuple[float, float]:
    """Along x and y; the same where only the first is stated."""
    if kind == "OPENCV_FISHEYE" and "fl_x" not in stated:
        raise ReconError(f"{where}: an angle of view does not tell the focal length of a fisheye lens. Add fl_x, fl_y")
    found: dict[str, float] = {}
    for axis, length in zip("xy", size, strict=True):
        focal = {f"fl_{axis}": float(stated[f"fl_{axis}"])} if f"fl_{axis}" in stated else {}
        angles = {f"{axis}_fov": math.pi / 180, f"camera_angle_{axis}": 1.0} if kind != "OPENCV_FISHEYE" else {}
        for name in (name for name in angles if name in stated):
            angle = float(stated[name]) * angles[name]
            if not 0 < angle < math.pi:
                raise ReconError(f"{where}: {name} is {stated[name]!r}, need an angle of view of 0 to 180 degrees")
            focal[name] = length / 2 / math.tan(angle / 2)
        name, chosen = next(iter(focal.items()), ("", 0.0))
        for other, value in focal.items():
            if abs(value - chosen) > _SAME_FOCAL * abs(chosen):
                raise ReconError(f"{where}: {name} means a focal length of {chosen:.1f} px, {other} one of {value:.1f}")
        if name:
            found[axis] = chosen
    if "x" not in found:
        raise KeyError("fl_x")
    return found["x"], found.get("y", found["x"])


TRANSFORMS = "transforms.json"


def read_nerfstudio(path: Path) -> PoseSource:
    """Read a transforms.json of one camera, ours or another's; frames whose transform is not finite are left out.

    `applied_transform` and `applied_scale`, by which a converter moved the world, are undone.

    Raises:
        ReconError: If it cannot be read, lacks a field, has a lens that is not understood, or a transform is not
            rigid.
    """
    path = path / TRANSFORMS if path.is_dir() else path
    try:
        facts = json.loads(read_text(path))
        lens = read_lens(facts, str(path))
        rows = _pictures(facts, path)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        what = f"lacks the field {error}" if isinstance(error, KeyError) else f"is not a transforms.json: {error}"
        need = "The file needs fl_x (or camera_angle_x), w and h; each frame file_path and transform_matrix"
        raise ReconError(f"{path}: {what}. {need}") from error
    pictures = tuple(row for row in rows if row is not None)
    if not pictures:
        raise ReconError(f"{path}: holds no frame{' with a pose' if rows else ''}")
    left_out = make_not_finite_findings(path.name, len(rows) - len(pictures), len(rows))
    return PoseSource(str(path), "nerfstudio", pictures, lens, tuple(left_out))


def _pictures(facts: Mapping[str, Any], path: Path) -> list[PosedPicture | None]:
    """Frames in their order; None for one whose transform is not finite."""
    applied = facts.get("applied_transform")
    model_from_world = Pose.identity() if applied is None else rigid_pose(applied, f"{path}: applied_transform")
    if model_from_world is None:
        raise ReconError(f"{path}: applied_transform is not finite")
    scale = float(facts.get("applied_scale", 1.0))
    if not (np.isfinite(scale) and scale > 0):
        raise ReconError(f"{path}: applied_scale is {scale}, need a positive number")
    pictures: list[PosedPicture | None] = []
    for number, frame in enumerate(facts["frames"]):
        model_from_glcam = rigid_pose(frame["transform_matrix"], f"{path}: frames[{number}].transform_matrix")
        if model_from_glcam is None:
            pictures.append(None)
            continue
        unscaled = Pose(model_from_glcam.rotation, model_from_glcam.translation / scale)
        pose = opencv_pose(model_from_world.inverse() @ unscaled)
        pictures.append(PosedPicture(world_from_cam=pose, name=str(frame["file_path"])))
    return pictures

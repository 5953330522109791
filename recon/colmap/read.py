"""Read a COLMAP model from files that may be damaged: what a damaged one does to pycolmap is settled before it reads.

pycolmap asks for any amount of memory that a damaged count names, reads on for minutes, or dies. Its binary tables are
therefore walked first; what they refer to is left to pycolmap, which then fails in ways that can be caught.
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pycolmap

from recon.errors import ReconError, first_line
from recon.given_files import read_given_text

TABLES = ("cameras", "images", "points3D")  # files of every model, without their suffix


def read_model(folder: Path, *, with_points: bool = True) -> pycolmap.Reconstruction:
    """Read a model in COLMAP's binary format or, where that is not there, as text.

    Args:
        folder: That holds it.
        with_points: Else cameras and poses alone, and `points3D` may be missing.

    Raises:
        ReconError: If a file is missing or damaged, naming it where that can be told.
    """
    suffix = ".bin" if (folder / "images.bin").is_file() else ".txt"
    needed = TABLES if with_points else TABLES[:2]
    missing = [f"{stem}{suffix}" for stem in needed if not (folder / f"{stem}{suffix}").is_file()]
    if missing:
        raise ReconError(f"{folder}: no COLMAP model: {', '.join(missing)} is missing")
    model = pycolmap.Reconstruction()
    read = model.read_binary if suffix == ".bin" else model.read_text
    try:
        if suffix == ".bin":
            require_whole_tables(folder)
        if with_points:
            read(folder)
        else:
            with TemporaryDirectory() as bare:
                _copy_without_points(folder, Path(bare), suffix)
                read(bare)
        is_whole = model.is_valid()
    except IndexError:  # "unordered_map::at", "vector::_M_range_check"
        is_whole = False
    except (OSError, ValueError, RuntimeError, MemoryError) as error:
        raise ReconError(f"{folder}: no COLMAP model: {first_line(error)}") from error
    if not is_whole:
        raise ReconError(f"{folder}: no COLMAP model: its files refer to entries that are not there")
    return model


def _copy_without_points(folder: Path, bare: Path, suffix: str) -> None:
    """A model whose images see nothing: `folder` in another folder, without its points and all that refers to them."""
    for stem in ("cameras", "rigs", "frames"):
        if (folder / f"{stem}{suffix}").is_file():
            shutil.copyfile(folder / f"{stem}{suffix}", bare / f"{stem}{suffix}")
    images = folder / f"images{suffix}"
    if suffix == ".bin":
        data, at = images.read_bytes(), 8
        heads = [data[:8]]
        while at < len(data):
            end_of_name = data.index(b"\0", at + 64)
            heads.append(data[at : end_of_name + 1] + bytes(8))
            at = _after_image(data, at)
        (bare / "images.bin").write_bytes(b"".join(heads))
        (bare / "points3D.bin").write_bytes(bytes(8))
    else:
        heads = [f"{line}\n\n" for line in _image_lines(images)]
        (bare / "images.txt").write_text("".join(heads), encoding="utf-8")
        (bare / "points3D.txt").write_text("", encoding="utf-8")


def _image_lines(path: Path) -> Iterator[str]:
    """Every first line of two of images.txt: the pose; the second holds what the image sees, and may be empty."""
    lines = iter(read_given_text(path).splitlines())
    for line in lines:
        if line.strip() and not line.lstrip().startswith("#"):
            yield line.strip()
            next(lines, None)


def require_whole_tables(folder: Path) -> None:
    """Refuse a model in binary format if a table of it does not end where its counts say.

    Raises:
        ValueError: Naming the file.
    """
    for stem, after in _AFTER_ENTRY.items():
        path = folder / f"{stem}.bin"
        if path.is_file():  # models of COLMAP before 3.12 go without rigs and frames
            _require_whole_table(path, after)


def _require_whole_table(path: Path, after: Callable[[bytes, int], int]) -> None:
    data, position, count = path.read_bytes(), 8, None
    try:
        (count,) = struct.unpack_from("<Q", data)
        for _ in range(count):
            position = after(data, position)
            if position > len(data):
                break
    except (struct.error, KeyError, ValueError):
        position = -1
    if position != len(data):
        told = "no count" if count is None else f"{count} entries"
        raise ValueError(f"{path.name} is damaged: {told} in {len(data)} bytes do not fit together")


def read_image_poses(path: Path) -> dict[int, tuple[float, ...]]:
    """Poses cam_from_world as `images.bin` or `images.txt` holds them, w x y z and the translation, by image.

    pycolmap takes them from the frames beside it; older readers know only these.

    Raises:
        ValueError: If the file is damaged.
    """
    if path.suffix == ".txt":
        lines = [line.split() for line in _image_lines(path)]
        return {int(line[0]): tuple(map(float, line[1:8])) for line in lines if len(line) >= 10}
    data, position, poses = path.read_bytes(), 8, {}
    while position < len(data):
        number, *pose = struct.unpack_from("<I7d", data, position)
        poses[number] = tuple(pose)
        position = _after_image(data, position)
    return poses


@cache
def _params_of_models() -> Mapping[int, int]:
    """How many parameters each camera model has, by COLMAP's number of the model."""
    models = {int(model): name for name, model in pycolmap.CameraModelId.__members__.items()}
    return {
        number: len(pycolmap.Camera.create_from_model_name(1, name, 1.0, 1, 1).params)
        for number, name in models.items()
        if name != "INVALID"
    }


def _after_camera(data: bytes, start: int) -> int:
    """Id, model, width and height (24 bytes), 8 bytes per parameter."""
    (model,) = struct.unpack_from("<i", data, start + 4)
    return start + 24 + 8 * _params_of_models()[model]


def _after_image(data: bytes, start: int) -> int:
    """Id, pose and camera (64 bytes), name, count of points, 24 bytes each."""
    end_of_name = data.index(b"\0", start + 64)
    (points,) = struct.unpack_from("<Q", data, end_of_name + 1)
    return end_of_name + 9 + 24 * points


def _after_point(data: bytes, start: int) -> int:
    """Id, position, colour and error (43 bytes), length of the track, 8 bytes each."""
    (length,) = struct.unpack_from("<Q", data, start + 43)
    return start + 51 + 8 * length


def _after_rig(data: bytes, start: int) -> int:
    """Id and count of sensors (8 bytes); the first by kind and id, the others also with a pose, where it is known."""
    (sensors,) = struct.unpack_from("<I", data, start + 4)
    position = start + 8 + 8 * min(sensors, 1)
    for _ in range(sensors - 1):
        (has_pose,) = struct.unpack_from("<B", data, position + 8)
        position += 9 + 56 * bool(has_pose)
    return position


def _after_frame(data: bytes, start: int) -> int:
    """Id, rig and pose (64 bytes), count of what belongs to it, 16 bytes each."""
    (parts,) = struct.unpack_from("<I", data, start + 64)
    return start + 68 + 16 * parts


_AFTER_ENTRY: Mapping[str, Callable[[bytes, int], int]] = {
    "cameras": _after_camera,
    "images": _after_image,
    "points3D": _after_point,
    "rigs": _after_rig,
    "frames": _after_frame,
}

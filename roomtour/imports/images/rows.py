"""What a line of an images file says, checked: nothing else is read out of it."""

from __future__ import annotations

from math import radians, tan
from pathlib import Path
from typing import Annotated, Any, TypeVar

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, ConfigDict, ValidationError

from instructions.records import GIVEN, Box
from recon.geometry import Camera
from recon.given_files import read_given_text
from recon.ranges import Positive, Share
from roomtour.errors import RoomtourError
from roomtour.files.records import parse_json

IMAGES_FILE = "images.jsonl"
"""Read in a folder that has it."""


class ThingRow(BaseModel):
    """One thing of an image: a label or a caption, and a mask or a box."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    label: str | None = None
    caption: str | None = None
    score: Share = 1.0
    box_xyxy: Box | None = None
    mask: Any = None
    """Run lengths, COCO RLE or polygons; read by `read_mask`."""


class ImageRow(BaseModel):
    """One image. Paths are relative to the file that names them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    image: str
    depth: str | None = None
    """`.npy` of floats, or a PNG of 16 bit; 0 and what is not finite are unknown."""
    depth_unit_m: Positive | None = None
    """Metres per unit of the depth map: 0.001 for millimetres. 1 for `.npy` if not given; a PNG must have it."""
    depth_sigma: Annotated[float, Gt(0), Le(1)] = 0.05
    """Relative standard deviation of the depth's scale: what a learned depth is worth; a sensor has less."""
    depth_source: str = "depth of the image"
    fx: Positive | None = None
    fy: Positive | None = None
    cx: Annotated[float, Ge(0), Le(1_000_000)] | None = None
    cy: Annotated[float, Ge(0), Le(1_000_000)] | None = None
    fov_deg: Annotated[float, Gt(0), Lt(180)] | None = None
    """Horizontal field of view, instead of `fx`."""
    things: tuple[ThingRow, ...] = ()
    ground: Any = None
    """Mask of one level surface: what says where up is."""
    ground_label: str | None = None
    """What that surface is, such as `floor` or `table`."""
    source: str = GIVEN
    """What found the things."""

    def find_camera(self, width: int, height: int, where: str) -> Camera:
        """The camera of the image; pixel centres lie at +0.5.

        Raises:
            RoomtourError: If the row has depth and neither `fx` nor `fov_deg`.
        """
        if self.fx is not None:
            fx = self.fx
        elif self.fov_deg is not None:
            fx = width / 2 / tan(radians(self.fov_deg) / 2)
        else:
            raise RoomtourError(f"{where}: has depth and no intrinsics; give fx (fy, cx, cy) in pixels, or fov_deg")
        cx = width / 2 if self.cx is None else self.cx
        cy = height / 2 if self.cy is None else self.cy
        return Camera("PINHOLE", width, height, (fx, self.fy or fx, cx, cy))


Line = TypeVar("Line", bound=BaseModel)


def read_line_rows(path: Path, kind: type[Line]) -> list[tuple[str, Line]]:
    """The rows of a JSONL file, each with the place that errors name.

    Raises:
        RoomtourError: Naming file, line and field of the first that does not fit.
    """
    out = []
    for number, line in enumerate(read_lines(path), start=1):
        where = f"{path}:{number}"
        if not line.strip():
            continue
        try:
            value = parse_json(line)
        except ValueError as error:
            raise RoomtourError(f"{where}: not valid JSON: {error}") from error
        try:
            out.append((where, kind.model_validate(value)))
        except ValidationError as error:
            raise RoomtourError(f"{where}: {first_fault(error)}") from error
    return out


def read_lines(path: Path) -> list[str]:
    """Lines of a text file.

    Raises:
        RoomtourError: If it cannot be read.
    """
    try:
        return read_given_text(path).splitlines()
    except OSError as error:
        raise RoomtourError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise RoomtourError(f"{path}: no text (UTF-8): {error.reason} at byte {error.start}") from error


def first_fault(error: ValidationError) -> str:
    """The first field that does not fit, in words."""
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "the line"
    return f"field {field}: {first['msg'].lower()}"

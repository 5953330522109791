"""Boxes of things in a file of their own: COCO or LVIS json, or JSONL with one image per line; masks in their forms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

import cv2
import numpy as np
from annotated_types import Gt
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, model_validator

from instructions.dialogues.tasks.annotations import AnnotationLine, name_points
from instructions.errors import InstructionError
from instructions.language.quoting import name as plain_words
from instructions.perception.masks import decode_mask, encode_mask, unpack_runs
from instructions.records import Box, MaskRle
from roomtour.errors import RoomtourError
from roomtour.files.records import parse_json
from roomtour.imports.images.rows import ThingRow, first_fault, read_line_rows, read_lines

LVIS_FREQUENCY = {"r": 5.0, "c": 50.0, "f": 500.0}
"""What LVIS' letters for rare, common and frequent kinds stand for here."""


@dataclass(frozen=True)
class FileDetections:
    """What a file tells of images."""

    things: Mapping[str, Sequence[ThingRow]]
    """By name of the image."""
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Width and height by name of the image, where the file tells them."""
    frequencies: Mapping[str, float] = field(default_factory=dict)
    """Of kinds, where the file tells them."""
    told: Mapping[str, AnnotationLine] = field(default_factory=dict)
    """By name of the image: its label, captions, words, people, questions with answers."""

    def find_things(self, image: str) -> Sequence[ThingRow]:
        """Those of an image: by its path as given, else by its file name."""
        return self.things.get(image) or self.things.get(_name(image), ())

    def find_told(self, image: str) -> AnnotationLine | None:
        """What the file says of an image besides boxes."""
        return self.told.get(image) or self.told.get(_name(image))

    def find_size(self, image: str) -> tuple[int, int] | None:
        """Width and height that the boxes of an image are told in, if the file says them."""
        return self.sizes.get(image) or self.sizes.get(_name(image))

    def find_unknown(self, images: Iterable[str]) -> list[str]:
        """Images that the file has things of and that are not among these."""
        known = {form for image in images for form in (image, _name(image))}
        return [name for name in dict.fromkeys([*self.things, *self.told]) if name not in known]


def _name(image: str) -> str:
    return PurePosixPath(image.replace("\\", "/")).name


class DetectionLine(BaseModel):
    """One image of a JSONL file; lists of things go together by position."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    image: str
    width: Annotated[int, Gt(0)] | None = None
    height: Annotated[int, Gt(0)] | None = None
    boxes_xyxy: tuple[Box, ...] = ()
    labels: tuple[str, ...] = ()
    scores: tuple[float, ...] | None = None
    captions: tuple[str | None, ...] | None = None
    picture: AnnotationLine | None = None
    """What is said of the whole image."""
    masks: tuple[Any, ...] | None = None

    @model_validator(mode="after")
    def _same_length(self) -> DetectionLine:
        for name in ("labels", "scores", "captions", "masks"):
            values = getattr(self, name)
            if values is not None and len(values) != len(self.boxes_xyxy):
                raise ValueError(f"{name} has {len(values)} entries, boxes_xyxy {len(self.boxes_xyxy)}")
        return self


class _CocoImage(BaseModel):
    id: int | str
    file_name: str | None = None
    coco_url: str | None = None
    width: int | None = None
    height: int | None = None


class _CocoAnnotation(BaseModel):
    image_id: int | str
    category_id: int | None = None
    bbox: tuple[float, float, float, float] | None = None
    """None in COCO's files of captions, which tell of the whole image."""
    keypoints: list[FiniteFloat] | None = None
    score: float = 1.0
    caption: str | None = None
    segmentation: Any = None


class _CocoCategory(BaseModel):
    id: int
    name: str
    frequency: Literal["r", "c", "f"] | None = None
    keypoints: tuple[str, ...] = ()
    """Names, where its things have such."""


class _Coco(BaseModel):
    images: list[_CocoImage]
    annotations: list[_CocoAnnotation]
    categories: list[_CocoCategory] = Field(default_factory=list)


def read_detections(path: Path) -> FileDetections:
    """Things by the name of their image, as the file has it.

    Raises:
        RoomtourError: Naming the file and the first field that does not fit.
    """
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return _read_lines(path)
    try:
        value = parse_json("\n".join(read_lines(path)))
    except ValueError as error:
        raise RoomtourError(f"{path}: not valid JSON: {error}") from error
    try:
        coco = _Coco.model_validate(value)
    except ValidationError as error:
        raise RoomtourError(f"{path}: no COCO or LVIS file: {first_fault(error)}") from error
    return _from_coco(coco, path)


def _read_lines(path: Path) -> FileDetections:
    out: dict[str, list[ThingRow]] = defaultdict(list)
    sizes: dict[str, tuple[int, int]] = {}
    told: dict[str, AnnotationLine] = {}
    for where, row in read_line_rows(path, DetectionLine):
        if row.width is not None and row.height is not None:
            sizes[row.image] = (row.width, row.height)
        if row.picture is not None:
            if row.image in told:
                raise RoomtourError(f"{where}: field picture: {row.image} has one already")
            told[row.image] = row.picture
        for place, box in enumerate(row.boxes_xyxy):
            out[row.image].append(
                ThingRow.model_construct(
                    label=row.labels[place],
                    caption=row.captions[place] if row.captions else None,
                    score=row.scores[place] if row.scores else 1.0,
                    box_xyxy=box,
                    mask=row.masks[place] if row.masks else None,
                )
            )
    return FileDetections(out, sizes, told=told)


def _from_coco(coco: _Coco, path: Path) -> FileDetections:
    names = {image.id: image.file_name or PurePosixPath(image.coco_url or "").name for image in coco.images}
    labels = {category.id: category.name for category in coco.categories}
    parts = {category.id: category.keypoints for category in coco.categories}
    out: dict[str, list[ThingRow]] = defaultdict(list)
    told: dict[str, AnnotationLine] = defaultdict(AnnotationLine)
    for annotation in coco.annotations:
        is_caption = annotation.bbox is None and annotation.caption is not None
        if annotation.image_id not in names or (annotation.category_id not in labels and not is_caption):
            missing = (
                f"image {annotation.image_id}"
                if annotation.image_id not in names
                else f"category {annotation.category_id}"
            )
            raise RoomtourError(f"{path}: an annotation is of {missing}, which the file does not list")
        if annotation.bbox is None or annotation.category_id is None:
            if not is_caption:
                raise RoomtourError(
                    f"{path}: an annotation of image {annotation.image_id} has neither bbox nor caption"
                )
            told[names[annotation.image_id]].captions.append(str(annotation.caption)[:2000])
            continue
        x, y, width, height = annotation.bbox
        if annotation.keypoints:
            where = f"{path}: keypoints of an annotation of image {annotation.image_id}"
            told[names[annotation.image_id]].people.append(
                name_points((x, y, x + width, y + height), annotation.keypoints, parts[annotation.category_id], where)
            )
        out[names[annotation.image_id]].append(
            ThingRow.model_construct(
                label=labels[annotation.category_id],
                caption=annotation.caption,
                score=annotation.score,
                box_xyxy=(x, y, x + width, y + height),
                mask=annotation.segmentation,
            )
        )
    sizes = {names[image.id]: (image.width, image.height) for image in coco.images if image.width and image.height}
    often = {
        plain_words(category.name).lower(): LVIS_FREQUENCY[category.frequency]
        for category in coco.categories
        if category.frequency
    }
    return FileDetections(out, sizes, often, told)


def read_mask(value: Any, width: int, height: int, where: str) -> MaskRle:
    """A mask of an image.

    Args:
        value: `{"height", "width", "counts"}`, COCO's `{"size": [height, width], "counts"}` with counts as a list or as
            its packed string, or polygons `[[x0, y0, x1, y1, ...], ...]`.
        width: Of the image, in pixels.
        height: Of the image.
        where: For errors.

    Raises:
        RoomtourError: For another form or another size.
    """
    if isinstance(value, list):
        return _from_polygons(value, width, height, where)
    if not isinstance(value, dict) or "counts" not in value:
        raise RoomtourError(f"{where}: mask is {type(value).__name__}, need run lengths, COCO RLE or polygons")
    size = value.get("size", [value.get("height"), value.get("width")])
    if list(size) != [height, width]:
        raise RoomtourError(f"{where}: the mask is {size[1]} x {size[0]} pixels, the image {width} x {height}")
    counts = value["counts"]
    if isinstance(counts, str):
        try:
            counts = list(unpack_runs(counts))
        except InstructionError as error:
            raise RoomtourError(f"{where}: counts of the {error}") from error
    if not isinstance(counts, list) or any(type(count) is not int or count < 0 for count in counts):
        raise RoomtourError(f"{where}: counts of the mask must be whole numbers from 0, column by column")
    if sum(counts) != width * height:
        raise RoomtourError(f"{where}: runs of the mask cover {sum(counts)} pixels, the image has {width * height}")
    return MaskRle(height, width, tuple(counts))


def box_of_mask(mask: MaskRle) -> Box | None:
    """The box around a mask (x0, y0, x1, y1); None for an empty one."""
    pixels = decode_mask(mask)
    rows, columns = (np.flatnonzero(pixels.any(axis=axis)) for axis in (1, 0))
    return (float(columns[0]), float(rows[0]), float(columns[-1]) + 1.0, float(rows[-1]) + 1.0) if len(rows) else None


def _from_polygons(value: list[Any], width: int, height: int, where: str) -> MaskRle:
    canvas = np.zeros((height, width), dtype=np.uint8)
    for polygon in value:
        try:
            corners = np.array(polygon, dtype=np.float64).reshape(-1, 2)
        except (TypeError, ValueError) as error:
            raise RoomtourError(f"{where}: a polygon of the mask must be a list x0, y0, x1, y1, ...") from error
        if len(corners) < 3 or not np.isfinite(corners).all():
            raise RoomtourError(f"{where}: a polygon of the mask has {len(corners)} finite corners, need 3 or more")
        clipped = np.clip(corners, -1, [width + 1, height + 1])
        cv2.fillPoly(canvas, [np.floor(clipped).astype(np.int32)], 1)
    return encode_mask(canvas)

"""Images to a scene: each with depth is a model of its own, the others are frames without a pose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.language.quoting import name as plain_words
from instructions.perception.single_images.image_scene import (
    DepthImage,
    ImageThing,
    build_image_model,
    detect_things,
    require_depth,
)
from instructions.records import Box, Detection, Observation, SceneObject
from recon.findings import Finding
from recon.records import Frame, Scale, Scene, SceneModel, SourceInfo
from recon.video.image_folder import image_files
from recon.video.picture import laplacian_variance
from roomtour.errors import RoomtourError
from roomtour.imports.images.detections import Things, find_things, read_detections
from roomtour.imports.images.masks import box_of_mask, read_mask
from roomtour.imports.images.pictures import read_depth_file, read_picture
from roomtour.imports.images.rows import IMAGES_FILE, ImageRow, ThingRow, read_image_rows
from roomtour.imports.records import Imported, ImportFolder, ImportOptions

_MOST_WORDS = 6
"""A caption of a thing has one to six words (SpatialVLM)."""


def read_images(source: Path, tour: str, folder: ImportFolder, options: ImportOptions) -> Imported:
    """Read a folder of pictures, a folder with `images.jsonl`, or a JSONL file.

    Raises:
        RoomtourError: For a line or file that does not fit.
        InstructionError: For a depth map that does not fit its image.
    """
    rows, base = _list_images(source)
    things = read_detections(options.detections) if options.detections is not None else {}
    reader = _Reader(base, folder, things, options)
    for where, row in rows:
        reader.read(where, row)
    if options.detections is not None and rows and not reader.detections:
        raise RoomtourError(
            f"--detections {options.detections}: names none of the {len(rows)} images of {source}, such as "
            f"{rows[0][1].image!r}; images go by their path as given or by their file name"
        )
    first = reader.frames[0]
    info = SourceInfo(
        path=str(source),
        kind="images",
        width=first.width,
        height=first.height,
        duration_s=float(len(rows)),
        frame_count=len(rows),
        fps=1.0,
        codec="images",
        rotation_deg=0,
        sha256=reader.digest.hexdigest(),
        licence=options.licence,
    )
    findings = reader.findings(tour)
    return Imported(
        scene=Scene(tour, info, tuple(reader.frames), (), tuple(reader.models)),
        objects=tuple(reader.objects),
        observations=tuple(reader.observations),
        detections=tuple(reader.detections),
        findings=findings,
    )


def _list_images(source: Path) -> tuple[list[tuple[str, ImageRow]], Path]:
    """The images with the places that errors name, and the folder that their paths are relative to."""
    if source.is_dir() and not (source / IMAGES_FILE).exists():
        rows = [(str(path), ImageRow(image=path.name)) for path in image_files(source)]
        if not rows:
            raise RoomtourError(f"{source}: holds no pictures and no {IMAGES_FILE}")
        return rows, source
    path = source / IMAGES_FILE if source.is_dir() else source
    rows = read_image_rows(path)
    if not rows:
        raise RoomtourError(f"{path}: names no image")
    return rows, path.parent


@dataclass(eq=False)
class _Reader:
    """Reads one image after the other and remembers what was left out."""

    base: Path
    folder: ImportFolder
    things: Things
    options: ImportOptions
    frames: list[Frame] = field(default_factory=list)
    models: list[SceneModel] = field(default_factory=list)
    objects: list[SceneObject] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    detections: list[Detection] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    without_depth: list[str] = field(default_factory=list)
    digest: sha256 = field(default_factory=sha256)  # type: ignore[valid-type]

    def read(self, where: str, row: ImageRow) -> None:
        """Take one image."""
        image_bgr, data, suffix = read_picture(self.base / row.image)
        height, width = image_bgr.shape[:2]
        index = len(self.frames) + 1
        frame = Frame(
            index=index,
            time_s=float(index - 1),
            image=f"{index:06d}{suffix}",
            width=width,
            height=height,
            sharpness=laplacian_variance(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY)),  # pyright: ignore[reportArgumentType]
            shot=index - 1,
        )
        self.digest.update(sha256(data).digest())
        self.folder.add_picture(frame.image, data)
        self.frames.append(frame)
        found = [
            thing
            for one in (*row.things, *find_things(self.things, row.image))
            if (thing := self._read_thing(one, width, height, where)) is not None
        ]
        depth = self._read_depth(where, row, image_bgr, frame, found)
        self.detections += detect_things(index, width, found, depth)

    def _read_depth(
        self, where: str, row: ImageRow, image_bgr: NDArray, frame: Frame, found: Sequence[ImageThing]
    ) -> NDArray[np.float32] | None:
        if row.depth is None:
            self.without_depth.append(row.image)
            return None
        camera = row.find_camera(frame.width, frame.height, where)
        depth = read_depth_file(self.base / row.depth, row.depth_unit_m, where)
        require_depth(depth, camera, f"{where}: {row.depth}")
        ground = None if row.ground is None else read_mask(row.ground, frame.width, frame.height, f"{where}: ground")
        image = DepthImage(
            frame=frame.index,
            camera=camera,
            depth=depth,
            scale=Scale("metric", 1.0, row.depth_sigma, row.depth_source),
            things=tuple(found),
            ground=ground,
            ground_label=row.ground_label,
            source=row.source,
        )
        image_rgb = cv2.cvtColor(image_bgr, cv2.COLOR_BGR2RGB)
        made = build_image_model(image, image_rgb, seed=self.options.seed)  # pyright: ignore[reportArgumentType]
        self.models.append(made.model)
        self.objects += made.objects
        self.observations += made.observations
        self.left_out["too little depth of their own"] += len(made.left_out)
        self.folder.add_depth(frame.index, depth)
        return depth

    def _read_thing(self, row: ThingRow, width: int, height: int, where: str) -> ImageThing | None:
        """The thing as records hold it; None, counted, if it has no words or no pixels."""
        caption = plain_words(row.caption or "")
        if len(caption.split()) > _MOST_WORDS:
            caption = ""
        label = plain_words(row.label or "") or caption
        if not label:
            self.left_out["no label, and no caption of one to six words"] += 1
            return None
        mask = None if row.mask is None else read_mask(row.mask, width, height, where)
        box = row.box_xyxy if row.box_xyxy is not None or mask is None else box_of_mask(mask)
        box = None if box is None else _clip(box, width, height)
        if box is None:
            self.left_out["no box inside the image"] += 1
            return None
        return ImageThing(label.lower(), row.score, box, mask, caption.lower() or None)

    def findings(self, tour: str) -> tuple[Finding, ...]:
        """What a user should know."""
        out = []
        if self.without_depth:
            names = ", ".join(self.without_depth[:3])
            out.append(
                Finding(
                    "warning",
                    "import.no_depth",
                    tour,
                    f"{len(self.without_depth)} of {len(self.frames)} images have no depth ({names}), so they have no "
                    "pose and nothing is asked about distances; give depth and intrinsics in images.jsonl",
                )
            )
        tilted = [model.name for model in self.models if not model.is_upright]
        if tilted:
            out.append(
                Finding(
                    "info",
                    "import.not_upright",
                    tour,
                    f"{len(tilted)} of {len(self.models)} images show too little ground to tell what is up (5 % of the "
                    "pixels, on one plane), so nothing is asked about heights there; give masks of the ground",
                )
            )
        if not self.detections:
            out.append(
                Finding("warning", "import.no_things", tour, "no image has things; give them, or --detections FILE")
            )
        out += [
            Finding("warning", "import.left_out", tour, f"{count} things left out: {reason}")
            for reason, count in self.left_out.items()
            if count
        ]
        return tuple(out)


def _clip(box: Box, width: int, height: int) -> Box | None:
    """The box inside the image; None if nothing of it is, or a value is not finite."""
    values = np.array(box, dtype=np.float64)
    if not np.isfinite(values).all():
        return None
    x0, y0, x1, y1 = np.clip(values, 0.0, [width, height, width, height])
    return (float(x0), float(y0), float(x1), float(y1)) if x1 - x0 >= 1.0 and y1 - y0 >= 1.0 else None

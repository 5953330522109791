"""Images to a scene: each with depth is a model of its own, the others are frames without a pose."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.dialogues.tasks.annotations import take_line
from instructions.errors import InstructionError
from instructions.language.quoting import name as plain_words
from instructions.perception.interfaces import ImageWords, RgbImage
from instructions.perception.models.options import VisionOptions
from instructions.perception.models.runtime import pick_runtime
from instructions.perception.models.siglip import Siglip
from instructions.perception.models.weights import find_model
from instructions.perception.single_images.image_scene import (
    MOST_CAPTION_WORDS,
    DepthImage,
    ImageThing,
    build_image_model,
    detect_things,
    require_depth,
)
from instructions.perception.single_images.look import estimate_depth
from instructions.perception.single_images.photo_filter import find_photos
from instructions.perception.single_images.vertical import find_vertical
from instructions.records import Box, LabelFrequency
from recon.findings import Finding
from recon.geometry import Camera
from recon.records import Frame, Scale
from recon.video.image_folder import image_files
from roomtour.artifacts import FRAMES
from roomtour.errors import RoomtourError
from roomtour.imports.images.detections import FileDetections, box_of_mask, read_detections, read_mask
from roomtour.imports.images.perceive import Looked, PictureLook, forget_unsure_names
from roomtour.imports.images.pictures import ASSUMED_SIGMA, guess_camera, read_depth_file, read_picture
from roomtour.imports.images.rows import IMAGES_FILE, ImageRow, ThingRow, read_line_rows
from roomtour.imports.records import Gathered, Imported, ImportOptions


@dataclass(eq=False)
class Outcome:
    """Filled while images are read."""

    images: int = 0
    """That were kept."""
    models: int = 0
    is_filtered: bool = True
    """Whether anything could tell photos from the rest, or was asked not to."""
    no_photos: list[str] = field(default_factory=list)
    without_depth: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Images, by why nothing tells how far what they show is."""
    floor_only: int = 0
    """Whose learned depth contradicts the floor, so that only the floor and what stands on it have depth."""
    assumed_lens: int = 0
    """Whose focal length nothing tells."""
    is_looked_at: bool = False
    """Whether networks looked at the images."""
    not_upright: int = 0
    detections: int = 0
    unknown_images: list[str] = field(default_factory=list)
    """That a file of boxes tells things of, and that are not among the images."""
    things_left_out: Counter[str] = field(default_factory=Counter)
    """Things, by reason."""

    def findings(self, tour: str) -> Iterator[Finding]:
        """What a user should know."""
        if not self.is_filtered:
            yield Finding(
                "info",
                "import.not_filtered",
                tour,
                f"all {self.images} images were kept, screenshots and paintings too: no model that compares pictures "
                "with words is on this machine (roomtour models pull)",
            )
        if self.no_photos:
            yield Finding(
                "warning",
                "import.no_photo",
                tour,
                f"{len(self.no_photos)} images look like no photo of a place and were left out "
                f"({_some(self.no_photos)}); keep them with --keep-all",
            )
        if not self.is_looked_at:
            yield Finding(
                "info",
                "import.not_looked_at",
                tour,
                "no networks looked at the images: with the light models (roomtour models pull light) things, floor "
                "and depth are found where nobody gives them",
            )
        for why, names in self.without_depth.items():
            yield Finding(
                "warning",
                "import.no_depth",
                tour,
                f"{len(names)} of {self.images} images have no depth ({_some(names)}): {why}. They are asked about as "
                "pictures only; depth in images.jsonl adds what is nearer, behind, higher, larger, and distances",
            )
        if self.floor_only:
            yield Finding(
                "info",
                "import.floor_only",
                tour,
                f"in {self.floor_only} of {self.images} images learned depth contradicts the floor, or there is none: "
                "only the floor and what stands on it have depth",
            )
        if self.assumed_lens:
            yield Finding(
                "info",
                "import.lens_assumed",
                tour,
                f"the focal length of {self.assumed_lens} of {self.images} images is assumed (28 mm on 35 mm film, 15 "
                "%): their EXIF tells none; give fx or fov_deg in images.jsonl",
            )
        if self.not_upright:
            yield Finding(
                "info",
                "import.not_upright",
                tour,
                f"{self.not_upright} of {self.models} images show too little ground to tell what is up (5 % of the "
                "pixels, on one plane), so nothing is asked about heights there; give masks of the ground",
            )
        if not self.detections:
            yield Finding("warning", "import.no_things", tour, "no image has things; give them, or --detections FILE")
        if self.unknown_images:
            yield Finding(
                "warning",
                "import.unknown_images",
                tour,
                f"--detections tells things of {len(self.unknown_images)} images that are not there "
                f"({_some(self.unknown_images)}); images go by their path as given or by their file name",
            )
        for reason, count in self.things_left_out.items():
            if count:
                yield Finding("warning", "import.left_out", tour, f"{count} things left out: {reason}")


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")


def read_images(source: Path, tour: str, root: Path, options: ImportOptions) -> Imported:
    """Read a folder of pictures, a folder with `images.jsonl`, or a JSONL file.

    Raises:
        RoomtourError: For a line or file that does not fit.
        InstructionError: For a depth map that does not fit its image.
    """
    rows, base = _list_images(source)
    words = None if options.keep_all else find_image_words()
    look = PictureLook(options.perception) if options.perception != "none" else None
    things = read_detections(options.detections) if options.detections is not None else FileDetections({})
    reader = _Reader(root, options, base=base, things=things, words=words, look=look)
    for where, row in rows:
        reader.take(where, row)
    reader.look_and_measure()
    named = [row for _, row in rows if things.find_things(row.image) or things.find_told(row.image)]
    if (things.things or things.told) and rows and not named:
        raise RoomtourError(
            f"--detections {options.detections}: names none of the {len(rows)} images of {source}, such as "
            f"{rows[0][1].image!r}; images go by their path as given or by their file name"
        )
    if not reader.frames:
        raise RoomtourError(f"{source}: none of {len(rows)} images is a photo of a place; --keep-all keeps them")
    outcome = reader.outcome
    outcome.images, outcome.models, outcome.detections = len(reader.frames), len(reader.models), len(reader.detections)
    outcome.unknown_images = things.find_unknown(row.image for _, row in rows)
    outcome.is_filtered = words is not None or options.keep_all
    outcome.is_looked_at = look is not None and look.is_any
    reader.frequencies += [LabelFrequency(label, often) for label, often in sorted(things.frequencies.items())]
    reader.findings += [*outcome.findings(tour), *(look.findings if look else ())]
    return reader.tell_scene(source, tour, 1.0, "images", len(rows)), reader


def _list_images(source: Path) -> tuple[list[tuple[str, ImageRow]], Path]:
    """The images with the places that errors name, and the folder that their paths are relative to."""
    if source.is_dir() and not (source / IMAGES_FILE).exists():
        rows = [(str(path), ImageRow(image=path.name)) for path in image_files(source)]
        if not rows:
            raise RoomtourError(f"{source}: holds no pictures and no {IMAGES_FILE}")
        return rows, source
    path = source / IMAGES_FILE if source.is_dir() else source
    rows = read_line_rows(path, ImageRow)
    if not rows:
        raise RoomtourError(f"{path}: names no image")
    return rows, path.parent


@dataclass(frozen=True)
class _Taken:
    """An image that was kept, before anything looked at it."""

    where: str
    row: ImageRow
    frame: Frame
    things: tuple[ImageThing, ...]
    """That the row and the file of boxes tell."""


@dataclass(eq=False, kw_only=True)
class _Reader(Gathered):
    """Reads one image after the other and remembers what was left out."""

    base: Path
    things: FileDetections
    words: ImageWords | None
    look: PictureLook | None
    taken: list[_Taken] = field(default_factory=list)
    outcome: Outcome = field(default_factory=Outcome)

    def take(self, where: str, row: ImageRow) -> None:
        """Read one image and what is told of it."""
        image_bgr, data, suffix = read_picture(self.base / row.image)
        height, width = image_bgr.shape[:2]
        size = self.things.find_size(row.image)
        if size is not None and size != (width, height):
            raise RoomtourError(
                f"--detections {self.options.detections}: boxes of {row.image} are told for {size[0]} x {size[1]} "
                f"pixels, the image has {width} x {height}; scale the boxes, or give the image they were made on"
            )
        if self.words is not None and not find_photos([_to_rgb(image_bgr)], self.words)[0]:
            self.outcome.no_photos.append(row.image)
            return
        self.digest.update(sha256(data).digest())
        frame = self.add_frame(image_bgr, data, suffix, len(self.frames))
        things = [
            thing
            for line in (*row.things, *self.things.find_things(row.image))
            if (thing := self._read_thing(line, width, height, where)) is not None
        ]
        said = self.things.find_told(row.image)
        if said is not None:
            at = f"--detections {self.options.detections}: {row.image}"
            self.annotations.append(take_line(said, frame, None, "detections file", at))
        self.taken.append(_Taken(where, row, frame, tuple(things)))

    def look_and_measure(self) -> None:
        """Let the networks look at what lacks something, and make the models."""
        lacking = [
            picture.frame for picture in self.taken if not (picture.things and picture.row.depth and picture.row.ground)
        ]
        if self.look is not None:
            self.look.look(lacking, self.root / FRAMES.path, self.digest.hexdigest())
        for picture in self.taken:
            image_rgb = _to_rgb(read_picture(self.base / picture.row.image)[0])
            image = self._gather(picture, image_rgb)
            if image is not None:
                self._build(image, image_rgb)

    def _gather(self, taken: _Taken, image_rgb: RgbImage) -> DepthImage | None:
        """What is told and what networks say of an image; its detections are kept. None without depth."""
        row, frame, where = taken.row, taken.frame, taken.where
        seen = self.look.of(frame.index) if self.look is not None else Looked()
        things = taken.things or seen.things
        source = row.source if taken.things or not seen.source else seen.source
        ground = None if row.ground is None else read_mask(row.ground, frame.width, frame.height, f"{where}: ground")
        label = row.ground_label
        if ground is None and seen.floor is not None:
            ground, label = seen.floor, "floor"
        if row.depth is not None:
            camera = row.find_camera(frame.width, frame.height, where)
            depth = read_depth_file(self.base / row.depth, row.depth_unit_m, where)
            require_depth(depth, camera, f"{where}: {row.depth}")
            self.detections += detect_things(frame.index, frame.width, things, depth)
            scale = Scale("metric", 1.0, row.depth_sigma, row.depth_source)
            vertical = find_vertical(image_rgb, camera) if seen.source else None
            return DepthImage(frame.index, camera, depth, scale, things, ground, label, source, vertical)
        camera, focal_sigma = self._find_camera(taken)
        learned = self.look.learn_depth(frame, image_rgb) if self.look is not None else None
        known = estimate_depth(image_rgb, camera, focal_sigma, ground, things, learned)
        if isinstance(known, str):
            self.outcome.without_depth[known].append(row.image)
            self.detections += detect_things(frame.index, frame.width, things, None)
            return None
        self.outcome.floor_only += known.is_floor_only
        self.detections += detect_things(frame.index, frame.width, things, known.depth)
        fields = (known.depth, known.scale, things, ground, label, source, known.vertical, known.range_sigma)
        return DepthImage(frame.index, camera, *fields)

    def _find_camera(self, taken: _Taken) -> tuple[Camera, float]:
        """The camera of an image, and the relative standard deviation of its focal length."""
        row, frame = taken.row, taken.frame
        if row.fx is not None or row.fov_deg is not None:
            return row.find_camera(frame.width, frame.height, taken.where), 0.0
        data = (self.base / row.image).read_bytes()
        camera, sigma = guess_camera(data, frame.width, frame.height)
        self.outcome.assumed_lens += sigma == ASSUMED_SIGMA
        return camera, sigma

    def _build(self, image: DepthImage, image_rgb: RgbImage) -> None:
        made = build_image_model(image, image_rgb, seed=self.options.seed)
        self.models.append(made.model)
        self.outcome.not_upright += not made.model.is_upright
        self.objects += forget_unsure_names(made.objects)
        self.observations += made.observations
        self.outcome.things_left_out["too little depth of their own"] += len(made.left_out)
        self.add_depth(image.frame, image.depth)

    def _read_thing(self, row: ThingRow, width: int, height: int, where: str) -> ImageThing | None:
        """The thing as records hold it; None, counted, if it has no words or no pixels."""
        caption = plain_words(row.caption or "")
        if len(caption.split()) > MOST_CAPTION_WORDS:
            caption = ""
        label = plain_words(row.label or "") or caption
        if not label:
            self.outcome.things_left_out["no label, and no caption of one to six words"] += 1
            return None
        mask = None if row.mask is None else read_mask(row.mask, width, height, where)
        box = row.box_xyxy if row.box_xyxy is not None or mask is None else box_of_mask(mask)
        box = None if box is None else _clip(box, width, height)
        if box is None:
            self.outcome.things_left_out["no box inside the image"] += 1
            return None
        return ImageThing(label.lower(), row.score, box, mask, caption.lower() or None)


def find_image_words() -> ImageWords | None:
    """The model that compares images with words, if this machine has it."""
    choice = VisionOptions().tags
    try:
        return Siglip(find_model("tags", choice), pick_runtime("auto", "auto"))
    except InstructionError:  # packages or files of it are missing
        return None


def _to_rgb(image_bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(image_bgr[..., ::-1])


def _clip(box: Box, width: int, height: int) -> Box | None:
    """The box inside the image; None if nothing of it is, or a value is not finite."""
    values = np.array(box, dtype=np.float64)
    if not np.isfinite(values).all():
        return None
    x0, y0, x1, y1 = np.clip(values, 0.0, [width, height, width, height])
    return (float(x0), float(y0), float(x1), float(y1)) if x1 - x0 >= 1.0 and y1 - y0 >= 1.0 else None

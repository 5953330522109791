"""A tour as a folder of ordered images, handed out the way `recon.video.decode` hands out a video."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import cv2

from recon.errors import ReconError
from recon.findings import Finding
from recon.given_files import is_system_file, list_files, natural_key
from recon.numerals import count, list_some
from recon.picture_faults import find_lost_end
from recon.pictures import (
    MOST_PIXELS,
    PICTURE_SUFFIXES,
    choose_picture_files,
    decode_picture,
    find_missing_decoder,
    find_upright_size,
)
from recon.records import SourceInfo
from recon.video.picture import (
    THUMB_SHORT_SIDE_PX,
    Image,
    Orientation,
    fit_size,
    laplacian_variance,
    require_usable_size,
    stretch_size,
)


@dataclass(frozen=True, eq=False)
class FolderPicture:
    """One image at its final size (see `recon.video.picture.Picture`)."""

    time_s: float
    image_bgr: Image
    name: str

    def thumb_bgr(self) -> Image:
        """See `Picture`."""
        height, width = self.image_bgr.shape[:2]
        return cv2.resize(self.image_bgr, fit_size(width, height, THUMB_SHORT_SIDE_PX), interpolation=cv2.INTER_AREA)  # pyright: ignore[reportReturnType]

    def sharpness(self) -> float:
        """See `Picture`."""
        return laplacian_variance(cv2.cvtColor(self.image_bgr, cv2.COLOR_BGR2GRAY))  # pyright: ignore[reportArgumentType]

    def image_rgb(self) -> Image:
        """See `Picture`."""
        return cv2.cvtColor(self.image_bgr, cv2.COLOR_BGR2RGB)  # pyright: ignore[reportReturnType]


class FolderSource(AbstractContextManager):
    """A folder of ordered images. Iterate `pictures()` to the end, then read `info()` and `findings()`.

    Order is natural (`9.jpg` before `10.jpg`), time is position / `fps`; an image that is dropped keeps its position.
    EXIF orientation is applied, then `rotate_deg` clockwise, then `stretch`. Only the most common size is used: a tour
    has one camera.

    Raises:
        ReconError: If the folder has no images, or `fps` is missing or not positive.
    """

    def __init__(
        self, path: Path, short_side: int, fps: float | None, rotate_deg: int = 0, stretch: float = 1.0
    ) -> None:
        self._path = path
        self._short_side = short_side
        self._images = image_files(path)
        unwritable = [item.name for item in self._images if item.name.encode(errors="ignore").decode() != item.name]
        if unwritable:
            raise ReconError(
                f"{path}: {len(unwritable)} images have names that are not valid UTF-8 (such as {unwritable[0]!r}), "
                "so no file can tell them. Rename them."
            )
        if not self._images:
            raise _refuse(path)
        files = [item.name for item in path.iterdir() if item.is_file()]
        self._ignored = sorted(
            {*files} - {item.name for item in self._images}, key=lambda name: (is_system_file(name), natural_key(name))
        )
        if fps is None:
            raise ReconError(
                f"{path}: a folder of {len(self._images)} images has no times. "
                f"Say at how many frames per second it was taken, for example --input.fps 10."
            )
        if not 0 < fps <= 1000:
            raise ReconError(f"--input.fps is {fps:g}, need more than 0 and at most 1000. Try 10.")
        self._fps = fps
        self._turn = Orientation().turned(rotate_deg)
        self._stretch = stretch
        self._position = 0
        self._size: tuple[int, int] | None = None
        self._used: list[int] = []
        self._unreadable: list[str] = []
        self._undecodable: list[str] = []
        self._missing_decoder = ""
        self._other_sizes: dict[str, tuple[int, int]] = {}
        self._digest = hashlib.sha256()

    def __exit__(self, *_: object) -> None:
        """Nothing stays open between images."""

    def fraction_done(self) -> float:
        """Share of the images that has been read, 0 to 1."""
        return self._position / len(self._images)

    def pictures(self) -> Iterator[FolderPicture]:
        """Yield the readable images of the most common size, in natural order."""
        common = self._most_common_size()
        for position, file in enumerate(self._images):
            self._position = position + 1
            data = file.read_bytes()
            self._digest.update(file.name.encode() + b"\0" + hashlib.sha256(data).digest())
            image = decode_picture(data) if find_lost_end(data) is None else None
            if image is None:
                self._missing_decoder = find_missing_decoder(data) or self._missing_decoder
                (self._undecodable if find_missing_decoder(data) else self._unreadable).append(file.name)
                continue
            size = (image.shape[1], image.shape[0])
            if size != common:
                self._other_sizes[file.name] = size
                continue
            self._size = size
            shown = self._shown_size(size)
            require_usable_size(self._path, *shown)
            self._used.append(position)
            target = self._turn.upright_size(*fit_size(*shown, self._short_side))
            if target != size:
                image = cv2.resize(image, target, interpolation=cv2.INTER_AREA)
            upright = self._turn.upright(image)  # pyright: ignore[reportArgumentType]
            yield FolderPicture(position / self._fps, upright, file.name)

    def info(self) -> SourceInfo:
        """What the folder turned out to be. Complete only after the last picture.

        Raises:
            ReconError: If no image could be read.
        """
        if self._size is None:
            what_to_do = self._missing_decoder or "Open one in a viewer; convert them to JPEG or PNG"
            raise ReconError(
                f"{self._path}: none of {len(self._images)} images could be read "
                f"(first: {self._images[0].name}). {what_to_do}."
            )
        width, height = self._shown_size(self._size)
        suffixes = Counter(self._images[position].suffix.lower()[1:] for position in self._used)
        return SourceInfo(
            path=str(self._path),
            kind="images",
            width=width,
            height=height,
            duration_s=(self._used[-1] - self._used[0] + 1) / self._fps,
            frame_count=len(self._used),
            fps=self._fps,
            codec="+".join(sorted(suffixes)),
            rotation_deg=self._turn.clockwise_deg,
            sha256=self._digest.hexdigest(),
        )

    def _shown_size(self, stored: tuple[int, int]) -> tuple[int, int]:
        return stretch_size(*self._turn.upright_size(*stored), self._stretch)

    def findings(self) -> list[Finding]:
        """What was dropped. Complete only after the last picture."""
        where = f"folder {self._path.name}"
        undecodable = f"left out {_list_names(self._undecodable)}: {self._missing_decoder}"
        unreadable = (
            f"dropped {_list_names(self._unreadable)}: damaged, cut off or of more than {MOST_PIXELS // 10**6} million "
            "pixels"
        )
        ignored = f"ignored {_list_names(self._ignored)}: no pictures, or originals of which a copy is read"
        all_findings = (
            (self._undecodable, Finding("warning", "images.no_decoder", where, undecodable)),
            (self._unreadable, Finding("warning", "images.unreadable", where, unreadable)),
            (self._other_sizes, Finding("warning", "images.other_size", where, self._describe_other_sizes())),
            (self._ignored, Finding("info", "images.ignored", where, ignored)),
        )
        return [finding for names, finding in all_findings if names]

    def _describe_other_sizes(self) -> str:
        sizes = Counter(f"{width}x{height}" for width, height in self._other_sizes.values())
        common = "" if self._size is None else f", and the most common size is {self._size[0]}x{self._size[1]}"
        return (
            f"dropped {_list_names([*self._other_sizes])} of {', '.join(size for size, _ in sizes.most_common(3))}: "
            f"a tour has one camera{common}"
        )

    def _most_common_size(self) -> tuple[int, int] | None:
        """The first of the most common sizes."""
        sizes = Counter(find_upright_size(file.read_bytes()) for file in self._images)
        sizes.pop(None, None)
        return max(sizes, key=lambda size: sizes[size], default=None)


def image_files(path: Path) -> tuple[Path, ...]:
    """The images of a folder in natural order of their names."""
    return tuple(choose_picture_files(list_files(path)))


def _refuse(path: Path) -> ReconError:
    """Why a folder without images cannot be read, and what near it can."""
    inside = [(len(image_files(entry)), entry) for entry in path.iterdir() if entry.is_dir()]
    most, folder = max(inside, default=(0, path), key=lambda entry: entry[0])
    if most:
        return ReconError(f"{path}: no images in this folder itself, but {most} in {folder.name}/. Give {folder}")
    others = list_files(path)
    return ReconError(
        f"{path}: no images in this folder ({len(others)} other files). "
        f"Give a folder of {', '.join(sorted(suffix[1:] for suffix in PICTURE_SUFFIXES))} files, or a video file."
    )


def _list_names(names: list[str]) -> str:
    shown = list_some([name.encode(errors="backslashreplace").decode() for name in names], 5)
    return f"{count(len(names), 'file')} ({shown})"

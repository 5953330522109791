"""A tour as a folder of ordered images, handed out the way `recon.video.decode` hands out a video."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import cv2

from recon.errors import ReconError
from recon.findings import Finding
from recon.picture_faults import find_lost_end
from recon.pictures import MOST_PIXELS, decode_picture
from recon.records import SourceInfo
from recon.video.picture import (
    THUMB_SHORT_SIDE_PX,
    Image,
    Orientation,
    fit_size,
    laplacian_variance,
    require_usable_size,
)

_SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"}


@dataclass(frozen=True, eq=False)
class FolderPicture:
    """One image at its final size (see `recon.video.picture.Picture`)."""

    time_s: float
    image_bgr: Image

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


class FolderSource:
    """A folder of ordered images. Iterate `pictures()` to the end, then read `info()` and `findings()`.

    Order is natural (`9.jpg` before `10.jpg`), time is position / `fps`; an image that is dropped keeps its position.
    EXIF orientation is applied, then `rotate_deg` clockwise. Only the most common size is used: a tour has one camera.

    Raises:
        ReconError: If the folder has no images, or `fps` is missing or not positive.
    """

    def __init__(self, path: Path, short_side: int, fps: float | None, rotate_deg: int = 0) -> None:
        self._path = path
        self._short_side = short_side
        self._images = image_files(path)
        unwritable = [item.name for item in self._images if not _is_utf8(item.name)]
        if unwritable:
            raise ReconError(
                f"{path}: {len(unwritable)} images have names that are not valid UTF-8 (such as {unwritable[0]!r}), "
                "so no file can tell them. Rename them."
            )
        others = {item.name for item in path.iterdir() if item.is_file()} - {item.name for item in self._images}
        self._ignored = sorted(others, key=natural_key)
        if not self._images:
            raise ReconError(
                f"{path}: no images in this folder ({len(others)} other files). "
                f"Give a folder of {', '.join(sorted(suffix[1:] for suffix in _SUFFIXES))} files, or a video file."
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
        self._position = 0
        self._size: tuple[int, int] | None = None
        self._used: list[int] = []
        self._unreadable: list[str] = []
        self._other_size: list[str] = []
        self._digest = hashlib.sha256()

    def __enter__(self) -> FolderSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
                self._unreadable.append(file.name)
                continue
            size = (image.shape[1], image.shape[0])
            if not _is_eight_times(size, common) or (self._size is not None and size != self._size):
                self._other_size.append(file.name)
                continue
            require_usable_size(self._path, *size)
            self._size = size
            self._used.append(position)
            target = fit_size(*size, self._short_side)
            if target != size:
                image = cv2.resize(image, target, interpolation=cv2.INTER_AREA)
            yield FolderPicture(position / self._fps, self._turn.upright(image))  # pyright: ignore[reportArgumentType]

    def info(self) -> SourceInfo:
        """What the folder turned out to be. Complete only after the last picture.

        Raises:
            ReconError: If no image could be read.
        """
        if self._size is None:
            raise ReconError(
                f"{self._path}: none of {len(self._images)} images could be read "
                f"(first: {self._unreadable[0]}). Open one in a viewer; convert them to JPEG or PNG."
            )
        width, height = self._turn.upright_size(*self._size)
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

    def findings(self) -> list[Finding]:
        """What was dropped. Complete only after the last picture."""
        where = f"folder {self._path.name}"
        unreadable = (
            f"{_list_names(self._unreadable)} are damaged, cut off or have more than {MOST_PIXELS // 10**6} million "
            "pixels and were dropped"
        )
        other_size = f"{_list_names(self._other_size)} have another size and were dropped: a tour has one camera"
        all_findings = (
            (
                self._ignored,
                Finding("info", "images.ignored", where, f"{_list_names(self._ignored)} are not images: ignored"),
            ),
            (self._unreadable, Finding("warning", "images.unreadable", where, unreadable)),
            (self._other_size, Finding("warning", "images.other_size", where, other_size)),
        )
        return [finding for names, finding in all_findings if names]

    def _most_common_size(self) -> tuple[int, int] | None:
        """Most common size in eighths of a pixel: reading at an eighth is many times cheaper for JPEG."""
        sizes: Counter[tuple[int, int]] = Counter()
        for file in self._images:
            small = decode_picture(file.read_bytes(), cv2.IMREAD_REDUCED_COLOR_8)
            if small is not None:
                sizes[small.shape[1], small.shape[0]] += 1
        return max(sizes, key=lambda size: sizes[size]) if sizes else None


def image_files(path: Path) -> tuple[Path, ...]:
    """The images of a folder in natural order of their names."""
    files = sorted((item for item in path.iterdir() if item.is_file()), key=lambda item: natural_key(item.name))
    return tuple(item for item in files if item.suffix.lower() in _SUFFIXES)


def _list_names(names: list[str]) -> str:
    shown = [name.encode(errors="backslashreplace").decode() for name in names[:5]]
    return f"{len(names)} files ({', '.join(shown)}{', ...' if len(names) > 5 else ''})"


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def natural_key(name: str) -> list[tuple[int, int | str]]:
    """Sort key under which numbers inside names compare as numbers: `img9` before `img10`."""
    parts = re.split(r"(\d+)", name.casefold())
    return [*((0, int(part)) if part.isdecimal() else (1, part) for part in parts), (2, name)]


def _is_eight_times(size: tuple[int, int], eighth: tuple[int, int] | None) -> bool:
    """Whether `eighth` is `size` at an eighth; some decoders round up, others down."""
    return eighth is not None and all(abs(a / 8 - b) < 1 for a, b in zip(size, eighth, strict=True))

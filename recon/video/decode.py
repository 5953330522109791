"""Decode one video front to back, once: true presentation times, upright, square pixels, standard dynamic range.

Memory does not grow with the length. What could not be decoded is counted and reported, never passed on. Several
threads decode until the first damage; what they make of the pictures after it depends on which of them is ahead, so a
damaged file is read again by one thread, which gives the same pictures in every run.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
from av.error import EOFError as DecoderDrained
from av.error import FFmpegError
from av.sidedata.sidedata import SideDataContainer
from av.sidedata.sidedata import Type as SideDataType
from av.video.frame import VideoFrame
from av.video.reformatter import ColorTrc, Interpolation, VideoReformatter

from recon.errors import ReconError
from recon.findings import Finding
from recon.records import SourceInfo
from recon.video.container import Clock, choose_stream, open_video
from recon.video.picture import (
    THUMB_SHORT_SIDE_PX,
    Image,
    Orientation,
    Transfer,
    fit_size,
    laplacian_variance,
    require_usable_size,
    sdr_from_hdr,
    stretch_size,
)

_HDR_TRANSFER: dict[int, Transfer] = {int(ColorTrc.SMPTE2084): "pq", int(ColorTrc.ARIB_STD_B67): "hlg"}

_PROGRESSIVE = 1  # FFmpeg's `AV_FIELD_PROGRESSIVE`; 0 is unknown, all above are orders of two fields

_HELD_BACK = 8
"""Pictures that wait for those after them: a picture may show what is only later known to be damaged. Encoders
commonly reorder by three."""


class FrameScaling:
    """How frames of one video become thumbnails and upright pictures, each at one size."""

    def __init__(self, first: VideoFrame, aspect: Fraction, short_side: int, rotate_deg: int, stretch: float) -> None:
        side_data = cast(SideDataContainer, first.side_data)
        matrices = [
            memoryview(data)
            for data in map(side_data.__getitem__, range(len(side_data)))
            if data.type is SideDataType.DISPLAYMATRIX
        ]
        stored = Orientation.from_display_matrix(matrices[0]) if matrices else Orientation()
        self.orientation = stored.turned(rotate_deg)
        self._coded = (first.width, first.height)
        shown = (max(1, round(first.width * aspect)), first.height)
        self.source_size = stretch_size(*self.orientation.upright_size(*shown), stretch)
        self.stored_size = self.orientation.upright_size(*fit_size(*self.source_size, short_side))
        self.thumb_size = self.orientation.upright_size(*fit_size(*self.source_size, THUMB_SHORT_SIDE_PX))
        # One scaler per use: swscale rebuilds its tables whenever size or format change.
        self.thumb_scaler, self.gray_scaler, self.full_scaler = (VideoReformatter() for _ in range(3))

    def fits(self, frame: VideoFrame) -> bool:
        """Whether the frame has the first frame's shape (a stream may change its size; its shape must stay)."""
        return abs(frame.width * self._coded[1] - frame.height * self._coded[0]) <= 0.01 * frame.width * self._coded[1]


def _scale(
    scaler: VideoReformatter, frame: VideoFrame, size: tuple[int, int], pixel_format: str, how: Interpolation
) -> Image:
    width, height = size
    # One thread: scaling small pictures costs less than waking others.
    small = scaler.reformat(frame, width, height, pixel_format, interpolation=how, threads=1)
    return small.to_ndarray()  # pyright: ignore[reportReturnType]


@dataclass(frozen=True, eq=False)
class VideoPicture:
    """A decoded frame that has not been scaled yet (see `recon.video.picture.Picture`)."""

    time_s: float
    frame: VideoFrame
    scaling: FrameScaling
    name: str = ""

    def thumb_bgr(self) -> Image:
        """See `Picture`; in stored orientation, by the cheapest scaler."""
        size = self.scaling.thumb_size
        return _scale(self.scaling.thumb_scaler, self.frame, size, "bgr24", Interpolation.FAST_BILINEAR)

    def sharpness(self) -> float:
        """See `Picture`; of the luma plane."""
        gray = _scale(self.scaling.gray_scaler, self.frame, self.scaling.stored_size, "gray", Interpolation.AREA)
        return laplacian_variance(gray)

    def image_rgb(self) -> Image:
        """See `Picture`; high dynamic range is tone-mapped."""
        transfer = _HDR_TRANSFER.get(int(self.frame.color_trc))
        pixel_format = "rgb24" if transfer is None else "rgb48le"
        quality = Interpolation.BICUBIC | Interpolation.ACCURATE_RND | Interpolation.FULL_CHR_H_INT
        image = _scale(self.scaling.full_scaler, self.frame, self.scaling.stored_size, pixel_format, quality)
        return self.scaling.orientation.upright(image if transfer is None else sdr_from_hdr(image, transfer))  # pyright: ignore[reportArgumentType]


class VideoSource(AbstractContextManager):
    """One open video. Iterate `pictures()` to the end, then read `info()` and `findings()`.

    `rotate_deg` turns the pictures clockwise, after the turn that the file asks for; `stretch` then widens them.

    Raises:
        ReconError: If the file is missing, empty, no video or has no picture track.
    """

    def __init__(self, path: Path, short_side: int, rotate_deg: int = 0, stretch: float = 1.0) -> None:
        self._path = path
        self._short_side = short_side
        self._rotate_deg = rotate_deg
        self._stretch = stretch
        self._scaling: FrameScaling | None = None
        self._transfer: Transfer | None = None
        self._furthest = 0.0
        self._is_read = False
        self._begin(threaded=True)

    def _begin(self, threaded: bool) -> None:
        self._container = open_video(self._path)
        try:
            self._stream, self._other_streams = choose_stream(self._path, self._container)
        except ReconError:
            self._container.close()
            raise
        if threaded:
            self._stream.thread_type = "AUTO"  # pyright: ignore[reportAttributeAccessIssue]
        else:
            self._stream.codec_context.thread_count = 1
        self._times = Clock(self._stream)
        self._held: deque[VideoPicture] = deque()
        self._decoded = 0
        self._broken = 0
        self._other_shape = 0

    def __exit__(self, *_: object) -> None:
        self._container.close()

    def fraction_done(self) -> float:
        """How much of the length the header promises has been decoded, 0 to 1; 0 if it promises none."""
        promised, first, last = self._read_promised_s(), self._times.first_s, self._times.last_s
        if not promised or first is None or last is None:
            return self._furthest
        self._furthest = max(self._furthest, min(1.0, (last - first) / promised))  # a second reading begins anew
        return self._furthest

    def pictures(self) -> Iterator[VideoPicture]:
        """Yield every intact frame in strictly increasing presentation time."""
        last_s = None
        for picture in self._read():
            if self._broken:
                break
            self._held.append(picture)
            if len(self._held) > _HELD_BACK:
                last_s = self._held[0].time_s
                yield self._held.popleft()
        while self._held and not self._broken:
            yield self._held.popleft()
        if self._broken:
            self._container.close()
            self._begin(threaded=False)
            yield from (picture for picture in self._read() if last_s is None or picture.time_s > last_s)
        self._is_read = True

    def _read(self) -> Iterator[VideoPicture]:
        for frame in self._frames():
            if frame.is_corrupt:
                self._broken += 1
                continue
            self._decoded += 1
            if self._scaling is None:
                aspect = self._stream.sample_aspect_ratio or Fraction(1)
                self._scaling = FrameScaling(frame, aspect, self._short_side, self._rotate_deg, self._stretch)
                require_usable_size(self._path, *self._scaling.source_size)
                self._transfer = _HDR_TRANSFER.get(int(frame.color_trc))
            time_s = self._times.time_of(frame)
            if time_s is None:
                continue
            if not self._scaling.fits(frame):
                self._other_shape += 1
                continue
            yield VideoPicture(time_s, frame, self._scaling)

    def info(self) -> SourceInfo:
        """What the video turned out to be, as far as it was read. Complete only after the last picture.

        Raises:
            ReconError: If no frame could be decoded.
        """
        first, last = self._times.first_s, self._times.last_s
        if self._scaling is None or first is None or last is None:
            raise ReconError(
                f"{self._path}: no frame could be decoded ({self._broken} broken). "
                f"The file is damaged or incomplete; try copying or downloading it again."
            )
        width, height = self._scaling.source_size
        decoded = self._decoded - len(self._held)
        if self._held:  # left early: those that wait were not shown
            last = max(first, self._held[0].time_s - self._times.nominal_interval_s)
        interval_s = (last - first) / (decoded - 1) if decoded > 1 and last > first else self._times.nominal_interval_s
        duration_s = last - first + interval_s
        return SourceInfo(
            path=str(self._path),
            kind="video",
            width=width,
            height=height,
            duration_s=duration_s,
            frame_count=decoded,
            fps=1.0 / interval_s,
            codec=self._stream.codec.canonical_name,
            rotation_deg=self._scaling.orientation.clockwise_deg,
            sha256=_sha256(self._path),
        )

    def findings(self) -> list[Finding]:
        """What was dropped or guessed. Complete only after the last picture."""
        where = f"video {self._path.name}"
        found = [*self._other_streams]
        if self._broken:
            share = self._broken / (self._broken + self._decoded)
            message = f"{self._broken} broken frames skipped ({share:.0%} of all); a fresh copy of the file may help"
            found.append(Finding("warning", "decode.broken_frames", where, message))
        found += self._times.findings(where)
        first, last, promised = self._times.first_s, self._times.last_s, self._read_promised_s()
        if self._is_read and first is not None and last is not None and promised:
            missing_s = promised - (last - first)
            if missing_s > max(1.0, 0.05 * promised):
                message = (
                    f"the header promises {promised:.1f} s, {last - first:.1f} s could be decoded: "
                    f"the file is cut off or was trimmed; what is there is used"
                )
                found.append(Finding("warning", "decode.shorter_than_header", where, message))
        if self._other_shape:
            message = f"{self._other_shape} frames of another shape than the first dropped: a tour has one camera"
            found.append(Finding("warning", "decode.shape_changed", where, message))
        if self._stream.codec_context.field_order > _PROGRESSIVE:
            message = (
                "the video is interlaced: each picture holds two moments, every other line of it, and edges that move "
                "look like combs. Deinterlace it first: ffmpeg -i IN -vf bwdif OUT"
            )
            found.append(Finding("warning", "decode.interlaced", where, message))
        if self._transfer is not None:
            message = f"high dynamic range ({self._transfer.upper()}) was tone-mapped with roomtour's fixed curve"
            found.append(Finding("info", "decode.hdr", where, message))
        return found

    def _read_promised_s(self) -> float | None:
        if self._stream.duration is not None and self._stream.time_base is not None:
            return float(self._stream.duration * self._stream.time_base)
        return self._container.duration / av.time_base if self._container.duration else None

    def _frames(self) -> Iterator[VideoFrame]:
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets)
            except StopIteration:
                return
            except FFmpegError:
                # The container cannot be read further; what the decoder still holds is worth having.
                self._broken += 1
                yield from self._decode(None)
                return
            yield from self._decode(packet)

    def _decode(self, packet: av.Packet | None) -> list[VideoFrame]:
        try:
            return self._stream.decode(packet)  # pyright: ignore[reportArgumentType]
        except DecoderDrained:
            return []
        except FFmpegError:
            self._broken += 1
            return []


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""Open a video file, choose the one of its streams that is the tour, and tell the presentation times of its frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from av.container import InputContainer
from av.error import FFmpegError
from av.stream import Disposition
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from recon.errors import ReconError
from recon.findings import Finding

_NO_RECORDINGS = {"concat", "hls", "dash", "imf", "tty"}
"""What FFmpeg also opens: lists of other files, and plain text drawn as a terminal."""

# Names and dates of a damaged file may be any bytes; none of them is read. PyAV 19 takes any by itself.
_ANY_METADATA: dict[str, Any] = {} if int(av.__version__.partition(".")[0]) >= 19 else {"metadata_errors": "replace"}


@dataclass(frozen=True)
class _Extent:
    """How much a stream holds, by its packets: headers may say nothing, or something else."""

    pictures: int = 0
    length_s: float = 0.0


def open_video(path: Path) -> InputContainer:
    """Open a file as a video; close it.

    Raises:
        ReconError: If the file is missing, empty or no video.
    """
    if not path.is_file():
        raise ReconError(f"{path}: no such file. Give a video file or a folder of ordered images.")
    if path.stat().st_size == 0:
        raise ReconError(f"{path}: the file is empty (0 bytes). Copy or download it again.")
    try:
        # An absolute path and the file protocol: a name like "concat:..." must not open anything else.
        container = av.open(str(path.resolve()), options={"protocol_whitelist": "file"}, **_ANY_METADATA)
    except (FFmpegError, OSError) as error:
        raise _not_a_video(path, _reason(error)) from error
    if _NO_RECORDINGS.intersection(container.format.name.split(",")):
        container.close()
        raise _not_a_video(path, f"its content is {container.format.long_name}")
    return container


def choose_stream(path: Path, container: InputContainer) -> tuple[VideoStream, list[Finding]]:
    """The stream of a video that is the tour, and what is said of the others.

    A moving picture goes before a still one (a cover), then the stream that the file marks as its default, then the
    longer, then the larger. Only a file of several streams is read for that, without decoding it.

    Raises:
        ReconError: If it has no video stream.
    """
    streams = [stream for stream in container.streams.video if not stream.disposition & Disposition.attached_pic]
    if not streams:
        others = sorted({stream.type for stream in container.streams})
        raise ReconError(
            f"{path}: has no video track (it has: {', '.join(others) or 'nothing'}). Give a file with moving pictures."
        )
    if len(streams) == 1:
        return streams[0], []
    extents = _measure_streams(path)

    def rank(stream: VideoStream) -> tuple[bool, bool, float, int]:
        extent = extents.get(stream.index, _Extent())
        is_default = bool(stream.disposition & Disposition.default)
        return extent.pictures > 1, is_default, round(extent.length_s, 1), stream.width * stream.height

    chosen = max(streams, key=rank)
    left_out = [stream for stream in streams if stream is not chosen]
    return chosen, [_describe_left_out(path, chosen, left_out, extents)]


def _measure_streams(path: Path) -> dict[int, _Extent]:
    times_s: dict[int, list[float]] = {}
    with open_video(path) as container:
        try:
            for packet in container.demux(list(container.streams.video)):
                if packet.pts is not None:
                    times_s.setdefault(packet.stream_index, []).append(float(packet.pts * (packet.time_base or 0)))
        except FFmpegError:
            pass  # what could be read decides; the decoder tells of the damage
    return {index: _Extent(len(times), max(times) - min(times)) for index, times in times_s.items()}


def _describe_left_out(
    path: Path, chosen: VideoStream, left_out: Sequence[VideoStream], extents: dict[int, _Extent]
) -> Finding:
    def describe(stream: VideoStream) -> str:
        extent = extents.get(stream.index, _Extent())
        how_much = f"{extent.length_s:.1f} s" if extent.pictures > 1 else "a still picture"
        return f"stream {stream.index} ({stream.width}x{stream.height}, {how_much})"

    is_moving = any(extents.get(stream.index, _Extent()).pictures > 1 for stream in left_out)
    severity = "warning" if is_moving else "info"
    message = f"{describe(chosen)} is read, {', '.join(map(describe, left_out))} left out"
    if is_moving:
        message += "; to read another, make a file of it alone: ffmpeg -i IN -map 0:NUMBER -c copy OUT"
    return Finding(severity, "decode.other_streams", f"video {path.name}", message)


def presentation_times(path: Path) -> tuple[float, ...]:
    """Times of all pictures of a video in the order shown, in seconds, without decoding them.

    What other tools call picture k of a video is entry k. A file whose packets tell no time gives nothing.

    Raises:
        ReconError: If the file is missing or no video.
    """
    with open_video(path) as container:
        stream, _ = choose_stream(path, container)
        times = [
            packet.pts * (packet.time_base or Fraction(0))
            for packet in container.demux(stream)
            if packet.pts is not None and not packet.is_discard
        ]
    return tuple(float(time) for time in sorted(set(times)))


def require_video(path: Path) -> float:
    """Length in seconds by the head of a video; 0 where it does not say.

    Raises:
        ReconError: If the file is missing, empty or no video.
    """
    with open_video(path) as container:
        choose_stream(path, container)
        return (container.duration or 0) / av.time_base


def _not_a_video(path: Path, reason: str) -> ReconError:
    return ReconError(
        f"{path}: cannot be opened as a video ({reason}). "
        f"It is not a video, or its end is missing; try playing it, or copy it again."
    )


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).strip()


_BACKWARD_FRAMES_BEFORE_RESET = 10
"""One bad time is a stray; this many rising ones in a row are a clock that was reset (joined recordings)."""


class Clock:
    """Presentation times as the file says, made strictly increasing; counts what had to be dropped or guessed."""

    def __init__(self, stream: VideoStream) -> None:
        self._time_base = stream.time_base
        rate = stream.guessed_rate or stream.average_rate
        self.nominal_interval_s = float(1 / rate) if rate else 1 / 30
        self.first_s: float | None = None
        self.last_s: float | None = None
        self._shift_s = 0.0
        self._backward: list[float] = []
        self._dropped = 0
        self._guessed = 0
        self._resets = 0

    def time_of(self, frame: VideoFrame) -> float | None:
        """Time of the frame in seconds, or None if it is not later than the one before and is to be dropped."""
        time_base = frame.time_base or self._time_base
        if frame.pts is None or time_base is None:
            self._guessed += 1
            return self._accept(0.0 if self.last_s is None else self.last_s + self.nominal_interval_s)
        raw_s = float(frame.pts * time_base)
        time_s = raw_s + self._shift_s
        if self.last_s is None or time_s > self.last_s:
            return self._accept(time_s)
        if self._backward and raw_s <= self._backward[-1]:
            self._backward.clear()
        self._backward.append(raw_s)
        if len(self._backward) < _BACKWARD_FRAMES_BEFORE_RESET:
            self._dropped += 1
            return None
        self._resets += 1
        self._shift_s = self.last_s + self.nominal_interval_s - raw_s
        return self._accept(raw_s + self._shift_s)

    def _accept(self, time_s: float) -> float:
        self._backward.clear()
        if self.first_s is None:
            self.first_s = time_s
        self.last_s = time_s
        return time_s

    def findings(self, where: str) -> list[Finding]:
        """What was dropped or guessed so far."""
        found = []
        if self._dropped:
            message = f"{self._dropped} frames dropped because their time is not later than that of the frame before"
            found.append(Finding("warning", "decode.timestamps", where, message))
        if self._guessed:
            message = f"{self._guessed} frames have no time; guessed from {1 / self.nominal_interval_s:.3g} frames/s"
            found.append(Finding("warning", "decode.times_guessed", where, message))
        if self._resets:
            message = f"the clock jumps back {self._resets} times (joined recordings?); later times were moved on"
            found.append(Finding("warning", "decode.clock_reset", where, message))
        return found

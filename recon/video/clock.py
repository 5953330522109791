"""Presentation times of decoded frames: what the file says, made strictly increasing."""

from __future__ import annotations

from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from recon.findings import Finding

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

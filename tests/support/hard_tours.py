"""Hard versions of the short walk: the same walk, filmed badly. Times stay those of the original."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np

Change = Callable[[np.ndarray, float], np.ndarray]
"""From an RGB picture and its time in seconds to the picture that was filmed instead."""
_CLOCK = Fraction(1, 12000)


def pictures(video: Path, begin_s: float = 0.0, end_s: float = 1e9) -> Iterator[tuple[float, np.ndarray]]:
    """Times and RGB pictures of a stretch of a video."""
    with av.open(str(video)) as container:
        for frame in container.decode(video=0):
            assert frame.time is not None
            if begin_s <= frame.time < end_s:
                yield frame.time, frame.to_ndarray(format="rgb24")


def write(path: Path, timed: Iterator[tuple[float, np.ndarray]], rotation_ccw_deg: int | None = None) -> Path:
    """Write pictures with the given times."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=15, options={"preset": "ultrafast", "crf": "18"})
        stream.codec_context.time_base = _CLOCK
        for number, (time_s, image_rgb) in enumerate(timed):
            if number == 0:
                stream.height, stream.width, stream.pix_fmt = *image_rgb.shape[:2], "yuv420p"
                if rotation_ccw_deg is not None:
                    stream.set_display_rotation(rotation_ccw_deg)
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image_rgb), format="rgb24")
            frame.pts, frame.time_base = round(time_s / _CLOCK), _CLOCK
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def change_pictures(path: Path, video: Path, change: Change, end_s: float = 8.0) -> Path:
    """The first seconds of a video with every picture changed."""
    return write(path, ((time_s, change(image, time_s)) for time_s, image in pictures(video, 0.0, end_s)))


def dark(image: np.ndarray, time_s: float) -> np.ndarray:
    """A fifth of the light and the noise of a phone at night."""
    noise = np.random.default_rng(round(1000 * time_s)).normal(0, 2, image.shape)
    return np.clip(0.2 * image + noise, 0, 255).astype(np.uint8)


def blank_for_a_second(image: np.ndarray, time_s: float) -> np.ndarray:
    """A white wall fills the picture from 3 to 4 s."""
    return np.full_like(image, 200) if 3.0 <= time_s < 4.0 else image


def person_box(time_s: float) -> tuple[int, int, int, int]:
    """Where the person is: x0, y0, x1, y1 in a picture of 480x270; walks to and fro in 4 s."""
    x0 = round(180 + 170 * np.sin(2 * np.pi * time_s / 4.0))
    return x0, 60, x0 + 110, 270


def person(image: np.ndarray, time_s: float) -> np.ndarray:
    """Somebody in a patterned shirt walks before the camera; near a quarter of the picture, one pattern all along."""
    shirt = np.random.default_rng(7).integers(0, 255, (10, 6, 3), dtype=np.uint8)
    out = image.copy()
    x0, y0, x1, y1 = person_box(time_s)
    out[y0:y1, x0:x1] = cv2.resize(shirt, (x1 - x0, y1 - y0), interpolation=cv2.INTER_CUBIC)
    return out


def overlaid(image: np.ndarray, time_s: float) -> np.ndarray:
    """Letterbox bars of 30 px and a channel's large name."""
    out = image.copy()
    out[:30] = out[-30:] = 0
    for row in range(3):
        cv2.putText(out, "HOMES TV", (150, 90 + 50 * row), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (255, 255, 255), 2)
    return out


def portrait(image: np.ndarray, time_s: float) -> np.ndarray:
    """The middle of the picture, higher than wide, as a phone held upright."""
    middle = image[:, 140:340]
    return cv2.resize(middle, (400, 540), interpolation=cv2.INTER_CUBIC)


def sideways(image: np.ndarray, time_s: float) -> np.ndarray:
    """Filmed with the phone turned, and the file does not say so."""
    return np.rot90(image)


def read(file: Path) -> np.ndarray:
    """A frame of a run folder, BGR."""
    image = cv2.imread(str(file))
    assert image is not None
    return image

"""Videos that show no scene that could be reconstructed, made by code."""

from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
WIDTH, HEIGHT, FPS = 320, 240, 3
_WORDS = "the quick brown fox jumps over a lazy dog while seven scripts run and nobody reads the log".split()  # noqa: SIM905


def _make_gray_noise(rng: np.random.Generator) -> Iterator[Picture]:
    for _ in range(25):
        yield np.repeat(rng.integers(0, 256, (HEIGHT, WIDTH, 1), dtype=np.uint8), 3, axis=2)


def _make_colour_noise(rng: np.random.Generator) -> Iterator[Picture]:
    for _ in range(25):
        yield rng.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)


def _make_coarse_noise(rng: np.random.Generator) -> Iterator[Picture]:
    for _ in range(25):
        yield _enlarge(rng.integers(0, 256, (HEIGHT // 8, WIDTH // 8, 3), dtype=np.uint8), cv2.INTER_NEAREST)


def _freeze_picture(rng: np.random.Generator) -> Iterator[Picture]:
    picture = _paint(rng)
    for _ in range(25):
        yield picture


def _freeze_with_grain(rng: np.random.Generator) -> Iterator[Picture]:
    picture = _paint(rng).astype(float)
    for _ in range(25):
        yield _clip(picture + rng.normal(0, 6, picture.shape))


def _show_slides(rng: np.random.Generator) -> Iterator[Picture]:
    for _ in range(6):
        picture = _paint(rng)
        for _ in range(6):
            yield picture


def _scroll_text(rng: np.random.Generator) -> Iterator[Picture]:
    page = np.full((HEIGHT * 4, WIDTH, 3), 255, np.uint8)
    for row in range(14, len(page), 16):
        _write(page, " ".join(rng.choice(_WORDS, 8)), (6, row), (0, 0, 0))
    for top in range(0, HEIGHT * 3, 24):
        yield page[top : top + HEIGHT]


def _type_text(rng: np.random.Generator) -> Iterator[Picture]:
    screen = np.full((HEIGHT, WIDTH, 3), 30, np.uint8)
    for place in range(30):
        _write(screen, str(rng.choice(_WORDS)), (6 + 75 * (place % 4), 20 + 26 * (place // 4)), (220, 220, 220))
        yield screen.copy()


def _throw_confetti(rng: np.random.Generator) -> Iterator[Picture]:
    count = 600
    place, speed = rng.uniform(0, 1, (count, 2)) * (WIDTH, HEIGHT), rng.normal((0, 8), (3, 3), (count, 2))
    colours, radii = rng.integers(60, 256, (count, 3)).tolist(), rng.integers(2, 6, count).tolist()
    for _ in range(25):
        picture = np.full((HEIGHT, WIDTH, 3), 20, np.uint8)
        for (x, y), colour, radius in zip((place % (WIDTH, HEIGHT)).tolist(), colours, radii, strict=True):
            cv2.circle(picture, (int(x), int(y)), radius, colour, -1)
        yield picture
        place = place + speed


def _make_plasma(rng: np.random.Generator) -> Iterator[Picture]:
    first, second = (_enlarge(rng.random((HEIGHT // 20, WIDTH // 20, 3)), cv2.INTER_CUBIC) for _ in range(2))
    for step in range(25):
        yield _clip(127 * (np.sin(8 * (first + second * np.sin(step / 4)) + step / 2) + 1))


def _spin_picture(rng: np.random.Generator) -> Iterator[Picture]:
    picture = _paint(rng)
    for step in range(25):
        turn = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), 8 * step, 1.3)
        yield np.asarray(cv2.warpAffine(picture, turn, (WIDTH, HEIGHT)), np.uint8)


NONSENSE: dict[str, Callable[[np.random.Generator], Iterator[Picture]]] = {
    "gray noise": _make_gray_noise,
    "colour noise": _make_colour_noise,
    "coarse noise": _make_coarse_noise,
    "frozen picture": _freeze_picture,
    "frozen picture with grain": _freeze_with_grain,
    "slide show": _show_slides,
    "scrolling text": _scroll_text,
    "typed text": _type_text,
    "confetti": _throw_confetti,
    "plasma": _make_plasma,
    "spinning picture": _spin_picture,
}
"""Their pictures, by name."""


def write_nonsense(name: str, folder: Path) -> Path:
    """Write one of `NONSENSE` as a lossless video."""
    path = folder / f"{name.replace(' ', '_')}.avi"
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"FFV1"), FPS, (WIDTH, HEIGHT))
    for picture in NONSENSE[name](np.random.default_rng(3)):
        video.write(picture)
    video.release()
    return path


def _paint(rng: np.random.Generator) -> Picture:
    """A picture full of rectangles and texture."""
    picture = rng.integers(60, 200, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    for _ in range(40):
        x, y = (int(rng.integers(0, size)) for size in (WIDTH, HEIGHT))
        width, height = rng.integers(15, 90, 2).tolist()
        cv2.rectangle(picture, (x, y), (x + width, y + height), rng.integers(0, 256, 3).tolist(), -1)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.0), np.uint8)


def _write(picture: Picture, text: str, place: tuple[int, int], colour: tuple[int, int, int]) -> None:
    cv2.putText(picture, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.4, colour, 1, cv2.LINE_AA)


def _enlarge(picture: NDArray[np.uint8] | NDArray[np.float64], how: int) -> Picture:
    return cv2.resize(picture, (WIDTH, HEIGHT), interpolation=how)  # pyright: ignore[reportReturnType]


def _clip(picture: NDArray[np.float64]) -> Picture:
    return np.clip(picture, 0, 255).astype(np.uint8)

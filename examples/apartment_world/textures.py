"""Painters: each call makes one image for one surface, random and never tiled."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from .geometry import Paint

Rgb = tuple[float, ...]
"""Three numbers in 0..1, as shown on a screen (sRGB)."""


def noise(h: int, w: int, ppm: float, rng: np.random.Generator, size_m: float | tuple[float, float]) -> NDArray:
    """Smooth noise of about unit variance whose blobs measure `size_m` (or (down, across))."""
    down_m, across_m = size_m if isinstance(size_m, tuple) else (size_m, size_m)
    rows = int(np.clip(h / max(down_m * ppm, 1.0), 1, h)) + 3
    columns = int(np.clip(w / max(across_m * ppm, 1.0), 1, w)) + 3
    small = rng.standard_normal((rows, columns)).astype(np.float32)
    shift = np.array(
        [
            [(columns - 3) / w, 0, 1 + rng.uniform(-0.4, 0.4)],
            [0, (rows - 3) / h, 1 + rng.uniform(-0.4, 0.4)],
        ]
    )
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(small, shift, (w, h), flags=flags, borderMode=cv2.BORDER_REFLECT)


def mottle(h: int, w: int, ppm: float, rng: np.random.Generator, sizes_m: dict[float, float]) -> NDArray:
    """Sum of noises, {blob size in metres: strength}."""
    total = np.zeros((h, w), np.float32)
    for size_m, strength in sizes_m.items():
        if size_m * ppm >= 1.0:
            total += strength * noise(h, w, ppm, rng, size_m)
    return total


def fill(h: int, w: int, color: Rgb) -> NDArray[np.float32]:
    """A plain image."""
    return np.broadcast_to(np.array(color, np.float32), (h, w, 3)).copy()


def tint(image: NDArray, field: NDArray, warm: float = 0.0) -> NDArray:
    """Multiply brightness by 1 + field; `warm` shifts the hue a little with it."""
    gain = (1 + field)[..., None]
    hue = np.array([1 + warm, 1.0, 1 - warm], np.float32)
    return image * gain * (1 + (hue - 1) * np.sign(field)[..., None] * np.minimum(np.abs(field), 1)[..., None] * 4)


def scratches(
    image: NDArray, ppm: float, rng: np.random.Generator, per_m2: float, length_m: float, strength: float
) -> NDArray:
    """Faint short strokes, darker or lighter, at random."""
    h, w = image.shape[:2]
    layer = np.zeros((h, w), np.float32)
    for _ in range(rng.poisson(per_m2 * h * w / ppm**2)):
        x, y = rng.uniform(0, w), rng.uniform(0, h)
        angle, length = rng.uniform(0, np.pi), rng.exponential(length_m) * ppm
        end = (int(x + np.cos(angle) * length), int(y + np.sin(angle) * length))
        value = float(rng.normal(0, strength))
        cv2.line(layer, (int(x), int(y)), end, value, int(rng.integers(1, 3)), cv2.LINE_AA)
    return image * (1 + layer[..., None])


def dabs(
    image: NDArray,
    ppm: float,
    rng: np.random.Generator,
    per_m2: float,
    size_m: float,
    colors: Sequence[Rgb],
    opacity: float = 0.5,
) -> NDArray:
    """Brush dabs: small rotated ellipses of random size and colour."""
    h, w = image.shape[:2]
    out = np.ascontiguousarray(image, np.float32)
    layer = out.copy()
    for _ in range(rng.poisson(per_m2 * h * w / ppm**2)):
        at = (int(rng.uniform(0, w)), int(rng.uniform(0, h)))
        radius = max(1.0, rng.lognormal(np.log(size_m * ppm / 2), 0.5))
        axes = (max(1, int(radius)), max(1, int(radius * rng.uniform(0.3, 1))))
        color = np.array(colors[int(rng.integers(len(colors)))]) * rng.uniform(0.85, 1.15)
        cv2.ellipse(layer, at, axes, rng.uniform(0, 360), 0, 360, [float(c) for c in color], -1, cv2.LINE_AA)
    return out * (1 - opacity) + layer * opacity


def plaster(color: Rgb, strength: float = 1.0) -> Paint:
    """Trowelled lime plaster: cloudy, with trowel strokes, pits and faint marks."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        cloud = mottle(h, w, ppm, rng, {0.9: 0.02, 0.35: 0.018, 0.14: 0.02, 0.06: 0.03, 0.025: 0.03, 0.012: 0.025})
        image = tint(fill(h, w, color), strength * cloud, 0.05)
        dark, light = tuple(c * 0.8 for c in color), tuple(min(c * 1.14, 1.0) for c in color)
        image = dabs(image, ppm, rng, 24 * strength, 0.08, [dark, light], 0.1)
        image = dabs(image, ppm, rng, 60 * strength, 0.03, [dark, light], 0.25)
        image = dabs(image, ppm, rng, 45 * strength, 0.014, [dark], 0.4)
        return scratches(image, ppm, rng, 16 * strength, 0.07, 0.1)

    return paint


def wallpaper(color: Rgb, motifs: Sequence[Rgb], per_m2: float = 42.0) -> Paint:
    """Hand-printed botanical paper: stems, leaves and flowers strewn at random, no repeat."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        image = tint(fill(h, w, color), mottle(h, w, ppm, rng, {0.8: 0.02, 0.25: 0.02, 0.05: 0.02, 0.015: 0.02}), 0.04)
        image = np.ascontiguousarray(image, np.float32)
        layer = image.copy()
        count = int(per_m2 * h * w / ppm**2)
        for _ in range(count):
            x, y = rng.uniform(0, w), rng.uniform(0, h)
            tone = np.array(motifs[int(rng.integers(len(motifs)))]) * rng.uniform(0.8, 1.15)
            rgb = [float(c) for c in tone]
            size = rng.uniform(0.025, 0.085) * ppm
            heading, bend = rng.uniform(0, 2 * np.pi), rng.uniform(-0.5, 0.5)
            for step in range(int(rng.integers(3, 8))):
                nx, ny = x + np.cos(heading) * size * 0.7, y + np.sin(heading) * size * 0.7
                cv2.line(layer, (int(x), int(y)), (int(nx), int(ny)), [c * 0.8 for c in rgb], 1, cv2.LINE_AA)
                side = heading + (1.0 if step % 2 else -1.0) * rng.uniform(0.6, 1.1)
                at = (int(nx + np.cos(side) * size * 0.4), int(ny + np.sin(side) * size * 0.4))
                axes = (max(1, int(size * 0.42)), max(1, int(size * rng.uniform(0.1, 0.2))))
                cv2.ellipse(layer, at, axes, np.degrees(side), 0, 360, rgb, -1, cv2.LINE_AA)
                x, y, heading = nx, ny, heading + bend
            if rng.random() < 0.5:
                petal = np.array(motifs[int(rng.integers(len(motifs)))]) * rng.uniform(0.9, 1.25)
                for k in range(5):
                    turn = heading + k * 2 * np.pi / 5
                    at = (int(x + np.cos(turn) * size * 0.3), int(y + np.sin(turn) * size * 0.3))
                    axes = (max(1, int(size * 0.28)), max(1, int(size * 0.17)))
                    cv2.ellipse(layer, at, axes, np.degrees(turn), 0, 360, [float(c) for c in petal], -1, cv2.LINE_AA)
        return image * 0.35 + layer * 0.65

    return paint


def brick(color: Rgb, mortar: Rgb) -> Paint:
    """Old brick, each one its own shade and a little out of line."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        rough = mottle(h, w, ppm, rng, {0.3: 0.05, 0.05: 0.06, 0.015: 0.06})
        image = np.ascontiguousarray(tint(fill(h, w, mortar), rough, 0.03), np.float32)
        course, length = 0.085 * ppm, 0.27 * ppm
        for row in range(int(h / course) + 1):
            x = -rng.uniform(0, length)
            while x < w:
                long = length * rng.uniform(0.75, 1.12)
                shade = np.array(color) * rng.lognormal(0, 0.16) * (1 + 0.03 * rng.standard_normal(3))
                jitter = rng.uniform(-0.005, 0.005, 4) * ppm
                gap = 0.012 * ppm
                corners = np.array(
                    [
                        [x, row * course + jitter[0]],
                        [x + long - gap, row * course + jitter[1]],
                        [x + long - gap, (row + 1) * course - gap + jitter[2]],
                        [x, (row + 1) * course - gap + jitter[3]],
                    ]
                )
                cv2.fillConvexPoly(image, corners.astype(np.int32), [float(c) for c in shade], cv2.LINE_AA)
                x += long
        image = tint(image, mottle(h, w, ppm, rng, {0.12: 0.05, 0.04: 0.09, 0.015: 0.1}), 0.02)
        return dabs(image, ppm, rng, 60, 0.02, [tuple(c * 0.5 for c in color), mortar], 0.4)

    return paint


def grain(h: int, w: int, ppm: float, rng: np.random.Generator, along_u: bool) -> NDArray:
    """Wood grain along the image's width or height."""
    total = np.zeros((h, w), np.float32)
    for size_m, stretch, strength in ((0.09, 7, 0.06), (0.03, 12, 0.075), (0.012, 20, 0.07), (0.006, 30, 0.05)):
        blob = (size_m, size_m * stretch) if along_u else (size_m * stretch, size_m)
        total += strength * noise(h, w, ppm, rng, blob)
    return total


def wood(color: Rgb, along_u: bool | None = None) -> Paint:
    """Solid wood with grain along the longer side and a few knots."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        horizontal = (w >= h) if along_u is None else along_u
        image = tint(fill(h, w, color), grain(h, w, ppm, rng, horizontal), 0.03)
        image = dabs(image, ppm, rng, 9, 0.025, [tuple(c * 0.55 for c in color)], 0.55)
        return scratches(image, ppm, rng, 14, 0.05, 0.1)

    return paint


def planks(color: Rgb, along_u: bool = True, width_m: float = 0.125) -> Paint:
    """A floor of boards, each cut from another tree."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        if not along_u:
            return np.ascontiguousarray(planks(color, True, width_m)(w, h, ppm, rng).transpose(1, 0, 2))
        image = fill(h, w, color)
        gain = np.ones((h, w), np.float32)
        seams = np.zeros((h, w), np.float32)
        board = width_m * ppm
        for row in range(int(np.ceil(h / board))):
            y0, y1 = int(row * board), min(int((row + 1) * board), h)
            x = -rng.uniform(0, 1.4) * ppm
            while x < w:
                long = rng.uniform(0.5, 1.5) * ppm
                x0, x1 = max(int(x), 0), min(int(x + long), w)
                if x1 > x0 and y1 > y0:
                    shade = rng.lognormal(0, 0.1)
                    hue = 1 + 0.03 * rng.standard_normal(3)
                    image[y0:y1, x0:x1] *= (shade * hue).astype(np.float32)
                    gain[y0:y1, x0:x1] += grain(y1 - y0, x1 - x0, ppm, rng, True)
                    cv2.line(seams, (x0, y0), (x0, y1), 0.5, 1, cv2.LINE_AA)
                x += long
            cv2.line(seams, (0, y0), (w, y0), float(rng.uniform(0.3, 0.6)), 1, cv2.LINE_AA)
        image = image * (gain * (1 - seams))[..., None]
        image = dabs(image, ppm, rng, 14, 0.028, [tuple(c * 0.5 for c in color)], 0.5)
        image = tint(image, mottle(h, w, ppm, rng, {1.0: 0.03, 0.3: 0.03}), 0.0)
        return scratches(image, ppm, rng, 18, 0.06, 0.13)

    return paint


def tiles(
    color: Rgb,
    grout: Rgb,
    size_m: tuple[float, float] = (0.3, 0.3),
    spread: float = 0.08,
    accents: Sequence[Rgb] | None = None,
) -> Paint:
    """Stone or ceramic tiles, each with its own shade, clouds and veins; `accents` colours a few of them."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        image = fill(h, w, color)
        th, tw = size_m[0] * ppm, size_m[1] * ppm
        gain = mottle(h, w, ppm, rng, {0.07: 0.035, 0.025: 0.035, 0.01: 0.025})
        veins = np.zeros((h, w), np.float32)
        for row in range(int(np.ceil(h / th))):
            for column in range(int(np.ceil(w / tw))):
                y0, y1 = int(row * th), min(int((row + 1) * th), h)
                x0, x1 = int(column * tw), min(int((column + 1) * tw), w)
                if y1 <= y0 or x1 <= x0:
                    continue
                base = np.ones(3)
                if accents and rng.random() < 0.14:
                    base = np.array(accents[int(rng.integers(len(accents)))]) / np.array(color)
                image[y0:y1, x0:x1] *= base * rng.lognormal(0, spread) * (1 + 0.02 * rng.standard_normal(3))
                tile = veins[y0:y1, x0:x1]
                for _ in range(rng.integers(1, 5)):
                    xs = np.linspace(-0.1, 1.1, 7) * (x1 - x0)
                    ys = rng.uniform(0, 1) * (y1 - y0) + np.cumsum(rng.normal(0, 0.1, 7)) * (y1 - y0)
                    line = np.stack([xs, ys], axis=-1)
                    if rng.random() < 0.5:
                        line = line[:, ::-1]
                    value = float(rng.normal(0, 0.16))
                    cv2.polylines(tile, [line.astype(np.int32)], False, value, int(rng.integers(1, 3)), cv2.LINE_AA)
        image = image * (1 + gain + veins)[..., None]
        joint = max(1, int(0.006 * ppm))
        for row in range(int(np.ceil(h / th))):
            image[int(row * th) : int(row * th) + joint] = grout
        for column in range(int(np.ceil(w / tw))):
            image[:, int(column * tw) : int(column * tw) + joint] = grout
        return tint(image, mottle(h, w, ppm, rng, {0.8: 0.03, 0.2: 0.03}), 0.0)

    return paint


def fabric(color: Rgb, pattern: Sequence[Rgb] | None = None, stripes: float = 0.0) -> Paint:
    """Woven cloth with creases; `pattern` strews small printed dabs, `stripes` adds uneven bands."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        field = mottle(h, w, ppm, rng, {0.3: 0.05, 0.1: 0.06, 0.04: 0.06, 0.015: 0.06, 0.007: 0.05})
        field += 0.05 * noise(h, w, ppm, rng, (0.004, 0.1)) + 0.05 * noise(h, w, ppm, rng, (0.1, 0.004))
        image = tint(fill(h, w, color), field, 0.02)
        if stripes:
            image *= (1 + stripes * np.tanh(2 * noise(h, w, ppm, rng, (50.0, 0.06))))[..., None]
        if pattern:
            image = dabs(image, ppm, rng, 150, 0.05, pattern, 0.75)
        light, dark = tuple(min(1.0, c * 1.3 + 0.03) for c in color), tuple(c * 0.7 for c in color)
        image = dabs(image, ppm, rng, 90, 0.022, [light, dark], 0.3)
        return scratches(image, ppm, rng, 25, 0.06, 0.14)

    return paint


def plain(color: Rgb, wear: float = 1.0) -> Paint:
    """Painted or lacquered surface with smudges, small chips and worn edges."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        image = tint(
            fill(h, w, color), wear * mottle(h, w, ppm, rng, {0.4: 0.03, 0.12: 0.03, 0.04: 0.025, 0.012: 0.02})
        )
        dark, light = tuple(c * 0.72 for c in color), tuple(min(1.0, c * 1.25 + 0.04) for c in color)
        image = dabs(image, ppm, rng, 26 * wear, 0.025, [dark, light], 0.25)
        image = dabs(image, ppm, rng, 30 * wear, 0.01, [dark], 0.5)
        image = scratches(image, ppm, rng, 20 * wear, 0.06, 0.1)
        edge = max(1, int(0.004 * ppm))
        image[:edge] *= 0.86
        image[-edge:] *= 0.8
        image[:, :edge] *= 0.86
        image[:, -edge:] *= 0.86
        return image

    return paint


def marble(color: Rgb) -> Paint:
    """Speckled stone for counters and table tops."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        image = tint(fill(h, w, color), mottle(h, w, ppm, rng, {0.3: 0.05, 0.08: 0.07, 0.025: 0.07, 0.01: 0.06}), 0.02)
        image = dabs(image, ppm, rng, 500, 0.014, [tuple(c * 0.6 for c in color), (0.9, 0.88, 0.84)], 0.5)
        return scratches(image, ppm, rng, 30, 0.12, 0.2)

    return paint


def panel(color: Rgb, rows: int = 1, columns: int = 1, knob: Rgb = (0.75, 0.73, 0.68), wooden: bool = False) -> Paint:
    """A front divided into framed doors or drawers, each with a handle."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        image = np.ascontiguousarray((wood if wooden else plain)(color)(h, w, ppm, rng), np.float32)
        for row in range(rows):
            for column in range(columns):
                x0, x1 = int(w * column / columns), int(w * (column + 1) / columns)
                y0, y1 = int(h * row / rows), int(h * (row + 1) / rows)
                image[y0:y1, x0:x1] *= rng.uniform(0.93, 1.05)
                cv2.rectangle(image, (x0, y0), (x1, y1), [c * 0.35 for c in color], max(1, int(0.005 * ppm)))
                inset = int(min(0.06 * ppm, 0.2 * (x1 - x0), 0.2 * (y1 - y0)))
                low, high = (x0 + inset, y0 + inset), (x1 - inset, y1 - inset)
                cv2.rectangle(image, low, high, [c * 0.62 for c in color], max(1, int(0.006 * ppm)), cv2.LINE_AA)
                offset = max(1, int(0.006 * ppm))
                cv2.rectangle(
                    image,
                    (low[0] + offset, low[1] + offset),
                    (high[0] + offset, high[1] + offset),
                    [min(1.0, c * 1.12) for c in color],
                    1,
                    cv2.LINE_AA,
                )
                if x1 - x0 > y1 - y0:
                    middle = ((x0 + x1) // 2, y0 + int(0.25 * (y1 - y0)))
                    reach = (int(0.06 * ppm), 0)
                else:
                    side = x1 - int(0.05 * ppm) if column % 2 == 0 else x0 + int(0.05 * ppm)
                    middle, reach = (side, (y0 + y1) // 2), (0, int(0.06 * ppm))
                start = (middle[0] - reach[0], middle[1] - reach[1])
                end = (middle[0] + reach[0], middle[1] + reach[1])
                cv2.line(
                    image,
                    (start[0] + 2, start[1] + 3),
                    (end[0] + 2, end[1] + 3),
                    [c * 0.4 for c in color],
                    max(2, int(0.012 * ppm)),
                    cv2.LINE_AA,
                )
                cv2.line(image, start, end, list(knob), max(2, int(0.012 * ppm)), cv2.LINE_AA)
        return image

    return paint


def leaves(color: Rgb) -> Paint:
    """A leaf with a midrib and side veins."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        image = tint(fill(h, w, color), mottle(h, w, ppm, rng, {0.1: 0.12, 0.03: 0.15, 0.01: 0.1}), 0.02)
        image = np.ascontiguousarray(image * rng.uniform(0.6, 1.1), np.float32)
        pale = [min(1.0, c * 1.6) for c in color]
        cv2.line(image, (w // 2, 0), (w // 2, h), pale, max(1, w // 12), cv2.LINE_AA)
        for y in np.arange(0, h, max(6, 0.03 * ppm)):
            cv2.line(image, (w // 2, int(y)), (w, int(y + 0.4 * w)), pale, 1, cv2.LINE_AA)
            cv2.line(image, (w // 2, int(y)), (0, int(y + 0.4 * w)), pale, 1, cv2.LINE_AA)
        return image

    return paint

"""Painters of single things: pictures, rugs, screens, book spines, labels, and the view outside the window."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from .geometry import Paint
from .textures import Rgb, dabs, fill, mottle, noise, scratches, tint


def _rgb(color: NDArray | Rgb) -> list[float]:
    return [float(np.clip(c, 0, 1)) for c in color]


def landscape(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
    """Hills in layers under a cloudy sky, with trees and perhaps a house."""
    sky, ground = (
        rng.uniform(0.5, 0.8) * np.array([0.95, 1.0, 1.08]) * rng.uniform(0.85, 1.15, 3),
        rng.uniform(0.25, 0.5) * np.array([1.0, 1.05, 0.7]) * rng.uniform(0.8, 1.2, 3),
    )
    y = np.linspace(0, 1, h, dtype=np.float32)[:, None, None]
    image = np.clip(sky * (1.15 - 0.3 * y) + 0.1 * np.maximum(noise(h, w, 1, rng, (h / 8, w / 3)), 0)[..., None], 0, 1)
    image = np.ascontiguousarray(image, np.float32)
    sun = (int(rng.uniform(0.1, 0.9) * w), int(rng.uniform(0.1, 0.35) * h))
    cv2.circle(image, sun, max(2, h // 14), _rgb((0.98, 0.85, 0.5)), -1, cv2.LINE_AA)
    x = np.arange(w)
    for layer in range(5):
        level = h * (0.38 + 0.13 * layer)
        ridge = np.full(w, level)
        for frequency, size in ((4, 1.0), (11, 0.5), (27, 0.2), (60, 0.1)):
            ridge += h * 0.09 * size * np.sin(x / w * frequency + rng.uniform(0, 6))
        tone = _rgb(ground * (0.55 + 0.2 * layer) + (sky - ground) * 0.12 * (4 - layer) + rng.normal(0, 0.05, 3))
        outline = np.concatenate([np.stack([x, ridge], -1), [[w, h], [0, h]]]).astype(np.int32)
        cv2.fillPoly(image, [outline], tone, cv2.LINE_AA)
        for _ in range(rng.integers(2, 9)):
            tx = int(rng.uniform(0, w))
            size = h * (0.02 + 0.018 * layer) * rng.uniform(0.6, 1.4)
            top = int(ridge[min(tx, w - 1)])
            green = _rgb(np.array([0.18, 0.36, 0.16]) * rng.uniform(0.5, 1.5))
            cv2.ellipse(
                image,
                (tx, int(top - size * 0.6)),
                (max(1, int(size * 0.5)), max(1, int(size))),
                0,
                0,
                360,
                green,
                -1,
                cv2.LINE_AA,
            )
    return tint(image, mottle(h, w, h, rng, {0.05: 0.07, 0.02: 0.08}))


def abstract(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
    """Overlapping blocks, arcs and strokes in a random palette."""
    palette = 0.6 * rng.uniform(0.05, 0.95, (6, 3)) + 0.4 * rng.uniform(0.1, 0.85, (6, 1)) * [1.1, 1.0, 0.85]
    image = fill(h, w, tuple(palette[0] * 0.4 + 0.55))
    for _ in range(rng.integers(10, 18)):
        tone = _rgb(palette[rng.integers(6)] * rng.uniform(0.7, 1.2))
        at = np.array([rng.uniform(0, w), rng.uniform(0, h)])
        kind = rng.integers(3)
        if kind == 0:
            corners = at + rng.normal(0, 0.18, (4, 2)) * [w, h]
            cv2.fillPoly(image, [cv2.convexHull(corners.astype(np.int32))], tone, cv2.LINE_AA)
        elif kind == 1:
            cv2.circle(image, tuple(int(c) for c in at), max(2, int(rng.uniform(0.05, 0.2) * h)), tone, -1, cv2.LINE_AA)
        else:
            line = at + np.cumsum(rng.normal(0, 0.1, (9, 2)) * [w, h], axis=0)
            cv2.polylines(image, [line.astype(np.int32)], False, tone, max(2, int(0.03 * h)), cv2.LINE_AA)
    return tint(image, mottle(h, w, h, rng, {0.1: 0.05, 0.03: 0.08, 0.012: 0.06}))


def still_life(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
    """A vase of flowers on a table."""
    wall, cloth = rng.uniform(0.25, 0.7, 3), rng.uniform(0.3, 0.8, 3)
    image = tint(fill(h, w, tuple(wall)), mottle(h, w, h, rng, {0.3: 0.15, 0.08: 0.1}))
    image = np.ascontiguousarray(image, np.float32)
    image[int(h * 0.72) :] = cloth
    center = (w // 2, int(h * 0.68))
    cv2.ellipse(
        image, center, (int(w * 0.13), int(h * 0.2)), 0, 0, 360, _rgb(rng.uniform(0.2, 0.9, 3)), -1, cv2.LINE_AA
    )
    for _ in range(rng.integers(14, 26)):
        at = (int(w * (0.5 + 0.15 * rng.standard_normal())), int(h * (0.32 + 0.1 * rng.standard_normal())))
        cv2.line(image, (w // 2, int(h * 0.55)), at, _rgb((0.15, 0.35, 0.12)), max(1, w // 100), cv2.LINE_AA)
        petal = _rgb(np.array([0.85, 0.4, 0.4]) * rng.uniform(0.4, 1.3, 3))
        for k in range(6):
            turn = k * np.pi / 3 + rng.uniform(0, 1)
            dx, dy = int(np.cos(turn) * w * 0.035), int(np.sin(turn) * w * 0.035)
            cv2.circle(image, (at[0] + dx, at[1] + dy), max(1, int(w * 0.028)), petal, -1, cv2.LINE_AA)
        cv2.circle(image, at, max(1, int(w * 0.022)), _rgb((0.9, 0.75, 0.2)), -1, cv2.LINE_AA)
    return tint(image, mottle(h, w, h, rng, {0.05: 0.06, 0.02: 0.08}))


def put_in_frame(style: int, mat: bool = True) -> Paint:
    """A picture, in its paper mat if wanted. Styles: 0 landscape, 1 abstract, 2 still life."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        border = int(min(h, w) * 0.11) if mat else 0
        image = fill(h, w, (0.93, 0.91, 0.86))
        inner = (landscape, abstract, still_life)[style](h - 2 * border, w - 2 * border, ppm, rng)
        image[border : h - border, border : w - border] = inner
        return image

    return paint


def rug(ground: Rgb, accents: Sequence[Rgb]) -> Paint:
    """An oriental rug: borders, a medallion and strewn ornaments, worn unevenly."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        image = fill(h, w, ground)
        for k, inset_m in enumerate((0.0, 0.05, 0.16, 0.19)):
            inset = int(inset_m * ppm)
            tone = _rgb(np.array(accents[k % len(accents)] if k != 3 else ground))
            cv2.rectangle(image, (inset, inset), (w - inset, h - inset), tone, -1)
        middle = (w // 2, h // 2)
        for k in range(6):
            scale = 0.36 - 0.055 * k
            tone = _rgb(np.array(accents[(k + 1) % len(accents)]) * rng.uniform(0.8, 1.1))
            angle = np.linspace(0, 2 * np.pi, 120)
            ripple = 1 + 0.12 * np.cos(angle * rng.integers(6, 15))
            ring = np.stack(
                [middle[0] + w * scale * 0.8 * ripple * np.cos(angle), middle[1] + h * scale * ripple * np.sin(angle)],
                -1,
            )
            cv2.fillPoly(image, [ring.astype(np.int32)], tone, cv2.LINE_AA)
        image = dabs(image, ppm, rng, 170, 0.05, [*accents, ground, (0.85, 0.78, 0.62)], 0.85)
        image = dabs(image, ppm, rng, 260, 0.022, [*accents, (0.85, 0.78, 0.62)], 0.8)
        image *= (1 + 0.1 * noise(h, w, ppm, rng, (0.008, 0.3)))[..., None]
        return tint(image, mottle(h, w, ppm, rng, {0.5: 0.05, 0.1: 0.06, 0.02: 0.08, 0.008: 0.06}), 0.02)

    return paint


def spine(color: Rgb) -> Paint:
    """A book spine with a title band and lettering that is not quite legible."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        image = tint(fill(h, w, color), mottle(h, w, ppm, rng, {0.1: 0.06, 0.02: 0.06}))
        image = np.ascontiguousarray(image, np.float32)
        ink = _rgb(np.array([0.93, 0.86, 0.65]) if np.mean(color) < 0.5 else np.array([0.12, 0.1, 0.15]))
        if rng.random() < 0.7:
            y0, y1 = sorted(rng.integers(int(0.08 * h), int(0.92 * h) + 1, 2))
            image[y0:y1] = np.clip(np.array(color) * rng.uniform(0.4, 1.7) + rng.normal(0, 0.06, 3), 0, 1)
        y = int(h * rng.uniform(0.08, 0.3))
        while y < h * 0.9:
            step = int(rng.uniform(2, 7))
            if rng.random() < 0.75:
                half = int(w * rng.uniform(0.12, 0.32))
                cv2.rectangle(image, (w // 2 - half, y), (w // 2 + half, y + max(1, step - 2)), ink, -1)
            y += step + 1
        for edge in (0.05, 0.95):
            if rng.random() < 0.6:
                cv2.line(image, (0, int(h * edge)), (w, int(h * edge)), ink, max(1, h // 60))
        image[:, :1] *= 0.5
        image[:, -1:] *= 0.5
        return image

    return paint


def papers(color: Rgb, notes: int = 6) -> Paint:
    """A lacquered door (a fridge) with notes, magnets and photos stuck on it."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        image = tint(fill(h, w, color), mottle(h, w, ppm, rng, {0.4: 0.02, 0.1: 0.025, 0.03: 0.02}))
        image = np.ascontiguousarray(scratches(image, ppm, rng, 20, 0.05, 0.08), np.float32)
        cv2.line(image, (0, int(h * 0.34)), (w, int(h * 0.34)), _rgb(np.array(color) * 0.35), max(2, int(0.01 * ppm)))
        for y0, y1 in ((0.2, 0.31), (0.38, 0.55)):
            grip = int(w * 0.08)
            cv2.line(image, (grip, int(h * y0)), (grip, int(h * y1)), (0.45, 0.46, 0.48), max(3, int(0.022 * ppm)))
        for _ in range(notes):
            nw, nh = (rng.uniform(0.07, 0.17, 2) * ppm).astype(int)
            x, y = int(rng.uniform(0.18 * w, max(0.19 * w, w - nw))), int(rng.uniform(0.03, 0.75) * h)
            tone = _rgb(np.clip(rng.uniform(0.55, 1.0, 3), 0, 1))
            cv2.rectangle(image, (x, y), (x + nw, y + nh), tone, -1)
            if rng.random() < 0.4:
                picture = landscape(max(8, nh - 6), max(8, nw - 6), ppm, rng)
                patch = image[y + 3 : y + 3 + picture.shape[0], x + 3 : x + 3 + picture.shape[1]]
                patch[:] = picture[: patch.shape[0], : patch.shape[1]]
            else:
                for line in range(y + 5, y + nh - 4, 5):
                    cv2.line(image, (x + 4, line), (x + int(nw * rng.uniform(0.5, 0.95)), line), (0.25, 0.25, 0.35), 1)
            magnet = _rgb(rng.uniform(0.1, 0.95, 3))
            cv2.circle(image, (x + nw // 2, y + 2), max(2, int(0.014 * ppm)), magnet, -1, cv2.LINE_AA)
        return image

    return paint


def oven(color: Rgb) -> Paint:
    """A stove front: dark window, knobs, a rail with a towel."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        image = tint(fill(h, w, color), mottle(h, w, ppm, rng, {0.2: 0.04, 0.03: 0.04}))
        image = np.ascontiguousarray(image, np.float32)
        cv2.rectangle(image, (int(0.1 * w), int(0.34 * h)), (int(0.9 * w), int(0.8 * h)), (0.08, 0.08, 0.09), -1)
        cv2.rectangle(image, (int(0.14 * w), int(0.4 * h)), (int(0.86 * w), int(0.75 * h)), (0.2, 0.16, 0.13), -1)
        for k in range(5):
            at = (int(w * (0.15 + 0.17 * k)), int(0.1 * h))
            cv2.circle(image, at, max(3, int(0.025 * ppm)), (0.12, 0.12, 0.13), -1, cv2.LINE_AA)
            turn = rng.uniform(0, 6.28)
            tip = (int(at[0] + 0.02 * ppm * np.cos(turn)), int(at[1] + 0.02 * ppm * np.sin(turn)))
            cv2.line(image, at, tip, (0.95, 0.95, 0.9), 2, cv2.LINE_AA)
        cv2.line(
            image, (int(0.1 * w), int(0.26 * h)), (int(0.9 * w), int(0.26 * h)), (0.75, 0.75, 0.74), max(3, h // 40)
        )
        image[int(0.26 * h) : int(0.62 * h), int(0.56 * w) : int(0.8 * w)] = (0.75, 0.35, 0.2)
        for k in range(6):
            y = int((0.3 + 0.05 * k) * h)
            image[y : y + max(1, h // 60), int(0.56 * w) : int(0.8 * w)] = (0.95, 0.9, 0.8)
        return image

    return paint


def hob(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
    """A glass hob with four burnt rings."""
    image = tint(fill(h, w, (0.12, 0.12, 0.13)), mottle(h, w, ppm, rng, {0.1: 0.2, 0.02: 0.2}))
    image = np.ascontiguousarray(image, np.float32)
    for x in (0.28, 0.72):
        for y in (0.28, 0.72):
            at, radius = (int(x * w), int(y * h)), int(rng.uniform(0.13, 0.19) * w)
            cv2.circle(image, at, radius, (0.4, 0.38, 0.36), 2, cv2.LINE_AA)
            cv2.circle(image, at, radius // 2, (0.3, 0.28, 0.27), 1, cv2.LINE_AA)
    return image


def screen(style: int) -> Paint:
    """A lit screen: 0 shows a landscape (a paused film), 1 a page of text and windows."""

    def paint(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
        if style == 0:
            return landscape(h, w, ppm, rng) * 0.9
        image = fill(h, w, (0.2, 0.28, 0.4))
        for _ in range(4):
            x, y = int(rng.uniform(0, 0.5) * w), int(rng.uniform(0, 0.4) * h)
            ww, wh = int(rng.uniform(0.3, 0.5) * w), int(rng.uniform(0.3, 0.6) * h)
            cv2.rectangle(image, (x, y), (x + ww, y + wh), _rgb(rng.uniform(0.75, 1.0, 3)), -1)
            for line in range(y + 8, y + wh - 4, 6):
                cv2.line(
                    image, (x + 5, line), (x + int(ww * rng.uniform(0.3, 0.95)), line), _rgb(rng.uniform(0, 0.6, 3)), 2
                )
        return image

    return paint


def outside(h: int, w: int, ppm: float, rng: np.random.Generator) -> NDArray:
    """The view from the windows: bright sky with clouds, houses with many windows, trees in front."""
    y = np.linspace(0, 1, h, dtype=np.float32)[:, None]
    clouds = np.clip(0.5 + 0.4 * mottle(h, w, ppm, rng, {6.0: 0.6, 2.5: 0.4, 1.0: 0.25, 0.4: 0.12}), 0, 1)[..., None]
    blue = np.stack([0.60 + 0.25 * y, 0.76 + 0.15 * y, 0.93 + 0.04 * y], -1)
    image = np.ascontiguousarray(blue * (1 - 0.6 * clouds) + 0.6 * clouds * np.array([0.97, 0.97, 0.97]), np.float32)
    x = 0
    while x < w:
        width, top = int(rng.uniform(2.5, 5.5) * ppm), int(h * rng.uniform(0.42, 0.56))
        tone = np.array([(0.78, 0.66, 0.52), (0.72, 0.5, 0.42), (0.82, 0.8, 0.74), (0.6, 0.62, 0.64)][rng.integers(4)])
        image[top:, x : x + width] = tone * rng.uniform(0.85, 1.05)
        roof = np.array(
            [
                [x, top],
                [x + width, top],
                [x + width - int(0.4 * ppm), top - int(0.9 * ppm)],
                [x + int(0.4 * ppm), top - int(0.9 * ppm)],
            ]
        )
        cv2.fillConvexPoly(image, roof, _rgb(np.array([0.52, 0.3, 0.24]) * rng.uniform(0.8, 1.2)), cv2.LINE_AA)
        for wy in np.arange(top + 0.35 * ppm, h, 1.25 * ppm):
            for wx in np.arange(x + 0.4 * ppm, x + width - 0.8 * ppm, 1.05 * ppm):
                low, high = (int(wx), int(wy)), (int(wx + 0.55 * ppm), int(wy + 0.8 * ppm))
                cv2.rectangle(image, low, high, _rgb(rng.uniform(0.2, 0.6) * np.array([0.9, 1.0, 1.15])), -1)
                cv2.rectangle(image, low, high, (0.93, 0.93, 0.9), max(1, int(0.06 * ppm)))
        x += width + int(rng.uniform(0, 0.8) * ppm)
    for _ in range(int(w / ppm / 2.2)):
        tx, base = rng.uniform(0, w), h * rng.uniform(0.62, 0.72)
        green = np.array([0.28, 0.45, 0.2]) * rng.uniform(0.8, 1.3)
        for _ in range(90):
            at = (int(tx + rng.normal(0, 0.5) * ppm), int(base + rng.normal(0, 0.5) * ppm))
            cv2.circle(
                image, at, int(rng.uniform(0.08, 0.22) * ppm), _rgb(green * rng.uniform(0.6, 1.35)), -1, cv2.LINE_AA
            )
    image[int(h * 0.8) :] = np.array([0.45, 0.56, 0.33])
    return tint(image, mottle(h, w, ppm, rng, {0.5: 0.04, 0.12: 0.04}))

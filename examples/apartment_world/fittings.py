"""Kitchen, bathroom, lamps, plants, pictures and curtains; same rules as `furniture`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .furniture import CREAM, STEEL, WALNUT
from .geometry import Part, box, curtain, cushion, cylinder, lathe, leaf, rod, turn_x
from .pictures import hob, oven, papers, put_in_frame, rug
from .textures import Rgb, fabric, leaves, marble, panel, plain, wood


def fridge(color: Rgb) -> list[Part]:
    """A tall fridge with notes and magnets on its door."""
    return [
        box((0, 0.0, 0.93), (0.62, 0.6, 1.84), plain(color), front=papers(color, 11)),
        box((0, 0, 0.02), (0.58, 0.56, 0.04), plain((0.2, 0.2, 0.2)), skip="tb"),
    ]


def counter(color: Rgb, width: float, sink_at: float, doors: int, rng: np.random.Generator) -> list[Part]:
    """Base units under a stone top, with a sink, a tap and the things that stand about in a kitchen."""
    parts = [
        box((0, 0.0, 0.48), (width, 0.58, 0.76), plain(color), front=panel(color, 1, doors)),
        box((0, 0.03, 0.05), (width, 0.5, 0.1), plain((0.25, 0.22, 0.2)), skip="tb"),
        box((0, -0.01, 0.88), (width + 0.01, 0.62, 0.04), marble((0.52, 0.48, 0.45))),
        box((sink_at, -0.02, 0.901), (0.52, 0.4, 0.006), plain((0.3, 0.31, 0.32), 3), skip="b"),
        box((sink_at, -0.02, 0.903), (0.58, 0.46, 0.004), plain(STEEL, 3), skip="bt"),
        rod((sink_at, 0.22, 0.9), (sink_at, 0.22, 1.16), 0.013, plain(STEEL, 2)),
        rod((sink_at, 0.22, 1.16), (sink_at, 0.02, 1.12), 0.011, plain(STEEL, 2)),
    ]
    tones = [
        (0.75, 0.2, 0.16),
        (0.9, 0.76, 0.3),
        (0.24, 0.45, 0.5),
        (0.85, 0.83, 0.78),
        (0.35, 0.5, 0.25),
        (0.5, 0.33, 0.2),
    ]
    for x in np.arange(-width / 2 + 0.12, width / 2 - 0.08, 0.17):
        if abs(x - sink_at) < 0.38 or rng.random() < 0.25:
            continue
        tone, tall, radius = tones[rng.integers(6)], rng.uniform(0.09, 0.26), rng.uniform(0.035, 0.06)
        at = (x, rng.uniform(0.08, 0.2), 0.9 + tall / 2)
        parts.append(cylinder(at, radius, tall, fabric(tone, [CREAM, tuple(c * 0.5 for c in tone)]), 16))
    return parts


def stove(color: Rgb) -> list[Part]:
    """A cooker with an oven door, a hob and a pot."""
    return [
        box((0, 0, 0.45), (0.6, 0.6, 0.88), plain(color), front=oven(color)),
        box((0, 0, 0.897), (0.59, 0.58, 0.012), plain((0.15, 0.15, 0.16)), top=hob, skip="b"),
        cylinder((-0.13, 0.12, 0.97), 0.11, 0.14, plain((0.7, 0.24, 0.16), 3)),
        cylinder((-0.13, 0.12, 1.05), 0.02, 0.03, plain((0.12, 0.12, 0.12))),
        rod((-0.13, 0.0, 1.0), (-0.13, -0.1, 1.0), 0.012, plain((0.12, 0.12, 0.12))),
    ]


def wall_units(color: Rgb, width: float, doors: int) -> list[Part]:
    """Upper kitchen cabinets, hung at 1.45 m."""
    return [box((0, 0, 1.8), (width, 0.34, 0.7), plain(color), front=panel(color, 1, doors))]


def microwave() -> list[Part]:
    """A small oven; z = 0 is the surface that it stands on."""
    return [
        box((0, 0, 0.15), (0.48, 0.34, 0.28), plain((0.75, 0.76, 0.77), 2)),
        box((-0.06, -0.172, 0.15), (0.3, 0.01, 0.2), plain((0.1, 0.1, 0.11), 3)),
        box((0.18, -0.172, 0.15), (0.08, 0.01, 0.22), papers((0.6, 0.6, 0.62), 3)),
    ]


def bathtub() -> list[Part]:
    """A white tub, 1.7 m long, with a towel over its rim."""
    return [
        cushion((0, 0, 0.28), (1.7, 0.75, 0.56), plain((0.93, 0.93, 0.92), 1.5), 0.25),
        box((0, 0, 0.557), (1.4, 0.5, 0.004), plain((0.6, 0.72, 0.76), 3), skip="b"),
        cushion((0.4, -0.37, 0.42), (0.42, 0.05, 0.36), fabric((0.2, 0.5, 0.55), [CREAM]), 0.3),
    ]


def washbasin() -> list[Part]:
    """A basin on a cabinet with a framed mirror above (the mirror shows a painted reflection)."""
    return [
        box((0, 0, 0.42), (0.7, 0.45, 0.76), wood(WALNUT), front=panel(WALNUT, 1, 2, wooden=True)),
        cushion((0, -0.01, 0.84), (0.72, 0.47, 0.12), plain((0.94, 0.94, 0.93), 2), 0.3),
        rod((0, 0.16, 0.88), (0, 0.16, 1.02), 0.014, plain(STEEL)),
        rod((0, 0.16, 1.02), (0, 0.04, 1.0), 0.012, plain(STEEL)),
    ]


def toilet() -> list[Part]:
    """A white toilet with its cistern."""
    white = plain((0.93, 0.93, 0.92), 1.5)
    return [
        cushion((0, -0.12, 0.22), (0.36, 0.5, 0.44), white, 0.6),
        cushion((0, -0.12, 0.43), (0.38, 0.5, 0.05), plain((0.85, 0.82, 0.76), 2), 0.7),
        box((0, 0.24, 0.6), (0.38, 0.18, 0.4), white),
    ]


def floor_lamp(shade: Rgb) -> list[Part]:
    """A standing lamp with a cloth shade."""
    parts = [
        cylinder((0, 0, 0.015), 0.15, 0.03, plain((0.2, 0.19, 0.18), 2)),
        cylinder((0, 0, 0.75), 0.014, 1.46, plain((0.55, 0.45, 0.25), 2), 10),
    ]
    cloth = lathe((0, 0, 1.5), [(0.13, 0.17), (0.22, -0.17)], fabric(shade, stripes=0.12))
    cloth.patches[0].glow = 0.45
    return [*parts, cloth]


def table_lamp(body: Rgb, shade: Rgb) -> list[Part]:
    """A small lamp; z = 0 is the surface that it stands on."""
    profile = [(0.02, 0.26), (0.03, 0.2), (0.08, 0.13), (0.09, 0.07), (0.06, 0.0)]
    cloth = lathe((0, 0, 0.33), [(0.09, 0.1), (0.16, -0.1)], fabric(shade))
    cloth.patches[0].glow = 0.45
    return [lathe((0, 0, 0.0), profile, plain(body, 3)), cloth]


def pendant(shade: Rgb, drop: float = 0.55) -> list[Part]:
    """A hanging lamp; z = 0 is the ceiling."""
    cloth = lathe((0, 0, -drop), [(0.05, 0.12), (0.12, 0.08), (0.2, -0.1)], fabric(shade, stripes=0.15), proxy=False)
    cloth.patches[0].glow = 0.5
    bulb = cushion((0, 0, -drop - 0.03), (0.09, 0.09, 0.11), plain((1.0, 0.95, 0.82)), 1.0, 6)
    bulb.patches[0].glow = 1.0
    bulb.kind = "none"
    return [
        cylinder((0, 0, -0.015), 0.05, 0.03, plain(CREAM)),
        rod((0, 0, 0), (0, 0, -drop + 0.12), 0.006, plain((0.2, 0.2, 0.2))),
        cloth,
        bulb,
    ]


def plant(rng: np.random.Generator, height: float, pot: Rgb, count: int = 26, green: Rgb = (0.2, 0.42, 0.16)):
    """A pot with stems and bent leaves; height to the top of the leaves, roughly."""
    scale = height / 1.3
    profile = [(0.15, 0.3), (0.165, 0.3), (0.15, 0.2), (0.115, 0.0)]
    pot_paint = fabric(pot, [tuple(c * 0.6 for c in pot), CREAM])
    parts = [lathe((0, 0, 0), [(r * scale, h * scale) for r, h in profile], pot_paint)]
    parts.append(cylinder((0, 0, 0.28 * scale), 0.145 * scale, 0.01, plain((0.25, 0.17, 0.12), 4)))
    for _ in range(count):
        turn, rise = rng.uniform(0, 2 * np.pi), rng.uniform(0.25, 1.0)
        out = np.array([np.cos(turn), np.sin(turn), 0.0])
        base = np.array([0, 0, 0.3 * scale]) + out * 0.03 * scale
        knee = base + scale * (out * rng.uniform(0.03, 0.16) + np.array([0, 0, 0.75 * rise]))
        tip = knee + scale * (out * rng.uniform(0.25, 0.42) + np.array([0, 0, rng.uniform(0.0, 0.22)]))
        stem = rod(tuple(base), tuple(knee), 0.006 * scale, leaves((0.3, 0.42, 0.18)))
        stem.kind = "none"
        parts.append(stem)
        parts.append(leaf(knee, tip, scale * rng.uniform(0.11, 0.19), -0.1 * scale, leaves(green)))
    bush = box((0, 0, 0.75 * scale), (0.3 * scale, 0.3 * scale, 0.5 * scale), plain(green))
    bush.patches = []
    return [*parts, bush]


def picture(width: float, height: float, style: int, frame: Rgb, mat: bool = True) -> list[Part]:
    """A framed picture; its back is y = 0 and its middle z = 0."""
    bar, paint = 0.035, wood(frame)
    parts = [
        box(
            (0, -0.012, 0),
            (width - 0.02, 0.016, height - 0.02),
            plain(CREAM),
            front=put_in_frame(style, mat),
            skip="klrtb",
        )
    ]
    for side in (-1, 1):
        parts.append(box((side * (width - bar) / 2, -0.016, 0), (bar, 0.032, height), paint, skip="k"))
        parts.append(box((0, -0.016, side * (height - bar) / 2), (width - 2 * bar, 0.032, bar), paint, skip="klr"))
    return parts


def clock() -> list[Part]:
    """A round wall clock; its back is y = 0 and its middle z = 0."""
    disc = cylinder((0, 0, 0), 0.17, 0.03, papers((0.93, 0.92, 0.88), 0)).moved(turn_x(90), (0, -0.02, 0))
    parts = [disc]
    for angle, long in ((50, 0.09), (-65, 0.13)):
        tip = (long * np.sin(np.radians(angle)), -0.04, long * np.cos(np.radians(angle)))
        parts.append(rod((0, -0.04, 0), tip, 0.007, plain((0.1, 0.1, 0.1))))
    for k in range(12):
        c, s = np.cos(k * np.pi / 6), np.sin(k * np.pi / 6)
        parts.append(
            rod((0.13 * c, -0.036, 0.13 * s), (0.155 * c, -0.036, 0.155 * s), 0.006, plain((0.12, 0.12, 0.12)))
        )
    return parts


def curtains(width: float, height: float, color: Rgb, pattern: Sequence[Rgb]) -> list[Part]:
    """A pair of drawn-back curtains on a rail, for an opening of this width; z = 0 is the rail, y = 0 the wall."""
    cloth, panel = fabric(color, pattern), 0.42
    return [
        rod((-width / 2 - 0.3, -0.1, 0.02), (width / 2 + 0.3, -0.1, 0.02), 0.014, wood(WALNUT)),
        curtain((-width / 2 - 0.26, -0.1, 0.0), panel, height, 0.045, 5, cloth),
        curtain((width / 2 + 0.26 - panel, -0.1, 0.0), panel, height, 0.045, 5, cloth),
    ]


def carpet(width: float, length: float, ground: Rgb, accents: Sequence[Rgb]) -> list[Part]:
    """A rug on the floor."""
    return [box((0, 0, 0.006), (width, length, 0.012), plain(ground), top=rug(ground, accents), skip="b")]


def front_door() -> list[Part]:
    """A closed, panelled door in its frame, with a handle and a spy hole; its back is y = 0."""
    frame, tone = wood((0.78, 0.73, 0.64)), (0.36, 0.2, 0.15)
    parts = [box((0, -0.02, 1.03), (0.92, 0.04, 2.06), wood(tone), front=panel(tone, 2, 2, knob=tone, wooden=True))]
    parts += [box((side * 0.51, -0.03, 1.06), (0.1, 0.06, 2.12), frame, skip="k") for side in (-1, 1)]
    parts.append(box((0, -0.03, 2.12), (1.12, 0.06, 0.1), frame, skip="k"))
    parts.append(rod((0.38, -0.09, 1.02), (0.26, -0.09, 1.02), 0.014, plain(STEEL, 2)))
    parts.append(cylinder((0, 0, 0), 0.03, 0.06, plain(STEEL, 2)).moved(turn_x(90), (0.38, -0.06, 1.02)))
    parts.append(cylinder((0, 0, 0), 0.016, 0.02, plain(STEEL, 2)).moved(turn_x(90), (0, -0.05, 1.55)))
    mail = box((0, -0.045, 0.98), (0.26, 0.01, 0.06), plain((0.62, 0.48, 0.22), 3))
    return [*parts, mail]


def vase(color: Rgb, rng: np.random.Generator) -> list[Part]:
    """A vase of cut flowers; z = 0 is the surface that it stands on."""
    profile = [(0.04, 0.26), (0.03, 0.22), (0.07, 0.13), (0.075, 0.08), (0.045, 0.0)]
    parts = [lathe((0, 0, 0), profile, fabric(color, [CREAM, tuple(c * 0.5 for c in color)]))]
    for _ in range(9):
        turn, out = rng.uniform(0, 2 * np.pi), rng.uniform(0.03, 0.16)
        tip = (out * np.cos(turn), out * np.sin(turn), rng.uniform(0.36, 0.52))
        stem = rod((0, 0, 0.2), tip, 0.004, leaves((0.25, 0.42, 0.16)))
        stem.kind = "none"
        tone = ((0.85, 0.3, 0.3), (0.95, 0.75, 0.25), (0.9, 0.88, 0.85))[rng.integers(3)]
        parts += [stem, cushion(tip, (0.075, 0.075, 0.055), fabric(tone, [tuple(c * 0.6 for c in tone)]), 1.0, 5)]
    return parts


def book_pile(rng: np.random.Generator, count: int = 5) -> list[Part]:
    """Boxes and books stacked on the floor or a table."""
    parts, z = [], 0.0
    for _ in range(count):
        tone, thick = tuple(rng.uniform(0.15, 0.85, 3)), rng.uniform(0.02, 0.05)
        parts.append(
            box((rng.normal(0, 0.01), rng.normal(0, 0.01), z + thick / 2), (0.23, 0.17, thick), plain(tone, 2))
        )
        z += thick
    return parts

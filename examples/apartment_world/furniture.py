"""Furniture: each function returns the parts of one piece, standing on z = 0, its front looking along -y."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .geometry import Paint, Part, box, cushion, cylinder, rod, turn_x, turn_y, turn_z
from .pictures import screen, spine
from .textures import Rgb, fabric, panel, plain, wood

OAK: Rgb = (0.66, 0.49, 0.31)
WALNUT: Rgb = (0.42, 0.28, 0.18)
STEEL: Rgb = (0.66, 0.67, 0.68)
CREAM: Rgb = (0.88, 0.84, 0.75)


def legs(width: float, depth: float, height: float, paint: Paint, radius: float = 0.025, inset: float = 0.05):
    """Four round legs under a rectangle."""
    x, y = width / 2 - inset, depth / 2 - inset
    return [cylinder((sx * x, sy * y, height / 2), radius, height, paint) for sx in (-1, 1) for sy in (-1, 1)]


def sofa(color: Rgb, accents: Sequence[Rgb], width: float = 2.1, depth: float = 0.92) -> list[Part]:
    """An upholstered sofa with seat and back cushions and throw pillows."""
    cloth = fabric(color, [tuple(c * 0.72 for c in color), tuple(min(1, c * 1.35 + 0.04) for c in color)])
    parts = legs(width, depth, 0.12, wood(WALNUT))
    parts.append(cushion((0, 0, 0.22), (width - 0.1, depth - 0.06, 0.22), cloth, 0.15))
    inner = width - 0.44
    seats = max(1, round(inner / 0.8))
    for k in range(seats):
        x = -inner / 2 + inner * (k + 0.5) / seats
        parts.append(cushion((x, -0.1, 0.4), (inner / seats - 0.01, depth - 0.26, 0.2), cloth, 0.28))
        back = cushion((0, 0, 0), (inner / seats - 0.02, 0.2, 0.5), cloth, 0.35)
        parts.append(back.moved(turn_x(-10), (x, depth / 2 - 0.24, 0.66)))
    parts.append(cushion((0, depth / 2 - 0.1, 0.47), (width - 0.06, 0.2, 0.72), cloth, 0.2))
    for side in (-1, 1):
        parts.append(cushion((side * (width / 2 - 0.11), -0.02, 0.37), (0.22, depth - 0.04, 0.5), cloth, 0.25))
    for k, accent in enumerate(accents):
        x = -inner / 2 + 0.22 + k * (inner - 0.44) / max(len(accents) - 1, 1)
        pillow = cushion((0, 0, 0), (0.44, 0.16, 0.42), fabric(accent, [CREAM, tuple(c * 0.6 for c in accent)]), 0.55)
        parts.append(pillow.moved(turn_z(8 - 9 * k) @ turn_x(-22), (x, depth / 2 - 0.42, 0.68)))
    return parts


def armchair(color: Rgb, accent: Rgb) -> list[Part]:
    """A single-seat sofa."""
    return sofa(color, [accent], width=0.95, depth=0.9)


def coffee_table(color: Rgb, length: float = 1.1, depth: float = 0.6, height: float = 0.42) -> list[Part]:
    """A low table with a shelf, some books, a bowl and a cup."""
    parts = legs(length, depth, height - 0.04, wood(color), 0.028)
    parts.append(box((0, 0, height - 0.02), (length, depth, 0.045), wood(color)))
    parts.append(box((0, 0, 0.15), (length - 0.12, depth - 0.1, 0.025), wood(color)))
    for k, tone in enumerate(((0.7, 0.25, 0.2), (0.2, 0.35, 0.5), (0.85, 0.75, 0.4))):
        pile = box((0, 0, 0), (0.27 - 0.02 * k, 0.2 - 0.015 * k, 0.03), spine(tone), top=plain(tone, 2), skip="b")
        parts.append(pile.moved(turn_z(12 * k - 9), (-0.25 * length, 0.02, height + 0.018 + 0.031 * k)))
    parts.append(cylinder((0.38 * length, -0.14, height + 0.045), 0.035, 0.09, plain((0.92, 0.9, 0.86), 2)))
    if length > 0.8:
        parts.append(cushion((0.2, 0.06, height + 0.035), (0.26, 0.26, 0.09), fabric((0.32, 0.52, 0.5)), 0.9))
    return parts


def dining_table(color: Rgb, length: float = 1.4, depth: float = 0.85, height: float = 0.75) -> list[Part]:
    """A table with a runner, plates and a bowl of fruit."""
    parts = [box((0, 0, height - 0.02), (length, depth, 0.045), wood(color))]
    parts += legs(length, depth, height - 0.04, wood(tuple(c * 0.85 for c in color)), 0.034)
    parts.append(box((0, 0, height - 0.08), (length - 0.16, depth - 0.16, 0.08), wood(color), skip="tb"))
    runner = fabric((0.78, 0.72, 0.6), [(0.6, 0.2, 0.18), (0.25, 0.4, 0.35)])
    parts.append(box((0, 0, height + 0.006), (length * 0.94, 0.3, 0.006), runner, skip="b"))
    for x in (-0.42, 0.36):
        for y in (-0.28, 0.28):
            parts.append(cushion((x, y, height + 0.012), (0.24, 0.24, 0.02), plain((0.9, 0.91, 0.92), 2), 0.8))
    parts.append(cushion((0, 0, height + 0.05), (0.34, 0.34, 0.1), plain((0.3, 0.42, 0.6), 2), 0.9))
    fruit = [(0.85, 0.25, 0.15), (0.9, 0.62, 0.12), (0.55, 0.7, 0.2), (0.88, 0.75, 0.2), (0.8, 0.2, 0.2)]
    for k, tone in enumerate(fruit):
        at = (0.085 * np.cos(k * 1.4), 0.085 * np.sin(k * 1.4), height + 0.115)
        parts.append(cushion(at, (0.085, 0.085, 0.08), plain(tone, 3), 1.0, 6))
    return parts


def chair(color: Rgb, seat: Rgb) -> list[Part]:
    """A wooden chair with a slatted back and a seat pad."""
    paint = wood(color)
    parts = [rod((x, -0.19, 0.45), (x * 1.05, -0.21, 0.0), 0.018, paint) for x in (-0.19, 0.19)]
    parts += [rod((x, 0.24, 0.92), (x * 1.03, 0.19, 0.0), 0.018, paint) for x in (-0.19, 0.19)]
    parts.append(box((0, 0, 0.45), (0.44, 0.43, 0.03), paint))
    parts.append(cushion((0, -0.01, 0.485), (0.41, 0.39, 0.06), fabric(seat, [tuple(c * 0.6 for c in seat)]), 0.35))
    for z in (0.6, 0.73, 0.86):
        parts.append(box((0, 0.212 + 0.06 * (z - 0.6), z), (0.38, 0.022, 0.065), paint))
    return parts


def office_chair(color: Rgb) -> list[Part]:
    """A swivel chair on five castors."""
    parts = [cylinder((0, 0, 0.27), 0.03, 0.36, plain(STEEL, 2))]
    for k in range(5):
        c, s = np.cos(k * 2 * np.pi / 5), np.sin(k * 2 * np.pi / 5)
        parts.append(rod((0, 0, 0.11), (0.29 * c, 0.29 * s, 0.07), 0.02, plain((0.2, 0.2, 0.21), 2)))
        parts.append(cushion((0.29 * c, 0.29 * s, 0.03), (0.06, 0.06, 0.06), plain((0.15, 0.15, 0.15)), 1.0, 5))
    cloth = fabric(color, [tuple(c * 0.7 for c in color)])
    parts.append(cushion((0, 0, 0.48), (0.5, 0.48, 0.1), cloth, 0.4))
    back = cushion((0, 0, 0), (0.46, 0.09, 0.56), cloth, 0.4)
    parts.append(back.moved(turn_x(-8), (0, 0.25, 0.84)))
    for side in (-1, 1):
        parts.append(rod((side * 0.27, 0.1, 0.5), (side * 0.29, -0.02, 0.68), 0.016, plain((0.2, 0.2, 0.21))))
        parts.append(cushion((side * 0.29, -0.03, 0.69), (0.07, 0.28, 0.04), plain((0.18, 0.18, 0.18)), 0.4, 6))
    return parts


def bookshelf(color: Rgb, rng: np.random.Generator, width: float = 1.8, height: float = 2.1, depth: float = 0.32):
    """An open shelf full of books, each of its own size and colour, with a few ornaments."""
    paint, thick = wood(color), 0.03
    parts = [box((0, depth / 2 - 0.008, height / 2), (width, 0.016, height), wood(tuple(c * 0.7 for c in color)))]
    for x in (-width / 2 + thick / 2, width / 2 - thick / 2):
        parts.append(box((x, 0, height / 2), (thick, depth, height), paint))
    bays = 2 if width > 1.3 else 1
    if bays == 2:
        parts.append(box((0, 0, height / 2), (thick, depth - 0.02, height), paint))
    levels = 6
    for level in range(levels + 1):
        z = 0.05 + (height - 0.065) * level / levels
        parts.append(box((0, 0, z), (width - 2 * thick, depth - 0.01, 0.025), paint))
    gap = (height - 0.065) / levels - 0.03
    for level in range(levels):
        z = 0.065 + (height - 0.065) * level / levels
        for bay in range(bays):
            low = -width / 2 + thick + bay * (width - thick) / bays + 0.01
            high = -width / 2 + (bay + 1) * (width - thick) / bays - 0.01
            parts += _row_of_books(low, high, z, gap, depth, rng)
    return parts


def _row_of_books(low: float, high: float, z: float, gap: float, depth: float, rng: np.random.Generator) -> list[Part]:
    parts, x = [], low
    while x < high - 0.05:
        if rng.random() < 0.06 and high - x > 0.2:
            tone = tuple(rng.uniform(0.2, 0.9, 3))
            parts.append(cushion((x + 0.08, -0.03, z + 0.075), (0.13, 0.13, 0.15), plain(tone, 3), 0.85, 8))
            x += 0.18
            continue
        thick = min(rng.uniform(0.02, 0.055), high - x)
        tall, deep = gap * rng.uniform(0.66, 0.96), depth * rng.uniform(0.58, 0.78)
        hue = rng.choice(
            [
                (0.6, 0.15, 0.13),
                (0.14, 0.24, 0.42),
                (0.14, 0.34, 0.2),
                (0.8, 0.68, 0.4),
                (0.86, 0.84, 0.78),
                (0.25, 0.22, 0.22),
                (0.78, 0.42, 0.14),
                (0.45, 0.2, 0.38),
                (0.3, 0.5, 0.55),
            ]
        )
        tone = tuple(np.clip(hue * rng.uniform(0.75, 1.25) + rng.normal(0, 0.03, 3), 0.03, 0.97))
        front = depth / 2 - 0.02 - deep / 2
        book = box((0, 0, tall / 2), (thick - 0.002, deep, tall), plain(tone), front=spine(tone), skip="kb")
        lean = 9.0 if rng.random() < 0.05 else 0.0
        tilt = np.array(
            [
                [np.cos(np.radians(lean)), 0, np.sin(np.radians(lean))],
                [0, 1, 0],
                [-np.sin(np.radians(lean)), 0, np.cos(np.radians(lean))],
            ]
        )
        parts.append(book.moved(tilt, (x + thick / 2 - 0.004 * lean, front - rng.uniform(0, 0.02), z + 0.002)))
        x += thick + (0.03 if lean else 0.0) + (rng.uniform(0.05, 0.2) if rng.random() < 0.03 else 0.0)
    return parts


def cabinet(color: Rgb, width: float, depth: float, height: float, rows: int, columns: int, wooden: bool = False):
    """A closed cabinet, wardrobe, sideboard or chest of drawers on short feet."""
    face = panel(color, rows, columns, wooden=wooden)
    body = wood(color) if wooden else plain(color)
    parts = legs(width, depth, 0.1, wood(WALNUT), 0.022)
    parts.append(box((0, 0, 0.1 + (height - 0.1) / 2), (width, depth, height - 0.1), body, front=face))
    parts.append(box((0, -0.008, height + 0.01), (width + 0.03, depth + 0.02, 0.022), body))
    return parts


def bed(frame: Rgb, blanket: Rgb, width: float = 1.6, length: float = 2.05) -> list[Part]:
    """A double bed: headboard at +y, pillows, duvet and a folded throw."""
    parts = [box((0, 0, 0.2), (width, length, 0.24), wood(frame)), *legs(width, length, 0.1, wood(frame), 0.03)]
    parts.append(
        box(
            (0, length / 2 + 0.02, 0.55),
            (width + 0.06, 0.06, 1.1),
            wood(frame),
            front=panel(frame, 1, 3, knob=frame, wooden=True),
        )
    )
    parts.append(cushion((0, -0.01, 0.4), (width - 0.03, length - 0.05, 0.24), fabric((0.9, 0.88, 0.84)), 0.15))
    pattern = [tuple(min(1, c * 1.5 + 0.12) for c in blanket), (0.88, 0.84, 0.75), tuple(c * 0.6 for c in blanket)]
    parts.append(cushion((0, -0.24, 0.47), (width + 0.06, length - 0.52, 0.2), fabric(blanket, pattern), 0.2))
    throw = fabric((0.75, 0.55, 0.25), [(0.85, 0.75, 0.5), (0.5, 0.3, 0.15)])
    parts.append(cushion((0, -length / 2 + 0.34, 0.53), (width + 0.1, 0.5, 0.13), throw, 0.22))
    for side in (-1, 1):
        pillow = cushion((0, 0, 0), (0.66, 0.17, 0.44), fabric((0.93, 0.92, 0.9), stripes=0.1), 0.5)
        parts.append(pillow.moved(turn_x(-50), (side * 0.39, length / 2 - 0.28, 0.62)))
        small = cushion((0, 0, 0), (0.42, 0.14, 0.36), fabric((0.65, 0.3, 0.25), [(0.9, 0.8, 0.6)]), 0.55)
        parts.append(small.moved(turn_z(6 * side) @ turn_x(-38), (side * 0.36, length / 2 - 0.52, 0.66)))
    return parts


def desk(color: Rgb, width: float = 1.5, depth: float = 0.7, height: float = 0.74) -> list[Part]:
    """A desk with a drawer block on the left side, papers, a mug and pens."""
    parts = [box((0, 0, height - 0.018), (width, depth, 0.036), wood(color))]
    block = box(
        (-width / 2 + 0.24, 0.02, (height - 0.04) / 2),
        (0.4, depth - 0.08, height - 0.04),
        wood(color),
        front=panel(color, 3, 1, wooden=True),
    )
    parts.append(block)
    for y in (-depth / 2 + 0.05, depth / 2 - 0.05):
        parts.append(cylinder((width / 2 - 0.06, y, (height - 0.036) / 2), 0.024, height - 0.036, plain(STEEL, 2)))
    for k in range(4):
        sheet = box((0, 0, 0), (0.21, 0.297, 0.003), plain((0.95, 0.95, 0.93)), top=screen(1), skip="b")
        parts.append(sheet.moved(turn_z(17 * k - 30), (-0.42 + 0.06 * k, -0.12, height + 0.003 + 0.003 * k)))
    parts.append(
        box(
            (0.04, -0.14, height + 0.01), (0.44, 0.14, 0.018), plain((0.25, 0.25, 0.27), 2), top=spine((0.2, 0.2, 0.22))
        )
    )
    parts.append(cylinder((0.55, -0.1, height + 0.05), 0.04, 0.1, plain((0.8, 0.3, 0.2), 3)))
    return parts


def monitor(width: float, style: int, height_above: float = 0.12, stand: bool = True) -> list[Part]:
    """A flat screen, on a foot if wanted; z = 0 is the surface that it stands on."""
    tall = width * 0.58
    z = height_above + tall / 2
    case, picture = plain((0.09, 0.09, 0.1), 2), screen(style)
    parts = [box((0, 0, z), (width, 0.05, tall), case)]
    glass = box((0, -0.029, z), (width - 0.035, 0.008, tall - 0.035), case, front=picture)
    glass.patches[0].glow = 0.5
    parts.append(glass)
    if stand:
        parts.append(box((0, 0.02, height_above / 2), (0.08, 0.04, height_above), case))
        parts.append(box((0, 0, 0.01), (width * 0.4, 0.2, 0.02), case))
    return parts


def coat_rack(rng: np.random.Generator, width: float = 1.2) -> list[Part]:
    """A board with hooks on the wall, coats hanging from it and shoes below; its back is y = 0."""
    parts = [box((0, -0.015, 1.72), (width, 0.03, 0.14), wood(OAK))]
    tones = [(0.2, 0.28, 0.42), (0.7, 0.55, 0.2), (0.35, 0.38, 0.3), (0.6, 0.2, 0.22)]
    for k, tone in enumerate(tones):
        x = -width / 2 + width * (k + 0.5) / len(tones)
        parts.append(rod((x, 0, 1.7), (x, -0.09, 1.74), 0.012, plain(STEEL)))
        long = rng.uniform(0.75, 1.0)
        cloth = fabric(tone, [tuple(c * 0.7 for c in tone)])
        parts.append(cushion((x, -0.11, 1.6), (0.3, 0.11, 0.22), cloth, 0.7))
        parts.append(cushion((x, -0.1, 1.64 - long / 2), (0.27, 0.13, long), cloth, 0.4))
        for side in (-1, 1):
            sleeve = cushion((0, 0, -0.3), (0.09, 0.1, 0.62), cloth, 0.55, 8)
            parts.append(sleeve.moved(turn_y(-5 * side), (x + side * 0.125, -0.13, 1.64)))
    for k in range(6):
        tone = tuple(rng.uniform(0.12, 0.7) * np.array([1, 0.8, 0.65]))
        parts.append(cushion((-width / 2 + 0.1 + 0.19 * k, -0.14, 0.05), (0.1, 0.27, 0.1), fabric(tone), 0.5, 6))
    return parts

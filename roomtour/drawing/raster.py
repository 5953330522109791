"""SVG of ours as pixels: the elements and the style rules that `map.css` and the drawings of this package use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.geometry import Array
from roomtour.drawing.colors import rgb_of

_FINER = 2
"""Drawn so much larger and then shrunk, for smooth edges."""
_SHIFT = 3
"""Bits behind the point of a coordinate."""
_INHERITED = (
    "fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "stroke-opacity", "font-size", "font-weight",
    "text-anchor", "color",
)  # fmt: skip
_ROOT = {"fill": "#000000", "stroke": "none", "stroke-width": "1", "font-size": "13", "color": "#000000"}
HERSHEY_PX = 30.0
"""Height of a line of Hershey letters at scale 1."""
_OTHER_LETTERS = str.maketrans({"\u00a0": " ", "°": "", "–": "-", "×": "x", "±": "+-"})
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_COMMAND = re.compile(r"([MLHVhvCZ])([^MLHVhvCZ]*)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")

Image = NDArray[np.uint8]
Selector = tuple[frozenset[str], ...]
"""From the outermost: the tag and the classes (with a dot) that an element must have."""


@dataclass(frozen=True)
class _Place:
    """Where an element stands in the drawing: what it is within, and what it takes over from there."""

    marks: tuple[frozenset[str], ...] = ()
    style: Mapping[str, str] = field(default_factory=lambda: dict(_ROOT))
    offset: tuple[float, float] = (0.0, 0.0)


def rasterize(svg: str, scale: float = 1.0) -> Image:
    """Draw an `svg` with `viewBox` and a `style` element.

    Args:
        svg: Of this package; unknown elements are left out. Letters that the built-in font lacks become `?`.
        scale: Pixels per unit of the drawing.

    Returns:
        (H, W, 3), BGR, on white.
    """
    root = ElementTree.fromstring(svg)
    rules = [rule for style in root.iter() if _tag(style) == "style" for rule in _read_rules(style.text or "")]
    width, height = (float(value) for value in root.attrib["viewBox"].split()[2:])
    factor = scale * _FINER
    picture = np.full((round(height * factor), round(width * factor), 3), 255, np.uint8)
    for tag, attributes, text, place in _walk(root, rules, _Place()):
        _draw(picture, tag, attributes, text, place, factor)
    size = (round(width * scale), round(height * scale))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def to_ascii(text: str) -> str:
    """The text in letters that OpenCV draws."""
    return text.translate(_OTHER_LETTERS).encode("ascii", "replace").decode()


def _walk(
    node: ElementTree.Element, rules: Sequence[tuple[Selector, Mapping[str, str]]], outer: _Place
) -> Iterator[tuple[str, Mapping[str, str], str, _Place]]:
    tag = _tag(node)
    marks = (*outer.marks, frozenset({tag, *("." + name for name in node.get("class", "").split())}))
    style = {name: value for name, value in outer.style.items() if name in _INHERITED}
    style |= {name: value for name, value in node.attrib.items() if name in _INHERITED}
    for selector, values in rules:
        if _matches(selector, marks):
            style |= values
    style |= _read_values(node.get("style", ""))
    if style.get("display") == "none":
        return
    moved = [float(value) for value in _NUMBER.findall(node.get("transform", ""))] or [0.0, 0.0]
    place = _Place(marks, style, (outer.offset[0] + moved[0], outer.offset[1] + moved[1]))
    yield tag, node.attrib, node.text or "", place
    for child in node:
        yield from _walk(child, rules, place)


def _matches(selector: Selector, marks: Sequence[frozenset[str]]) -> bool:
    """Whether the last of the marks fits the last of the selector, and the others those around it, in order."""
    if not selector[-1] <= marks[-1]:
        return False
    around = iter(reversed(marks[:-1]))
    return all(any(wanted <= own for own in around) for wanted in reversed(selector[:-1]))


def _read_rules(css: str) -> list[tuple[Selector, Mapping[str, str]]]:
    rules = []
    for names, values in _RULE.findall(css):
        for name in names.split(","):
            selector = tuple(frozenset(re.findall(r"\.?[\w-]+", part)) for part in name.split())
            rules.append((selector, _read_values(values)))
    return rules


def _read_values(text: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in text.split(";") if ":" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _draw(picture: Image, tag: str, given: Mapping[str, str], text: str, place: _Place, factor: float) -> None:
    def values(*names: str) -> list[float]:
        return [float(given.get(name, 0)) for name in names]

    if tag == "text":
        x, y = values("x", "y")
        _write(picture, text, (x + place.offset[0], y + place.offset[1]), place.style, factor)
        return
    lines: list[Array] = []
    is_closed = tag != "line"
    if tag == "path":
        lines, is_closed = _read_path(given["d"])
    elif tag == "polygon":
        lines = [np.array([float(value) for value in _NUMBER.findall(given["points"])]).reshape(-1, 2)]
    elif tag == "line":
        lines = [np.array(values("x1", "y1", "x2", "y2")).reshape(2, 2)]
    elif tag == "rect":
        x, y, width, height = values("x", "y", "width", "height")
        lines = [np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)])]
    elif tag == "circle":
        x, y, radius = values("cx", "cy", "r")
        angles = np.linspace(0, 2 * np.pi, 32, endpoint=False)
        lines = [np.column_stack([x + radius * np.cos(angles), y + radius * np.sin(angles)])]
    shapes = [(line + place.offset) * factor for line in lines if len(line)]
    if not shapes:
        return
    style = place.style
    if is_closed or style["fill"] != "none":
        _paint(picture, shapes, style, "fill", 0, is_closed=True)
    width = float(style["stroke-width"].removesuffix("px")) * factor
    dashes = [float(value) * factor for value in _NUMBER.findall(style.get("stroke-dasharray", ""))]
    if len(dashes) == 2:
        closed = [np.vstack([line, line[:1]]) if is_closed else line for line in shapes]
        shapes, is_closed = [dash for line in closed for dash in _cut_dashes(line, *dashes)], False
    _paint(picture, shapes, style, "stroke", max(1, round(width)), is_closed=is_closed)


def _paint(
    picture: Image, shapes: Sequence[Array], style: Mapping[str, str], what: str, width: int, *, is_closed: bool
) -> None:
    """Fill shapes by the even-odd rule (`width` 0), or draw their outlines."""
    color = _read_color(style[what], style)
    opacity = float(style.get(f"{what}-opacity", 1.0))
    if color is None or not shapes:
        return
    every = np.vstack(shapes)
    high, wide = picture.shape[:2]
    x0, y0 = (int(value) for value in np.clip(np.floor(every.min(axis=0)) - width - 1, 0, (wide, high)))
    x1, y1 = (int(value) for value in np.clip(np.ceil(every.max(axis=0)) + width + 2, 0, (wide, high)))
    if x1 <= x0 or y1 <= y0:
        return
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    fixed = [np.round((line - (x0, y0)) * (1 << _SHIFT)).astype(np.int32) for line in shapes]
    if width:
        cv2.polylines(mask, fixed, is_closed, 255, width, cv2.LINE_AA, _SHIFT)
    else:
        cv2.fillPoly(mask, fixed, 255, cv2.LINE_AA, _SHIFT)
    share = mask[:, :, None] * (opacity / 255.0)
    part = picture[y0:y1, x0:x1]
    part[:] = np.round(part * (1.0 - share) + np.array(color) * share).astype(np.uint8)


def _write(picture: Image, text: str, at: tuple[float, float], style: Mapping[str, str], factor: float) -> None:
    letters = to_ascii(text)
    size = float(style["font-size"].removesuffix("px")) * factor / HERSHEY_PX
    thick = max(1, round(size * (3.2 if float(style.get("font-weight", 400)) > 500 else 2.0)))
    (width, height), _ = cv2.getTextSize(letters, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
    x, y = at[0] * factor, at[1] * factor
    x -= {"start": 0.0, "end": width}.get(style.get("text-anchor", "start"), width / 2)
    origin = (round(x), round(y + height / 2))
    halo = _read_color(style["stroke"], style)
    ink = _read_color(style["fill"], style) or (0, 0, 0)
    if halo is not None:
        put_halo(
            picture, letters, origin, size, halo, thick, float(style["stroke-width"].removesuffix("px")) * factor / 2
        )
    cv2.putText(picture, letters, origin, cv2.FONT_HERSHEY_SIMPLEX, size, ink, thick, cv2.LINE_AA)


def put_halo(
    picture: NDArray[Any], letters: str, origin: tuple[int, int], size: float, color: tuple[int, int, int], thick: int,
    reach_px: float,
) -> None:  # fmt: skip
    """Write letters all around where they will stand, for what is written over a picture; a bolder text is no halo.

    OpenCV 5 takes a greater thickness for a heavier font, whose letters lie under the ink.
    """
    reach = max(1, round(reach_px))
    for dx, dy in ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)):
        at = (origin[0] + dx * reach, origin[1] + dy * reach)
        cv2.putText(picture, letters, at, cv2.FONT_HERSHEY_SIMPLEX, size, color, thick, cv2.LINE_AA)


def _read_path(d: str) -> tuple[list[Array], bool]:
    """Lines of a path, and whether they are closed; curves are not among what maps draw."""
    lines: list[list[tuple[float, float]]] = []
    for command, rest in _COMMAND.findall(d):
        numbers = [float(value) for value in _NUMBER.findall(rest)]
        if command == "M":
            lines.append([])
        if command in "ML":
            lines[-1] += list(zip(numbers[::2], numbers[1::2], strict=True))
        elif command != "Z":
            x, y = lines[-1][-1]
            value = numbers[0]
            lines[-1].append({"H": (value, y), "V": (x, value), "h": (x + value, y), "v": (x, y + value)}[command])
    return [np.array(line) for line in lines], "Z" in d


def _cut_dashes(line: Array, drawn: float, left: float) -> Iterator[Array]:
    steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    for start in np.arange(0.0, along[-1], drawn + left):
        stop = min(start + drawn, along[-1])
        inner = line[(along > start) & (along < stop)]
        ends = [[np.interp(place, along, line[:, axis]) for axis in (0, 1)] for place in (start, stop)]
        yield np.vstack([ends[0], inner, ends[1]])


def _read_color(text: str, style: Mapping[str, str]) -> tuple[int, int, int] | None:
    """BGR of `#rrggbb`, `#rgb` or `currentColor`; None for `none`."""
    text = style["color"] if text == "currentColor" else text
    if not text.startswith("#"):
        return None
    red, green, blue = rgb_of(text if len(text) == 7 else "#" + "".join(2 * digit for digit in text[1:]))
    return blue, green, red


def _tag(node: ElementTree.Element) -> str:
    return node.tag.rpartition("}")[2]

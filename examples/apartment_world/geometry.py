"""Patches of surface, the parts made of them, and the objects made of parts.

A `Patch` is a grid of points with one painted image stretched over it once, so no texture ever repeats.
A `Part` is a few patches around one simple solid (the proxy) that stands in for it when light is traced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

Paint = Callable[[int, int, float, np.random.Generator], NDArray[np.float32]]
"""A painter: (height_px, width_px, pixels per metre, random source) -> image_rgb in 0..1, shape (h, w, 3)."""

FURNITURE_PX_PER_M = 330.0


@dataclass
class Patch:
    """A surface: a grid of points, an outward normal at each, and how it is painted.

    `points_m[row, column]` goes with texture coordinates (`u[column]`, `v[row]`), v = 0 being the image's top row.
    """

    points_m: NDArray[np.float64]  # (rows, columns, 3)
    normals: NDArray[np.float64]  # (rows, columns, 3)
    u: NDArray[np.float64]  # (columns,)
    v: NDArray[np.float64]  # (rows,)
    paint: Paint
    px_per_m: float = FURNITURE_PX_PER_M
    keep: NDArray[np.bool_] | None = None  # (rows - 1, columns - 1); cells that exist, None for all
    image: NDArray[np.uint8] | None = None  # painted colour, before light
    glow: float = 0.0  # light of its own, for lamps and screens

    def size_m(self) -> tuple[float, float]:
        """Width and height of the surface, measured along its middle lines."""
        rows, columns = self.points_m.shape[:2]
        across = np.linalg.norm(np.diff(self.points_m[rows // 2], axis=0), axis=1).sum()
        down = np.linalg.norm(np.diff(self.points_m[:, columns // 2], axis=0), axis=1).sum()
        return max(float(across), 0.01), max(float(down), 0.01)

    def sample(self, u: NDArray[np.float64], v: NDArray[np.float64]) -> tuple[NDArray, NDArray]:
        """Points and unit normals at texture coordinates, by bilinear interpolation."""
        column = np.clip(np.searchsorted(self.u, u, side="right") - 1, 0, len(self.u) - 2)
        row = np.clip(np.searchsorted(self.v, v, side="right") - 1, 0, len(self.v) - 2)
        fu = ((u - self.u[column]) / (self.u[column + 1] - self.u[column]))[:, None]
        fv = ((v - self.v[row]) / (self.v[row + 1] - self.v[row]))[:, None]

        def blend(grid: NDArray[np.float64]) -> NDArray[np.float64]:
            top = grid[row, column] * (1 - fu) + grid[row, column + 1] * fu
            bottom = grid[row + 1, column] * (1 - fu) + grid[row + 1, column + 1] * fu
            return top * (1 - fv) + bottom * fv

        normal = blend(self.normals)
        return blend(self.points_m), normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-9)

    def moved(self, rotation: NDArray[np.float64], translation_m: NDArray[np.float64]) -> Patch:
        """The same patch under `x -> rotation @ x + translation`."""
        return replace(self, points_m=self.points_m @ rotation.T + translation_m, normals=self.normals @ rotation.T)


@dataclass
class Part:
    """Patches around one solid. `kind` is box, ellipsoid, cylinder or none (casts no shadow)."""

    patches: list[Patch]
    kind: str = "none"
    center_m: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    half_extents_m: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    rotation: NDArray[np.float64] = field(default_factory=lambda: np.eye(3))

    def moved(self, rotation: NDArray[np.float64], translation_m: NDArray[np.float64] | tuple) -> Part:
        """The same part under `x -> rotation @ x + translation`."""
        shift = np.asarray(translation_m, dtype=float)
        return Part(
            [patch.moved(rotation, shift) for patch in self.patches],
            self.kind,
            rotation @ self.center_m + shift,
            self.half_extents_m,
            rotation @ self.rotation,
        )


@dataclass
class WorldObject:
    """One thing in the world. `category` is empty for walls, floors and other shell pieces."""

    id: str
    category: str
    color: str
    room: str
    parts: list[Part]
    center_m: NDArray[np.float64]
    half_extents_m: NDArray[np.float64]
    rotation: NDArray[np.float64]


def turn_z(angle_deg: float) -> NDArray[np.float64]:
    """Rotation about z, counter-clockwise seen from above."""
    c, s = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def turn_x(angle_deg: float) -> NDArray[np.float64]:
    """Rotation about x."""
    c, s = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def turn_y(angle_deg: float) -> NDArray[np.float64]:
    """Rotation about y."""
    c, s = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def place(object_id: str, category: str, color: str, room: str, parts: list[Part], at: tuple, yaw_deg: float = 0.0):
    """Put parts built around the origin at a place in the world, turned by yaw, and box them.

    Args:
        object_id: Unique name.
        category: Plain noun, empty for shell pieces.
        color: Basic colour word.
        room: Id of the room it stands in.
        parts: Parts in the object's own frame (its front looks along -y).
        at: World position (x, y, z) of the object's origin.
        yaw_deg: Turn about z, counter-clockwise.

    Returns:
        The object with its oriented bounding box, which is tight in the object's own frame.
    """
    local = np.concatenate([patch.points_m.reshape(-1, 3) for part in parts for patch in part.patches])
    low, high = local.min(axis=0), local.max(axis=0)
    rotation, shift = turn_z(yaw_deg), np.asarray(at, dtype=float)
    return WorldObject(
        id=object_id,
        category=category,
        color=color,
        room=room,
        parts=[part.moved(rotation, shift) for part in parts],
        center_m=rotation @ ((low + high) / 2) + shift,
        half_extents_m=(high - low) / 2,
        rotation=rotation,
    )


def quad(
    corner: NDArray | tuple, right: NDArray | tuple, down: NDArray | tuple, paint: Paint, px_per_m: float | None = None
) -> Patch:
    """A flat rectangle seen from its front: top left corner, then the edges to the right and down."""
    corner, right, down = (np.asarray(vector, dtype=float) for vector in (corner, right, down))
    points = np.array([[corner, corner + right], [corner + down, corner + down + right]])
    normal = np.cross(down, right)
    normal /= np.linalg.norm(normal)
    normals = np.broadcast_to(normal, points.shape).copy()
    ends = np.array([0.0, 1.0])
    return Patch(points, normals, ends, ends, paint, px_per_m or FURNITURE_PX_PER_M)


def box(
    center: tuple, size: tuple, paint: Paint, *, front: Paint | None = None, top: Paint | None = None, skip: str = ""
) -> Part:
    """A box of full size (x, y, z), with its own painter for the front (-y) and the top (+z) if given.

    Args:
        center: Middle of the box.
        size: Full size in metres.
        paint: Painter of each face; every face is painted separately.
        front: Painter of the face that looks along -y.
        top: Painter of the face that looks along +z.
        skip: Letters of faces that are never seen: f(ront) k (back) l(eft) r(ight) t(op) b(ottom).
    """
    cx, cy, cz = center
    hx, hy, hz = (side / 2 for side in size)
    x0, x1, y0, y1, z0, z1 = cx - hx, cx + hx, cy - hy, cy + hy, cz - hz, cz + hz
    dx, dy, dz = 2 * hx, 2 * hy, 2 * hz
    faces = {
        "f": quad((x0, y0, z1), (dx, 0, 0), (0, 0, -dz), front or paint),
        "k": quad((x1, y1, z1), (-dx, 0, 0), (0, 0, -dz), paint),
        "l": quad((x0, y1, z1), (0, -dy, 0), (0, 0, -dz), paint),
        "r": quad((x1, y0, z1), (0, dy, 0), (0, 0, -dz), paint),
        "t": quad((x0, y1, z1), (dx, 0, 0), (0, -dy, 0), top or paint),
        "b": quad((x0, y0, z0), (dx, 0, 0), (0, dy, 0), paint),
    }
    patches = [face for letter, face in faces.items() if letter not in skip]
    return Part(patches, "box", np.array([cx, cy, cz], dtype=float), np.array([hx, hy, hz]))


def cushion(center: tuple, size: tuple, paint: Paint, squareness: float = 0.35, steps: int = 14) -> Part:
    """A superellipsoid: 1 is an ellipsoid, near 0 a box; 0.2 to 0.5 look like upholstery.

    Its texture is stretched along meridians by arc length, so the flat faces get most of it.
    """
    half = np.asarray(size, dtype=float) / 2
    patches = []
    lon = np.linspace(-np.pi, np.pi, 4 * steps + 1)
    lat = np.linspace(np.pi / 2, -np.pi / 2, 2 * steps + 1)

    def power(value: NDArray[np.float64], exponent: float) -> NDArray[np.float64]:
        return np.sign(value) * np.abs(value) ** exponent

    lat_grid, lon_grid = np.meshgrid(lat, lon, indexing="ij")
    unit = np.stack(
        [
            power(np.cos(lat_grid), squareness) * power(np.cos(lon_grid), squareness),
            power(np.cos(lat_grid), squareness) * power(np.sin(lon_grid), squareness),
            power(np.sin(lat_grid), squareness),
        ],
        axis=-1,
    )
    bend = 2 - squareness
    normals = np.stack(
        [
            power(np.cos(lat_grid), bend) * power(np.cos(lon_grid), bend) / half[0],
            power(np.cos(lat_grid), bend) * power(np.sin(lon_grid), bend) / half[1],
            power(np.sin(lat_grid), bend) / half[2],
        ],
        axis=-1,
    )
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-9)
    points = unit * half + np.asarray(center, dtype=float)
    # Texture coordinates follow arc length so that the flat faces are not starved of texels.
    u = _arc_length(points[steps])
    v = _arc_length(points[:, 2 * steps])
    patches.append(Patch(points, normals, u, v, paint))
    kind = "ellipsoid" if squareness > 0.75 else "box"
    shrink = 1.0 if kind == "ellipsoid" else 0.94
    return Part(patches, kind, np.asarray(center, dtype=float), half * shrink)


def _arc_length(line_m: NDArray[np.float64]) -> NDArray[np.float64]:
    steps = np.maximum(np.linalg.norm(np.diff(line_m, axis=0), axis=1), 1e-6)
    total = np.concatenate([[0.0], np.cumsum(steps)])
    return total / total[-1]


def lathe(center: tuple, profile: list[tuple[float, float]], paint: Paint, sides: int = 28, proxy: bool = True) -> Part:
    """A surface of revolution about z. `profile` lists (radius, height) from the top down, heights above `center`."""
    radius = np.array([point[0] for point in profile])
    height = np.array([point[1] for point in profile])
    angle = np.linspace(-np.pi, np.pi, sides + 1)
    middle = np.asarray(center, dtype=float)
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=-1)
    points = radius[:, None, None] * ring[None] + height[:, None, None] * np.array([0, 0, 1.0]) + middle
    slope_r, slope_z = np.gradient(radius), np.gradient(height)
    normals = -slope_z[:, None, None] * ring[None] + slope_r[:, None, None] * np.array([0, 0, 1.0])
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-9)
    v = _arc_length(np.stack([radius, height], axis=-1))
    patch = Patch(points, normals, np.linspace(0, 1, sides + 1), v, paint)
    top, bottom = height.max(), height.min()
    widest = float(np.mean(radius))
    half = np.array([widest, (top - bottom) / 2, 0.0])
    return Part([patch], "cylinder" if proxy else "none", middle + np.array([0, 0, (top + bottom) / 2]), half)


def cylinder(center: tuple, radius: float, height: float, paint: Paint, sides: int = 20) -> Part:
    """An upright closed cylinder; `center` is its middle."""
    h = height / 2
    eps = 1e-3
    profile = [(eps, h), (radius - eps, h), (radius, h - eps), (radius, -h + eps), (radius - eps, -h), (eps, -h)]
    return lathe(center, profile, paint, sides)


def rod(start: tuple, end: tuple, radius: float, paint: Paint) -> Part:
    """A round bar between two points."""
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    axis = b - a
    length = float(np.linalg.norm(axis))
    z = axis / length
    x = np.cross([0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0], z)
    x /= np.linalg.norm(x)
    rotation = np.stack([x, np.cross(z, x), z], axis=1)
    part = cylinder((0, 0, 0), radius, length, paint, sides=10)
    return part.moved(rotation, (a + b) / 2)


def curtain(left: tuple, width: float, height: float, depth: float, folds: int, paint: Paint) -> Part:
    """Hanging cloth in the xz plane seen from -y, with folds of uneven depth. `left` is its top left corner."""
    columns, rows = folds * 8 + 1, 6
    s = np.linspace(0, 1, columns)
    drop = np.linspace(0, 1, rows)
    wave = np.sin(2 * np.pi * folds * s + 1.3 * np.sin(2 * np.pi * s * 2.3)) * (0.7 + 0.3 * np.sin(9.1 * s))
    x0, y0, z0 = left
    points = np.zeros((rows, columns, 3))
    points[..., 0] = x0 + s * width
    points[..., 1] = y0 + depth * wave[None] * (0.6 + 0.4 * drop[:, None])
    points[..., 2] = z0 - drop[:, None] * height
    tangent = np.gradient(points, axis=1)
    normals = np.cross(np.gradient(points, axis=0), tangent)
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    front = Patch(points, normals, _arc_length(points[-1]), drop, paint)
    back = Patch(points[:, ::-1], -normals[:, ::-1], 1 - front.u[::-1], drop, paint)
    middle = np.array([x0 + width / 2, y0, z0 - height / 2])
    return Part([front, back], "box", middle, np.array([width / 2, depth * 0.2, height / 2]))


def leaf(base: NDArray[np.float64], tip: NDArray[np.float64], width: float, droop: float, paint: Paint) -> Part:
    """A bent leaf from base to tip, visible from both sides; casts no shadow."""
    base, tip = np.asarray(base, dtype=float), np.asarray(tip, dtype=float)
    along = tip - base
    side = np.cross(along, [0, 0, 1.0])
    side /= max(np.linalg.norm(side), 1e-9)
    s = np.linspace(0, 1, 8)
    spine = base + s[:, None] * along + np.stack([0 * s, 0 * s, droop * (s * (1 - s) * 2 - s**2 * 0.6)], axis=-1)
    half_width = width / 2 * np.sin(np.pi * np.clip(s * 0.93 + 0.05, 0, 1)) ** 0.8
    across = np.array([-1.0, 0.0, 1.0])
    points = spine[:, None] + across[None, :, None] * half_width[:, None, None] * side
    points[:, 1, 2] -= half_width * 0.25
    normals = np.cross(np.gradient(points, axis=0), np.gradient(points, axis=1))
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-9)
    u = np.linspace(0, 1, 3)
    front = Patch(points, normals, u, s, paint)
    back = Patch(points[:, ::-1], -normals[:, ::-1], u, s, paint)
    return Part([front, back])

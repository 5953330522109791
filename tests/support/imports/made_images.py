"""A folder of images with depth, things and ground, as a stranger would hand it over; its truth is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from tests.support.worlds.made_depth import FLOOR, FOCAL, HEIGHT, WIDTH, Crate, look_at_room

CRATES = (
    Crate("red chest", (2.4, 0.35, 0.0), (2.9, 1.0, 0.5)),
    Crate("tall cabinet", (3.0, -1.2, 0.0), (3.4, -0.5, 1.3)),
    Crate("blue stool", (1.9, -0.35, 0.0), (2.2, 0.05, 0.45)),
)


def rle(mask: np.ndarray) -> dict[str, Any]:
    """Run lengths column by column, written out the slow way."""
    counts, value = [0], False
    for pixel in mask.T.ravel().tolist():
        if pixel != value:
            counts.append(0)
            value = pixel
        counts[-1] += 1
    return {"height": mask.shape[0], "width": mask.shape[1], "counts": counts}


def write_images(
    folder: Path, *, crates: Sequence[Crate] = CRATES, rolls: Sequence[float] = (0.0, 12.0), ground: bool = True
) -> list[dict[str, Any]]:
    """Pictures, depth in millimetres and `images.jsonl`; one image per roll."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, roll_deg in enumerate(rolls):
        seen = look_at_room(crates, roll_deg=roll_deg)
        picture = np.random.default_rng(number).integers(60, 90, (HEIGHT, WIDTH, 3), dtype=np.uint8)
        for row in range(len(crates)):
            picture[seen.shows == row] = (40 * row, 90, 220 - 60 * row)
        cv2.imwrite(str(folder / f"view{number}.png"), picture)
        cv2.imwrite(str(folder / f"view{number}_depth.png"), np.round(seen.depth * 1000).astype(np.uint16))
        line = {
            "image": f"view{number}.png",
            "depth": f"view{number}_depth.png",
            "depth_unit_m": 0.001,
            "depth_sigma": 0.01,
            "fx": FOCAL,
            "cx": WIDTH / 2,
            "cy": HEIGHT / 2,
            "things": [
                {"label": crate.name.split()[-1], "caption": crate.name, "score": 0.9, "mask": rle(seen.shows == row)}
                for row, crate in enumerate(crates)
            ],
        }
        if ground:
            line["ground"] = rle(seen.shows == FLOOR)
        lines.append(line)
    write_lines(folder, lines)
    return lines


def write_lines(folder: Path, lines: Sequence[dict[str, Any]]) -> None:
    """The file `images.jsonl`."""
    (folder / "images.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

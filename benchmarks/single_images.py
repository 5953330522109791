"""Single images of a filmed office with a sensor's depth: what `roomtour import --format images` makes of them.

    python benchmarks/single_images.py TOUR RUN --out FOLDER
    roomtour import FOLDER --format images --out IMPORTED
    python benchmarks/single_images.py TOUR RUN --out FOLDER --check IMPORTED

TOUR holds `images/` and `depth/` (16 bit PNG, millimetres, every third picture) and `K.txt`; RUN is a run of its images
with light models. Boxes are the run's detections; a mask is the part of the box that the segmenter calls neither floor,
wall nor ceiling and that is about as deep as its middle; the ground is what it calls floor. Writes FOLDER/images.jsonl.

With --check, every distance that may be asked is held against the sensor as a person would read it off: rays through
the middles of the two boxes, at the median depth of the middle half of each.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.perception.frames.results import FrameResults, VisionIndex
from instructions.perception.masks import encode_mask
from instructions.perception.models.light.labels import ade_words
from instructions.questions.core.options import ChoiceOptions, SpatialOptions
from instructions.questions.writers.views import write_questions
from instructions.records import MaskRle
from instructions.tour import Tour
from roomtour.files.records import from_plain, read_json
from roomtour.run import Run

FPS = 10.0
UNCAPPED = SpatialOptions(choice=ChoiceOptions(rows_per_view=0, rows_per_pair=0, again_m=0, halves=False))
LAYER_SHARE = 0.15
SURFACES = ("wall", "ceiling", "floor")
FLAT = ("door", "window", "picture", "curtain", "mirror")


def main() -> int:
    """Write the source."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tour", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--check", type=Path, metavar="IMPORTED")
    args = parser.parse_args()
    if args.check is not None:
        return check(args.out / "images.jsonl", Run(args.check))
    args.out.mkdir(parents=True, exist_ok=True)
    lines = make_lines(args.tour.resolve(), Run(args.run))
    (args.out / "images.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    print(f"{len(lines)} images, {sum(len(line['things']) for line in lines)} things")
    return 0


def check(source: Path, run: Run) -> int:
    """Print how far asked distances are from what the sensor says."""
    lines = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    written = write_questions(Tour(run.scene, run.objects, run.observations, run.detections), UNCAPPED)
    told: dict[str, list[tuple[float, float, float]]] = {"distance": [], "camera_distance": []}
    for row in written.rows:
        if row.type not in told or row.measured is None:
            continue
        line = lines[row.views[0] - 1]
        raw = cv2.imread(line["depth"], cv2.IMREAD_UNCHANGED)
        if raw is None:
            continue
        depth = np.where(raw > 0, raw / 1000.0, np.nan)
        share = 50.0 if row.type == "distance" else 10.0
        boxes = [one.box_xyxy for one in row.references if one.box_xyxy is not None]
        points = [_read_off(depth, box, line, share) for box in boxes]
        ends = np.array([np.zeros(3), *points])[-2:]
        if np.isfinite(ends).all():
            told[row.type].append((row.measured.value, float(np.linalg.norm(ends[1] - ends[0])), row.measured.sigma))
    for name, values in told.items():
        if values:
            mine, its, sigma = np.array(values).T
            off = np.abs(mine - its) / its
            shares = ", ".join(f"{(off <= bar).mean():.0%} within {bar:.0%}" for bar in (0.1, 0.2, 0.3))
            inside = (np.abs(mine - its) <= 2 * sigma).mean()
            print(f"{name}: {len(off)}, median error {np.median(off):.1%}, {shares}; {inside:.0%} within 2 sigma")
    return 0


def _read_off(depth: NDArray[np.float64], box: tuple[float, ...], line: dict, share: float) -> NDArray[np.float64]:
    x0, y0, x1, y1 = box
    cut_x, cut_y = (x1 - x0) / 4, (y1 - y0) / 4
    middle = depth[round(y0 + cut_y) : round(y1 - cut_y), round(x0 + cut_x) : round(x1 - cut_x)]
    known = middle[np.isfinite(middle)]
    if not len(known):
        return np.full(3, np.nan)
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    ray = np.array([(x - line["cx"]) / line["fx"], (y - line["cy"]) / line["fy"], 1.0])
    return ray * np.percentile(known, share)


def make_lines(tour: Path, run: Run) -> list[dict]:
    """The lines of an images file, one per frame of the run that has depth."""
    matrix = np.loadtxt(tour / "K.txt")
    # The calibration has pixel centres at whole numbers, ours are at +0.5.
    intrinsics = {"fx": matrix[0, 0], "fy": matrix[1, 1], "cx": matrix[0, 2] + 0.5, "cy": matrix[1, 2] + 0.5}
    pictures = sorted((tour / "images").iterdir())
    index = from_plain(read_json(run.path / "vision" / "index.json"), VisionIndex, "vision")
    results = FrameResults(run.path / "vision", index)
    detections = run.detections
    lines = []
    for frame in run.scene_outline.frames:
        picture = pictures[round(frame.time_s * FPS)]
        depth_file = tour / "depth" / f"{picture.stem}.png"
        if not depth_file.exists():
            continue
        raw = cv2.imread(str(depth_file), cv2.IMREAD_UNCHANGED)
        if raw is None or (raw == 0).mean() > 0.5:
            continue
        depth = np.where(raw > 0, raw / 1000.0, np.nan)
        segments = results.segments(frame.index, frame.width, frame.height)
        if segments is None:
            continue
        size = (frame.width, frame.height)
        classes = cv2.resize(segments.classes, size, interpolation=cv2.INTER_NEAREST).astype(np.uint8)
        things = []
        for one in detections:
            if one.frame == frame.index:
                mask = cut_out(one.label, one.box_xyxy, depth, classes)
                things.append({"label": one.label, "score": one.score, "mask": mask, "box_xyxy": one.box_xyxy})
        lines.append(
            {
                "image": str(picture),
                "depth": str(depth_file),
                "depth_unit_m": 0.001,
                "depth_sigma": 0.01,
                "depth_source": "depth camera",
                **intrinsics,
                "things": things,
                "ground": _plain(encode_mask(classes == ade_words().index("floor"))),
                "ground_label": "floor",
                "source": "light models",
            }
        )
    return lines


def cut_out(label: str, box: tuple[float, ...], depth: NDArray[np.float64], classes: NDArray[np.uint8]) -> dict | None:
    """The pixels of a box that are the thing, None if few are."""
    x0, y0, x1, y1 = (round(value) for value in box)
    inside = np.zeros(depth.shape, dtype=bool)
    inside[y0:y1, x0:x1] = True
    surfaces = [ade_words().index(name) for name in SURFACES]
    if label not in FLAT:
        inside &= ~np.isin(classes, surfaces)
    cut_x, cut_y = (x1 - x0) // 4, (y1 - y0) // 4
    middle = np.zeros_like(inside)
    middle[y0 + cut_y : y1 - cut_y, x0 + cut_x : x1 - cut_x] = True
    known = depth[inside & middle & np.isfinite(depth)]
    if len(known) < 30:
        return None
    center = float(np.median(known))
    with np.errstate(invalid="ignore"):
        inside &= np.abs(depth - center) <= max(LAYER_SHARE * center, 0.3)
    return _plain(encode_mask(inside)) if inside.sum() >= 100 else None


def _plain(mask: MaskRle) -> dict:
    return {"height": mask.height, "width": mask.width, "counts": list(mask.counts)}


if __name__ == "__main__":
    raise SystemExit(main())
